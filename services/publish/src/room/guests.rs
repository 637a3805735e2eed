//! Who is inside a chat group, as far as is known.

use protocol::Refused;
use serde::{Deserialize, Serialize};

/// How often somebody is removed before the director is asked to do it.
const TRIES: u8 = 3;

/// Somebody inside.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Guest {
    /// The card that was asked for.
    card: Option<String>,
    removal: Removal,
    tries: u8,
    /// Something says that the person is out: a list without them will be believed.
    maybe_out: bool,
}

/// How far it is with removing somebody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
enum Removal {
    /// Nobody tries.
    #[default]
    None,
    /// The platform has been asked.
    Asked,
    /// The platform has answered; a list will tell.
    Answered(Option<Refused>),
    /// It does not work.
    InVain,
}

impl Guest {
    /// The person belongs here (again), with this card. True when the card is to be set.
    pub fn welcome(&mut self, card: &str) -> bool {
        self.removal = Removal::None;
        self.tries = 0;
        let new = self.card.as_deref() != Some(card);
        self.card = Some(card.to_owned());
        new
    }

    /// The person is to be removed. True when the platform is to be asked now.
    pub fn remove(&mut self) -> bool {
        if self.removal != Removal::None {
            return false;
        }
        self.removal = Removal::Asked;
        self.tries += 1;
        true
    }

    /// The platform has answered.
    pub fn removal_answered(&mut self, refused: Option<Refused>) {
        self.removal = Removal::Answered(refused);
        self.maybe_out = true;
    }

    /// Somebody says that the person went.
    pub fn went(&mut self) {
        self.maybe_out = true;
    }

    /// Somebody says that the person came. Who was out in between has lost the card.
    pub fn came(&mut self) {
        if std::mem::take(&mut self.maybe_out) {
            self.card = None;
        }
    }

    /// Is the person being removed?
    pub fn is_leaving(&self) -> bool {
        self.removal != Removal::None
    }

    /// Would a list without the person be believed?
    pub fn may_be_out(&self) -> bool {
        self.maybe_out
    }

    /// A list has the person still inside. True when removing them turns out to be in vain.
    pub fn is_still_here(&mut self) -> bool {
        let Removal::Answered(refused) = self.removal else {
            return false;
        };
        let in_vain = refused.is_some() || self.tries >= TRIES;
        self.removal = if in_vain {
            Removal::InVain
        } else {
            Removal::None
        };
        in_vain
    }

    /// Has the platform said that the person was removed, and no list denied it?
    pub fn is_probably_out(&self) -> bool {
        self.removal == Removal::Answered(None)
    }

    /// Has the bot given up removing the person?
    pub fn stays(&self) -> bool {
        self.removal == Removal::InVain
    }
}
