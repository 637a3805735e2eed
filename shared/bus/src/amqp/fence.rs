//! Keeps the order of a queue over failures.
//!
//! Whoever published messages and does not know yet that they failed may publish later ones;
//! on a new connection these would arrive first. So after a failure nothing more is taken for a
//! topic until every receipt that was handed out for it before has been heard or dropped: then
//! whoever published knows, and begins again at the first message without an answer.
//!
//! What was sent before a failure may still arrive, also behind what is sent after it. That
//! changes nothing: every sender's messages are in order and go on from the first unanswered
//! one, so that of each message the first copy comes behind the first copies of those before it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::Topic;

/// So long after a failure nothing that may be lost is taken. Such messages say what has been
/// published, and whoever says so may not have heard of the failure.
const SILENCE: Duration = Duration::from_secs(3);

/// Goes with a receipt, until it has been heard.
pub(super) type Token = Arc<()>;

/// The topics' streams of messages.
#[derive(Debug, Default)]
pub(super) struct Fence {
    /// The newest connection that was published on.
    connection: u64,
    /// Is it still good?
    open: bool,
    streams: HashMap<Topic, Stream>,
    /// When all failed.
    failed: Option<Instant>,
}

#[derive(Debug, Default)]
struct Stream {
    token: Token,
    /// Of failures.
    unheard: Vec<Token>,
    failed: Option<Instant>,
}

impl Stream {
    fn fail(&mut self) {
        let token = std::mem::take(&mut self.token);
        self.unheard.push(token);
    }

    fn is_heard(&mut self) -> bool {
        self.unheard.retain(|token| Arc::strong_count(token) > 1);
        self.unheard.is_empty()
    }
}

impl Fence {
    /// May messages for these topics go out on this connection now?
    pub(super) fn admit(
        &mut self,
        connection: u64,
        topics: impl IntoIterator<Item = Topic>,
    ) -> Result<(), String> {
        self.begin(connection)?;
        for topic in topics {
            if !self.streams.entry(topic).or_default().is_heard() {
                return Err(format!(
                    "earlier messages for {topic} failed, and whoever sent them does not know yet"
                ));
            }
        }
        Ok(())
    }

    /// May a message that may be lost go out?
    pub(super) fn admits_transient(&mut self, connection: u64, topic: Topic, now: Instant) -> bool {
        let failed = self.streams.get(&topic).and_then(|stream| stream.failed);
        let silent = |at: Option<Instant>| at.is_some_and(|at| now < at + SILENCE);
        self.admit(connection, [topic]).is_ok() && !silent(failed) && !silent(self.failed)
    }

    /// The token for a receipt of this topic.
    pub(super) fn token(&mut self, topic: Topic) -> Token {
        Arc::clone(&self.streams.entry(topic).or_default().token)
    }

    /// Messages for this topic failed. Call it before anybody is told.
    pub(super) fn fail(&mut self, topic: Topic, now: Instant) {
        let stream = self.streams.entry(topic).or_default();
        stream.fail();
        stream.failed = Some(now);
    }

    /// Whatever has no answer yet failed. Call it before anybody is told.
    pub(super) fn fail_all(&mut self, now: Instant) {
        self.streams.values_mut().for_each(Stream::fail);
        self.failed = Some(now);
    }

    /// A connection is lost. Call it before anybody is told.
    pub(super) fn lose(&mut self, connection: u64, now: Instant) {
        if connection == self.connection && self.open {
            self.open = false;
            self.fail_all(now);
        }
    }

    fn begin(&mut self, connection: u64) -> Result<(), String> {
        if connection > self.connection {
            if self.open {
                // It is lost, and its end has not been told yet.
                self.lose(self.connection, Instant::now());
            }
            self.connection = connection;
            self.open = true;
        }
        if connection == self.connection && self.open {
            Ok(())
        } else {
            Err("the connection is lost".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Service, Shard};

    use super::*;

    fn topic(key: &str) -> Topic {
        Topic {
            service: Service::Night,
            shard: Shard::of(key),
        }
    }

    #[test]
    fn nothing_goes_out_behind_a_failure_that_is_not_known() {
        let mut fence = Fence::default();
        let (one, other) = (topic("7-1"), topic("7-2"));
        fence.admit(1, [one, other]).unwrap();
        let (first, second) = (fence.token(one), fence.token(one));
        fence.lose(1, Instant::now());
        assert!(fence.admit(1, [other]).is_err(), "the old one is lost");
        assert!(fence.admit(2, [one]).is_err());
        fence.admit(2, [other]).unwrap();
        drop(first);
        assert!(fence.admit(2, [one]).is_err());
        drop(second);
        fence.admit(2, [one]).unwrap();
        assert!(fence.admit(1, [one]).is_err(), "never on an old one");
    }

    #[test]
    fn a_new_connection_tells_of_the_old_ones_end() {
        let mut fence = Fence::default();
        let one = topic("7-1");
        fence.admit(1, [one]).unwrap();
        let token = fence.token(one);
        assert!(fence.admit(2, [one]).is_err());
        fence.lose(1, Instant::now());
        drop(token);
        fence.admit(2, [one]).unwrap();
        let token = fence.token(one);
        fence.lose(1, Instant::now());
        fence.admit(2, [one]).unwrap();
        drop(token);
    }

    #[test]
    fn a_failure_within_a_connection_stops_its_topic_alone() {
        let mut fence = Fence::default();
        let (one, other) = (topic("7-1"), topic("7-2"));
        fence.admit(1, [one, other]).unwrap();
        let token = fence.token(one);
        let now = Instant::now();
        fence.fail(one, now);
        assert!(fence.admit(1, [one]).is_err());
        fence.admit(1, [other]).unwrap();
        drop(token);
        fence.admit(1, [one]).unwrap();
        assert!(!fence.admits_transient(1, one, now));
        assert!(fence.admits_transient(1, other, now));
        assert!(fence.admits_transient(1, one, now + SILENCE));
    }

    #[test]
    fn after_a_loss_nothing_that_may_be_lost_goes_out_for_a_while() {
        let mut fence = Fence::default();
        let now = Instant::now();
        assert!(fence.admits_transient(1, topic("7-1"), now));
        fence.lose(1, now);
        assert!(!fence.admits_transient(2, topic("7-1"), now));
        assert!(fence.admits_transient(2, topic("7-1"), now + SILENCE));
    }
}
