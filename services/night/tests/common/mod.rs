//! One game without bus and store: inputs go in, what is said is collected by who reads it.
//! Every step is also taken by a copy that was saved and loaded just before, and must come out
//! the same.

#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

use std::collections::{BTreeMap, HashMap};

use kit::{Aggregate, Effects};
use night::{Env, Groups, Night, Settings};
use protocol::{
    AccountId, Audience, ChatGroup, GroupPlan, Line, MessageRef, Phrase, Place, Roster, Say, Scene,
    Service, Speaker, ToIngest, ToNight, ToPublish, ToTally, UserId,
};
use rules::book::{Ballot, Choice, ClosedBook, Thread, ThreadId};
use rules::{SeatId, Stamp, Time};
use store::Deadline;
use texts::Texts;

pub const KEY: &str = "9000-1";
pub const ACCOUNT: AccountId = AccountId(9000);
pub const SQUARE: ChatGroup = ChatGroup(800);
pub const DIRECTOR: UserId = UserId(1);

/// 2026-06-01 20:00 in Shanghai, a Monday.
pub const START: Time = Time(1_780_315_200_000);

/// Where something was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ear {
    Square,
    Directors,
    Group(String),
    User(UserId),
}

pub struct Sim {
    pub env: Env,
    pub night: Night,
    texts: Texts,
    /// What was read where, in order, as text.
    pub read: BTreeMap<Ear, Vec<String>>,
    /// The names of everything said.
    keys: Vec<String>,
    pub roster: Option<Roster>,
    pub threads: Vec<Thread>,
    pub closes: Vec<ThreadId>,
    pub groups: Vec<GroupPlan>,
    pub deadlines: Vec<Deadline>,
    pub by_hand: Vec<(SeatId, Option<SeatId>)>,
    pub tally_over: bool,
    /// Inputs that were committed.
    journal: Vec<ToNight>,
    pub now: Time,
    messages: u64,
    /// Was the last input ignored?
    pub ignored: bool,
}

pub fn settings(pool: usize) -> Settings {
    Settings {
        zone: jiff::tz::TimeZone::get("Asia/Shanghai").unwrap(),
        groups: Groups::Managed {
            pool,
            accounts: HashMap::default(),
        },
        ..Settings::default()
    }
}

impl Sim {
    pub fn new(settings: Settings) -> Self {
        let env = Env::new(boards::builtin().iter().cloned(), settings);
        let night = Night::new(&env, KEY);
        Self {
            env,
            night,
            texts: Texts::builtin(),
            read: BTreeMap::new(),
            keys: Vec::new(),
            roster: None,
            threads: Vec::new(),
            closes: Vec::new(),
            groups: Vec::new(),
            deadlines: Vec::new(),
            by_hand: Vec::new(),
            tally_over: false,
            journal: Vec::new(),
            now: START,
            messages: 0,
            ignored: false,
        }
    }

    /// Opened by the director with these words after 开局.
    pub fn opened(words: &str) -> Self {
        let mut sim = Self::new(settings(2));
        sim.open(words);
        sim
    }

    /// Opened, fourteen people signed up and reachable, dealt.
    pub fn dealt(words: &str) -> Self {
        let mut sim = Self::opened(words);
        for n in 0..14 {
            sim.sign_up(n);
        }
        sim.private(DIRECTOR, "发牌");
        sim
    }

    /// The nth player signs up in private under the nth alias.
    pub fn sign_up(&mut self, n: u64) -> UserId {
        let user = player(n);
        self.private(user, &format!("报名 {}", alias(n)));
        user
    }

    pub fn open(&mut self, words: &str) {
        self.open_with(words, &"5a".repeat(32), &[]);
    }

    pub fn open_with(&mut self, words: &str, entropy: &str, taken: &[&str]) {
        let mut line = self.line(DIRECTOR, Place::Square, words);
        line.speaker.director = true;
        self.step(&ToNight::Open {
            square: SQUARE,
            line,
            entropy: entropy.to_owned(),
            taken: taken.iter().map(|&name| name.to_owned()).collect(),
        });
    }

    pub fn line(&mut self, user: UserId, place: Place, text: &str) -> Line {
        self.messages += 1;
        let nickname = format!("网友{user}");
        let seat = self.seat_of(user);
        let director = self
            .roster
            .as_ref()
            .is_some_and(|r| r.directors.contains(&user));
        Line {
            speaker: Speaker {
                user,
                nickname,
                seat,
                director,
            },
            place,
            text: chat::clean(text),
            mentions: Vec::new(),
            addressed: false,
            reply_to: None,
            message: MessageRef(format!("m{}", self.messages)),
            stamp: Stamp {
                secs: self.now.0 / 1000,
                seq: self.messages,
                arrival: self.messages,
                scene: 0,
            },
            received: self.now,
        }
    }

    pub fn type_line(&mut self, user: UserId, place: Place, text: &str) {
        let line = self.line(user, place, text);
        self.step(&ToNight::Line(line));
    }

    pub fn private(&mut self, user: UserId, text: &str) {
        self.type_line(user, Place::Private, text);
    }

    pub fn square(&mut self, user: UserId, text: &str) {
        self.type_line(user, Place::Square, text);
    }

    pub fn group(&mut self, user: UserId, name: &str, text: &str) {
        self.type_line(user, Place::Group(name.to_owned()), text);
    }

    /// Takes an input, with a saved and loaded copy beside it.
    pub fn step(&mut self, input: &ToNight) {
        let bytes = self.night.save();
        let mut copy = Night::load(&self.env, KEY, &bytes).unwrap();
        assert_eq!(copy.save(), bytes, "what was loaded saves the same");
        let effects = self.night.handle(&self.env, input);
        let again = copy.handle(&self.env, input);
        assert_eq!(comparable(&effects), comparable(&again), "after {input:?}");
        assert_eq!(copy.save(), self.night.save(), "after {input:?}");
        self.ignored = effects.ignore;
        if effects.ignore {
            assert!(effects.out.is_empty());
            assert_eq!(
                self.night.save(),
                bytes,
                "an ignored input changes nothing: {input:?}"
            );
            return;
        }
        self.journal.push(input.clone());
        self.collect(effects);
    }

    fn collect(&mut self, effects: Effects) {
        if let Some(deadlines) = effects.deadlines {
            self.deadlines = deadlines;
        }
        for out in effects.out {
            match out.service {
                Service::Publish => self.published(serde_json::from_str(&out.body).unwrap()),
                Service::Tally => match serde_json::from_str(&out.body).unwrap() {
                    ToTally::Thread(thread) => self.threads.push(thread),
                    ToTally::Close { thread } => self.closes.push(thread),
                    ToTally::ByHand { voter, target, .. } => self.by_hand.push((voter, target)),
                    ToTally::Over => self.tally_over = true,
                    ToTally::Roster(_) => {}
                    other => panic!("night does not send {other:?}"),
                },
                Service::Ingest => match serde_json::from_str(&out.body).unwrap() {
                    ToIngest::Roster(roster) => {
                        assert_eq!(out.key, "account:9000");
                        self.roster = Some(roster);
                    }
                    other => panic!("night does not send {other:?}"),
                },
                Service::Clock => assert_eq!(out.key, ""),
                other => panic!("night does not send to {other}"),
            }
        }
    }

    fn published(&mut self, body: ToPublish) {
        match body {
            ToPublish::Say(say) => self.said(&say),
            ToPublish::Groups(groups) => self.groups = groups,
            ToPublish::Roster(_) => {}
            other => panic!("night does not send {other:?}"),
        }
    }

    fn said(&mut self, say: &Say) {
        assert!(
            !self.keys.contains(&say.key.0),
            "{} was used before",
            say.key.0
        );
        self.keys.push(say.key.0.clone());
        let text: Vec<String> = say
            .phrases
            .iter()
            .map(|phrase| self.render(phrase))
            .collect();
        let ear = match &say.to {
            Audience::Seat(seat) => Ear::User(self.user_of(*seat)),
            Audience::User(user) | Audience::Scene(Scene::Private(user)) => Ear::User(*user),
            Audience::Group(name) => Ear::Group(name.clone()),
            Audience::Square | Audience::Scene(Scene::Group(SQUARE)) => Ear::Square,
            Audience::Scene(other) => panic!("a strange scene: {other:?}"),
            Audience::Directors => Ear::Directors,
        };
        self.read.entry(ear).or_default().push(text.join("\n"));
    }

    fn render(&self, phrase: &Phrase) -> String {
        self.texts
            .render(phrase)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// What was read there since the last look, as one text.
    pub fn heard(&mut self, ear: &Ear) -> String {
        self.read.remove(ear).unwrap_or_default().join("\n")
    }

    pub fn heard_by(&mut self, user: UserId) -> String {
        self.heard(&Ear::User(user))
    }

    pub fn heard_in_square(&mut self) -> String {
        self.heard(&Ear::Square)
    }

    /// What the director read: answers in private, and what goes to all directors.
    pub fn heard_by_director(&mut self) -> String {
        let private = self.heard_by(DIRECTOR);
        format!("{private}\n{}", self.heard(&Ear::Directors))
    }

    /// Everything that was said anywhere since the last look.
    pub fn everything(&mut self) -> String {
        let all = std::mem::take(&mut self.read);
        all.into_values().flatten().collect::<Vec<_>>().join("\n")
    }

    pub fn forget(&mut self) {
        self.read.clear();
    }

    pub fn seat_of(&self, user: UserId) -> Option<SeatId> {
        self.roster
            .as_ref()?
            .seats
            .iter()
            .find(|seat| seat.user == user)
            .map(|seat| seat.seat)
    }

    pub fn user_of(&self, seat: SeatId) -> UserId {
        let roster = self.roster.as_ref().expect("there is a roster");
        roster
            .seats
            .iter()
            .find(|one| one.seat == seat)
            .expect("the seat is taken")
            .user
    }

    pub fn alias_of(&self, user: UserId) -> String {
        let roster = self.roster.as_ref().expect("there is a roster");
        roster
            .seats
            .iter()
            .find(|one| one.user == user)
            .expect("has a seat")
            .alias
            .clone()
    }

    /// Whoever has this card, told by what the director reads in 状态; in elevator order.
    pub fn with_role(&mut self, role: &str) -> Vec<UserId> {
        let kept = std::mem::take(&mut self.read);
        self.private(DIRECTOR, "状态");
        let state = self.heard_by(DIRECTOR);
        self.read = kept;
        state
            .lines()
            .filter_map(|line| {
                let (who, card) = line.split_once('）')?;
                let (_, user) = who.split_once('（')?;
                card.starts_with(&format!("{role}｜"))
                    .then(|| UserId(user.parse().unwrap()))
            })
            .collect()
    }

    pub fn one_with_role(&mut self, role: &str) -> UserId {
        let holders = self.with_role(role);
        assert_eq!(holders.len(), 1, "{role}: {holders:?}");
        holders[0]
    }

    pub fn open_thread(&self) -> &Thread {
        self.threads.last().expect("a thread was opened")
    }

    /// Tally answers the last Close with these ballots, and five posts for everybody.
    pub fn book(&mut self, ballots: &[(UserId, Option<UserId>)]) {
        let thread = *self.closes.last().expect("a book was to be closed");
        let mut ballots: Vec<Ballot> = ballots
            .iter()
            .map(|(voter, target)| Ballot {
                voter: self.seat_of(*voter).expect("has a seat"),
                choice: target.map_or(Choice::Abstain, |target| {
                    Choice::Seat(self.seat_of(target).expect("has a seat"))
                }),
                at: Stamp::default(),
                changes: 0,
            })
            .collect();
        ballots.sort_by_key(|ballot| ballot.voter);
        let seats = self.roster.as_ref().map_or(0, |roster| roster.seats.len());
        let posts = (0..seats)
            .map(|n| (SeatId(u8::try_from(n).unwrap()), 10))
            .collect();
        self.step(&ToNight::Book {
            thread,
            book: ClosedBook {
                ballots,
                posts,
                ..ClosedBook::default()
            },
        });
    }

    /// The clock rings for the only deadline there is.
    pub fn ring(&mut self) {
        let deadline = self
            .deadlines
            .first()
            .cloned()
            .expect("there is a deadline");
        self.now = self.now.max(deadline.at);
        self.step(&ToNight::Due {
            deadline: deadline.name,
            at: deadline.at,
            now: self.now,
        });
    }

    pub fn watermark(&mut self, upto: Time) {
        self.now = self.now.max(upto);
        self.step(&ToNight::Watermark {
            account: ACCOUNT,
            upto,
        });
    }

    /// Rings, and the watermark passes.
    pub fn pass(&mut self) {
        self.ring();
        let upto = self.now.plus_ms(6_000);
        self.watermark(upto);
    }

    /// A game made from the journal alone is the same game.
    pub fn replayed_is_the_same(&self) {
        let mut again = Night::new(&self.env, KEY);
        for input in &self.journal {
            let _ = again.handle(&self.env, input);
        }
        assert_eq!(again.save(), self.night.save());
    }
}

/// Effects in a form that can be compared.
fn comparable(effects: &Effects) -> String {
    let out: Vec<String> = effects
        .out
        .iter()
        .map(|out| format!("{} {} {}", out.service, out.key, out.body))
        .collect();
    format!(
        "{out:?} {:?} {:?} {} {}",
        effects.deadlines, effects.log, effects.snapshot, effects.ignore
    )
}

/// The nth player's chat id.
pub fn player(n: u64) -> UserId {
    UserId(100 + n)
}

/// The nth player's alias.
pub fn alias(n: u64) -> String {
    let aliases = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳";
    let place = usize::try_from(n).unwrap();
    aliases.chars().nth(place).unwrap().to_string()
}
