//! Why an input is refused. A refusal says nothing that the sender may not know: it is made
//! from the sender's own card and inputs, what it was told, what is public, and the time.

use serde::{Deserialize, Serialize};

use crate::ids::{RoleId, SeatId, SkillId, StateId};
use crate::phase::WindowId;

/// Why an input changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// The game is over.
    Over,
    /// The game has not begun.
    NotBegun,
    /// The director has paused the game.
    Paused,
    /// No such seat in this game.
    NoSuchSeat,
    /// The seat does not hold this skill.
    NotHeld(SkillId),
    /// The skill acts by itself; nothing is to be sent.
    ActsByItself(SkillId),
    /// Not now; it opens in this window.
    NotNow {
        /// Which skill.
        skill: SkillId,
        /// Where it opens; `None`: only when one is asked.
        opens: Option<WindowId>,
    },
    /// The sender is out.
    Out,
    /// No uses are left.
    UsedUp(SkillId),
    /// It can only be used every so many nights: from this one on again.
    Rests {
        /// The skill.
        skill: SkillId,
        /// The night.
        night: u16,
    },
    /// The other skill has been used tonight.
    Excluded {
        /// What was asked for.
        skill: SkillId,
        /// What excludes it.
        by: SkillId,
    },
    /// A state that the sender knows of bars it.
    Barred(SkillId),
    /// Too few or too many seats were named.
    SeatCount {
        /// The skill.
        skill: SkillId,
        /// At least.
        min: u8,
        /// At most.
        max: u8,
    },
    /// A seat was named twice.
    Twice(SeatId),
    /// This seat cannot be chosen.
    NotChoosable {
        /// The skill.
        skill: SkillId,
        /// The seat.
        seat: SeatId,
        /// Why.
        why: NotChoosable,
    },
    /// A parameter is missing or not one of those that can be chosen.
    Choices {
        /// The skill.
        skill: SkillId,
        /// What can be chosen.
        choices: Vec<SkillId>,
    },
    /// A role is missing or not one of those that can be chosen.
    RoleChoices {
        /// The skill.
        skill: SkillId,
        /// What can be chosen.
        choices: Vec<RoleId>,
    },
    /// A word is missing, or is not one of those that the skill takes.
    Options {
        /// The skill.
        skill: SkillId,
        /// What it takes.
        options: Vec<String>,
    },
    /// It costs more marks than the sender has.
    TooFewMarks {
        /// The skill.
        skill: SkillId,
        /// The marks.
        mark: StateId,
        /// How many it costs.
        needs: u8,
        /// How many the sender has.
        has: u8,
    },
    /// The sender has that skill already.
    HasAlready(SkillId),
    /// A guess names a seat, a skill and that skill's targets.
    Guess {
        /// The skill that guesses.
        skill: SkillId,
        /// The skills that can be guessed.
        skills: Vec<SkillId>,
    },
    /// The text is longer than so many characters.
    TextTooLong {
        /// The skill.
        skill: SkillId,
        /// The most that it takes.
        most: u8,
    },
    /// There is a word too many, or one that means nothing here.
    ExtraWords(SkillId),
    /// It must be used (强制).
    Forced(SkillId),
    /// Nothing is open that could be declined.
    NothingToDecline,
    /// No last words: not out, or not allowed, or too late.
    NoLastWords,
    /// The text is empty.
    EmptyText,
    /// This faction cannot surrender.
    CannotSurrender,
    /// No surrender has been moved, or one has agreed already.
    NoSurrender,
    /// There is no election now for which one could announce oneself.
    NoCandidacy,
    /// The election takes no new candidates any more (F16).
    CandidacyClosed,
    /// The seat runs already.
    Runs,
    /// The seat does not run.
    DoesNotRun,
    /// A later message has overtaken this one.
    Overtaken,
    /// The director's order does not fit now.
    OrderNotNow,
    /// There is nothing to go back to.
    NoCheckpoint,
    /// The seat is already so (out, in play, has or lacks the state or skill).
    AlreadySo(SeatId),
    /// The ruling names a state, skill, faction or role that the board does not have.
    NotOnBoard,
    /// Not for a deadline or book of an earlier turn.
    Stale,
}

/// Why a seat cannot be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotChoosable {
    /// It is announced out.
    Out,
    /// It is not out, and only those who are can be chosen.
    InPlay,
    /// No skill can name it, as everybody knows (R8).
    Untargetable,
    /// Oneself.
    Oneself,
    /// Chosen on the night before.
    TwiceRunning,
    /// Chosen before in this game.
    ChosenBefore,
    /// One's own side, as far as one knows it.
    OwnSide,
    /// It cannot be chosen any more, as was told (F4).
    NoMore,
    /// Tonight the choice is narrowed, as was told.
    Narrowed,
}
