//! The aggregate driven directly: what is typed, and who is told what.

mod orders;
mod secret;
mod service;
mod votes;

use kit::{Aggregate, Effects};
use protocol::{
    Audience, ChatGroup, Line, MessageRef, Place, Roster, RosterSeat, RosterState, Say, SayKind,
    Service, Speaker, ToNight, ToPublish, ToTally, UserId,
};
use rules::book::{Choice, Thread, ThreadKind};
use rules::{SeatId, SeatSet, Stamp, Time, Turn};
use texts::Texts;

use crate::aggregate::Tally;

pub(crate) const KEY: &str = "90000-1";
pub(crate) const ALIASES: [&str; 5] = ["甲", "乙", "丙", "van", "戊"];
const DIRECTOR: UserId = UserId(20_001);

/// The seat of an alias.
pub(crate) fn seat(alias: &str) -> SeatId {
    let place = ALIASES
        .iter()
        .position(|known| *known == alias)
        .expect("a known alias");
    SeatId(u8::try_from(place).expect("few seats"))
}

fn user(seat: SeatId) -> UserId {
    UserId(10_001 + u64::from(seat.0))
}

pub(crate) fn roster() -> Roster {
    let seats = (0..).map(SeatId).zip(ALIASES);
    Roster {
        game: KEY.parse().expect("a game id"),
        version: 1,
        name: "鸣潮一".to_owned(),
        square: ChatGroup(700_001),
        state: RosterState::Running,
        directors: vec![DIRECTOR],
        seats: seats
            .map(|(seat, alias)| RosterSeat {
                seat,
                alias: alias.to_owned(),
                user: user(seat),
            })
            .collect(),
        skill_words: Vec::new(),
    }
}

/// Thread 1: five voters, one change until second 80, petitions until 60, closed at 100.
pub(crate) fn thread() -> Thread {
    let everybody = SeatSet::first(ALIASES.len());
    Thread {
        id: Turn(1),
        version: 1,
        kind: ThreadKind::Day,
        day: 1,
        voters: everybody,
        choosable: everybody,
        changes: Some(1),
        changes_until: Some(Time(80_000)),
        sped_up: false,
        opens_at: None,
        closes_at: Some(Time(100_000)),
        petitions_until: Some(Time(60_000)),
        paused: false,
        must_vote: SeatSet::EMPTY,
        secret: false,
        void_targets: SeatSet::EMPTY,
    }
}

/// Something that was said: to whom, by which template, as an answer to which message, and the
/// words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    to: Audience,
    key: String,
    reply_to: Option<String>,
    kind: SayKind,
    pub(crate) words: String,
}

/// What a step sent.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    pub(crate) told: Vec<Told>,
    pub(crate) night: Vec<ToNight>,
    pub(crate) log: Option<serde_json::Value>,
    pub(crate) ignored: bool,
}

/// A game under test. Each line is the next second's.
pub(crate) struct Desk {
    pub(crate) tally: Tally,
    texts: Texts,
    pub(crate) second: i64,
    lines: u32,
    names: Vec<String>,
}

impl Desk {
    /// A game with its roster, nothing open.
    pub(crate) fn quiet() -> Self {
        let tally = Tally::new(&(), KEY);
        let texts = Texts::builtin();
        let mut desk = Self {
            tally,
            texts,
            second: 10,
            lines: 0,
            names: Vec::new(),
        };
        let _ = desk.give(&ToTally::Roster(roster()));
        desk
    }

    /// The same with the thread open.
    pub(crate) fn open() -> Self {
        let mut desk = Self::quiet();
        let _ = desk.give(&ToTally::Thread(thread()));
        desk
    }

    /// Hands in an input. A copy that is loaded from a snapshot must do just the same.
    pub(crate) fn give(&mut self, input: &ToTally) -> Sent {
        let mut copy = Tally::load(&(), KEY, &self.tally.save()).expect("a snapshot loads");
        let effects = self.tally.handle(&(), input);
        assert_eq!(
            format!("{effects:?}"),
            format!("{:?}", copy.handle(&(), input))
        );
        assert_eq!(self.tally.save(), copy.save());
        self.sent(effects)
    }

    fn sent(&mut self, effects: Effects) -> Sent {
        let mut sent = Sent {
            log: effects.log,
            ignored: effects.ignore,
            ..Sent::default()
        };
        assert!(!sent.ignored || effects.out.is_empty());
        for out in effects.out {
            assert_eq!(out.key, KEY);
            match out.service {
                Service::Publish => match serde_json::from_str(&out.body) {
                    Ok(ToPublish::Say(say)) => sent.told.push(self.told(say)),
                    other => panic!("publish was sent {other:?}"),
                },
                Service::Night => sent.night.push(serde_json::from_str(&out.body).unwrap()),
                other => panic!("{other} was sent {}", out.body),
            }
        }
        sent
    }

    fn told(&mut self, say: Say) -> Told {
        assert!(
            !self.names.contains(&say.key.0),
            "{} was used twice",
            say.key.0
        );
        self.names.push(say.key.0);
        let words = say
            .phrases
            .iter()
            .map(|phrase| self.texts.render(phrase).unwrap());
        Told {
            to: say.to,
            key: say
                .phrases
                .iter()
                .map(|phrase| phrase.key.as_str())
                .collect(),
            reply_to: say.reply_to.map(|message| message.0),
            kind: say.kind,
            words: words.collect(),
        }
    }

    /// A line whose message is named `m<n>`, n counted from 1.
    pub(crate) fn line(&mut self, who: Option<SeatId>, place: Place, text: &str) -> Line {
        self.lines += 1;
        self.second += 1;
        Line {
            speaker: Speaker {
                user: who.map_or(DIRECTOR, user),
                nickname: String::new(),
                seat: who,
                director: who.is_none(),
            },
            place,
            text: chat::clean(text),
            mentions: Vec::new(),
            addressed: false,
            reply_to: None,
            message: MessageRef(format!("m{}", self.lines)),
            stamp: Stamp {
                secs: self.second,
                seq: u64::from(self.lines),
                arrival: 0,
                scene: 0,
            },
            received: Time(self.second * 1000),
        }
    }

    /// A post in the square.
    pub(crate) fn post(&mut self, who: &str, text: &str) -> Sent {
        let line = self.line(Some(seat(who)), Place::Square, text);
        self.give(&ToTally::Line(line))
    }

    /// A post in the square that quotes an earlier message.
    pub(crate) fn reply(&mut self, who: &str, quoted: &str, text: &str) -> Sent {
        let mut line = self.line(Some(seat(who)), Place::Square, text);
        line.reply_to = Some(MessageRef(quoted.to_owned()));
        self.give(&ToTally::Line(line))
    }

    /// A private line.
    pub(crate) fn whisper(&mut self, who: &str, text: &str) -> Sent {
        let line = self.line(Some(seat(who)), Place::Private, text);
        self.give(&ToTally::Line(line))
    }

    /// A line in the square by somebody without a seat.
    pub(crate) fn stranger(&mut self, text: &str) -> Sent {
        let line = self.line(None, Place::Square, text);
        self.give(&ToTally::Line(line))
    }

    /// The director's 代投, typed in private.
    pub(crate) fn by_hand(&mut self, voter: &str, target: Option<&str>) -> Sent {
        let line = self.line(None, Place::Private, "代投");
        self.give(&ToTally::ByHand {
            voter: seat(voter),
            target: target.map(seat),
            line,
        })
    }

    /// Changes the thread.
    pub(crate) fn change(&mut self, how: impl FnOnce(&mut Thread)) -> Sent {
        let mut next = self
            .tally
            .book()
            .expect("a thread is open")
            .thread()
            .clone();
        next.version += 1;
        how(&mut next);
        self.give(&ToTally::Thread(next))
    }

    /// What the closed book says: who voted for whom, by alias.
    pub(crate) fn close(&mut self) -> Vec<(&'static str, Option<&'static str>)> {
        let sent = self.give(&ToTally::Close { thread: Turn(1) });
        let [ToNight::Book { thread, book }] = sent.night.as_slice() else {
            panic!("night was sent {:?}", sent.night)
        };
        assert_eq!(*thread, Turn(1));
        let alias = |seat: SeatId| ALIASES[seat.index()];
        let target = |choice| match choice {
            Choice::Seat(chosen) => Some(alias(chosen)),
            Choice::Abstain => None,
        };
        book.ballots
            .iter()
            .map(|b| (alias(b.voter), target(b.choice)))
            .collect()
    }
}

impl Sent {
    /// The one answer: quoting this message in the square, by this template.
    #[track_caller]
    pub(crate) fn answered(&self, quoted: &str, key: &str) -> &str {
        let [told] = self.told.as_slice() else {
            panic!("told {:?}", self.told)
        };
        assert_eq!(told.key, key, "{}", told.words);
        assert_eq!(told.to, Audience::Square);
        assert_eq!(told.reply_to.as_deref(), Some(quoted));
        assert_eq!(told.kind, SayKind::Answer);
        &told.words
    }

    /// The one answer, in private to this seat's player.
    #[track_caller]
    pub(crate) fn whispered(&self, who: &str, key: &str) -> &str {
        self.whispered_to(user(seat(who)), key)
    }

    /// The one answer, in private to the director.
    #[track_caller]
    pub(crate) fn told_director(&self, key: &str) -> &str {
        self.whispered_to(DIRECTOR, key)
    }

    #[track_caller]
    fn whispered_to(&self, user: UserId, key: &str) -> &str {
        let [told] = self.told.as_slice() else {
            panic!("told {:?}", self.told)
        };
        assert_eq!(told.key, key, "{}", told.words);
        assert_eq!(told.to, Audience::User(user));
        assert_eq!(told.reply_to, None, "quotes are for groups");
        &told.words
    }

    /// Nobody is told anything and night hears nothing.
    #[track_caller]
    pub(crate) fn silent(&self) {
        assert_eq!(self.told, []);
        assert_eq!(self.night, []);
    }
}
