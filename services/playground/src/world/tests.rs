use super::*;

const BOT: UserId = UserId(1);
const OWNER: UserId = UserId(10);
const ANN: UserId = UserId(11);
const BOB: UserId = UserId(12);
const STRANGER: UserId = UserId(99);
const POOL: ChatGroup = ChatGroup(700);
const SQUARE: ChatGroup = ChatGroup(701);

/// A world and the place of its next step.
struct Play {
    world: World,
    seq: u64,
}

impl Play {
    fn new() -> Self {
        let mut play = Self {
            world: World::new(BOT),
            seq: 0,
        };
        let person = |id: UserId, friend| Newcomer {
            id: Some(id),
            person: Person {
                nickname: format!("人{id}"),
                friend,
            },
        };
        let people = vec![person(OWNER, true), person(ANN, true), person(BOB, false)];
        play.does(&Change::Register { people });
        let group = |id, owner, admins, members| Founding {
            id: Some(id),
            name: "群".into(),
            owner,
            admins,
            members,
            door: Door::Ask,
        };
        play.does(&Change::Found(vec![
            group(POOL, BOT, vec![], vec![]),
            group(SQUARE, OWNER, vec![BOT], vec![ANN, BOB]),
        ]));
        play
    }

    fn apply(&mut self, change: &Change) -> Result<Vec<Happening>, Refusal> {
        self.seq += 1;
        let at = Time(i64::try_from(self.seq).unwrap() * 1000);
        self.world.apply(Moment { seq: self.seq, at }, change)
    }

    fn does(&mut self, change: &Change) -> Vec<Happening> {
        self.apply(change).unwrap()
    }

    /// The step is refused and changes nothing.
    fn refuses(&mut self, change: &Change) -> Refusal {
        let before = self.world.clone();
        let refusal = self.apply(change).unwrap_err();
        assert_eq!(self.world, before, "{change:?}");
        refusal
    }

    fn group(&self, group: ChatGroup) -> &Group {
        self.world.group(group).unwrap()
    }
}

fn within(group: ChatGroup, change: GroupChange) -> Change {
    Change::InGroup { group, change }
}

fn join(user: UserId) -> Change {
    within(
        POOL,
        GroupChange::Join {
            user,
            comment: "你好".into(),
        },
    )
}

fn flag(happenings: &[Happening]) -> String {
    match happenings {
        [Happening::Asked { flag, .. }] => flag.clone(),
        other => panic!("no request: {other:?}"),
    }
}

fn settle(flag: &str, by: UserId, verdict: Verdict) -> Change {
    Change::Settle {
        flag: flag.into(),
        by,
        verdict,
    }
}

#[test]
fn a_request_is_answered_once_by_someone_with_the_right() {
    let mut play = Play::new();
    let flag = flag(&play.does(&join(ANN)));
    assert!(!play.group(POOL).has(ANN));
    assert!(matches!(
        play.refuses(&settle(&flag, ANN, Verdict::Granted)),
        Refusal::NoRight { .. }
    ));
    let joined = play.does(&settle(&flag, BOT, Verdict::Granted));
    assert_eq!(
        joined,
        [Happening::Joined {
            group: POOL,
            user: ANN,
            by: BOT
        }]
    );
    assert!(play.group(POOL).has(ANN));
    assert_eq!(
        play.refuses(&settle(&flag, BOT, Verdict::Granted)),
        Refusal::NoSuchRequest
    );
    assert!(matches!(
        play.refuses(&join(ANN)),
        Refusal::AlreadyIn { .. }
    ));
}

#[test]
fn asking_again_renews_the_request() {
    let mut play = Play::new();
    let first = flag(&play.does(&join(ANN)));
    let second = flag(&play.does(&join(ANN)));
    assert_ne!(first, second);
    assert_eq!(
        play.refuses(&settle(&first, BOT, Verdict::Granted)),
        Refusal::NoSuchRequest
    );
    let no = Verdict::Refused {
        reason: "不认识".into(),
    };
    let told = play.does(&settle(&second, BOT, no));
    assert_eq!(
        told,
        [Happening::TurnedDown {
            group: POOL,
            user: ANN,
            reason: "不认识".into()
        }]
    );
    assert_eq!(play.world.requests(BOT).count(), 1);
    for odd in ["", "x", "-1", "1", "00000000000000000001"] {
        assert_eq!(
            play.refuses(&settle(odd, BOT, Verdict::Granted)),
            Refusal::NoSuchRequest,
            "{odd}"
        );
    }
}

#[test]
fn people_see_what_was_said_while_they_were_in() {
    let mut play = Play::new();
    let flag = flag(&play.does(&join(ANN)));
    play.does(&settle(&flag, BOT, Verdict::Granted));
    let came = play.seq;
    play.does(&within(
        POOL,
        GroupChange::Kick {
            user: ANN,
            by: BOT,
            bar: false,
        },
    ));
    let went = play.seq;
    let sight = play.group(POOL).sight(ANN);
    let seen: Vec<u64> = (came - 1..=went + 5)
        .filter(|seq| sight.covers(*seq))
        .collect();
    assert!(seen.iter().all(|seq| *seq > came && *seq < went));
    assert!(!sight.covers(came) && !sight.covers(went) && !sight.covers(went + 1));
    let later = self::flag(&play.does(&join(ANN)));
    play.does(&settle(&later, BOT, Verdict::Granted));
    assert!(play.group(POOL).sight(ANN).covers(play.seq + 1));
    assert!(!play.group(POOL).sight(BOB).covers(play.seq + 1));
}

#[test]
fn rank_decides_who_may_what() {
    let mut play = Play::new();
    let mute = |user, by, seconds| within(SQUARE, GroupChange::Mute { user, by, seconds });
    let kick = |user, by| {
        within(
            SQUARE,
            GroupChange::Kick {
                user,
                by,
                bar: true,
            },
        )
    };
    assert!(matches!(
        play.refuses(&mute(OWNER, BOT, 60)),
        Refusal::NoRight { .. }
    ));
    assert!(matches!(
        play.refuses(&mute(BOB, ANN, 60)),
        Refusal::NoRight { .. }
    ));
    assert!(matches!(
        play.refuses(&mute(STRANGER, BOT, 60)),
        Refusal::NoSuchPerson(_)
    ));
    assert!(matches!(
        play.refuses(&within(
            SQUARE,
            GroupChange::Rename {
                by: ANN,
                name: "新".into()
            }
        )),
        Refusal::NoRight { .. }
    ));
    play.does(&mute(ANN, BOT, 60));
    play.does(&mute(BOT, OWNER, 60));
    let now = Time(0);
    let muted = |play: &Play, user| play.group(SQUARE).may_speak(SQUARE, user, now).is_err();
    assert!(muted(&play, ANN) && muted(&play, BOT) && !muted(&play, BOB));
    play.does(&mute(BOT, OWNER, 0));
    assert!(!muted(&play, BOT));
    assert!(matches!(
        play.refuses(&kick(OWNER, BOT)),
        Refusal::NoRight { .. }
    ));
    play.does(&kick(BOB, BOT));
    let again = within(
        SQUARE,
        GroupChange::Join {
            user: BOB,
            comment: String::new(),
        },
    );
    assert!(matches!(play.refuses(&again), Refusal::Barred { .. }));
    let promote = |by| {
        within(
            SQUARE,
            GroupChange::Promote {
                user: ANN,
                by,
                admin: true,
            },
        )
    };
    assert!(matches!(
        play.refuses(&promote(BOT)),
        Refusal::NoRight { .. }
    ));
    play.does(&promote(OWNER));
    assert!(matches!(
        play.refuses(&mute(ANN, BOT, 60)),
        Refusal::NoRight { .. }
    ));
    assert_eq!(
        play.refuses(&within(SQUARE, GroupChange::Leave { user: OWNER })),
        Refusal::OwnerStays
    );
}

#[test]
fn a_muted_group_lets_only_those_with_rank_speak() {
    let mut play = Play::new();
    play.does(&within(SQUARE, GroupChange::MuteAll { by: BOT, on: true }));
    let group = play.group(SQUARE);
    assert!(group.may_speak(SQUARE, ANN, Time(0)).is_err());
    assert!(group.may_speak(SQUARE, BOT, Time(0)).is_ok());
    assert!(group.may_speak(SQUARE, OWNER, Time(0)).is_ok());
    assert!(group.may_speak(SQUARE, STRANGER, Time(0)).is_err());
}

#[test]
fn a_mute_ends_by_itself() {
    let mut play = Play::new();
    play.does(&within(
        SQUARE,
        GroupChange::Mute {
            user: ANN,
            by: BOT,
            seconds: 10,
        },
    ));
    let until = play.group(SQUARE).member(ANN).unwrap().muted_until.unwrap();
    let may = |at| play.group(SQUARE).may_speak(SQUARE, ANN, at).is_ok();
    assert!(!may(Time(until.0 - 1)));
    assert!(may(until));
}

#[test]
fn the_bot_is_written_to_by_friends_and_by_those_who_share_a_group() {
    let mut play = Play::new();
    assert_eq!(play.world.may_write_to_bot(ANN), Ok(PrivateDoor::Friend));
    assert_eq!(
        play.world.may_write_to_bot(BOB),
        Ok(PrivateDoor::Temporary { by_way_of: SQUARE })
    );
    play.does(&within(SQUARE, GroupChange::Leave { user: BOB }));
    assert_eq!(
        play.world.may_write_to_bot(BOB),
        Err(Refusal::NoWayToBot(BOB))
    );
    assert_eq!(
        play.world.may_write_to_bot(STRANGER),
        Err(Refusal::NoSuchPerson(STRANGER))
    );
    assert_eq!(
        play.does(&Change::Befriend {
            user: BOB,
            friend: true
        }),
        [Happening::Befriended { user: BOB }]
    );
    assert_eq!(play.world.may_write_to_bot(BOB), Ok(PrivateDoor::Friend));
}

#[test]
fn cards_and_names_are_shown() {
    let mut play = Play::new();
    assert_eq!(play.world.shown_name(Some(SQUARE), ANN), "人11");
    let card = |by, card: &str| {
        within(
            SQUARE,
            GroupChange::Card {
                user: ANN,
                by,
                card: card.into(),
            },
        )
    };
    play.does(&card(BOT, "1号 甲"));
    assert_eq!(play.world.shown_name(Some(SQUARE), ANN), "1号 甲");
    assert_eq!(play.world.shown_name(None, ANN), "人11");
    assert!(
        play.does(&card(ANN, "1号 甲")).is_empty(),
        "the same card is no news"
    );
    assert!(matches!(
        play.refuses(&card(BOB, "x")),
        Refusal::NoRight { .. }
    ));
    assert_eq!(
        play.refuses(&card(BOT, &"长".repeat(61))),
        Refusal::TooLong(60)
    );
}

#[test]
fn numbers_are_not_given_twice() {
    let mut play = Play::new();
    let newcomer = |id| Newcomer {
        id,
        person: Person {
            nickname: "新".into(),
            friend: false,
        },
    };
    play.does(&Change::Register {
        people: vec![newcomer(Some(UserId(FIRST_PERSON)))],
    });
    let made = play.does(&Change::Register {
        people: vec![newcomer(None), newcomer(None)],
    });
    let people = vec![UserId(FIRST_PERSON + 1), UserId(FIRST_PERSON + 2)];
    assert_eq!(
        made,
        [Happening::Made {
            people,
            groups: vec![]
        }]
    );
    assert_eq!(
        play.refuses(&Change::Register {
            people: vec![newcomer(Some(BOT))]
        }),
        Refusal::BotItself(BOT)
    );
    let group = |id| Founding {
        id,
        name: "群".into(),
        owner: ANN,
        admins: vec![ANN, BOB],
        members: vec![BOB],
        door: Door::Open,
    };
    assert_eq!(
        play.refuses(&Change::Found(vec![group(None), group(Some(POOL))])),
        Refusal::GroupTaken(POOL)
    );
    let twice = Some(ChatGroup(5));
    assert_eq!(
        play.refuses(&Change::Found(vec![group(twice), group(twice)])),
        Refusal::GroupTaken(ChatGroup(5))
    );
    play.does(&Change::Found(vec![group(twice)]));
    let made = play.group(ChatGroup(5));
    assert_eq!(made.owner(), Some(ANN));
    assert_eq!(
        made.member(BOB).map(|member| member.rank),
        Some(Rank::Admin)
    );
    let walks_in = within(
        ChatGroup(5),
        GroupChange::Join {
            user: OWNER,
            comment: String::new(),
        },
    );
    assert_eq!(
        play.does(&walks_in),
        [Happening::Joined {
            group: ChatGroup(5),
            user: OWNER,
            by: OWNER
        }]
    );
}

#[test]
fn a_table_keeps_its_director_to_itself() {
    let mut play = Play::new();
    let table = Table {
        square: SQUARE,
        director: OWNER,
        seats: vec![ANN, BOB],
        visitor: Some(BOB),
        seed: 1,
        pace: Pace::Quick,
        cast: Cast::Bots,
        opened: Time(0),
        over: false,
    };
    let seat = |token: &str| Change::Seat {
        token: token.into(),
        table: table.clone(),
    };
    play.does(&seat("a"));
    assert_eq!(play.refuses(&seat("b")), Refusal::HouseFull);
    assert_eq!(
        play.world.table("a").unwrap().bots().collect::<Vec<_>>(),
        [ANN]
    );
    play.does(&Change::SetPace {
        token: "a".into(),
        pace: Pace::Rush,
    });
    play.does(&Change::Rise { token: "a".into() });
    assert_eq!(
        play.refuses(&Change::Rise { token: "a".into() }),
        Refusal::NoSuchTable
    );
    assert_eq!(play.world.tables().count(), 0);
    play.does(&seat("b"));
    assert!(
        play.world.table("a").is_some(),
        "what is over can still be looked at"
    );
}

#[test]
fn a_saved_world_reads_back() {
    let mut play = Play::new();
    play.does(&join(ANN));
    play.does(&within(SQUARE, GroupChange::MuteAll { by: BOT, on: true }));
    play.does(&Change::Reserve { upto: 500 });
    let saved = serde_json::to_vec(&play.world).unwrap();
    assert_eq!(serde_json::from_slice::<World>(&saved).unwrap(), play.world);
}
