//! Calls and their answers, matched by echo.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use onebot::{Action, Answer, Outcome};
use tokio::sync::oneshot;

use super::link::{Link, Outgoing};

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Called {
    /// It was answered, in one of three ways.
    Answered(Outcome),
    /// No answer came in time: nobody knows.
    NoAnswer,
    /// The connection was lost after the call had been sent: nobody knows.
    Lost,
    /// There is no connection: it was not sent.
    NotSent,
}

/// The calls of one account that wait for their answers. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Calls(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Unique for each process, so that an answer to an earlier one matches nothing.
    prefix: String,
    next: AtomicU64,
    waiting: Mutex<HashMap<String, oneshot::Sender<Answer>>>,
}

impl Calls {
    pub(crate) fn new(prefix: String) -> Self {
        let inner = Inner {
            prefix,
            next: AtomicU64::new(1),
            waiting: Mutex::default(),
        };
        Self(Arc::new(inner))
    }

    /// Calls, and waits for the answer for at most `patience`, whatever else arrives meanwhile.
    pub(crate) async fn call(&self, link: &Link, action: &Action, patience: Duration) -> Called {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let echo = format!("{}-{number}", self.0.prefix);
        let (answered, answer) = oneshot::channel();
        let ticket = Ticket {
            calls: self,
            echo: &echo,
        };
        self.waiting().insert(echo.clone(), answered);
        if !link.send(Outgoing::Text(action.frame(&echo))) {
            return Called::NotSent;
        }
        let called = tokio::select! {
            biased;
            answer = answer => answer.map_or(Called::Lost, |answer| Called::Answered(answer.outcome())),
            () = link.gone() => Called::Lost,
            () = tokio::time::sleep(patience) => Called::NoAnswer,
        };
        drop(ticket);
        called
    }

    /// An answer has come. False when nobody waits for it: it is late, a repeat, or not ours.
    pub(crate) fn answered(&self, answer: Answer) -> bool {
        let Some(echo) = answer.echo_text() else {
            return false;
        };
        let Some(waiting) = self.waiting().remove(echo) else {
            return false;
        };
        waiting.send(answer).is_ok()
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<Answer>>> {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a call off the list when it is no longer waited for, also when the waiting is given up.
struct Ticket<'a> {
    calls: &'a Calls,
    echo: &'a str,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.calls.waiting().remove(self.echo);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::link::Role;
    use onebot::Frame;
    use serde_json::json;
    use tokio::sync::mpsc::UnboundedReceiver;

    fn answer(echo: &serde_json::Value, data: i64) -> Answer {
        let frame = json!({"status": "ok", "retcode": 0, "data": data, "echo": echo});
        match Frame::of(&frame) {
            Frame::Answer(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    async fn echo_of(sent: &mut UnboundedReceiver<Outgoing>) -> serde_json::Value {
        match sent.recv().await {
            Some(Outgoing::Text(text)) => match Frame::read(&text) {
                Ok(Frame::Call(call)) => call.echo,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn answers_find_their_calls_out_of_order() {
        let calls = Calls::new("d".into());
        let (link, _inlet, mut sent) = Link::new(Role::Universal);
        let patience = Duration::from_secs(20);
        let one = calls.call(&link, &Action::GetLogin, patience);
        let two = calls.call(&link, &Action::GetStatus, patience);
        let answering = async {
            let (first, second) = (echo_of(&mut sent).await, echo_of(&mut sent).await);
            assert!(first.is_string() && first != second);
            assert!(
                !calls.answered(answer(&json!("d-999"), 0)),
                "an echo of nobody"
            );
            assert!(!calls.answered(answer(&json!(null), 0)));
            assert!(!calls.answered(answer(&json!({"seq": 1}), 0)));
            assert!(calls.answered(answer(&second, 2)));
            assert!(calls.answered(answer(&first, 1)));
            assert!(!calls.answered(answer(&first, 3)), "a second answer");
        };
        let (one, two, ()) = tokio::join!(one, two, answering);
        assert_eq!(one, Called::Answered(Outcome::Done(json!(1))));
        assert_eq!(two, Called::Answered(Outcome::Done(json!(2))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_has_one_deadline() {
        let calls = Calls::new("d".into());
        let (link, _inlet, mut sent) = Link::new(Role::Universal);
        let called = calls
            .call(&link, &Action::GetLogin, Duration::from_secs(20))
            .await;
        assert_eq!(called, Called::NoAnswer);
        let echo = echo_of(&mut sent).await;
        assert!(!calls.answered(answer(&echo, 1)), "a late answer");
    }

    #[tokio::test]
    async fn a_lost_connection_is_not_a_refusal() {
        let calls = Calls::new("d".into());
        let (link, inlet, sent) = Link::new(Role::Universal);
        let call = calls.call(&link, &Action::GetLogin, Duration::from_secs(20));
        let lose = async { drop(inlet) };
        let (called, ()) = tokio::join!(call, lose);
        assert_eq!(called, Called::Lost);
        drop(sent);
        let called = calls
            .call(&link, &Action::GetLogin, Duration::from_secs(20))
            .await;
        assert_eq!(called, Called::NotSent);
    }
}
