//! What the people of a game are told about a chat group, and what the directors are asked to
//! do by hand: each thing once.

use std::collections::BTreeSet;

use protocol::{ChatGroup, Phrase, Refused, UserId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{View, Wish};
use crate::people;

/// What the directors have been asked about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Appeals(BTreeSet<String>);

/// The bot's standing, among the things asked about.
const STANDING: &str = "groups/standing";

impl Appeals {
    /// About the group as a whole.
    pub fn once(&mut self, key: &str, group: ChatGroup, view: &View<'_>) -> Option<Wish> {
        let new = self.0.insert(key.to_owned());
        new.then(|| Wish::TellDirectors(phrase(key, group, view)))
    }

    /// About a person.
    pub fn about(
        &mut self,
        key: &str,
        user: UserId,
        group: ChatGroup,
        view: &View<'_>,
    ) -> Option<Wish> {
        let mut phrase = phrase(key, group, view);
        phrase.args["who"] = json!(people::name_of(view.roster, user));
        let new = self.0.insert(format!("{key}/{user}"));
        new.then_some(Wish::TellDirectors(phrase))
    }

    /// About what keeps the bot from speaking.
    pub fn about_standing(
        &mut self,
        why: Refused,
        group: ChatGroup,
        view: &View<'_>,
    ) -> Option<Wish> {
        let word = match why {
            Refused::Muted => "muted",
            Refused::Removed => "removed",
            _ => "other",
        };
        let mut phrase = phrase(STANDING, group, view);
        phrase.args["why"] = json!(word);
        let new = self.0.insert(format!("{STANDING}/{word}"));
        new.then_some(Wish::TellDirectors(phrase))
    }

    /// The bot can speak: should it be kept from it again, that is news.
    pub fn standing_is_good(&mut self) {
        self.0.retain(|what| !what.starts_with(STANDING));
    }
}

/// A phrase about a chat group.
pub fn phrase(key: &str, group: ChatGroup, view: &View<'_>) -> Phrase {
    let args = json!({"game": view.roster.name, "room": view.name, "group": group});
    Phrase::new(key, args)
}
