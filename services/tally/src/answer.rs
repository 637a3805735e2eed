//! What tally says, and to whom.

use kit::Effects;
use protocol::{
    Audience, Line, MessageRef, Phrase, Place, Say, SayKind, SendKey, Service, ToPublish,
};
use serde::{Deserialize, Serialize};

use crate::aggregate::Tally;
use crate::reason::Reason;

/// What came of an input, for the record beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A ballot was taken.
    Taken,
    /// A ballot was changed.
    Changed,
    /// A change waits for its seat's 确认.
    Asked,
    /// It does not count.
    Refused(Reason),
}

impl Outcome {
    pub(crate) fn to_log(self) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()
    }

    pub(crate) fn from_log(log: &serde_json::Value) -> Option<Self> {
        Self::deserialize(log).ok()
    }
}

/// Where an answer goes: the audience and, where quoting is possible, the quoted message.
pub(crate) struct Where {
    to: Audience,
    reply_to: Option<MessageRef>,
}

impl Where {
    /// In the place where the line was typed.
    pub(crate) fn of(line: &Line) -> Self {
        let quote = Some(line.message.clone());
        match &line.place {
            Place::Square => Self {
                to: Audience::Square,
                reply_to: quote,
            },
            Place::Group(name) => Self {
                to: Audience::Group(name.clone()),
                reply_to: quote,
            },
            Place::Private => Self {
                to: Audience::User(line.speaker.user),
                reply_to: None,
            },
        }
    }

    /// In the square, quoting a post there.
    pub(crate) fn square(post: Option<MessageRef>) -> Self {
        Self {
            to: Audience::Square,
            reply_to: post,
        }
    }

    /// To this audience, quoting nothing.
    pub(crate) fn to(audience: Audience) -> Self {
        Self {
            to: audience,
            reply_to: None,
        }
    }
}

impl Tally {
    /// Has publish say it.
    pub(crate) fn say(
        &mut self,
        effects: &mut Effects,
        place: Where,
        kind: SayKind,
        phrase: Phrase,
    ) {
        self.said += 1;
        let say = Say {
            key: SendKey(format!("{}/tally/{}", self.key, self.said)),
            to: place.to,
            phrases: vec![phrase],
            reply_to: place.reply_to,
            kind,
        };
        effects.send(Service::Publish, self.key.as_str(), &ToPublish::Say(say));
    }

    /// Answers a line where it was typed.
    pub(crate) fn answer(&mut self, effects: &mut Effects, line: &Line, phrase: Phrase) {
        self.say(effects, Where::of(line), SayKind::Answer, phrase);
    }
}
