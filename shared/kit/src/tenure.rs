//! A relay's right to move its outbox: the store's lease, and when to ask for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::{Service, Shard};
use store::{Fence, Store, StoreError};

/// How long a lease lasts that is not renewed: so long nobody moves the outbox after a process
/// has died.
pub(crate) const LASTING: Duration = Duration::from_secs(2);
/// It is renewed when less than this is left.
const MARGIN: Duration = Duration::from_secs(1);
/// While somebody else has it, we look again after so long.
const AGAIN: Duration = Duration::from_millis(200);

/// What came of asking to stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tenancy {
    /// It is ours as before.
    Same,
    /// It is ours, and may have been somebody else's meanwhile.
    New,
    /// It is nobody's as far as we know, and empty.
    Nothing,
    /// Somebody else has it.
    Others,
}

/// The state of one outbox's lease, as its relay knows it.
pub(crate) struct Tenure {
    store: Arc<dyn Store>,
    service: Service,
    shard: Shard,
    holder: String,
    lease: Option<Lease>,
    /// Something was put into the outbox.
    wanted: bool,
    /// Somebody else has it; to be looked at again then.
    others_until: Option<Instant>,
}

struct Lease {
    fence: Fence,
    /// By our own clock, counted from before we asked: never later than by the store's.
    until: Instant,
}

impl Tenure {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        service: Service,
        shard: Shard,
        holder: String,
    ) -> Self {
        Self {
            store,
            service,
            shard,
            holder,
            lease: None,
            wanted: false,
            others_until: None,
        }
    }

    /// There is something to move.
    pub(crate) fn is_wanted(&mut self) {
        self.wanted = true;
    }

    /// Is it time to renew the lease?
    pub(crate) fn is_ending(&self) -> bool {
        self.ends_soon_at().is_none_or(|at| at <= Instant::now())
    }

    /// When it is time to renew the lease.
    pub(crate) fn ends_soon_at(&self) -> Option<Instant> {
        let lease = self.lease.as_ref()?;
        Some(lease.until.checked_sub(MARGIN).unwrap_or(lease.until))
    }

    /// When to look whether somebody else still moves the outbox.
    pub(crate) fn try_again_at(&self) -> Option<Instant> {
        self.others_until
    }

    /// Makes sure of the lease. An outbox that nobody has rung for, and of which nothing is under
    /// way (`busy`), is looked into first: an empty one needs no lease, and looking costs the
    /// store less.
    pub(crate) async fn stay(&mut self, busy: bool) -> Result<Tenancy, StoreError> {
        if !self.is_ending() {
            self.wanted = false;
            return Ok(Tenancy::Same);
        }
        if self
            .others_until
            .is_some_and(|until| until > Instant::now())
        {
            return Ok(Tenancy::Others);
        }
        let (service, shard) = (self.service, self.shard);
        let hurry = busy || (self.wanted && self.others_until.is_none());
        if !hurry && self.store.outbox(service, shard, 0, 1).await?.is_empty() {
            self.others_until = None;
            self.wanted = false;
            return Ok(Tenancy::Nothing);
        }
        let asked = Instant::now();
        let given = self
            .store
            .lease(service, shard, &self.holder, LASTING)
            .await?;
        let Some(fence) = given else {
            self.lease = None;
            self.others_until = Some(asked + AGAIN);
            return Ok(Tenancy::Others);
        };
        self.others_until = None;
        self.wanted = false;
        let until = asked + LASTING;
        let before = self.lease.replace(Lease { fence, until });
        // The next number after ours: it lapsed, and nobody had it meanwhile.
        let ours =
            before.is_some_and(|Lease { fence: old, .. }| [old.0, old.0 + 1].contains(&fence.0));
        Ok(if ours { Tenancy::Same } else { Tenancy::New })
    }

    /// Has the store forget entries. `false`: the lease was lost, and they are there still.
    pub(crate) async fn forget(&mut self, places: &[u64]) -> Result<bool, StoreError> {
        let Some(lease) = &self.lease else {
            return Ok(false);
        };
        let sent = self
            .store
            .sent(self.service, self.shard, lease.fence, places)
            .await?;
        if !sent {
            self.lease = None;
        }
        Ok(sent)
    }

    /// Lets others have it at once.
    pub(crate) async fn end(&mut self) -> Result<(), StoreError> {
        match self.lease.take() {
            Some(lease) => {
                self.store
                    .release(self.service, self.shard, lease.fence)
                    .await
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Message, MessageId, Topic};
    use store::{AggregateKey, Commit};

    use super::*;
    use crate::testing::TestParts;

    const KEY: &str = "7-1";

    fn tenure(parts: &TestParts, holder: &str) -> Tenure {
        let (store, shard) = (Arc::clone(&parts.store), Shard::of(KEY));
        Tenure::new(store, Service::Night, shard, holder.to_owned())
    }

    /// Puts a message into the outbox and gives its place.
    async fn put(parts: &TestParts, version: u64) -> u64 {
        let to = Topic {
            service: Service::Tally,
            shard: Shard::of(KEY),
        };
        let message = Message {
            id: MessageId(format!("o{version}")),
            trace: String::new(),
            to,
            key: KEY.to_owned(),
            body: String::new(),
        };
        let commit = Commit {
            aggregate: AggregateKey {
                service: Service::Night,
                key: KEY.to_owned(),
            },
            expected: version - 1,
            after: None,
            message: MessageId(format!("m{version}")),
            entry: vec![],
            snapshot: None,
            deadlines: None,
            outbox: vec![message],
        };
        parts.store.commit(commit).await.unwrap();
        places(parts).await.pop().unwrap()
    }

    async fn places(parts: &TestParts) -> Vec<u64> {
        let (night, shard) = (Service::Night, Shard::of(KEY));
        let entries = parts.store.outbox(night, shard, 0, 100).await.unwrap();
        entries.into_iter().map(|entry| entry.place).collect()
    }

    #[tokio::test]
    async fn an_empty_outbox_needs_no_lease() {
        let parts = TestParts::new().await;
        let (mut one, mut two) = (tenure(&parts, "one"), tenure(&parts, "two"));
        assert_eq!(one.stay(false).await.unwrap(), Tenancy::Nothing);
        put(&parts, 1).await;
        assert_eq!(two.stay(false).await.unwrap(), Tenancy::New);
        one.is_wanted();
        assert_eq!(one.stay(false).await.unwrap(), Tenancy::Others);
        assert_eq!(two.stay(false).await.unwrap(), Tenancy::Same);
    }

    #[tokio::test]
    async fn what_is_given_back_goes_to_the_next() {
        let parts = TestParts::new().await;
        let (mut one, mut two) = (tenure(&parts, "one"), tenure(&parts, "two"));
        put(&parts, 1).await;
        assert_eq!(one.stay(false).await.unwrap(), Tenancy::New);
        assert_eq!(two.stay(true).await.unwrap(), Tenancy::Others);
        one.end().await.unwrap();
        assert_eq!(
            two.stay(true).await.unwrap(),
            Tenancy::Others,
            "it looks again after a while"
        );
        let again = two.try_again_at().unwrap();
        tokio::time::sleep_until(again.into()).await;
        assert_eq!(two.stay(true).await.unwrap(), Tenancy::New);
    }

    #[tokio::test]
    async fn who_has_lost_the_outbox_forgets_nothing_of_it() {
        let parts = TestParts::new().await;
        let (mut one, mut two) = (tenure(&parts, "one"), tenure(&parts, "two"));
        let place = put(&parts, 1).await;
        assert_eq!(one.stay(true).await.unwrap(), Tenancy::New);
        // As after a long stall: the lease has run out without its holder noticing.
        let fence = one.lease.as_ref().unwrap().fence;
        let (night, shard) = (Service::Night, Shard::of(KEY));
        parts.store.release(night, shard, fence).await.unwrap();
        assert_eq!(two.stay(true).await.unwrap(), Tenancy::New);
        assert!(!one.forget(&[place]).await.unwrap());
        assert_eq!(places(&parts).await, [place]);
        assert_eq!(one.stay(true).await.unwrap(), Tenancy::Others);
        assert!(two.forget(&[place]).await.unwrap());
        assert_eq!(places(&parts).await, Vec::<u64>::new());
    }

    #[tokio::test]
    async fn a_lease_that_lapsed_and_was_nobody_elses_is_as_before() {
        let parts = TestParts::new().await;
        let mut one = tenure(&parts, "one");
        put(&parts, 1).await;
        assert_eq!(one.stay(false).await.unwrap(), Tenancy::New);
        let lapse = async |tenure: &mut Tenure| {
            let lease = tenure.lease.as_mut().unwrap();
            lease.until = Instant::now();
            let (night, shard) = (Service::Night, Shard::of(KEY));
            parts
                .store
                .release(night, shard, lease.fence)
                .await
                .unwrap();
        };
        lapse(&mut one).await;
        assert_eq!(one.stay(false).await.unwrap(), Tenancy::Same);
        lapse(&mut one).await;
        let mut two = tenure(&parts, "two");
        assert_eq!(two.stay(true).await.unwrap(), Tenancy::New);
        two.end().await.unwrap();
        assert_eq!(one.stay(true).await.unwrap(), Tenancy::New);
    }
}
