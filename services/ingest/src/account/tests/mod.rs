//! Lines and news find their service.

mod jobs;

use kit::{Aggregate, Effects};
use onebot::{Message, Segment};
use protocol::{
    AccountId, ChatGroup, Directory, DirectoryGroup, GameId, MessageRef, Part, Place, PoolIn,
    Roster, RosterSeat, RosterState, Scene, Send, Service, ToNight, ToPublish, ToTally, UserId,
};
use rules::{SeatId, Time};

use super::{Account, Env, Task};
use crate::input::{Heard, Input, News};

const BOT: AccountId = AccountId(10);
const SQUARE: ChatGroup = ChatGroup(700);
const PACK: ChatGroup = ChatGroup(701);
const ELSEWHERE: ChatGroup = ChatGroup(799);
const DIRECTOR: UserId = UserId(1);
const PLAYER: UserId = UserId(30);
const STRANGER: UserId = UserId(99);

struct Chat {
    account: Account,
    env: Env,
    next: u64,
}

/// What a step has sent, decoded.
#[derive(Debug, PartialEq)]
enum Sent {
    Night(String, ToNight),
    Tally(String, ToTally),
    Publish(String, ToPublish),
}

fn sent(effects: &Effects) -> Vec<Sent> {
    effects
        .out
        .iter()
        .map(|out| {
            let key = out.key.clone();
            match out.service {
                Service::Night => Sent::Night(key, serde_json::from_str(&out.body).unwrap()),
                Service::Tally => Sent::Tally(key, serde_json::from_str(&out.body).unwrap()),
                Service::Publish => Sent::Publish(key, serde_json::from_str(&out.body).unwrap()),
                other => panic!("nothing goes to {other}"),
            }
        })
        .collect()
}

fn game(number: u32) -> GameId {
    GameId {
        account: BOT,
        number,
    }
}

fn roster(number: u32, name: &str, square: ChatGroup, state: RosterState) -> Roster {
    let seat = |seat: u8, user: UserId| RosterSeat {
        seat: SeatId(seat),
        alias: "甲".into(),
        user,
    };
    Roster {
        game: game(number),
        version: 1,
        name: name.into(),
        square,
        state,
        directors: vec![DIRECTOR],
        skill_words: vec!["杀人".into()],
        seats: vec![seat(0, PLAYER), seat(1, UserId(31))],
    }
}

impl Chat {
    fn new() -> Self {
        let env = Env {
            texts: texts::Texts::builtin(),
        };
        Self {
            account: Account::new(&env, "account:10"),
            env,
            next: 0,
        }
    }

    /// One running game with a private group.
    fn playing() -> Self {
        let mut chat = Self::new();
        chat.take(&Input::Roster(roster(
            1,
            "鸣潮一",
            SQUARE,
            RosterState::Running,
        )));
        let group = DirectoryGroup {
            group: PACK,
            game: game(1),
            name: "狼群".into(),
        };
        chat.take(&Input::Directory(Directory {
            version: 1,
            groups: vec![group],
        }));
        chat
    }

    fn take(&mut self, input: &Input) -> Effects {
        // Every step survives being saved and loaded.
        let bytes = self.account.save();
        self.account = Account::load(&self.env, "account:10", &bytes).unwrap();
        self.account.handle(&self.env, input)
    }

    fn heard(&mut self, scene: Scene, user: UserId, segments: Vec<Segment>) -> Effects {
        self.next += 1;
        let heard = Heard {
            scene,
            id: MessageRef(self.next.to_string()),
            seq: Some(self.next),
            secs: 1000 + 60 * i64::try_from(self.next).unwrap(),
            user,
            nickname: "阿一".into(),
            message: Message(segments),
            quoted: None,
            may_open: user == DIRECTOR,
            entropy: (user == DIRECTOR).then(|| "00".repeat(32)),
            received: Time(5),
        };
        self.take(&Input::Heard(heard))
    }

    fn says(&mut self, scene: Scene, user: UserId, text: &str) -> Effects {
        self.heard(scene, user, vec![Segment::text(text)])
    }

    /// What the bridge itself wants to say, newest last.
    fn hints(&self) -> Vec<(Scene, String)> {
        let text = |send: &Send| match send.parts.last() {
            Some(Part::Text(text)) => text.clone(),
            other => panic!("{other:?}"),
        };
        self.account
            .jobs()
            .filter_map(|job| match &job.task {
                Task::Send(send) => Some((send.scene, text(send))),
                Task::Act { .. } | Task::Befriend { .. } => None,
            })
            .collect()
    }
}

fn private(user: UserId) -> Scene {
    Scene::Private(user)
}

fn square() -> Scene {
    Scene::Group(SQUARE)
}

fn night_line(effects: &Effects) -> (String, protocol::Line) {
    match sent(effects).pop() {
        Some(Sent::Night(key, ToNight::Line(line))) => (key, line),
        other => panic!("no line for night: {other:?}"),
    }
}

fn tally_line(effects: &Effects) -> (String, protocol::Line) {
    match sent(effects).pop() {
        Some(Sent::Tally(key, ToTally::Line(line))) => (key, line),
        other => panic!("no line for tally: {other:?}"),
    }
}

#[test]
fn lines_of_the_square_go_to_tally_and_commands_to_night() {
    let mut chat = Chat::playing();
    let (key, line) = tally_line(&chat.says(square(), PLAYER, "投票对象：乙\n投票理由：……"));
    assert_eq!(
        (key.as_str(), line.text.as_str()),
        ("10-1", "投票对象：乙\n投票理由：……")
    );
    assert_eq!(
        (line.speaker.seat, line.speaker.director),
        (Some(SeatId(0)), false)
    );
    assert_eq!(line.place, Place::Square);
    assert_eq!(
        (line.stamp.secs, line.stamp.seq, line.stamp.arrival),
        (1060, 1, 1)
    );
    let (_, line) = tally_line(&chat.says(square(), STRANGER, "大家好"));
    assert_eq!(line.speaker.seat, None);
    assert_eq!(
        night_line(&chat.says(square(), PLAYER, "公告")).1.text,
        "公告"
    );
    assert_eq!(
        night_line(&chat.says(square(), DIRECTOR, "暂停"))
            .1
            .speaker
            .user,
        DIRECTOR
    );
    tally_line(&chat.says(square(), PLAYER, "暂停"));
    assert_eq!(
        night_line(&chat.says(square(), PLAYER, "杀人 3")).1.place,
        Place::Square
    );
    tally_line(&chat.says(square(), PLAYER, "杀人者人恒杀之"));
}

#[test]
fn private_lines_go_to_the_only_game_or_the_named_one() {
    let mut chat = Chat::playing();
    let (key, line) = night_line(&chat.says(private(PLAYER), PLAYER, "预言　３"));
    assert_eq!(
        (key.as_str(), line.text.as_str(), line.place),
        ("10-1", "预言 3", Place::Private)
    );
    assert_eq!(
        tally_line(&chat.says(private(PLAYER), PLAYER, "确认"))
            .1
            .place,
        Place::Private
    );
    assert!(
        night_line(&chat.says(private(DIRECTOR), DIRECTOR, "状态"))
            .1
            .speaker
            .director
    );

    let second = roster(2, "鸣潮二", ELSEWHERE, RosterState::Lobby);
    chat.take(&Input::Roster(second));
    let effects = chat.says(private(PLAYER), PLAYER, "预言 3");
    assert_eq!(sent(&effects), []);
    let (scene, hint) = chat.hints().pop().unwrap();
    assert_eq!(scene, private(PLAYER));
    assert!(hint.contains("鸣潮一") && hint.contains("鸣潮二"), "{hint}");
    let (key, line) = night_line(&chat.says(private(PLAYER), PLAYER, "鸣潮二 预言 3"));
    assert_eq!((key.as_str(), line.text.as_str()), ("10-2", "预言 3"));
}

#[test]
fn strangers_in_private_are_told_where_to_go() {
    let mut chat = Chat::new();
    for text in ["帮助", "报名", "开局 m158", "预言 3"] {
        let effects = chat.says(private(STRANGER), STRANGER, text);
        assert_eq!(sent(&effects), [], "{text}");
    }
    assert_eq!(chat.hints().len(), 4);
    chat.take(&Input::Roster(roster(
        1,
        "鸣潮一",
        SQUARE,
        RosterState::Lobby,
    )));
    let (key, line) = night_line(&chat.says(private(STRANGER), STRANGER, "报名 阿猫"));
    assert_eq!((key.as_str(), line.text.as_str()), ("10-1", "报名 阿猫"));
    let named = chat.says(private(STRANGER), STRANGER, "鸣潮一：报名 阿猫");
    assert_eq!(night_line(&named).1.text, "报名 阿猫");
}

#[test]
fn hints_are_not_given_without_end() {
    let mut chat = Chat::new();
    for _ in 0..5 {
        chat.next = 7;
        chat.says(private(STRANGER), STRANGER, "你好");
    }
    assert_eq!(chat.hints().len(), 1);
}

#[test]
fn a_game_is_opened_by_a_director_in_a_free_group() {
    let mut chat = Chat::playing();
    let scene = Scene::Group(ELSEWHERE);
    assert!(chat.says(scene, STRANGER, "开局 m158").ignore);
    assert!(chat.says(scene, STRANGER, "大家好").ignore);
    let opened = sent(&chat.says(scene, DIRECTOR, "/开局 m158 日历=quick"));
    let [
        Sent::Night(
            key,
            ToNight::Open {
                square,
                line,
                entropy,
                taken,
            },
        ),
    ] = opened.as_slice()
    else {
        panic!("{opened:?}");
    };
    assert_eq!((key.as_str(), *square), ("10-2", ELSEWHERE));
    assert_eq!(
        (line.text.as_str(), line.speaker.director),
        ("m158 日历=quick", true)
    );
    assert_eq!(
        (entropy.len(), taken.as_slice()),
        (64, &["鸣潮一".to_owned()][..])
    );
    // The next one has a number of its own, also before night has answered.
    let third = sent(&chat.says(Scene::Group(ChatGroup(5)), DIRECTOR, "开局"));
    assert!(matches!(&third[..], [Sent::Night(key, ToNight::Open { .. })] if key == "10-3"));
}

#[test]
fn a_game_is_not_opened_long_after_it_was_asked_for() {
    let mut chat = Chat::new();
    let opens = |secs| Heard {
        scene: Scene::Group(ELSEWHERE),
        id: MessageRef("1".into()),
        seq: None,
        secs,
        user: DIRECTOR,
        nickname: "导演".into(),
        message: Message(vec![Segment::text("开局 m158")]),
        quoted: None,
        may_open: true,
        entropy: Some("00".repeat(32)),
        received: Time(10_000_000),
    };
    assert!(chat.take(&Input::Heard(opens(8_000))).ignore);
    assert_eq!(sent(&chat.take(&Input::Heard(opens(8_500)))).len(), 1);
    // Typed again and again while the account was away: the first one counts.
    assert!(chat.take(&Input::Heard(opens(8_600))).ignore);
}

#[test]
fn one_running_game_a_group() {
    let mut chat = Chat::playing();
    let effects = chat.says(square(), DIRECTOR, "开局 m158");
    assert_eq!(sent(&effects), []);
    let (scene, hint) = chat.hints().pop().unwrap();
    assert_eq!(scene, square());
    assert!(hint.contains("鸣潮一"), "{hint}");
    let mut over = roster(1, "鸣潮一", SQUARE, RosterState::Over);
    over.version = 2;
    chat.take(&Input::Roster(over));
    let effects = chat.says(square(), DIRECTOR, "开局 m158");
    assert!(
        matches!(&sent(&effects)[..], [Sent::Night(key, ToNight::Open { .. })] if key == "10-2")
    );
}

#[test]
fn twice_in_a_breath_opens_one_game() {
    let mut chat = Chat::new();
    let scene = Scene::Group(ELSEWHERE);
    assert_eq!(sent(&chat.says(scene, DIRECTOR, "开局")).len(), 1);
    chat.next -= 1;
    assert!(chat.says(scene, DIRECTOR, "开局").ignore);
}

#[test]
fn addressed_in_a_strange_group_it_answers_once() {
    let mut chat = Chat::new();
    let scene = Scene::Group(ELSEWHERE);
    chat.heard(
        scene,
        STRANGER,
        vec![Segment::at(BOT.0), Segment::text(" 帮助")],
    );
    assert_eq!(chat.hints().len(), 1);
    let refused = chat.heard(
        scene,
        STRANGER,
        vec![Segment::at(BOT.0), Segment::text(" 开局")],
    );
    assert_eq!(sent(&refused), []);
    assert_eq!(chat.hints().len(), 2);
}

#[test]
fn a_seat_takes_away_the_directors_powers() {
    let mut chat = Chat::new();
    let mut roster = roster(1, "鸣潮一", SQUARE, RosterState::Running);
    roster.directors.push(PLAYER);
    chat.take(&Input::Roster(roster));
    assert!(
        !night_line(&chat.says(private(PLAYER), PLAYER, "状态"))
            .1
            .speaker
            .director
    );
    tally_line(&chat.says(square(), PLAYER, "暂停"));
}

#[test]
fn private_groups_are_named() {
    let mut chat = Chat::playing();
    let (_, line) = night_line(&chat.says(Scene::Group(PACK), PLAYER, "杀人 3"));
    assert_eq!(line.place, Place::Group("狼群".into()));
}

#[test]
fn own_lines_are_never_commands() {
    let mut chat = Chat::playing();
    assert!(chat.says(square(), UserId(BOT.0), "开局 m158").ignore);
}

#[test]
fn news_go_to_the_game_or_the_pool() {
    let mut chat = Chat::playing();
    let news = |group, news| Input::News { group, news };
    let asked = || News::Asked {
        user: PLAYER,
        flag: "f".into(),
    };
    assert!(chat.take(&news(SQUARE, asked())).ignore);
    let joined = sent(&chat.take(&news(SQUARE, News::Joined(PLAYER))));
    let expected = ToPublish::Joined {
        group: SQUARE,
        user: PLAYER,
    };
    assert_eq!(joined, [Sent::Publish("10-1".into(), expected)]);
    let request = sent(&chat.take(&news(PACK, asked())));
    let body = ToPublish::JoinRequest {
        group: PACK,
        user: PLAYER,
        flag: "f".into(),
    };
    let body = ToPublish::Pool(PoolIn::News {
        group: PACK,
        news: Box::new(body),
    });
    assert_eq!(request, [Sent::Publish("pool:10".into(), body)]);
}

#[test]
fn recalls_in_the_square_are_told_to_tally() {
    let mut chat = Chat::playing();
    let recall = |scene| Input::Recalled {
        scene,
        message: MessageRef("5".into()),
    };
    let told = sent(&chat.take(&recall(square())));
    let body = ToTally::Recalled {
        message: MessageRef("5".into()),
    };
    assert_eq!(told, [Sent::Tally("10-1".into(), body)]);
    assert!(chat.take(&recall(private(PLAYER))).ignore);
}
