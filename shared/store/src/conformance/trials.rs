//! Messages that may have ended a process.

use protocol::{MessageId, Service};

use super::Ground;
use crate::AggregateKey;

/// Each beginning counts until the end, over restarts, and for that message of that aggregate
/// alone.
pub async fn an_unended_trial_is_counted(ground: &dyn Ground) {
    let of = |service, key: &str| AggregateKey {
        service,
        key: key.to_owned(),
    };
    let night = of(Service::Night, "7-1");
    let others = [
        (of(Service::Tally, "7-1"), "m1"),
        (of(Service::Night, "7-2"), "m1"),
        (of(Service::Night, "7-1"), "m2"),
        (of(Service::Night, ""), "7-1m1"),
    ];
    let message = MessageId("m1".to_owned());
    let store = ground.open().await;
    for begun in 1..=2 {
        assert_eq!(store.begin_trial(&night, &message).await.unwrap(), begun);
    }
    for (other, id) in &others {
        let id = MessageId((*id).to_owned());
        assert_eq!(store.begin_trial(other, &id).await.unwrap(), 1);
    }
    drop(store);
    let store = ground.open().await;
    assert_eq!(store.begin_trial(&night, &message).await.unwrap(), 3);
    for _ in 0..2 {
        store.end_trial(&night, &message).await.unwrap();
    }
    assert_eq!(store.begin_trial(&night, &message).await.unwrap(), 1);
    for (other, id) in &others {
        let id = MessageId((*id).to_owned());
        assert_eq!(store.begin_trial(other, &id).await.unwrap(), 2);
    }
    assert!(store.condition().connected);
}
