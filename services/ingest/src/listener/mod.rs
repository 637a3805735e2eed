//! Listens to one account: catches up, takes events, tells watermarks.

mod catch_up;
mod compare;
mod events;
mod hearing;
mod presence;
mod strangers;
mod track;
mod unread;

use std::collections::HashMap;
use std::sync::Arc;

use onebot::EventKind;
use protocol::{MessageId, Scene};
use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::bridge::{Bridge, Novelty};
use crate::history::History;
use crate::input::{Input, scene};
use crate::side::{AccountSide, Floor, Link, LinkEvent, Links, SideState};
use crate::watermark::Watermark;

use compare::Round;
use presence::Presence;
use track::Track;
use unread::Unread;

pub(crate) use catch_up::members;

/// A side that has not answered so many signs of life never does: its watermarks follow the
/// clock instead.
const BEATS_WITHOUT_ANSWER: u32 = 10;

/// The connection was lost.
struct Lost;

/// The connection was lost while these chats had not been read.
struct Interrupted(Unread);

/// What an event asks for besides being taken.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    /// The account is online again: what it missed has to be read.
    CatchUp,
}

/// Listens to one account.
pub(crate) struct Listener {
    bridge: Bridge,
    side: Arc<AccountSide>,
    history: History,
    watermark: Watermark,
    tracks: HashMap<Scene, Track>,
    round: Round,
    presence: Presence,
    nonce: uuid::Uuid,
    sessions: u64,
    /// So many of the events that wait may tell of lines that were read from history.
    doubtful: usize,
    /// The store was away until we stopped: what comes after what it has not taken must be read
    /// from history, in order, by the next process.
    stopped: bool,
}

impl Listener {
    pub(crate) fn new(bridge: Bridge, side: Arc<AccountSide>) -> Self {
        let history = History::new(Arc::clone(&side), bridge.settings().limits);
        let watermark = Watermark::new(side.account);
        let nonce = uuid::Uuid::now_v7();
        let tracks = HashMap::new();
        Self {
            bridge,
            side,
            history,
            watermark,
            tracks,
            round: Round::default(),
            presence: Presence::default(),
            nonce,
            sessions: 0,
            doubtful: 0,
            stopped: false,
        }
    }

    /// Listens until we stop.
    pub(crate) async fn run(mut self) {
        let shutdown = self.bridge.parts().shutdown.clone();
        let mut links = self.side.links();
        loop {
            let connected = tokio::select! {
                connected = connected(&mut links) => connected,
                () = shutdown.cancelled() => return,
            };
            let Some((api, events)) = connected else {
                return;
            };
            self.session(&api, &events).await;
            self.is_out(SideState::Away);
            // A link that has ended is taken off the account's list by its pump; until then
            // there is no new session with it.
            tokio::select! {
                () = replaced(&mut links, &api, &events) => {}
                () = shutdown.cancelled() => return,
            }
        }
    }

    /// One connection, from its beginning to its end.
    async fn session(&mut self, api: &Link, events: &Link) {
        let mut inbox = events.events().lock().await;
        self.report_health();
        self.side.state.send_replace(SideState::CatchingUp);
        if let Err(Interrupted(unread)) = self.catch_up_beside(&inbox).await {
            tracing::warn!(account = %self.side.account, "connection lost while catching up");
            self.take_rest(&mut inbox, &unread).await;
            return;
        }
        let shutdown = self.bridge.parts().shutdown.clone();
        let mut links = self.side.links();
        let mut beat = interval(self.bridge.settings().limits.beat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut unanswered = 0;
        self.round = Round::default();
        self.presence.begin();
        loop {
            let event = tokio::select! {
                biased;
                event = inbox.recv() => event,
                () = api.gone() => break,
                () = replaced(&mut links, api, events) => break,
                () = shutdown.cancelled() => break,
                _ = beat.tick() => {
                    unanswered += 1;
                    if unanswered > BEATS_WITHOUT_ANSWER {
                        self.mark(self.bridge.parts().clock.now()).await;
                    }
                    self.compare_some().await;
                    if self.look_after_side().await == Next::CatchUp
                        && let Err(Interrupted(unread)) = self.catch_up_beside(&inbox).await
                    {
                        self.take_rest(&mut inbox, &unread).await;
                        return;
                    }
                    continue;
                }
            };
            match event {
                None => break,
                Some(LinkEvent::Alive(asked)) => {
                    unanswered = 0;
                    self.mark(asked).await;
                }
                Some(LinkEvent::Event(event)) => {
                    let next = self.take(*event).await;
                    self.doubtful = self.doubtful.saturating_sub(1);
                    if next == Next::CatchUp
                        && let Err(Interrupted(unread)) = self.catch_up_beside(&inbox).await
                    {
                        self.take_rest(&mut inbox, &unread).await;
                        return;
                    }
                }
            }
        }
        self.take_rest(&mut inbox, &Unread::nothing()).await;
    }

    /// Catches up; what has come in meanwhile may have been read from history already.
    async fn catch_up_beside(&mut self, inbox: &Receiver<LinkEvent>) -> Result<(), Interrupted> {
        let caught_up = self.catch_up().await;
        self.doubtful = inbox.len();
        caught_up
    }

    /// Is the line that an event tells of new?
    fn novelty(&self) -> Novelty {
        match self.doubtful {
            0 => Novelty::Likely,
            _ => Novelty::Doubtful,
        }
    }

    async fn mark(&mut self, upto: rules::Time) {
        if *self.side.state.borrow() == SideState::Ready {
            self.watermark.mark(self.bridge.parts(), upto).await;
        }
    }

    /// Takes what has come before the end, but no lines of scenes with a hole in them: those are
    /// read from history, in order, next time.
    async fn take_rest(&mut self, inbox: &mut Receiver<LinkEvent>, unread: &Unread) {
        while let Ok(event) = inbox.try_recv() {
            let LinkEvent::Event(event) = event else {
                continue;
            };
            if let EventKind::Message(message) = &event.kind
                && unread.has(scene(message.chat))
            {
                continue;
            }
            self.take(*event).await;
        }
    }

    async fn commit(&self, id: MessageId, input: Input) {
        self.bridge.commit(self.side.account, id, input).await;
    }

    /// Commits an input that this process makes up, under a name of its own.
    async fn commit_own(&self, what: &str, input: Input) {
        let id = format!("{what}/{}/{}", self.nonce.simple(), self.sessions);
        self.commit(MessageId(id), input).await;
    }

    fn report_health(&self) {
        let side = Arc::clone(&self.side);
        self.bridge
            .parts()
            .health
            .register(format!("chat {}", side.account), move || {
                // When another instance speaks for the account, it is for that one to tell.
                let ours = *side.floor.borrow() != Floor::NotOurs;
                let trouble = side.state.borrow().trouble().filter(|_| ours);
                async move { trouble.map_or(Ok(()), |trouble| Err(trouble.to_owned())) }
            });
    }
}

/// The account's links, as soon as there are both.
async fn connected(links: &mut watch::Receiver<Links>) -> Option<(Link, Link)> {
    let links = links.wait_for(|links| links.both().is_some()).await;
    links.ok().and_then(|links| links.both())
}

/// Returns when these are no longer the account's links.
async fn replaced(links: &mut watch::Receiver<Links>, api: &Link, events: &Link) {
    let gone = |links: &Links| {
        !links.both().is_some_and(|(now_api, now_events)| {
            now_api.id() == api.id() && now_events.id() == events.id()
        })
    };
    // It fails only when the account's side is gone, which the listener holds.
    let _ = links.wait_for(gone).await;
}
