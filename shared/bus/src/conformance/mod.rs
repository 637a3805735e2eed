//! The tests that every kind of bus must pass.
//!
//! A kind implements [`Ground`] for its tests and calls [`conformance_tests!`](crate::conformance_tests)
//! in a test module; each test then appears under its own name.

mod consumers;
mod letters;
mod order;
mod tries;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
pub use consumers::*;
pub use letters::*;
pub use order::*;
use protocol::{Message, MessageId, Service, Shard, Topic};
pub use tries::*;

use crate::{Bus, Delivery, Outgoing, Receipt, Settle, Subscription};

/// A place where one test has its bus.
#[async_trait]
pub trait Ground: Send + Sync {
    /// Opens the bus of this place, its queues empty at first.
    async fn open(&self) -> Arc<dyn Bus>;

    /// Opens it again after this process's side of it has died without a word. All other
    /// handles of the bus have been dropped.
    async fn reopen(&self, bus: Arc<dyn Bus>) -> Arc<dyn Bus> {
        drop(bus);
        self.open().await
    }
}

/// Makes a `#[tokio::test]` of every conformance test. The argument is an expression for a
/// fresh [`Ground`].
#[macro_export]
macro_rules! conformance_tests {
    ($ground:expr) => {
        $crate::conformance_tests!(@each $ground;
            a_message_arrives_as_it_was_sent
            what_comes_before_its_consumer_waits_for_it
            each_publishers_order_is_kept
            a_batch_is_spread_in_order
            an_acknowledged_message_is_answered_and_gone
            what_may_have_been_sent_before_says_so
            a_consumer_hears_of_messages_while_it_waits
            giving_up_the_wait_loses_nothing
            topics_do_not_wait_for_each_other
            messages_that_may_be_lost_reach_whoever_listens
            a_bus_that_is_there_says_so
            a_retried_message_comes_again_before_those_behind_it
            a_message_in_hand_returns_to_its_place
            the_pause_is_kept
            a_message_is_given_up_after_a_few_tries
            waiting_is_no_try
            a_delivery_is_settled_once
            one_consumer_at_a_time
            a_second_consumer_takes_over_in_order
            what_was_settled_does_not_come_again_after_a_takeover
            no_more_than_prefetch_are_unsettled
            several_consumers_share_the_topics
            a_dead_letter_is_kept_with_its_reason
            dead_letters_are_listed_by_service_oldest_first
            a_letter_that_is_put_back_goes_to_the_end
            a_letter_that_is_put_back_may_die_again
            only_what_is_there_can_be_put_back
            dead_letters_outlive_the_process
            a_letter_that_is_put_back_outlives_the_process
            a_letter_can_be_dropped
            what_waits_is_counted
            a_delivery_says_how_often_it_came_back_and_how_old_it_is
        );
    };
    (@each $ground:expr; $($test:ident)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                $crate::conformance::$test(&$ground).await;
            }
        )*
    };
}

/// Everything that must come has come by then.
const SOON: Duration = Duration::from_secs(20);
/// What has not come by then is taken not to come.
const QUIET: Duration = Duration::from_millis(40);

fn topic(service: Service, number: u8) -> Topic {
    let shard = Shard::all()
        .nth(usize::from(number))
        .expect("there are so many shards");
    Topic { service, shard }
}

fn message(to: Topic, id: &str) -> Message {
    Message {
        id: MessageId(id.to_owned()),
        trace: format!("trace of {id}"),
        to,
        key: "7-1".to_owned(),
        body: format!(r#"{{"n":"{id}"}}"#),
    }
}

/// Publishes these ids, in order, for the first time.
async fn publish(bus: &Arc<dyn Bus>, to: Topic, ids: &[&str]) -> Vec<Receipt> {
    let messages = ids
        .iter()
        .map(|id| Outgoing::first(message(to, id)))
        .collect();
    let receipts = bus.publish(messages).await.expect("the bus takes them");
    assert_eq!(receipts.len(), ids.len());
    receipts
}

async fn subscribe(bus: &Arc<dyn Bus>, topics: &[Topic], prefetch: usize) -> Box<dyn Subscription> {
    bus.subscribe(topics.to_vec(), prefetch)
        .await
        .expect("the bus lets us listen")
}

async fn next(subscription: &mut Box<dyn Subscription>) -> Delivery {
    tokio::time::timeout(SOON, subscription.next())
        .await
        .expect("a delivery in time")
        .expect("the bus goes on")
}

/// The next delivery must be this one.
async fn expect(subscription: &mut Box<dyn Subscription>, id: &str) -> Delivery {
    let delivery = next(subscription).await;
    assert_eq!(delivery.message.id.0, id);
    delivery
}

/// Takes and acknowledges these, in this order.
async fn drain(subscription: &mut Box<dyn Subscription>, ids: &[&str]) {
    for id in ids {
        let delivery = expect(subscription, id).await;
        settle(subscription, &delivery, Settle::Ack).await;
    }
}

/// Nothing is delivered.
async fn expect_quiet(subscription: &mut Box<dyn Subscription>) {
    if let Ok(delivery) = tokio::time::timeout(QUIET, subscription.next()).await {
        panic!("unexpected: {delivery:?}");
    }
}

async fn settle(subscription: &mut Box<dyn Subscription>, delivery: &Delivery, how: Settle) {
    subscription
        .settle(delivery.tag, how)
        .await
        .expect("the delivery is unsettled");
}

/// The bus answers for these.
async fn answered(receipts: Vec<Receipt>) {
    for receipt in receipts {
        tokio::time::timeout(SOON, receipt)
            .await
            .expect("an answer in time")
            .expect("taken");
    }
}
