//! Waits for the broker's confirmations and answers receipts.
//!
//! One task a connection. It looks at all confirmations that are there before it answers any:
//! lapin hands a returned message to the first confirmation that comes after it, which may be
//! another's, and that one is always among them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::future::{BoxFuture, FutureExt};
use futures::stream::{FuturesUnordered, StreamExt};
use lapin::Confirmation;
use protocol::Topic;
use tokio::sync::{mpsc, oneshot, watch};

use super::fence::Fence;
use super::session::{Condition, Session, ended};
use crate::BusError;

pub(super) type Confirm = BoxFuture<'static, lapin::Result<Confirmation>>;
pub(super) type Answer = Result<(), BusError>;

/// A message that has been handed to the connection.
pub(super) struct Sent {
    /// Which stream it belongs to; messages outside of streams have none.
    pub(super) topic: Option<Topic>,
    pub(super) confirm: Confirm,
    pub(super) answer: oneshot::Sender<Answer>,
}

struct Waiting {
    since: Instant,
    topic: Option<Topic>,
    answer: oneshot::Sender<Answer>,
}

/// The confirmations of one connection.
pub(super) struct Confirms {
    /// The connection's number.
    number: u64,
    condition: watch::Receiver<Condition>,
    /// Ends the connection.
    end: Box<dyn Fn(String) + Send>,
    fence: Arc<Mutex<Fence>>,
    /// A confirmation that takes longer does not come.
    patience: Duration,
    last: u64,
    /// In the order in which they were sent.
    waiting: BTreeMap<u64, Waiting>,
    flying: FuturesUnordered<BoxFuture<'static, (u64, lapin::Result<Confirmation>)>>,
}

impl Confirms {
    pub(super) fn new(
        number: u64,
        session: &Session,
        fence: Arc<Mutex<Fence>>,
        patience: Duration,
    ) -> Self {
        Self {
            number,
            condition: session.condition(),
            end: session.ender(),
            fence,
            patience,
            last: 0,
            waiting: BTreeMap::new(),
            flying: FuturesUnordered::new(),
        }
    }

    /// Runs until the connection ends, or everything is answered and there is nobody to send
    /// more.
    pub(super) async fn run(mut self, mut sent: mpsc::UnboundedReceiver<Sent>) {
        let mut condition = self.condition.clone();
        let mut more = true;
        while more || !self.flying.is_empty() {
            let oldest = self.waiting.first_key_value();
            let until = oldest.map(|(_, waiting)| waiting.since + self.patience);
            tokio::select! {
                next = sent.recv(), if more => match next {
                    Some(next) => self.add(next),
                    None => more = false,
                },
                Some(first) = self.flying.next(), if !self.flying.is_empty() => {
                    if let Err(why) = self.confirmed(first) {
                        (self.end)(why.clone());
                        return self.lost(&why);
                    }
                }
                () = late(until) => {
                    if let Err(why) = self.too_late() {
                        (self.end)(why.clone());
                        return self.lost(&why);
                    }
                }
                why = ended(&mut condition) => return self.lost(&why),
            }
        }
    }

    fn add(&mut self, sent: Sent) {
        self.last += 1;
        let id = self.last;
        self.flying.push(sent.confirm.map(move |c| (id, c)).boxed());
        let waiting = Waiting {
            since: Instant::now(),
            topic: sent.topic,
            answer: sent.answer,
        };
        self.waiting.insert(id, waiting);
    }

    /// Takes this confirmation and all others that are there. `Err`: the connection is of no
    /// use any more.
    fn confirmed(&mut self, first: (u64, lapin::Result<Confirmation>)) -> Result<(), String> {
        let mut next = Some(first);
        let mut acks = Vec::new();
        while let Some((id, confirmation)) = next {
            match confirmation {
                Ok(Confirmation::Ack(None) | Confirmation::NotRequested) => acks.push((id, true)),
                Ok(Confirmation::Nack(None)) => acks.push((id, false)),
                Ok(Confirmation::Ack(Some(back)) | Confirmation::Nack(Some(back))) => {
                    let key = &back.delivery.routing_key;
                    return Err(format!(
                        "the queue of {key} is missing: {}",
                        back.reply_text
                    ));
                }
                Err(error) => return Err(format!("the connection is lost: {error}")),
            }
            next = self.flying.next().now_or_never().flatten();
        }
        for (id, ack) in acks {
            let Some(waiting) = self.waiting.remove(&id) else {
                continue;
            };
            match waiting.topic {
                Some(topic) if !ack => self.refused(topic, waiting),
                _ if !ack => answer(waiting, Err("the broker refuses it".to_owned())),
                _ => answer(waiting, Ok(())),
            }
        }
        Ok(())
    }

    /// The broker has refused a message. Those behind it may not go before it: as far as they
    /// have no answer yet, they fail, too.
    fn refused(&mut self, topic: Topic, first: Waiting) {
        let why = format!("the broker refuses messages for {topic}: is its queue full?");
        self.fence().fail(topic, Instant::now());
        answer(first, Err(why.clone()));
        let is_behind = |waiting: &Waiting| waiting.topic == Some(topic);
        let all = std::mem::take(&mut self.waiting);
        let (behind, others) = all.into_iter().partition(|(_, w)| is_behind(w));
        self.waiting = others;
        fail(behind, &why);
    }

    /// The oldest one has waited too long. While the broker is blocked that is no wonder: those
    /// who wait are told, and the connection stays, because a new one would be blocked, too.
    fn too_late(&mut self) -> Result<(), String> {
        let condition = self.condition.borrow().clone();
        match condition {
            Condition::Blocked { why, .. } => {
                self.fence().fail_all(Instant::now());
                self.fail_waiting(&why);
                Ok(())
            }
            Condition::Well | Condition::Ended(_) => Err(format!(
                "a confirmation has not come within {:?}",
                self.patience
            )),
        }
    }

    fn lost(mut self, why: &str) {
        self.fence().lose(self.number, Instant::now());
        self.fail_waiting(why);
    }

    fn fail_waiting(&mut self, why: &str) {
        fail(std::mem::take(&mut self.waiting), why);
    }

    fn fence(&self) -> MutexGuard<'_, Fence> {
        self.fence.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn late(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until.into()).await,
        None => std::future::pending().await,
    }
}

fn fail(waiting: BTreeMap<u64, Waiting>, why: &str) {
    for waiting in waiting.into_values() {
        answer(waiting, Err(why.to_owned()));
    }
}

fn answer(waiting: Waiting, how: Result<(), String>) {
    // Whoever waited may have gone.
    let _ = waiting.answer.send(how.map_err(BusError::Unavailable));
}
