//! What an account's aggregate takes: everything of [`ToIngest`], and what comes from chat and
//! from the sender.

use onebot::{Chat, ChatMessage, Message};
use protocol::{
    AccountId, ChatGroup, Directory, MessageId, MessageRef, PlatformAct, Refused, Roster, Scene,
    Send, SendKey, SendOutcome, ToIngest, UserId,
};
use rules::Time;
use serde::{Deserialize, Serialize};

/// An input. The first four are those of [`ToIngest`] under the same names, so that bodies from
/// the bus read as inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    /// See [`ToIngest::Send`].
    Send {
        /// The message.
        send: Send,
        /// The publish aggregate that waits for the outcome.
        answer: String,
    },
    /// See [`ToIngest::Act`].
    Act {
        /// Its name.
        key: SendKey,
        /// What to do.
        act: PlatformAct,
        /// The publish aggregate that waits for the outcome.
        answer: String,
    },
    /// See [`ToIngest::Roster`].
    Roster(Roster),
    /// See [`ToIngest::Directory`].
    Directory(Directory),
    /// Somebody said something.
    Heard(Heard),
    /// A message was taken back.
    Recalled {
        /// Where.
        scene: Scene,
        /// Which.
        message: MessageRef,
    },
    /// Something about a group's members.
    News {
        /// Which group.
        group: ChatGroup,
        /// What.
        news: News,
    },
    /// Somebody asks to be the account's friend.
    FriendAsked(FriendAsked),
    /// What became of a job.
    Outcome {
        /// Which.
        job: u64,
        /// What became of it.
        outcome: SendOutcome,
    },
    /// The account was away from chat and is back: from the last line on, lines may be missing.
    /// An account without a line has its beginning here.
    Back {
        /// When.
        at: Time,
    },
    /// All that was missed has been handed in.
    CaughtUp,
    /// The account was away for long; directors should know.
    WasAway {
        /// Since when.
        from: Time,
        /// Until when.
        to: Time,
    },
}

impl From<ToIngest> for Input {
    fn from(body: ToIngest) -> Self {
        match body {
            ToIngest::Send { send, answer } => Self::Send { send, answer },
            ToIngest::Act { key, act, answer } => Self::Act { key, act, answer },
            ToIngest::Roster(roster) => Self::Roster(roster),
            ToIngest::Directory(directory) => Self::Directory(directory),
        }
    }
}

/// What somebody said, as it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// Where.
    pub scene: Scene,
    /// The platform's name of it.
    pub id: MessageRef,
    /// Its sequence number in the scene, where the side tells one.
    pub seq: Option<u64>,
    /// Chat time in whole seconds.
    pub secs: i64,
    /// Who.
    pub user: UserId,
    /// The name that chat shows.
    pub nickname: String,
    /// What, whole and as it was.
    pub message: Message,
    /// Who had said what it quotes, when that is known.
    pub quoted: Option<UserId>,
    /// May this person open games? As configured when it was taken.
    pub may_open: bool,
    /// 32 random bytes in hexadecimal for the game that this line may open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<String>,
    /// When it was taken.
    pub received: Time,
}

/// A request to be the account's friend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FriendAsked {
    /// Who asks.
    pub user: UserId,
    /// The request's flag.
    pub flag: String,
    /// How it came.
    pub door: FriendDoor,
}

/// How a request to be a friend came: each way has an answer of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FriendDoor {
    /// As an event.
    Usual,
    /// The platform holds it back as doubtful.
    Doubtful,
}

/// Something about a group's members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    /// Somebody asks to join.
    Asked {
        /// Who.
        user: UserId,
        /// The request's flag.
        flag: String,
    },
    /// Somebody joined.
    Joined(UserId),
    /// Somebody left.
    Left(UserId),
    /// Everyone in it but the account.
    Members(Vec<UserId>),
    /// What stands in the account's way there; `None`: nothing.
    Standing(Option<Refused>),
}

/// The scene of a chat.
pub(crate) fn scene(chat: Chat) -> Scene {
    match chat {
        Chat::Group(group) => Scene::Group(ChatGroup(group)),
        Chat::Private(user) => Scene::Private(UserId(user)),
    }
}

/// The chat of a scene.
pub(crate) fn chat(scene: Scene) -> Chat {
    match scene {
        Scene::Group(group) => Chat::Group(group.0),
        Scene::Private(user) => Chat::Private(user.0),
    }
}

fn place(scene: Scene) -> String {
    match scene {
        Scene::Group(group) => format!("g{group}"),
        Scene::Private(user) => format!("p{user}"),
    }
}

/// The name of the input that a chat message becomes: the same for the event and for the entry
/// in history, and for a repeat of either.
pub(crate) fn heard_id(account: AccountId, message: &ChatMessage) -> MessageId {
    let place = place(scene(message.chat));
    let seq = message.seq.map(|seq| format!("/{seq}")).unwrap_or_default();
    MessageId(format!(
        "chat/{account}/{place}/{}/{}{seq}",
        message.id, message.time
    ))
}

/// The name of the input that a recall becomes; a message is taken back once.
pub(crate) fn recalled_id(account: AccountId, scene: Scene, message: &MessageRef) -> MessageId {
    MessageId(format!("recall/{account}/{}/{message}", place(scene)))
}

/// The name of the input that a request to be a friend becomes; its flag tells it apart.
pub(crate) fn friend_id(account: AccountId, asked: &FriendAsked) -> MessageId {
    MessageId(format!("friend/{account}/{}", asked.flag))
}

/// The name of the input that news of a group becomes. `time` tells one coming and going from
/// the next; requests are told apart by their flag.
pub(crate) fn news_id(account: AccountId, group: ChatGroup, news: &News, time: i64) -> MessageId {
    let what = match news {
        News::Asked { flag, .. } => format!("asked/{flag}"),
        News::Joined(user) => format!("joined/{user}/{time}"),
        News::Left(user) => format!("left/{user}/{time}"),
        News::Members(_) => format!("members/{time}"),
        News::Standing(trouble) => format!("standing/{trouble:?}/{time}"),
    };
    MessageId(format!("group/{account}/{group}/{what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{GameId, RosterState};

    fn through_json(body: &ToIngest) -> Input {
        serde_json::from_str(&serde_json::to_string(body).unwrap()).unwrap()
    }

    #[test]
    fn bodies_from_the_bus_are_inputs() {
        let key = SendKey("1-1/x/1".into());
        let game = GameId {
            account: AccountId(1),
            number: 1,
        };
        let send = Send {
            key: key.clone(),
            scene: Scene::Private(UserId(5)),
            parts: vec![protocol::Part::Text("你好".into())],
            repeat: false,
            kind: protocol::SayKind::Answer,
        };
        let act = PlatformAct::Kick {
            group: ChatGroup(7),
            user: UserId(5),
        };
        let roster = Roster {
            game,
            version: 3,
            name: "鸣潮一".into(),
            square: ChatGroup(9),
            state: RosterState::Lobby,
            directors: vec![UserId(2)],
            skill_words: Vec::new(),
            seats: Vec::new(),
        };
        let directory = Directory {
            version: 1,
            groups: Vec::new(),
        };
        for body in [
            ToIngest::Send {
                send,
                answer: "1-1".into(),
            },
            ToIngest::Act {
                key,
                act,
                answer: "1-1".into(),
            },
            ToIngest::Roster(roster),
            ToIngest::Directory(directory),
        ] {
            assert_eq!(through_json(&body), Input::from(body));
        }
    }
}
