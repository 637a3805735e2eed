//! What one step of a game's desk sends out and puts on record.

use kit::Effects;
use protocol::{GameId, PoolIn, Service, ToIngest, ToNight, ToPublish};
use serde_json::{Value, json};
use texts::Texts;

use crate::words;

/// Collects the effects of one step.
pub struct Step<'a> {
    /// The templates.
    pub texts: &'a Texts,
    /// The game whose desk takes the step.
    pub game: GameId,
    effects: Effects,
    record: Vec<Value>,
}

impl<'a> Step<'a> {
    /// A step in which nothing has happened yet.
    pub fn new(texts: &'a Texts, game: GameId) -> Self {
        Self {
            texts,
            game,
            effects: Effects::default(),
            record: Vec::new(),
        }
    }

    /// To the account's bridge.
    pub fn ingest(&mut self, body: &ToIngest) {
        if let ToIngest::Send { send, .. } = body {
            let text: String = send.parts.iter().filter_map(text_of).collect();
            self.note(json!({"send": send.key, "scene": send.scene, "hash": words::hash(&text)}));
        }
        let key = format!("account:{}", self.game.account);
        self.effects.send(Service::Ingest, key, body);
    }

    /// To the game's referee.
    pub fn night(&mut self, body: &ToNight) {
        self.effects
            .send(Service::Night, self.game.to_string(), body);
    }

    /// To the account's pool of groups.
    pub fn pool(&mut self, body: PoolIn) {
        let key = format!("pool:{}", self.game.account);
        self.effects
            .send(Service::Publish, key, &ToPublish::Pool(body));
    }

    /// Puts something on record.
    pub fn note(&mut self, what: Value) {
        self.record.push(what);
    }

    /// Puts on record that a message will not be sent (any more), and why.
    pub fn note_dropped(&mut self, base: &str, why: &str) {
        self.note(json!({"dropped": base, "why": why}));
    }

    /// All of it.
    pub fn finish(mut self) -> Effects {
        if !self.record.is_empty() {
            self.effects.log = Some(Value::Array(self.record));
        }
        self.effects
    }
}

fn text_of(part: &protocol::Part) -> Option<&str> {
    match part {
        protocol::Part::Text(text) => Some(text),
        protocol::Part::At(_) | protocol::Part::Reply(_) => None,
    }
}
