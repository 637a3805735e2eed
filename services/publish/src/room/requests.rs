//! Requests to join a chat group, from the asking to being inside.

use std::collections::BTreeMap;

use protocol::{Refused, UserId};
use serde::{Deserialize, Serialize};

/// How often a request is approved before the director is asked to do it.
const TRIES: u8 = 3;

/// The requests that are being answered: the newest of each person.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Requests(BTreeMap<UserId, Request>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Request {
    flag: String,
    approve: bool,
    state: State,
    tries: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum State {
    /// The platform has been told.
    Told,
    /// It says it is done; a list will tell.
    Answered,
    /// It does not know the request any more; a list will tell whether that matters.
    Stale,
}

/// What the platform's answer to an approval calls for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    /// Nothing.
    Nothing,
    /// A look at the members.
    Look,
    /// Somebody has to approve by hand.
    ByHand,
}

/// What is to be done about somebody who was approved and is not inside.
#[derive(Debug, Clone, PartialEq)]
pub enum Missing {
    /// Approve the request with this flag again.
    Approve(String),
    /// The director approves by hand.
    ByHand,
    /// The person applies again.
    ApplyAgain,
}

impl Requests {
    /// Somebody asks. False when this very answer is on its way already.
    pub fn take(&mut self, user: UserId, flag: &str, approve: bool) -> bool {
        let request = Request {
            flag: flag.to_owned(),
            approve,
            state: State::Told,
            tries: 1,
        };
        let known = self.0.get(&user);
        let same = known.is_some_and(|known| {
            known.flag == flag && known.approve == approve && known.state == State::Told
        });
        if !same {
            self.0.insert(user, request);
        }
        !same
    }

    /// The person is inside.
    pub fn done(&mut self, user: UserId) {
        self.0.remove(&user);
    }

    /// The platform has answered.
    pub fn answered(&mut self, user: UserId, flag: &str, refused: Option<Refused>) -> Next {
        let Some(request) = self.0.get_mut(&user).filter(|r| r.flag == flag) else {
            return Next::Nothing;
        };
        match refused {
            _ if !request.approve => {
                self.0.remove(&user);
                Next::Nothing
            }
            None => {
                request.state = State::Answered;
                Next::Look
            }
            Some(Refused::StaleRequest) => {
                request.state = State::Stale;
                Next::Look
            }
            Some(_) => {
                self.0.remove(&user);
                Next::ByHand
            }
        }
    }

    /// A list has come, and those whose requests are still here are not in it. `belongs` says
    /// who should be.
    pub fn missing(&mut self, belongs: impl Fn(UserId) -> bool) -> Vec<(UserId, Missing)> {
        let mut missing = Vec::new();
        self.0.retain(|user, request| {
            if request.state == State::Told {
                return true;
            }
            if !request.approve || !belongs(*user) {
                return false;
            }
            if request.state == State::Stale {
                missing.push((*user, Missing::ApplyAgain));
                return false;
            }
            if request.tries >= TRIES {
                missing.push((*user, Missing::ByHand));
                return false;
            }
            request.tries += 1;
            request.state = State::Told;
            missing.push((*user, Missing::Approve(request.flag.clone())));
            true
        });
        missing
    }
}
