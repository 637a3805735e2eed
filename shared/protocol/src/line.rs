//! A line that a person typed, as ingest hands it on.

use rules::{SeatId, Stamp, Time};
use serde::{Deserialize, Serialize};

use crate::ids::{MessageRef, UserId};

/// Who typed a line, as far as the directory knows. Seat and powers are those of the game that
/// the line is addressed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speaker {
    /// The person.
    pub user: UserId,
    /// The name that chat shows for the person (group card, else nickname); for greetings and
    /// default aliases only.
    pub nickname: String,
    /// The seat the person plays in this game, if any.
    pub seat: Option<SeatId>,
    /// May the person direct this game? Never true together with a seat.
    pub director: bool,
}

/// Where in the game a line was typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// The game's public group.
    Square,
    /// The private chat with the bot.
    Private,
    /// One of the game's private groups, by its name on the board (狼群, …).
    Group(String),
}

/// One line of chat, cleaned by `chat::clean` (NFKC but for Chinese punctuation, zero-width characters
/// gone, blanks folded, only what the person typed), addressed to one game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Who typed it.
    pub speaker: Speaker,
    /// Where.
    pub place: Place,
    /// The cleaned text. In a private line the game's name in front is already gone.
    pub text: String,
    /// People who were mentioned (@), in order, without the bot and without the automatic
    /// mention in front of a quoted reply. In `text` each stands as `@<chat id>`.
    pub mentions: Vec<UserId>,
    /// Was the bot addressed (@bot)?
    pub addressed: bool,
    /// The message that this one quotes.
    pub reply_to: Option<MessageRef>,
    /// The platform's name of this message.
    pub message: MessageRef,
    /// When chat says it was sent.
    pub stamp: Stamp,
    /// When ingest took it.
    pub received: Time,
}
