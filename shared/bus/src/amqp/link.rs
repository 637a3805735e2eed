//! A connection that is kept up: connect, set up, run until the first error, pause, again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::address::Address;
use super::session::Session;
use crate::BusError;

/// The pause after a failure, and the longest it grows to.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// A connection that has lived so long was no failure.
const LIVED: Duration = Duration::from_secs(1);
/// Setting up takes no longer.
const SET_UP: Duration = Duration::from_secs(15);

/// What is made anew on each connection.
#[async_trait]
pub(super) trait Tools: Send + Sync + Sized + 'static {
    /// What the connection is for: a part of its name.
    const ROLE: &str;
    /// What outlives connections.
    type Lasting: Clone + Send + Sync + 'static;

    /// Makes them on a fresh connection, the `number`th of its link.
    async fn set_up(
        session: &Session,
        number: u64,
        lasting: Self::Lasting,
    ) -> Result<Self, lapin::Error>;
}

/// A live connection and the tools on it.
pub(super) struct Live<T> {
    pub(super) session: Session,
    /// Counts the connections of a link, from 1.
    pub(super) number: u64,
    pub(super) tools: T,
}

enum State<T> {
    Down { why: String, since: Instant },
    Up(Arc<Live<T>>),
}

/// A connection that is kept up until the last clone is dropped.
pub(super) struct Link<T> {
    state: watch::Receiver<State<T>>,
    /// How often it was up.
    ups: Arc<AtomicU64>,
    /// Stops it when the last clone goes.
    stop: Arc<DropGuard>,
}

impl<T> Clone for Link<T> {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            ups: Arc::clone(&self.ups),
            stop: Arc::clone(&self.stop),
        }
    }
}

impl<T: Tools> Link<T> {
    /// Begins to keep a connection up.
    pub(super) fn start(address: Arc<Address>, process: &str, lasting: T::Lasting) -> Self {
        let state = watch::Sender::new(State::Down {
            why: format!("not yet connected to {address}"),
            since: Instant::now(),
        });
        let stop = CancellationToken::new();
        let ups = Arc::new(AtomicU64::default());
        let link = Self {
            state: state.subscribe(),
            ups: Arc::clone(&ups),
            stop: Arc::new(stop.clone().drop_guard()),
        };
        let keeper = Keeper {
            address,
            name: format!("duskgate {} {process}", T::ROLE),
            lasting,
            state,
            ups,
        };
        tokio::spawn(keeper.run(stop));
        link
    }

    /// The live connection, if there is one now.
    pub(super) fn now(&self) -> Result<Arc<Live<T>>, BusError> {
        match &*self.state.borrow() {
            State::Up(live) => Ok(Arc::clone(live)),
            State::Down { why, .. } => Err(BusError::Unavailable(why.clone())),
        }
    }

    /// How often a connection was made anew after it was lost.
    pub(super) fn reconnects(&self) -> u64 {
        self.ups.load(Ordering::Relaxed).saturating_sub(1)
    }

    /// The live connection; waits for one, until it has been gone for so long.
    pub(super) async fn within(&self, patience: Duration) -> Result<Arc<Live<T>>, BusError> {
        let mut state = self.state.clone();
        loop {
            let left = match &*state.borrow_and_update() {
                State::Up(live) => return Ok(Arc::clone(live)),
                State::Down { why, since } => patience
                    .checked_sub(since.elapsed())
                    .ok_or_else(|| BusError::Unavailable(why.clone()))?,
            };
            if let Ok(Err(_)) = tokio::time::timeout(left, state.changed()).await {
                return Err(BusError::Closed);
            }
        }
    }

    /// The live connection, however long it takes. `None`: there will be none any more.
    pub(super) async fn some_time(&self) -> Option<Arc<Live<T>>> {
        let mut state = self.state.clone();
        let up = state.wait_for(|state| matches!(state, State::Up(_))).await;
        match up.as_deref() {
            Ok(State::Up(live)) => Some(Arc::clone(live)),
            _ => None,
        }
    }
}

struct Keeper<T: Tools> {
    address: Arc<Address>,
    name: String,
    lasting: T::Lasting,
    state: watch::Sender<State<T>>,
    ups: Arc<AtomicU64>,
}

impl<T: Tools> Keeper<T> {
    async fn run(self, stop: CancellationToken) {
        let mut pause = Pause::default();
        for number in 1.. {
            let Some(connected) = stop.run_until_cancelled(self.connect(number)).await else {
                return;
            };
            let why = match connected {
                Ok(live) => {
                    let began = Instant::now();
                    let (role, broker) = (T::ROLE, &self.address);
                    tracing::info!(role, %broker, "connected to the broker");
                    self.ups.fetch_add(1, Ordering::Relaxed);
                    self.state.send_replace(State::Up(Arc::clone(&live)));
                    let why = tokio::select! {
                        why = live.session.ended() => why,
                        () = stop.cancelled() => return live.session.close().await,
                    };
                    if began.elapsed() >= LIVED {
                        pause = Pause::default();
                    }
                    // Whoever still holds it is not to wait for it.
                    live.session.close().await;
                    format!("{}: {why}", self.address)
                }
                Err(why) => why,
            };
            self.down(why);
            let sleep = tokio::time::sleep(pause.next());
            if stop.run_until_cancelled(sleep).await.is_none() {
                return;
            }
        }
    }

    async fn connect(&self, number: u64) -> Result<Arc<Live<T>>, String> {
        let session = Session::open(&self.address, &self.name).await?;
        let set_up = T::set_up(&session, number, self.lasting.clone());
        let tools = tokio::time::timeout(SET_UP, set_up)
            .await
            .map_err(|_| format!("{} does not answer", self.address))?
            .map_err(|error| format!("{}: {error}", self.address))?;
        Ok(Arc::new(Live {
            session,
            number,
            tools,
        }))
    }

    /// Tells whoever watches; the log, once for each reason.
    fn down(&self, why: String) {
        self.state.send_modify(|state| {
            let (since, told) = match state {
                State::Down { since, why: told } => (*since, *told == why),
                State::Up(_) => (Instant::now(), false),
            };
            if !told {
                let role = T::ROLE;
                tracing::error!(
                    role,
                    why,
                    "no connection to the broker; trying again and again"
                );
            }
            *state = State::Down { why, since };
        });
    }
}

/// Grows with each failure, and differs between processes.
pub(super) struct Pause(Duration);

impl Default for Pause {
    fn default() -> Self {
        Self(PAUSE.0)
    }
}

impl Pause {
    pub(super) fn next(&mut self) -> Duration {
        let whole = self.0;
        self.0 = (whole * 2).min(PAUSE.1);
        // Between a half and the whole. Without randomness, the whole.
        let part = getrandom::u32().unwrap_or(u32::MAX);
        whole.mul_f64(0.5 + 0.5 * f64::from(part) / f64::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_limit_and_differ() {
        let mut pause = Pause::default();
        let pauses: Vec<_> = (0..50).map(|_| pause.next()).collect();
        assert!(pauses[0] <= PAUSE.0 && pauses[0] >= PAUSE.0 / 2);
        assert!(pauses[49] <= PAUSE.1 && pauses[49] >= PAUSE.1 / 2);
        assert!(pauses[10..].windows(2).any(|pair| pair[0] != pair[1]));
    }
}
