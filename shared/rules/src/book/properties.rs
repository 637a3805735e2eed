//! What holds for every book, whatever is posted in whatever order.

use proptest::prelude::*;

use super::*;
use crate::ids::{Time, Turn};

const SEATS: u8 = 6;
const CHANGES: u8 = 2;

/// Something that happens to a book.
#[derive(Debug, Clone)]
enum Event {
    Post(VotePost),
    Confirm(SeatId, Stamp),
    Talk(SeatId, Stamp),
    Petition(SeatId, Petition, Stamp),
    /// The thread changes: the voters, the void targets, and the low bits of a number as
    /// `paused` and `sped_up`.
    Change(SeatSet, SeatSet, u8),
    Recall(PostId),
}

fn seat() -> impl Strategy<Value = SeatId> {
    (0..SEATS).prop_map(SeatId)
}

fn seats() -> impl Strategy<Value = SeatSet> {
    prop::collection::vec(seat(), 0..3).prop_map(SeatSet::from_iter)
}

fn stamp() -> impl Strategy<Value = Stamp> {
    (0_i64..120, 0_u64..3).prop_map(|(secs, seq)| Stamp {
        secs,
        seq,
        arrival: 0,
        scene: 0,
    })
}

fn post_id() -> impl Strategy<Value = PostId> {
    (0_u8..40).prop_map(|n| PostId(n.to_string()))
}

fn kind() -> impl Strategy<Value = PostKind> {
    prop_oneof![
        3 => Just(PostKind::First),
        3 => any::<bool>().prop_map(|reply_to_own| PostKind::Change { reply_to_own }),
        1 => Just(PostKind::ByHand),
    ]
}

fn vote_post() -> impl Strategy<Value = VotePost> {
    let choice = prop_oneof![5 => seat().prop_map(Choice::Seat), 1 => Just(Choice::Abstain)];
    (seat(), kind(), choice, stamp(), post_id()).prop_map(|(voter, kind, choice, at, id)| {
        let id = (kind != PostKind::ByHand).then_some(id);
        VotePost {
            voter,
            kind,
            choice,
            at,
            id,
        }
    })
}

fn event() -> impl Strategy<Value = Event> {
    let petition = prop_oneof![Just(Petition::Faster), Just(Petition::Slower)];
    prop_oneof![
        12 => vote_post().prop_map(Event::Post),
        2 => (seat(), stamp()).prop_map(|(seat, at)| Event::Confirm(seat, at)),
        2 => (seat(), stamp()).prop_map(|(seat, at)| Event::Talk(seat, at)),
        2 => (seat(), petition, stamp()).prop_map(|(seat, what, at)| Event::Petition(seat, what, at)),
        1 => (seats(), seats(), 0_u8..8).prop_map(|(out, void, how)| Event::Change(out, void, how)),
        1 => post_id().prop_map(Event::Recall),
    ]
}

fn thread(changes: Option<u8>) -> Thread {
    Thread {
        id: Turn(1),
        version: 1,
        kind: ThreadKind::Day,
        day: 1,
        voters: SeatSet::first(usize::from(SEATS)),
        choosable: SeatSet::first(usize::from(SEATS)),
        changes,
        changes_until: Some(Time(90_000)),
        sped_up: false,
        opens_at: Some(Time(5_000)),
        closes_at: Some(Time(110_000)),
        petitions_until: Some(Time(60_000)),
        paused: false,
        must_vote: SeatSet::EMPTY,
        secret: false,
        void_targets: SeatSet::EMPTY,
    }
}

/// Lets it happen; answers what the book said.
fn happen(book: &mut Book, event: &Event) -> String {
    match event {
        Event::Post(post) => format!("{:?}", book.post(post)),
        Event::Confirm(seat, at) => format!("{:?}", book.confirm(*seat, *at)),
        Event::Talk(seat, at) => {
            book.talk(*seat, *at);
            String::new()
        }
        Event::Petition(seat, what, at) => format!("{:?}", book.petition(*seat, *what, *at)),
        Event::Change(out, void, how) => {
            let everyone = SeatSet::first(usize::from(SEATS));
            let mut next = book.thread().clone();
            next.version += 1;
            next.voters = everyone.minus(*out);
            next.void_targets = *void;
            next.paused = how & 7 == 7;
            next.sped_up = how & 3 == 2;
            format!("{:?}", book.change(next))
        }
        Event::Recall(post) => format!("{:?}", book.recall(post)),
    }
}

proptest! {
    #[test]
    fn a_voter_has_one_ballot_within_the_rules(events in prop::collection::vec(event(), 0..80)) {
        let mut book = Book::open(thread(Some(CHANGES)));
        for event in &events {
            happen(&mut book, event);
            let now = book.thread().clone();
            let mut voted = SeatSet::EMPTY;
            for standing in book.ballots() {
                let ballot = standing.ballot;
                prop_assert!(voted.insert(ballot.voter), "a second ballot of {}", ballot.voter);
                prop_assert!(now.voters.has(ballot.voter));
                prop_assert!(ballot.changes <= CHANGES);
                prop_assert!((5..=110).contains(&ballot.at.secs));
                if let Choice::Seat(target) = ballot.choice {
                    prop_assert_eq!(standing.void, now.void_targets.has(target));
                }
            }
            prop_assert!(voted.minus(now.voters).is_empty());
        }

        let closed = book.close();
        let counting: SeatSet = closed.ballots.iter().map(|ballot| ballot.voter).collect();
        prop_assert_eq!(counting.len(), closed.ballots.len());
        prop_assert!(counting.and(closed.void).is_empty());
        prop_assert!(closed.ballots.is_sorted_by_key(|ballot| ballot.voter));
    }

    #[test]
    fn a_refused_post_leaves_every_ballot_and_change(
        events in prop::collection::vec(event(), 0..40),
        post in vote_post(),
    ) {
        let mut book = Book::open(thread(Some(CHANGES)));
        for event in &events {
            happen(&mut book, event);
        }
        let before: Vec<_> = book.ballots().collect();
        let answer = book.post(&post);
        let after: Vec<_> = book.ballots().collect();
        match answer {
            Answer::Refused(_) | Answer::NeedsConfirm => prop_assert_eq!(before, after),
            Answer::Taken(ballot) | Answer::Changed { ballot, .. } => {
                let standing = Standing { ballot, void: false };
                prop_assert!(after.contains(&standing));
                let others = |all: &[Standing]| -> Vec<Standing> {
                    all.iter().filter(|b| b.ballot.voter != post.voter).copied().collect()
                };
                prop_assert_eq!(others(&before), others(&after));
            }
        }
    }

    #[test]
    fn a_loaded_book_goes_on_like_the_saved_one(events in prop::collection::vec(event(), 0..60)) {
        let mut book = Book::open(thread(Some(CHANGES)));
        for event in &events {
            let saved = serde_json::to_vec(&book).unwrap();
            let mut loaded: Book = serde_json::from_slice(&saved).unwrap();
            prop_assert_eq!(&loaded, &book);
            prop_assert_eq!(happen(&mut loaded, event), happen(&mut book, event));
            prop_assert_eq!(loaded, book.clone());
        }
    }

    /// Posts of different seats may arrive in any order: only each seat's own order matters.
    #[test]
    fn seats_do_not_depend_on_each_others_order(
        posts in prop::collection::vec(vote_post(), 0..60),
        shuffle in prop::collection::vec(0..SEATS, 0..200),
    ) {
        let mut queues: Vec<Vec<&VotePost>> = vec![Vec::new(); usize::from(SEATS)];
        for post in &posts {
            queues[post.voter.index()].push(post);
        }
        let mut queues: Vec<_> = queues.into_iter().map(Vec::into_iter).collect();
        let rest = (0..SEATS).flat_map(|seat| std::iter::repeat_n(seat, posts.len()));
        let mut woven = Book::open(thread(Some(CHANGES)));
        for seat in shuffle.into_iter().chain(rest) {
            if let Some(post) = queues[usize::from(seat)].next() {
                let _ = woven.post(post);
            }
        }

        let mut straight = Book::open(thread(Some(CHANGES)));
        for post in &posts {
            let _ = straight.post(post);
        }
        prop_assert_eq!(woven, straight);
    }

    /// Where changes are not limited, the latest change in time counts, however they arrive
    /// after the first vote.
    #[test]
    fn the_latest_change_counts_in_any_order(
        changes in prop::collection::vec((0_i64..120, seat()), 1..20)
            .prop_map(|mut all| { all.sort_by_key(|c| c.0); all.dedup_by_key(|c| c.0); all }),
        order in any::<prop::sample::Index>(),
    ) {
        let post = |kind, secs, target| VotePost {
            voter: SeatId(0),
            kind,
            choice: Choice::Seat(target),
            at: Stamp { secs, ..Stamp::default() },
            id: None,
        };
        let mut book = Book::open(thread(None));
        let first = post(PostKind::First, 5, SeatId(0));
        prop_assert!(matches!(book.post(&first), Answer::Taken(_)));

        let mut arriving = changes.clone();
        arriving.rotate_left(order.index(changes.len()));
        for (secs, target) in arriving {
            let _ = book.post(&post(PostKind::Change { reply_to_own: true }, secs, target));
        }
        let latest = changes.iter().rev().find(|(secs, _)| (5..90).contains(secs));
        let expected = latest.map_or(Choice::Seat(SeatId(0)), |(_, target)| Choice::Seat(*target));
        prop_assert_eq!(book.close().ballots[0].choice, expected);
    }

    /// Of the versions of a thread the highest counts, in whatever order they arrive.
    #[test]
    fn the_highest_version_counts_in_any_order(
        mut versions in prop::collection::vec((2_u32..50, seats()), 1..10)
            .prop_map(|mut all| { all.sort_by_key(|v| v.0); all.dedup_by_key(|v| v.0); all }),
        order in any::<prop::sample::Index>(),
    ) {
        let newest = versions.last().copied();
        let turn = order.index(versions.len());
        versions.rotate_left(turn);
        let mut book = Book::open(thread(None));
        for (version, void_targets) in versions {
            book.change(Thread { version, void_targets, ..thread(None) });
        }
        let now = book.thread();
        prop_assert_eq!(Some((now.version, now.void_targets)), newest);
    }
}
