//! A desk on a bench: takes inputs and shows what it sends out. After each step the state is
//! saved and loaded, and the loaded one must take the next step the same way.

use std::collections::BTreeMap;

use kit::{Aggregate, Out};
use protocol::{
    AccountId, Audience, ChatGroup, GameId, GroupPlan, Part, Phrase, PlatformAct, Refused, Roster,
    RosterSeat, RosterState, Say, SayKind, Scene, Send, SendKey, SendOutcome, Service, ToIngest,
    ToNight, ToPublish, UserId,
};
use rules::SeatId;
use serde_json::json;
use texts::Texts;

use crate::{Desk, Pools, Settings};

pub const ACCOUNT: AccountId = AccountId(9000);
pub const SQUARE: ChatGroup = ChatGroup(800_001);
pub const DIRECTOR: UserId = UserId(10_001);
pub const GAME: GameId = GameId {
    account: ACCOUNT,
    number: 1,
};

/// What a desk has sent out.
#[derive(Debug, Clone, PartialEq)]
pub enum Sent {
    Message(Send),
    Act(PlatformAct),
    Directory(Vec<(ChatGroup, GameId, String)>),
    Reach(UserId, bool),
    ToDesk(String, ToPublish),
}

pub struct Bench {
    pub desk: Desk,
    pub settings: Settings,
    key: String,
}

impl Bench {
    pub fn new(key: &str, pool: &[u64]) -> Self {
        let groups = pool.iter().copied().map(ChatGroup).collect();
        let settings = Settings {
            texts: Texts::builtin(),
            pools: Pools {
                of_account: BTreeMap::from([(ACCOUNT, groups)]),
                otherwise: Vec::new(),
            },
        };
        Self {
            desk: Desk::new(&settings, key),
            settings,
            key: key.to_owned(),
        }
    }

    /// A game with seats 甲乙丙丁 played by 1 to 4, directed by [`DIRECTOR`].
    pub fn game() -> Self {
        let mut bench = Self::new(&GAME.to_string(), &[]);
        assert_eq!(bench.take(&ToPublish::Roster(roster(1))), []);
        bench
    }

    pub fn take(&mut self, input: &ToPublish) -> Vec<Sent> {
        let saved = self.desk.save();
        let mut loaded = Desk::load(&self.settings, &self.key, &saved).unwrap();
        assert_eq!(loaded, self.desk);
        let effects = self.desk.handle(&self.settings, input);
        let again = loaded.handle(&self.settings, input);
        let bodies = |out: &[Out]| {
            out.iter()
                .map(|o| (o.key.clone(), o.body.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(bodies(&effects.out), bodies(&again.out));
        assert_eq!(loaded, self.desk);
        if effects.ignore {
            assert!(effects.out.is_empty());
            assert_eq!(saved, self.desk.save(), "ignored, but changed by {input:?}");
        }
        effects.out.iter().map(read).collect()
    }

    pub fn say(&mut self, key: &str, to: Audience, text: &str) -> Vec<Sent> {
        self.take(&ToPublish::Say(say(key, to, text)))
    }

    pub fn outcome(&mut self, of: &Sent, outcome: SendOutcome) -> Vec<Sent> {
        let Sent::Message(send) = of else {
            panic!("no message: {of:?}")
        };
        self.take(&ToPublish::Sent {
            key: send.key.clone(),
            outcome,
        })
    }

    pub fn acted(&mut self, act: &PlatformAct, outcome: SendOutcome) -> Vec<Sent> {
        self.take(&ToPublish::ActDone {
            key: SendKey("any".into()),
            act: act.clone(),
            outcome,
        })
    }
}

fn read(out: &Out) -> Sent {
    match out.service {
        Service::Ingest => {
            assert_eq!(out.key, format!("account:{ACCOUNT}"));
            match serde_json::from_str(&out.body).unwrap() {
                ToIngest::Send { send, .. } => Sent::Message(send),
                ToIngest::Act { act, .. } => Sent::Act(act),
                ToIngest::Directory(directory) => Sent::Directory(
                    directory
                        .groups
                        .into_iter()
                        .map(|g| (g.group, g.game, g.name))
                        .collect(),
                ),
                ToIngest::Roster(_) => panic!("rosters are night's"),
            }
        }
        Service::Night => match serde_json::from_str(&out.body).unwrap() {
            ToNight::Reach { user, reachable } => Sent::Reach(user, reachable),
            other => panic!("unexpected: {other:?}"),
        },
        Service::Publish => Sent::ToDesk(out.key.clone(), serde_json::from_str(&out.body).unwrap()),
        service => panic!("nothing goes to {service}"),
    }
}

pub fn roster(version: u64) -> Roster {
    let seats = (0_u8..)
        .zip(["甲", "乙", "丙", "丁"])
        .map(|(n, alias)| RosterSeat {
            seat: SeatId(n),
            alias: alias.to_owned(),
            user: UserId(u64::from(n) + 1),
        });
    Roster {
        game: GAME,
        version,
        name: "鸣潮一".to_owned(),
        square: SQUARE,
        state: RosterState::Running,
        directors: vec![DIRECTOR],
        seats: seats.collect(),
        skill_words: Vec::new(),
    }
}

/// A notice that reads `【text】`.
pub fn say(key: &str, to: Audience, text: &str) -> Say {
    Say {
        key: SendKey(key.to_owned()),
        to,
        phrases: vec![Phrase::new("groups/in-front", json!({"room": text}))],
        reply_to: None,
        kind: SayKind::Notice,
    }
}

pub fn plan(name: &str, members: &[u8]) -> GroupPlan {
    GroupPlan {
        name: name.to_owned(),
        members: members.iter().copied().map(SeatId).collect(),
    }
}

pub fn text(send: &Send) -> String {
    let texts = send.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::At(_) | Part::Reply(_) => None,
    });
    texts.collect()
}

/// Scenes and texts of what was sent, in order.
pub fn messages(sent: &[Sent]) -> Vec<(Scene, String)> {
    let sends = sent.iter().filter_map(|sent| match sent {
        Sent::Message(message) => Some((message.scene, text(message))),
        _ => None,
    });
    sends.collect()
}

pub fn acts(sent: &[Sent]) -> Vec<PlatformAct> {
    let acts = sent.iter().filter_map(|sent| match sent {
        Sent::Act(act) => Some(act.clone()),
        _ => None,
    });
    acts.collect()
}

pub fn done() -> SendOutcome {
    SendOutcome::Done { message: None }
}

pub fn refused(why: Refused) -> SendOutcome {
    SendOutcome::Refused {
        why,
        raw: "result 0".to_owned(),
    }
}

pub fn unknown() -> SendOutcome {
    SendOutcome::Unknown {
        raw: "Timeout".to_owned(),
    }
}

pub fn private(user: u64) -> Scene {
    Scene::Private(UserId(user))
}
