//! Which instance of a service takes which queues, when several start together.
//!
//! Rendezvous hashing without a list of instances: each instance rolls its own number for each
//! queue, and the smaller it is, the sooner it subscribes. Whoever comes first is active, the
//! others stand by. Perfect balance is no goal.

use std::time::Duration;

use protocol::Topic;

use super::consumer::Wanted;

/// When `instance` is to subscribe to each of these, within `spread` of its start.
pub(super) fn over(instance: u64, spread: Duration, topics: &[Topic]) -> Vec<Wanted> {
    let wanted = topics.iter().map(|topic| {
        let roll = roll(instance, *topic);
        // Half of them are wanted at once.
        let part = (roll - 0.5).max(0.0) * 2.0;
        Wanted {
            topic: *topic,
            after: spread.mul_f64(part),
        }
    });
    wanted.collect()
}

/// A number from 0 to 1.
fn roll(instance: u64, topic: Topic) -> f64 {
    let name = u64::from(topic.shard.number()) << 8 | topic.service as u64;
    let mixed = mix(instance ^ mix(name));
    // Exact enough: the lower bits do not matter.
    f64::from((mixed >> 32) as u32) / f64::from(u32::MAX)
}

/// The finalizer of `SplitMix64`.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use protocol::{Service, Shard};

    use super::*;

    fn topics() -> Vec<Topic> {
        let all = Service::ALL
            .into_iter()
            .flat_map(|service| Shard::all().map(move |shard| Topic { service, shard }));
        all.collect()
    }

    #[test]
    fn two_instances_that_start_together_share_the_queues() {
        let topics = topics();
        let spread = Duration::from_secs(2);
        for instances in [(1, 2), (3, 4), (u64::MAX, 0)] {
            let one = over(instances.0, spread, &topics);
            let other = over(instances.1, spread, &topics);
            let first = |nth: &usize| one[*nth].after < other[*nth].after;
            let mine = (0..topics.len()).filter(first).count();
            let wins = topics.len() / 5..topics.len() / 2;
            assert!(wins.contains(&mine), "{mine} of {}", topics.len());
            assert!(one.iter().all(|wanted| wanted.after <= spread));
        }
    }

    #[test]
    fn without_a_spread_all_are_wanted_at_once() {
        let wanted = over(7, Duration::ZERO, &topics());
        assert!(wanted.iter().all(|wanted| wanted.after.is_zero()));
    }
}
