//! Is the account there? A living socket proves nothing, nor does its heartbeat.

use std::time::Duration;

use onebot::{Action, Outcome, Refusal};
use protocol::MessageId;
use rules::Time;
use tokio::time::Instant;

use super::{Listener, Next};
use crate::input::Input;
use crate::side::{Called, SideState};

/// A side that has left so many questions unanswered, one after the other, is cut off.
const MOST_UNANSWERED: u32 = 2;
/// An account that is offline is looked after so many times as often.
const WORRIED: u32 = 6;

/// What is known of the account's being there.
#[derive(Default)]
pub(super) struct Presence {
    /// When something last happened in chat, and when the side was last asked.
    heard: Option<Instant>,
    asked: Option<Instant>,
    unanswered: u32,
    /// The side does not say how it is.
    is_silent: bool,
    /// Since when the account is away.
    away: Option<Time>,
}

impl Presence {
    /// A connection begins.
    pub(super) fn begin(&mut self) {
        self.heard = Some(Instant::now());
        self.asked = None;
        self.unanswered = 0;
        self.is_silent = false;
    }

    /// Something has happened in chat.
    pub(super) fn heard(&mut self) {
        self.heard = Some(Instant::now());
    }

    fn is_due(&self, pause: Duration) -> bool {
        let last = self.heard.max(self.asked);
        !self.is_silent && last.is_none_or(|last| last.elapsed() >= pause)
    }
}

impl Listener {
    /// The account is away from chat, or known to be.
    pub(super) fn is_out(&mut self, state: SideState) {
        self.side.state.send_replace(state);
        self.watermark.interrupt();
        let now = self.bridge.parts().clock.now();
        self.presence.away.get_or_insert(now);
    }

    /// Asks the side how it is when nothing has happened for a while.
    pub(super) async fn look_after_side(&mut self) -> Next {
        let limits = self.bridge.settings().limits;
        let offline = *self.side.state.borrow() == SideState::Offline;
        let pause = if offline {
            limits.quiet / WORRIED
        } else {
            limits.quiet
        };
        if !self.presence.is_due(pause) {
            return Next::GoOn;
        }
        let account = self.side.account;
        let called = self.side.call(&Action::GetStatus, limits.call).await;
        self.presence.asked = Some(Instant::now());
        if called == Called::NoAnswer {
            self.presence.unanswered += 1;
            if self.presence.unanswered >= MOST_UNANSWERED {
                tracing::error!(%account, "chat side does not answer any more; it is cut off");
                self.side.cut_off();
            }
            return Next::GoOn;
        }
        self.presence.unanswered = 0;
        match called {
            Called::Answered(Outcome::Done(data)) => self.says_online(onebot::data::online(&data)),
            Called::Answered(Outcome::Refused {
                why: Refusal::Unsupported,
                ..
            }) => {
                self.presence.is_silent = true;
                Next::GoOn
            }
            _ => Next::GoOn,
        }
    }

    /// After a long absence: directors are told.
    pub(super) async fn tell_of_absence(&mut self) {
        let Some(from) = self.presence.away.take() else {
            return;
        };
        let to = self.bridge.parts().clock.now();
        let long = self.bridge.settings().limits.absence.as_millis();
        if u128::try_from(to.0 - from.0).is_ok_and(|lasted| lasted >= long) {
            let account = self.side.account;
            let id = MessageId(format!("was-away/{account}/{}", from.0));
            self.commit(id, Input::WasAway { from, to }).await;
        }
    }
}
