//! Words on their way out: phrases before they are rendered, texts before they are sent.

use serde::{Deserialize, Serialize};

use crate::ids::{ChatGroup, MessageRef, Scene, UserId};
use rules::SeatId;

/// A text that is not yet words: the name of a template and what it is filled with. Names of
/// seats, roles and skills are already the board's words; the template makes the sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phrase {
    /// The template, e.g. `night/struck`.
    pub key: String,
    /// What it is filled with; an object.
    pub args: serde_json::Value,
}

impl Phrase {
    /// A phrase without anything to fill in.
    pub fn plain(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            args: serde_json::Value::Object(serde_json::Map::new()),
        }
    }

    /// A phrase with an object of values (`serde_json::json!({...})`).
    pub fn new(key: &str, args: serde_json::Value) -> Self {
        Self {
            key: key.to_owned(),
            args,
        }
    }
}

/// Who is to read something. Publish turns it into scenes by the game's roster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Audience {
    /// Whoever plays this seat, in private.
    Seat(SeatId),
    /// A person, in private.
    User(UserId),
    /// A private group of the game, by its name on the board.
    Group(String),
    /// The square.
    Square,
    /// Those who direct the game, in private.
    Directors,
    /// Exactly this scene (an answer to a line typed there).
    Scene(Scene),
}

/// What a saying is, for pacing and merging.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SayKind {
    /// Something that a rule makes known. Never lost, never said twice.
    #[default]
    Notice,
    /// The short answer to something typed: taken, refused, help.
    Answer,
    /// A reminder or a prompt.
    Prompt,
}

/// Something to be said. Several phrases make one message, a line break between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Say {
    /// Its name within the game; a repeat of it says nothing.
    pub key: SendKey,
    /// To whom.
    pub to: Audience,
    /// What.
    pub phrases: Vec<Phrase>,
    /// The message in the same scene that is answered by quoting it.
    pub reply_to: Option<MessageRef>,
    /// What kind of saying it is.
    pub kind: SayKind,
}

/// The name of one send towards chat: `<game>/<what>/<n>`, unique for ever.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SendKey(pub String);

/// A piece of an outgoing message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Plain text; never read for markup.
    Text(String),
    /// A mention; only in groups.
    At(UserId),
    /// A quote of a message of the same scene; only first, only in groups.
    Reply(MessageRef),
}

/// One message to send to one scene. Sends to one scene keep their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Send {
    /// Its name; a repeat of it sends nothing.
    pub key: SendKey,
    /// Where to.
    pub scene: Scene,
    /// What.
    pub parts: Vec<Part>,
    /// Was this said before with an unclear outcome, where history is unavailable? Then publish
    /// has marked the text as a repeat (重发).
    pub repeat: bool,
    /// What kind of saying it is: answers do not wait behind many prompts.
    #[serde(default)]
    pub kind: SayKind,
}

/// Why the platform refused for certain. What is not certain is [`SendOutcome::Unknown`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refused {
    /// Neither friends nor a temporary chat: results 16, 102, 103.
    NotReachable,
    /// Muted, the whole group muted, or risk control: result 120.
    Muted,
    /// The bot is no longer in the group: result 110.
    Removed,
    /// The bot lacks the right (owner, administrator).
    NoRight,
    /// The request's flag is not known (any more).
    StaleRequest,
    /// The other side does not have this action.
    Unsupported,
    /// Bad parameters, too long, and the like.
    Other,
}

/// What became of a send or an act: three outcomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SendOutcome {
    /// Done.
    Done {
        /// The platform's name of the new message; `None` for acts that make none.
        message: Option<MessageRef>,
    },
    /// Certainly not done.
    Refused {
        /// Why.
        why: Refused,
        /// The platform's own words, for the director and the log.
        raw: String,
    },
    /// Nobody knows, and history could not tell either.
    Unknown {
        /// What was seen.
        raw: String,
    },
}

/// Something to do on the platform that is no message. Each is idempotent there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlatformAct {
    /// Rename a group.
    Rename {
        /// The group.
        group: ChatGroup,
        /// Its new name.
        name: String,
    },
    /// Set a member's card; empty takes it away.
    Card {
        /// The group.
        group: ChatGroup,
        /// The member.
        user: UserId,
        /// The card.
        card: String,
    },
    /// Answer a request to join.
    Answer {
        /// The group.
        group: ChatGroup,
        /// Who asked.
        user: UserId,
        /// The request's flag.
        flag: String,
        /// Let in or not.
        approve: bool,
        /// The reason that a refused person sees.
        reason: String,
    },
    /// Remove a member.
    Kick {
        /// The group.
        group: ChatGroup,
        /// The member.
        user: UserId,
    },
    /// Mute a member for so many seconds; 0 lifts it.
    Mute {
        /// The group.
        group: ChatGroup,
        /// The member.
        user: UserId,
        /// Seconds.
        seconds: u32,
    },
    /// Read a group's members again and report them as [`crate::ToPublish`] `Members`.
    ListMembers {
        /// The group.
        group: ChatGroup,
    },
}
