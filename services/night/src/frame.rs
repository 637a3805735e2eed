//! What is known of a game from the moment it is opened to its end.

use chat::Names;
use protocol::{ChatGroup, GameId, Roster, RosterSeat, RosterState, UserId};
use rules::{Board, Options};
use serde::{Deserialize, Serialize};

/// Where a game's randomness comes from: 32 secret bytes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Seed(pub [u8; 32]);

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(…)")
    }
}

impl Seed {
    /// From 64 hexadecimal digits; nothing else will do.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    fn to_hex(&self) -> String {
        use std::fmt::Write;
        self.0
            .iter()
            .fold(String::with_capacity(64), |mut text, byte| {
                // Writing to a string does not fail.
                let _ = write!(text, "{byte:02x}");
                text
            })
    }
}

impl Serialize for Seed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_hex(&text).ok_or_else(|| serde::de::Error::custom("a seed has 64 hex digits"))
    }
}

/// What a game is called, where it is played, and by whose word.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Frame {
    pub game: GameId,
    pub name: String,
    /// The board's id.
    pub board: String,
    /// The calendar's name.
    pub calendar: String,
    pub options: Options,
    /// How many seats it has, where that is not the board's own number.
    #[serde(default)]
    pub seats: Option<u16>,
    pub square: ChatGroup,
    /// Who directs it; nobody of them ever has a seat.
    pub directors: Vec<UserId>,
    pub seed: Seed,
    /// Of the roster that was sent last.
    pub roster_version: u64,
}

impl Frame {
    /// How many people play.
    pub(crate) fn size(&self, board: &Board) -> usize {
        self.seats.map_or(board.seat_count(), usize::from)
    }

    pub(crate) fn directs(&self, user: UserId) -> bool {
        self.directors.contains(&user)
    }

    /// The next roster.
    pub(crate) fn roster(
        &mut self,
        board: &Board,
        state: RosterState,
        seats: Vec<RosterSeat>,
    ) -> Roster {
        self.roster_version += 1;
        Roster {
            game: self.game,
            version: self.roster_version,
            name: self.name.clone(),
            square: self.square,
            state,
            directors: self.directors.clone(),
            seats,
            skill_words: Names::of(board).skill_words().map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_64_hex_digits() {
        let text = "00ff".repeat(16);
        let seed = Seed::from_hex(&text).unwrap();
        assert_eq!(seed.0[..2], [0, 255]);
        assert_eq!(seed.to_hex(), text);
        for bad in ["", "00", &"0g".repeat(32), &"é".repeat(32)] {
            assert_eq!(Seed::from_hex(bad), None, "{bad}");
        }
        assert_eq!(format!("{seed:?}"), "Seed(…)", "it is never logged");
    }
}
