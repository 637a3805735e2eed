//! What the bridge says itself: only what nobody else could answer, and nothing of any game.

use protocol::{Part, Phrase, Scene};
use serde_json::json;

use super::{Account, Env};
use crate::input::Heard;

/// Something that the bridge says itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hint {
    /// The sender is in no game; these take sign-ups.
    NoGame(Vec<String>),
    /// What can be done by somebody who is in no game.
    Help(Vec<String>),
    /// The sender is in several games: name one.
    WhichGame(Vec<String>),
    /// Several games take sign-ups: name one.
    WhichLobby(Vec<String>),
    /// Open games in a group.
    OpenInGroup,
    /// Only directors open games.
    NotDirector,
    /// The group has a game.
    SquareTaken(String),
    /// There is no game here.
    NothingHere,
}

impl Hint {
    /// Do people who neither play nor direct bring it about?
    fn is_for_anybody(&self) -> bool {
        match self {
            Self::NoGame(_)
            | Self::Help(_)
            | Self::WhichLobby(_)
            | Self::NotDirector
            | Self::NothingHere => true,
            Self::WhichGame(_) | Self::OpenInGroup | Self::SquareTaken(_) => false,
        }
    }

    fn phrase(&self) -> Phrase {
        match self {
            Self::NoGame(lobbies) => Phrase::new("ingest/no-game", json!({"lobbies": lobbies})),
            Self::Help(lobbies) => Phrase::new("ingest/help", json!({"lobbies": lobbies})),
            Self::WhichGame(games) => Phrase::new("ingest/which-game", json!({"games": games})),
            Self::WhichLobby(games) => Phrase::new("ingest/which-lobby", json!({"games": games})),
            Self::OpenInGroup => Phrase::plain("ingest/open-in-group"),
            Self::NotDirector => Phrase::plain("ingest/not-director"),
            Self::SquareTaken(game) => Phrase::new("ingest/square-taken", json!({"game": game})),
            Self::NothingHere => Phrase::plain("ingest/nothing-here"),
        }
    }
}

impl Account {
    /// Answers a line with a hint; in a group by a quote. Those that anybody can bring about
    /// come at most once in a while in each scene.
    pub(super) fn answer(&mut self, env: &Env, heard: &Heard, hint: &Hint) {
        if hint.is_for_anybody() && !self.scenes.may_hint(heard.scene, heard.secs) {
            return;
        }
        // The hints' templates are filled with what is right for them; tests render each.
        let Ok(text) = env.texts.render(&hint.phrase()) else {
            return;
        };
        let mut parts = vec![Part::Text(text)];
        if matches!(heard.scene, Scene::Group(_)) {
            parts.insert(0, Part::Reply(heard.id.clone()));
        }
        self.hint(heard.scene, parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_plays_or_directs_is_always_answered() {
        assert!(Hint::NothingHere.is_for_anybody());
        assert!(!Hint::WhichGame(Vec::new()).is_for_anybody());
        assert!(!Hint::OpenInGroup.is_for_anybody());
    }

    #[test]
    fn every_hint_has_words() {
        let texts = texts::Texts::builtin();
        let names = || vec!["鸣潮一".to_owned(), "鸣潮二".to_owned()];
        for hint in [
            Hint::NoGame(names()),
            Hint::NoGame(Vec::new()),
            Hint::Help(names()),
            Hint::Help(Vec::new()),
            Hint::WhichGame(names()),
            Hint::WhichLobby(names()),
            Hint::OpenInGroup,
            Hint::NotDirector,
            Hint::SquareTaken("鸣潮一".into()),
            Hint::NothingHere,
        ] {
            let text = texts
                .render(&hint.phrase())
                .unwrap_or_else(|e| panic!("{hint:?}: {e}"));
            assert!(!text.is_empty(), "{hint:?}");
        }
    }
}
