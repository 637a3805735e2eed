//! What each service takes. Bodies of messages on the bus are JSON of these.

use rules::book::{ClosedBook, Thread, ThreadId};
use rules::{SeatId, Time};
use serde::{Deserialize, Serialize};

use crate::ids::{AccountId, ChatGroup, GameId, MessageRef, UserId};
use crate::line::Line;
use crate::say::{PlatformAct, Refused, Say, Send, SendKey, SendOutcome};

/// How far a game is, as the directory needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RosterState {
    /// People sign up.
    Lobby,
    /// Cards are dealt.
    Running,
    /// Over: groups and people are free again.
    Over,
}

/// One seat of a roster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RosterSeat {
    /// The seat.
    pub seat: SeatId,
    /// The alias it plays under.
    pub alias: String,
    /// Who plays it.
    pub user: UserId,
}

/// Who is who in a game: night's own, sent whole to ingest, publish and tally with each change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roster {
    /// The game.
    pub game: GameId,
    /// Rises with each change; a lower one is ignored.
    pub version: u64,
    /// The game's name (鸣潮一), unique among the account's running games.
    pub name: String,
    /// Its public group.
    pub square: ChatGroup,
    /// How far it is.
    pub state: RosterState,
    /// Who directs it: never someone with a seat.
    pub directors: Vec<UserId>,
    /// The seats in elevator order. In the lobby: who has signed up so far.
    pub seats: Vec<RosterSeat>,
    /// The board's words with which a skill command begins. A line of the square that
    /// `chat::square_skill` recognises by them goes to night, which refuses it there.
    #[serde(default)]
    pub skill_words: Vec<String>,
}

/// What ingest takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToIngest {
    /// Send a message. Answered by [`ToPublish::Sent`] to `answer`.
    Send {
        /// The message.
        send: Send,
        /// The publish aggregate that waits for the outcome.
        answer: String,
    },
    /// Do something on the platform. Answered by [`ToPublish::ActDone`] to `answer`.
    Act {
        /// Its name; a repeat does nothing.
        key: SendKey,
        /// What to do.
        act: PlatformAct,
        /// The publish aggregate that waits for the outcome.
        answer: String,
    },
    /// A game's roster has changed.
    Roster(Roster),
    /// The private groups of this account have changed: the whole list.
    Directory(Directory),
}

/// Which of the account's groups belong to which game, as publish's pool has given them out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directory {
    /// Rises with each change.
    pub version: u64,
    /// The groups that are in use.
    pub groups: Vec<DirectoryGroup>,
}

/// A pool group in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryGroup {
    /// The chat group.
    pub group: ChatGroup,
    /// Whose it is.
    pub game: GameId,
    /// The private group's name on the board.
    pub name: String,
}

/// What tally takes; its aggregate's key is the game id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToTally {
    /// Who is who.
    Roster(Roster),
    /// A thread opens, or changes: a higher version replaces a lower one.
    Thread(Thread),
    /// Close the book and answer night with [`ToNight::Book`].
    Close {
        /// Which thread.
        thread: ThreadId,
    },
    /// Something typed in the square, or a private `确认`, `投`, `票型`.
    Line(Line),
    /// The director votes for a seat (代投), as if the seat had posted it. The text after the
    /// command's word, `target` as typed.
    ByHand {
        /// Whose ballot.
        voter: SeatId,
        /// For whom; `None` is 弃权.
        target: Option<SeatId>,
        /// The director's line, for time and answer.
        line: Line,
    },
    /// A message was taken back; its vote stands.
    Recalled {
        /// Which message.
        message: MessageRef,
    },
    /// The game is over.
    Over,
}

/// What night takes; its aggregate's key is the game id, for `Watermark` it is empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToNight {
    /// `开局` was typed in a group without a running game. Ingest has given the number.
    Open {
        /// The group that becomes the square.
        square: ChatGroup,
        /// The line; `text` is all after `开局`.
        line: Line,
        /// 32 random bytes in hexadecimal, drawn by ingest when it takes the line: where the
        /// game's dice and its deal come from. Nobody can guess it from anything in chat.
        #[serde(default)]
        entropy: String,
        /// Names of the account's games that are not over: a new one must have another.
        #[serde(default)]
        taken: Vec<String>,
    },
    /// A line for the referee: everything typed in private or in a private group, and the
    /// commands typed in the square that are no votes, petitions or talk.
    Line(Line),
    /// A deadline has come.
    Due {
        /// Which, by the name night gave it.
        deadline: String,
        /// When it was due.
        at: Time,
        /// When the clock rang.
        now: Time,
    },
    /// Everything of this account up to (not including) this instant has been published.
    Watermark {
        /// Whose chat.
        account: AccountId,
        /// Up to when.
        upto: Time,
    },
    /// A closed book.
    Book {
        /// Which thread.
        thread: ThreadId,
        /// What it says.
        book: ClosedBook,
    },
    /// Enough seats have asked in time for a speed-up or an extension (G23).
    Petition {
        /// On which thread.
        thread: ThreadId,
        /// True: speed-up. False: extension.
        faster: bool,
        /// When it began to hold.
        at: Time,
    },
    /// Publish has found out whether a person can be reached in private.
    Reach {
        /// Who.
        user: UserId,
        /// Can be reached.
        reachable: bool,
    },
    /// A message was given up, and the game goes on without it. For the record.
    Skipped {
        /// Its name.
        message: String,
        /// The director is to know: the game may stand still without it.
        holds_up: bool,
    },
    /// Something about groups or sends that the director should know.
    Trouble {
        /// What publish could not do, as a phrase for the director.
        phrase: crate::say::Phrase,
    },
}

/// A private group as the game wants it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupPlan {
    /// Its name on the board.
    pub name: String,
    /// Who belongs in it, out or in play.
    pub members: Vec<SeatId>,
}

/// What publish takes; its aggregate's key is a game id, or `pool:<account>` for [`PoolIn`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToPublish {
    /// Who is who.
    Roster(Roster),
    /// Something to be said.
    Say(Say),
    /// The private groups the game wants now: the whole list. Empty at the end: all given back.
    Groups(Vec<GroupPlan>),
    /// What became of a send.
    Sent {
        /// Which.
        key: SendKey,
        /// What became of it.
        outcome: SendOutcome,
    },
    /// What became of an act.
    ActDone {
        /// Which.
        key: SendKey,
        /// What was to be done.
        act: PlatformAct,
        /// What became of it.
        outcome: SendOutcome,
    },
    /// The pool has given this game a group for one of its private groups.
    GroupGiven {
        /// The private group's name on the board.
        name: String,
        /// The chat group; `None`: the pool is empty.
        group: Option<ChatGroup>,
        /// Rises with each lease; tells apart leases of one chat group.
        lease: u64,
    },
    /// Someone asks to join one of the game's groups, joined it, or left it.
    JoinRequest {
        /// The group.
        group: ChatGroup,
        /// Who.
        user: UserId,
        /// The request's flag.
        flag: String,
    },
    /// A member came.
    Joined {
        /// The group.
        group: ChatGroup,
        /// Who.
        user: UserId,
    },
    /// A member went.
    Left {
        /// The group.
        group: ChatGroup,
        /// Who.
        user: UserId,
    },
    /// The members of a group as the platform lists them.
    Members {
        /// The group.
        group: ChatGroup,
        /// Everyone in it but the bot.
        users: Vec<UserId>,
    },
    /// The bot itself was muted in, removed from, or let back into a group.
    Standing {
        /// The group.
        group: ChatGroup,
        /// What stands in the way now; `None`: nothing.
        trouble: Option<Refused>,
    },
    /// For the pool.
    Pool(PoolIn),
}

/// What the pool of groups takes; its aggregate's key is `pool:<account>`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PoolIn {
    /// A game asks for a group; answered by [`ToPublish::GroupGiven`].
    Take {
        /// Who asks.
        game: GameId,
        /// For which private group.
        name: String,
    },
    /// A game gives a group back, empty again.
    Give {
        /// Who had it.
        game: GameId,
        /// The group.
        group: ChatGroup,
    },
    /// Membership news of a pool group, handed on to the game that has it (or, for a group
    /// nobody has, answered by refusing).
    News {
        /// The group.
        group: ChatGroup,
        /// The news.
        news: Box<ToPublish>,
    },
}

/// What clock takes: nudges only, nothing durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToClock {
    /// A game's deadlines have changed; look into the store.
    Changed {
        /// The earliest of them.
        next: Option<Time>,
    },
}
