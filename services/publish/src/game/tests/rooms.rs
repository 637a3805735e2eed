//! Private groups and their chat groups.

use protocol::{
    Audience, ChatGroup, MessageRef, PlatformAct, PoolIn, Refused, RosterState, Scene, ToPublish,
    UserId,
};

use crate::testing::{
    Bench, DIRECTOR, GAME, Sent, acts, done, messages, plan, private, refused, roster, say, unknown,
};

const GROUP: ChatGroup = ChatGroup(700_001);
const WOLVES: &str = "狼群";
const BOSS: Scene = Scene::Private(DIRECTOR);
const STRANGER: UserId = UserId(99);

fn given(name: &str, group: Option<u64>) -> ToPublish {
    given_as(1, name, group)
}

fn given_as(lease: u64, name: &str, group: Option<u64>) -> ToPublish {
    ToPublish::GroupGiven {
        name: name.to_owned(),
        group: group.map(ChatGroup),
        lease,
    }
}

fn joined(user: u64) -> ToPublish {
    ToPublish::Joined {
        group: GROUP,
        user: UserId(user),
    }
}

fn left(user: u64) -> ToPublish {
    ToPublish::Left {
        group: GROUP,
        user: UserId(user),
    }
}

fn inside(users: &[u64]) -> ToPublish {
    ToPublish::Members {
        group: GROUP,
        users: users.iter().copied().map(UserId).collect(),
    }
}

fn request(user: u64, flag: &str) -> ToPublish {
    ToPublish::JoinRequest {
        group: GROUP,
        user: UserId(user),
        flag: flag.to_owned(),
    }
}

fn list() -> PlatformAct {
    PlatformAct::ListMembers { group: GROUP }
}

fn kick(user: u64) -> PlatformAct {
    PlatformAct::Kick {
        group: GROUP,
        user: UserId(user),
    }
}

fn card(user: u64, card: &str) -> PlatformAct {
    PlatformAct::Card {
        group: GROUP,
        user: UserId(user),
        card: card.to_owned(),
    }
}

fn approval(user: u64, flag: &str) -> PlatformAct {
    PlatformAct::Answer {
        group: GROUP,
        user: UserId(user),
        flag: flag.to_owned(),
        approve: true,
        reason: String::new(),
    }
}

/// Seats 1 and 4 are wolves; their chat group has been given, is empty, and known to be.
fn wolves() -> Bench {
    let mut bench = Bench::game();
    bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0, 3])]));
    bench.take(&given(WOLVES, Some(GROUP.0)));
    answer_list(&mut bench, &[]);
    bench
}

/// Both wolves have come.
fn full() -> Bench {
    let mut bench = wolves();
    bench.take(&joined(1));
    bench.take(&joined(4));
    bench
}

fn answer_list(bench: &mut Bench, users: &[u64]) -> Vec<Sent> {
    let mut sent = bench.take(&inside(users));
    sent.extend(bench.acted(&list(), done()));
    sent
}

/// Where something for the wolves is read.
fn heard(bench: &mut Bench, key: &str) -> Vec<Scene> {
    let sent = messages(&bench.say(key, Audience::Group(WOLVES.to_owned()), "刀谁"));
    for (scene, text) in &sent {
        let front = matches!(scene, Scene::Private(_));
        assert_eq!(text == "【狼群】【刀谁】", front, "{text}");
    }
    sent.into_iter().map(|(scene, _)| scene).collect()
}

const IN_GROUP: &[Scene] = &[Scene::Group(GROUP)];
const IN_PRIVATE: &[Scene] = &[Scene::Private(UserId(1)), Scene::Private(UserId(4))];

#[test]
fn a_room_gets_its_group_named_and_its_members_invited() {
    let mut bench = Bench::game();
    let plans = ToPublish::Groups(vec![plan(WOLVES, &[0, 3])]);
    let take = ToPublish::Pool(PoolIn::Take {
        game: GAME,
        name: WOLVES.to_owned(),
    });
    assert_eq!(
        bench.take(&plans),
        [Sent::ToDesk("pool:9000".to_owned(), take)]
    );
    assert_eq!(bench.take(&plans), [], "asked once");

    let sent = bench.take(&given(WOLVES, Some(GROUP.0)));
    let rename = PlatformAct::Rename {
        group: GROUP,
        name: "鸣潮一·狼群".to_owned(),
    };
    assert_eq!(acts(&sent), [rename, list()]);
    let invited = messages(&sent);
    assert_eq!(
        invited.iter().map(|(scene, _)| *scene).collect::<Vec<_>>(),
        IN_PRIVATE
    );
    assert!(invited[0].1.contains("700001") && invited[0].1.contains("申请加入"));
    assert_eq!(bench.take(&given(WOLVES, Some(GROUP.0))), [], "given once");
    assert_eq!(bench.take(&plans), [], "invited once");
}

#[test]
fn exactly_the_members_are_let_in() {
    let mut bench = wolves();
    assert_eq!(acts(&bench.take(&request(4, "f4"))), [approval(4, "f4")]);
    for (user, flag) in [(2, "f2"), (99, "f99"), (DIRECTOR.0, "fd")] {
        let sent = acts(&bench.take(&request(user, flag)));
        let [
            PlatformAct::Answer {
                approve,
                reason,
                user: asked,
                ..
            },
        ] = &sent[..]
        else {
            panic!("{sent:?}")
        };
        assert!(!approve && *asked == UserId(user));
        assert!(reason.contains("只有本局对应的玩家"), "{reason}");
    }
    assert_eq!(bench.take(&request(4, "f4")), [], "the same request again");
}

#[test]
fn who_joins_gets_a_card_once() {
    let mut bench = wolves();
    assert_eq!(acts(&bench.take(&joined(4))), [card(4, "4号 丁")]);
    assert_eq!(bench.take(&joined(4)), []);
    assert_eq!(answer_list(&mut bench, &[4]), []);
    // A list does as well as the news.
    assert_eq!(acts(&bench.take(&inside(&[4, 1]))), [card(1, "1号 甲")]);
}

#[test]
fn the_group_hears_what_is_for_it_and_members_outside_hear_it_in_private() {
    let mut bench = wolves();
    assert_eq!(heard(&mut bench, "a"), IN_PRIVATE);
    bench.take(&joined(4));
    assert_eq!(heard(&mut bench, "b"), [Scene::Group(GROUP), private(1)]);
    bench.take(&joined(1));
    assert_eq!(heard(&mut bench, "c"), IN_GROUP);
    bench.take(&left(1));
    assert_eq!(heard(&mut bench, "d"), [Scene::Group(GROUP), private(1)]);
    answer_list(&mut bench, &[1, 4]);
    assert_eq!(
        heard(&mut bench, "e"),
        IN_GROUP,
        "the news that 1 left was wrong"
    );
}

#[test]
fn an_answer_to_a_line_in_the_group_quotes_it_there() {
    let mut bench = full();
    let mut answer = say("a", Audience::Scene(Scene::Group(GROUP)), "已记下");
    answer.reply_to = Some(MessageRef("m".to_owned()));
    let sent = bench.take(&ToPublish::Say(answer.clone()));
    let [Sent::Message(message)] = &sent[..] else {
        panic!("{sent:?}")
    };
    assert_eq!(message.scene, Scene::Group(GROUP));
    assert_eq!(message.parts.len(), 2);

    bench.take(&joined(STRANGER.0));
    answer.key.0 = "b".to_owned();
    let sent = bench.take(&ToPublish::Say(answer));
    let scenes: Vec<_> = messages(&sent)
        .into_iter()
        .map(|(scene, _)| scene)
        .collect();
    assert_eq!(scenes, IN_PRIVATE);
}

#[test]
fn before_the_members_are_listed_the_group_is_not_used() {
    let mut bench = Bench::game();
    bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0, 3])]));
    bench.take(&given(WOLVES, Some(GROUP.0)));
    bench.take(&joined(1));
    bench.take(&joined(4));
    assert_eq!(heard(&mut bench, "a"), IN_PRIVATE);
    answer_list(&mut bench, &[1, 4, STRANGER.0]);
    assert_eq!(heard(&mut bench, "b"), IN_PRIVATE);
}

#[test]
fn a_stranger_is_removed_and_hears_nothing() {
    let mut bench = full();
    assert_eq!(acts(&bench.take(&joined(STRANGER.0))), [kick(STRANGER.0)]);
    assert_eq!(bench.take(&joined(STRANGER.0)), [], "the news twice");
    assert_eq!(heard(&mut bench, "a"), IN_PRIVATE);
    // A list that was on its way before he came says nothing.
    bench.take(&inside(&[1, 4]));
    assert_eq!(heard(&mut bench, "b"), IN_PRIVATE);
    // The platform's word is not enough either.
    assert_eq!(acts(&bench.acted(&kick(STRANGER.0), done())), [list()]);
    assert_eq!(heard(&mut bench, "c"), IN_PRIVATE);
    answer_list(&mut bench, &[1, 4]);
    assert_eq!(heard(&mut bench, "d"), IN_GROUP);
}

#[test]
fn removals_without_effect_are_tried_again_and_then_left_to_the_director() {
    let mut bench = full();
    bench.take(&joined(STRANGER.0));
    for _ in 0..2 {
        bench.acted(&kick(STRANGER.0), done());
        let sent = answer_list(&mut bench, &[1, 4, STRANGER.0]);
        assert_eq!(acts(&sent), [kick(STRANGER.0)]);
    }
    bench.acted(&kick(STRANGER.0), unknown());
    let sent = answer_list(&mut bench, &[1, 4, STRANGER.0]);
    assert_eq!(acts(&sent), []);
    let told = messages(&sent);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].0 == BOSS && told[0].1.contains("不该在的人：99"),
        "{}",
        told[0].1
    );
    assert_eq!(
        answer_list(&mut bench, &[1, 4, STRANGER.0]),
        [],
        "told once"
    );
    assert_eq!(heard(&mut bench, "a"), IN_PRIVATE);
    // By hand it works, with or without news of it.
    answer_list(&mut bench, &[1, 4]);
    assert_eq!(heard(&mut bench, "b"), IN_GROUP);
}

#[test]
fn a_removal_that_is_refused_is_left_to_the_director_at_once() {
    let mut bench = full();
    bench.take(&joined(STRANGER.0));
    bench.acted(&kick(STRANGER.0), refused(Refused::NoRight));
    let sent = answer_list(&mut bench, &[1, 4, STRANGER.0]);
    assert_eq!(acts(&sent), []);
    assert_eq!(messages(&sent).len(), 1);
    // It was refused because he is not there: nothing to do by hand.
    let mut bench = full();
    bench.take(&joined(STRANGER.0));
    bench.acted(&kick(STRANGER.0), refused(Refused::Other));
    assert_eq!(answer_list(&mut bench, &[1, 4]), []);
    assert_eq!(heard(&mut bench, "a"), IN_GROUP);
}

#[test]
fn who_directs_the_game_may_be_inside() {
    let mut bench = full();
    assert_eq!(bench.take(&joined(DIRECTOR.0)), []);
    assert_eq!(heard(&mut bench, "a"), IN_GROUP);
    // The bot's own coming is no news.
    assert_eq!(bench.take(&joined(GAME.account.0)), []);
    assert_eq!(heard(&mut bench, "b"), IN_GROUP);
}

#[test]
fn a_substitute_is_invited_and_the_other_person_removed() {
    let mut bench = full();
    let mut newer = roster(2);
    newer.seats[3].user = UserId(44);
    let sent = bench.take(&ToPublish::Roster(newer));
    assert_eq!(acts(&sent), [kick(4)]);
    assert_eq!(messages(&sent)[0].0, private(44));
    let heard_by = [private(1), private(44)];
    assert_eq!(heard(&mut bench, "a"), heard_by);
    bench.take(&request(44, "f"));
    bench.take(&joined(44));
    assert_eq!(heard(&mut bench, "b"), heard_by, "4 may still be inside");
    bench.take(&left(4));
    answer_list(&mut bench, &[1, 44]);
    assert_eq!(heard(&mut bench, "c"), IN_GROUP);
}

#[test]
fn a_changed_plan_lets_new_members_in_and_old_ones_go() {
    let mut bench = full();
    let sent = bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0, 2])]));
    assert_eq!(acts(&sent), [kick(4)]);
    assert_eq!(messages(&sent)[0].0, private(3));
    // And back again (回档): he will be out in a moment.
    let sent = bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0, 3])]));
    assert_eq!(messages(&sent)[0].0, private(4));
    assert_eq!(acts(&bench.acted(&kick(4), done())), [list()]);
    answer_list(&mut bench, &[1]);
    assert_eq!(heard(&mut bench, "a"), [Scene::Group(GROUP), private(4)]);
    assert_eq!(
        acts(&bench.take(&request(4, "again"))),
        [approval(4, "again")]
    );
}

#[test]
fn approvals_without_effect_are_repeated_and_then_left_to_the_director() {
    let mut bench = wolves();
    bench.take(&request(4, "f"));
    for _ in 0..2 {
        assert_eq!(acts(&bench.acted(&approval(4, "f"), done())), [list()]);
        assert_eq!(acts(&answer_list(&mut bench, &[])), [approval(4, "f")]);
    }
    bench.acted(&approval(4, "f"), done());
    let sent = answer_list(&mut bench, &[]);
    assert_eq!(acts(&sent), []);
    let told = messages(&sent);
    assert!(told[0].1.contains("4号 丁（4）申请加入"), "{}", told[0].1);
    // He came after all.
    assert_eq!(acts(&bench.take(&joined(4))), [card(4, "4号 丁")]);
    assert_eq!(bench.acted(&approval(4, "f"), done()), []);
}

#[test]
fn whose_request_is_gone_is_asked_to_apply_again_unless_inside() {
    for there in [true, false] {
        let mut bench = wolves();
        bench.take(&request(4, "f"));
        bench.acted(&approval(4, "f"), refused(Refused::StaleRequest));
        let sent = answer_list(&mut bench, if there { &[4] } else { &[] });
        let asked: Vec<_> = messages(&sent)
            .into_iter()
            .map(|(scene, _)| scene)
            .collect();
        assert_eq!(asked, if there { vec![] } else { vec![private(4)] });
    }
}

#[test]
fn what_the_group_refuses_goes_to_its_readers_in_private() {
    let mut bench = wolves();
    bench.take(&joined(4));
    let sent = bench.say("a", Audience::Group(WOLVES.to_owned()), "刀谁");
    assert_eq!(messages(&sent).len(), 2, "to the group and to 1");
    let sent = bench.outcome(&sent[0], refused(Refused::Muted));
    let sent = messages(&sent);
    assert_eq!(sent[0].0, BOSS);
    assert!(sent[0].1.contains("被禁言了"), "{}", sent[0].1);
    assert_eq!(sent[1], (private(4), "【狼群】【刀谁】".to_owned()));
    assert_eq!(sent.len(), 2);
    assert_eq!(heard(&mut bench, "b"), IN_PRIVATE);
    // The mute is lifted.
    let lifted = ToPublish::Standing {
        group: GROUP,
        trouble: None,
    };
    assert_eq!(acts(&bench.take(&lifted)), [list()]);
    answer_list(&mut bench, &[1, 4]);
    assert_eq!(heard(&mut bench, "c"), IN_GROUP);
}

#[test]
fn what_is_unclear_in_the_group_is_repeated_there_or_in_private() {
    let mut bench = full();
    let sent = bench.say("a", Audience::Group(WOLVES.to_owned()), "刀谁");
    let again = bench.outcome(&sent[0], unknown());
    assert_eq!(
        messages(&again),
        [(Scene::Group(GROUP), "（重发）【刀谁】".to_owned())]
    );
    let sent = bench.say("b", Audience::Group(WOLVES.to_owned()), "刀谁");
    bench.take(&joined(STRANGER.0));
    let again = messages(&bench.outcome(&sent[0], unknown()));
    let expected = "【狼群】（重发）【刀谁】".to_owned();
    assert_eq!(
        again,
        [(private(1), expected.clone()), (private(4), expected)]
    );
}

#[test]
fn at_the_end_everybody_goes_and_the_group_goes_back_when_it_is_empty() {
    let mut bench = full();
    let give = Sent::ToDesk(
        "pool:9000".to_owned(),
        ToPublish::Pool(PoolIn::Give {
            game: GAME,
            group: GROUP,
        }),
    );
    let sent = bench.take(&ToPublish::Groups(Vec::new()));
    assert_eq!(acts(&sent), [kick(1), kick(4)]);
    let sent = acts(&bench.take(&request(1, "f")));
    assert!(
        matches!(&sent[..], [PlatformAct::Answer { approve: false, .. }]),
        "{sent:?}"
    );
    assert_eq!(acts(&bench.acted(&kick(1), done())), [list()]);
    assert_eq!(bench.acted(&kick(4), done()), []);
    // This list was asked for before 4 was removed.
    assert_eq!(bench.take(&inside(&[])), []);
    assert_eq!(acts(&bench.acted(&list(), done())), [list()]);
    assert_eq!(bench.take(&inside(&[])), [give]);
    assert_eq!(bench.acted(&list(), done()), [], "it is no longer ours");
    assert_eq!(bench.take(&joined(4)), []);
}

#[test]
fn a_group_in_which_somebody_stays_is_kept_until_he_goes() {
    let mut bench = full();
    bench.take(&ToPublish::Groups(Vec::new()));
    bench.acted(&kick(1), done());
    bench.acted(&kick(4), refused(Refused::NoRight));
    let sent = answer_list(&mut bench, &[4]);
    assert!(messages(&sent)[0].1.contains("请手动移出群"));
    let sent = answer_list(&mut bench, &[4]);
    assert_eq!(sent, []);
    assert_eq!(acts(&bench.take(&left(4))), [list()]);
    let sent = bench.take(&inside(&[]));
    assert!(matches!(&sent[..], [Sent::ToDesk(..)]), "{sent:?}");
}

#[test]
fn a_group_goes_back_with_its_owner_inside() {
    let mut bench = full();
    bench.take(&joined(DIRECTOR.0));
    let mut over = roster(2);
    over.state = RosterState::Over;
    let sent = bench.take(&ToPublish::Roster(over));
    assert_eq!(acts(&sent), [kick(1), kick(4), kick(DIRECTOR.0)]);
    bench.acted(&kick(1), done());
    bench.acted(&kick(4), done());
    bench.acted(&kick(DIRECTOR.0), refused(Refused::Other));
    bench.take(&inside(&[DIRECTOR.0]));
    let sent = bench.acted(&list(), done());
    assert_eq!(acts(&sent), [list()]);
    let sent = bench.take(&inside(&[DIRECTOR.0]));
    assert!(matches!(&sent[..], [Sent::ToDesk(..)]), "{sent:?}");
    assert_eq!(
        bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0])])),
        [],
        "it is over"
    );
}

#[test]
fn without_lists_a_group_is_not_used_and_goes_back_on_the_platforms_word() {
    let mut bench = Bench::game();
    bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0, 3])]));
    bench.take(&given(WOLVES, Some(GROUP.0)));
    let told = messages(&bench.acted(&list(), refused(Refused::Unsupported)));
    assert!(told[0].1.contains("读不到"), "{}", told[0].1);
    bench.take(&joined(1));
    assert_eq!(heard(&mut bench, "a"), IN_PRIVATE);
    assert_eq!(acts(&bench.take(&ToPublish::Groups(Vec::new()))), [kick(1)]);
    assert_eq!(acts(&bench.acted(&kick(1), done())), [list()]);
    let sent = bench.acted(&list(), refused(Refused::Unsupported));
    assert!(matches!(&sent[..], [Sent::ToDesk(..)]), "{sent:?}");
}

#[test]
fn a_platform_that_says_done_and_lists_nothing_is_not_asked_for_ever() {
    let mut bench = wolves();
    let mut todo = bench.take(&ToPublish::Groups(Vec::new()));
    let mut asked = 0;
    while acts(&todo).contains(&list()) {
        asked += 1;
        assert!(asked < 10);
        todo = bench.acted(&list(), done());
    }
    assert!(
        todo.iter().any(|sent| matches!(sent, Sent::ToDesk(..))),
        "{todo:?}"
    );
}

#[test]
fn a_room_that_is_wanted_again_is_kept() {
    let mut bench = full();
    bench.take(&ToPublish::Groups(Vec::new()));
    bench.acted(&kick(1), done());
    // Both are out or will be in a moment.
    let sent = bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0, 3])]));
    let invited: Vec<_> = messages(&sent)
        .into_iter()
        .map(|(scene, _)| scene)
        .collect();
    assert_eq!(invited, IN_PRIVATE);
    answer_list(&mut bench, &[4]);
    answer_list(&mut bench, &[4]);
    assert_eq!(heard(&mut bench, "a"), [Scene::Group(GROUP), private(1)]);
    // Who comes back has lost the card; the other one never went.
    assert_eq!(acts(&bench.take(&joined(1))), [card(1, "1号 甲")]);
}

#[test]
fn what_the_pool_lacks_is_told_once_with_its_number() {
    let mut bench = Bench::game();
    bench.take(&ToPublish::Groups(vec![
        plan(WOLVES, &[0, 3]),
        plan("魔女会", &[1]),
    ]));
    assert_eq!(bench.take(&given("魔女会", None)), []);
    let told = messages(&bench.take(&given(WOLVES, None)));
    assert_eq!(told.len(), 1);
    assert!(
        told[0].1.contains("还差2个（狼群、魔女会）"),
        "{}",
        told[0].1
    );
    assert_eq!(heard(&mut bench, "a"), IN_PRIVATE);
    // One comes back to the pool.
    let sent = bench.take(&given(WOLVES, Some(GROUP.0)));
    assert_eq!(acts(&sent).len(), 2);
    assert!(messages(&sent).iter().all(|(scene, _)| *scene != BOSS));
}

#[test]
fn a_group_that_comes_too_late_goes_back() {
    let back = |sent: &[Sent]| {
        matches!(
            sent,
            [Sent::ToDesk(_, ToPublish::Pool(PoolIn::Give { .. }))]
        )
    };
    // The room was closed before the pool answered,
    let mut bench = Bench::game();
    bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0, 3])]));
    bench.take(&ToPublish::Groups(Vec::new()));
    assert!(back(&bench.take(&given(WOLVES, Some(GROUP.0)))));
    // or while it waited for a group,
    bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0, 3])]));
    bench.take(&given(WOLVES, None));
    bench.take(&ToPublish::Groups(Vec::new()));
    assert!(back(&bench.take(&given_as(2, WOLVES, Some(GROUP.0)))));
    // or there never was such a room.
    assert!(back(&bench.take(&given_as(3, "情侣", Some(GROUP.0)))));
    assert_eq!(bench.take(&given("情侣", None)), []);
}

#[test]
fn an_answer_of_the_pool_that_comes_twice_is_no_new_lease() {
    let mut bench = wolves();
    bench.take(&ToPublish::Groups(Vec::new()));
    answer_list(&mut bench, &[]);
    // The group has gone back and may be another game's.
    bench.take(&ToPublish::Groups(vec![plan(WOLVES, &[0, 3])]));
    assert_eq!(bench.take(&given(WOLVES, Some(GROUP.0))), []);
    let sent = bench.take(&given_as(2, WOLVES, Some(702)));
    assert_eq!(acts(&sent).len(), 2);
}

#[test]
fn the_bots_own_removal_from_a_group_is_told_and_ends_its_use() {
    let mut bench = full();
    let removed = ToPublish::Standing {
        group: GROUP,
        trouble: Some(Refused::Removed),
    };
    let told = messages(&bench.take(&removed));
    assert!(told[0].1.contains("被移出了"), "{}", told[0].1);
    assert_eq!(bench.take(&removed), [], "told once");
    assert_eq!(heard(&mut bench, "a"), IN_PRIVATE);
    let sent = bench.take(&ToPublish::Groups(Vec::new()));
    assert!(matches!(sent.last(), Some(Sent::ToDesk(..))), "{sent:?}");
}

#[test]
fn what_cannot_be_named_is_asked_of_the_director_once() {
    let mut bench = full();
    let rename = PlatformAct::Rename {
        group: GROUP,
        name: "鸣潮一·狼群".to_owned(),
    };
    assert_eq!(bench.acted(&rename, done()), []);
    let told = messages(&bench.acted(&rename, refused(Refused::NoRight)));
    assert!(
        told[0].1.contains("请手动改成「鸣潮一·狼群」"),
        "{}",
        told[0].1
    );
    let told = messages(&bench.acted(&card(1, "1号 甲"), refused(Refused::NoRight)));
    assert!(told[0].1.contains("名片"), "{}", told[0].1);
    assert_eq!(
        bench.acted(&card(4, "4号 丁"), refused(Refused::NoRight)),
        []
    );
}

#[test]
fn a_group_of_which_nothing_is_planned_is_handed_to_the_director() {
    let mut bench = Bench::game();
    let told = messages(&bench.say("a", Audience::Group("情侣".to_owned()), "夜"));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, BOSS);
}

#[test]
fn seats_are_told_in_their_group_by_seat() {
    let mut bench = wolves();
    bench.take(&joined(4));
    // The seat outside cannot be reached; what was for it waits for the person.
    let sent = bench.say("a", Audience::Group(WOLVES.to_owned()), "刀谁");
    let sent = bench.outcome(&sent[1], refused(Refused::NotReachable));
    assert_eq!(sent[0], Sent::Reach(UserId(1), false));
    let mut newer = roster(2);
    newer.seats[0].user = UserId(11);
    let moved = messages(&bench.take(&ToPublish::Roster(newer)));
    assert!(
        moved.contains(&(private(11), "【狼群】【刀谁】".to_owned())),
        "{moved:?}"
    );
}
