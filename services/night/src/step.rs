//! What one step brings about, collected while it is decided.

use kit::Effects;
use protocol::{
    Audience, GameId, Line, Phrase, Place, Roster, Say, SayKind, Scene, SendKey, Service, ToClock,
    ToIngest, ToPublish, ToTally,
};
use rules::Time;
use serde::Serialize;
use store::Deadline;

/// One step of one game.
pub(crate) struct Step {
    game: GameId,
    number: u64,
    said: u32,
    effects: Effects,
    told: Vec<Told>,
}

/// A line of the record: which template was said to whom.
#[derive(Serialize)]
struct Told {
    to: Audience,
    keys: Vec<String>,
}

impl Step {
    /// The step of this number, for the names of what is said.
    pub(crate) fn new(game: GameId, number: u64) -> Self {
        Self {
            game,
            number,
            said: 0,
            effects: Effects::default(),
            told: Vec::new(),
        }
    }

    /// Has anything been said or sent?
    pub(crate) fn is_silent(&self) -> bool {
        self.effects.out.is_empty()
    }

    /// Says something.
    pub(crate) fn say(&mut self, to: Audience, kind: SayKind, phrases: Vec<Phrase>) {
        self.say_in_reply(to, kind, phrases, None);
    }

    fn say_in_reply(
        &mut self,
        to: Audience,
        kind: SayKind,
        phrases: Vec<Phrase>,
        reply_to: Option<protocol::MessageRef>,
    ) {
        let key = SendKey(format!("{}/n/{}.{}", self.game, self.number, self.said));
        self.said += 1;
        let keys = phrases.iter().map(|phrase| phrase.key.clone()).collect();
        self.told.push(Told {
            to: to.clone(),
            keys,
        });
        self.publish(&ToPublish::Say(Say {
            key,
            to,
            phrases,
            reply_to,
            kind,
        }));
    }

    /// Answers a line where it was typed; in a group by quoting it.
    pub(crate) fn answer(&mut self, line: &Line, phrase: Phrase) {
        let (to, reply_to) = match &line.place {
            Place::Private => (Audience::Scene(Scene::Private(line.speaker.user)), None),
            Place::Square => (Audience::Square, Some(line.message.clone())),
            Place::Group(name) => (Audience::Group(name.clone()), Some(line.message.clone())),
        };
        self.say_in_reply(to, SayKind::Answer, vec![phrase], reply_to);
    }

    /// Answers whoever typed a line in private, wherever it was typed.
    pub(crate) fn answer_in_private(&mut self, line: &Line, phrase: Phrase) {
        let scene = Scene::Private(line.speaker.user);
        self.say(Audience::Scene(scene), SayKind::Answer, vec![phrase]);
    }

    /// Sends the roster to everybody who works with it.
    pub(crate) fn roster(&mut self, roster: &Roster) {
        let key = format!("account:{}", self.game.account);
        self.effects
            .send(Service::Ingest, key, &ToIngest::Roster(roster.clone()));
        self.tally(&ToTally::Roster(roster.clone()));
        self.publish(&ToPublish::Roster(roster.clone()));
    }

    pub(crate) fn tally(&mut self, body: &ToTally) {
        self.effects
            .send(Service::Tally, self.game.to_string(), body);
    }

    pub(crate) fn publish(&mut self, body: &ToPublish) {
        self.effects
            .send(Service::Publish, self.game.to_string(), body);
    }

    /// Sets all deadlines of the game and nudges the clock.
    pub(crate) fn deadlines(&mut self, deadlines: Vec<Deadline>) {
        let next: Option<Time> = deadlines.iter().map(|deadline| deadline.at).min();
        self.effects.deadlines = Some(deadlines);
        self.effects
            .send(Service::Clock, "", &ToClock::Changed { next });
    }

    /// A phase has begun: take a snapshot.
    pub(crate) fn snapshot(&mut self) {
        self.effects.snapshot = true;
    }

    /// The effects, with a record of what was said.
    pub(crate) fn finish(mut self) -> Effects {
        if !self.told.is_empty() {
            self.effects.log = serde_json::to_value(serde_json::json!({ "told": self.told })).ok();
        }
        self.effects
    }
}
