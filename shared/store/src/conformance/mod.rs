//! The tests that every kind of store must pass.
//!
//! A kind implements [`Ground`] for its tests and calls [`conformance_tests!`](crate::conformance_tests)
//! in a test module; each test then appears under its own name.

mod commits;
mod leases;
mod many;
mod outbox;
mod reading;
mod retiring;
mod trials;

use std::sync::Arc;

use async_trait::async_trait;
pub use commits::*;
pub use leases::*;
pub use many::*;
pub use outbox::*;
use protocol::{Message, MessageId, Service, Shard, Topic};
pub use reading::*;
pub use retiring::*;
use rules::Time;
pub use trials::*;

use crate::{AggregateKey, Commit, Committed, Deadline, DueDeadline, OutboxEntry, Store, Stored};

/// A place where one test may open its store, again and again.
#[async_trait]
pub trait Ground: Send + Sync {
    /// Opens the store of this place, empty at first. Earlier ones of the same place have been
    /// dropped; what they kept is there.
    async fn open(&self) -> Arc<dyn Store>;

    /// Makes an outbox entry unreadable. The store is not open.
    async fn spoil_outbox(&self, service: Service, shard: Shard, place: u64);
}

/// Makes a `#[tokio::test]` of every conformance test. The argument is an expression for a
/// fresh [`Ground`].
#[macro_export]
macro_rules! conformance_tests {
    ($ground:expr) => {
        $crate::conformance_tests!(@each $ground;
            an_unknown_aggregate_is_empty
            a_step_is_kept_whole
            a_step_follows_the_one_that_it_names
            a_repeat_changes_nothing
            a_repeat_is_known_after_many_steps
            one_name_may_be_handled_by_several_aggregates
            a_conflict_changes_nothing
            what_is_kept_is_opaque
            deadlines_are_replaced_kept_and_cleared
            everything_is_there_after_reopening
            a_step_whose_caller_has_gone_is_taken_whole_or_not_at_all
            loading_starts_at_the_newest_snapshot
            a_snapshot_is_kept_between_steps
            a_snapshot_of_another_version_is_not_kept
            the_journal_is_read_in_pieces
            deadlines_are_listed_earliest_first
            keys_are_listed_by_service
            the_outbox_keeps_its_order
            outboxes_are_apart
            what_was_sent_is_forgotten_and_nothing_else
            places_are_never_given_twice
            an_unreadable_entry_is_named
            an_outbox_has_one_holder
            what_an_aggregate_stands_for_has_one_holder
            a_lease_can_be_given_back
            who_has_lost_a_lease_forgets_nothing
            a_retired_aggregate_can_be_read
            a_retired_aggregate_takes_no_steps
            only_the_version_that_is_over_is_retired
            racing_writers_lose_nothing
            a_conflict_undoes_nothing_of_its_neighbours
            the_order_of_an_aggregate_holds_under_load
            an_unended_trial_is_counted
            health_is_told
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

/// The key of a game whose shard is that of `like`: the nth such key.
fn key_in_shard(like: Shard, nth: usize) -> String {
    (1..)
        .map(|number| format!("7-{number}"))
        .filter(|key| Shard::of(key) == like)
        .nth(nth)
        .expect("shards have keys without end")
}

fn aggregate(service: Service, key: &str) -> AggregateKey {
    AggregateKey {
        service,
        key: key.to_owned(),
    }
}

fn name(id: &str) -> MessageId {
    MessageId(id.to_owned())
}

/// A step that leaves nothing but its journal entry.
fn step(aggregate: &AggregateKey, expected: u64, id: &str) -> Commit {
    Commit {
        aggregate: aggregate.clone(),
        expected,
        after: None,
        message: name(id),
        entry: format!("entry of {id}").into_bytes(),
        snapshot: None,
        deadlines: None,
        outbox: Vec::new(),
    }
}

fn message(id: &str, key: &str) -> Message {
    Message {
        id: name(id),
        trace: format!("trace of {id}"),
        to: Topic {
            service: Service::Publish,
            shard: Shard::of(key),
        },
        key: key.to_owned(),
        body: format!(r#"{{"said":"{id}"}}"#),
    }
}

fn deadline(name: &str, at: i64) -> Deadline {
    Deadline {
        name: name.to_owned(),
        at: Time(at),
    }
}

async fn done(store: &Arc<dyn Store>, commit: Commit) -> u64 {
    match store
        .commit(commit.clone())
        .await
        .expect("the store answers")
    {
        Committed::Done(version) => version,
        other => panic!("{commit:?} was answered {other:?}"),
    }
}

/// Takes a step that must be refused, and checks that nothing at all has changed.
async fn refused(store: &Arc<dyn Store>, commit: Commit, with: Committed) {
    let before = everything(store, &commit.aggregate).await;
    let answer = store
        .commit(commit.clone())
        .await
        .expect("the store answers");
    assert_eq!(answer, with, "{commit:?}");
    assert_eq!(
        everything(store, &commit.aggregate).await,
        before,
        "{commit:?}"
    );
}

/// All that a store shows of an aggregate and its surroundings.
#[derive(Debug, PartialEq)]
struct Everything {
    stored: Stored,
    journal: Vec<(u64, Vec<u8>)>,
    outbox: Vec<OutboxEntry>,
    due: Vec<DueDeadline>,
    next_due: Option<Time>,
    keys: Vec<String>,
}

async fn everything(store: &Arc<dyn Store>, of: &AggregateKey) -> Everything {
    let answers = "the store answers";
    Everything {
        stored: store.load(of).await.expect(answers),
        journal: store.journal(of, 0, usize::MAX).await.expect(answers),
        outbox: store
            .outbox(of.service, of.shard(), 0, usize::MAX)
            .await
            .expect(answers),
        due: store.due(Time(i64::MAX), usize::MAX).await.expect(answers),
        next_due: store.next_due().await.expect(answers),
        keys: store.keys(of.service).await.expect(answers),
    }
}
