//! What holds whatever people type, in whatever order.

use proptest::prelude::*;
use protocol::{ToNight, ToTally};
use rules::{SeatSet, Turn};

use crate::tests::{ALIASES, Desk, Sent, seat};

/// Something that happens at the desk.
#[derive(Debug, Clone)]
enum Event {
    Post(usize, String),
    Reply(usize, u32, String),
    Whisper(usize, String),
    Stranger(String),
    ByHand(usize, Option<usize>),
    /// The thread changes: a void target, and is it paused, sped up?
    Change(Option<usize>, bool, bool),
    Recall(u32),
    Back(i64),
}

fn who() -> impl Strategy<Value = usize> {
    0..ALIASES.len()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (prop::sample::select(vec!["投票", "改票"]), who())
            .prop_map(|(word, target)| format!("{word}对象：{}", ALIASES[target])),
        2 => prop::sample::select(vec![
            "投票对象：弃权", "改票", "投票对象：甲、乙", "申请加速", "申请延时", "票型", "确认", "投 甲", "我是好人",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (who(), text()).prop_map(|(who, text)| Event::Post(who, text)),
        4 => (who(), 1_u32..30, text()).prop_map(|(who, quoted, text)| Event::Reply(who, quoted, text)),
        2 => (who(), text()).prop_map(|(who, text)| Event::Whisper(who, text)),
        1 => text().prop_map(Event::Stranger),
        1 => (who(), prop::option::of(who())).prop_map(|(who, whom)| Event::ByHand(who, whom)),
        1 => (prop::option::of(who()), any::<bool>(), any::<bool>())
            .prop_map(|(void, paused, fast)| Event::Change(void, paused && fast, fast)),
        1 => (1_u32..30).prop_map(Event::Recall),
        1 => (0_i64..110).prop_map(Event::Back),
    ]
}

fn happen(desk: &mut Desk, event: &Event) -> Sent {
    match event {
        Event::Post(who, text) => desk.post(ALIASES[*who], text),
        Event::Reply(who, quoted, text) => desk.reply(ALIASES[*who], &format!("m{quoted}"), text),
        Event::Whisper(who, text) => desk.whisper(ALIASES[*who], text),
        Event::Stranger(text) => desk.stranger(text),
        Event::ByHand(who, whom) => desk.by_hand(ALIASES[*who], whom.map(|whom| ALIASES[whom])),
        Event::Change(void, paused, fast) => desk.change(|thread| {
            thread.void_targets = void
                .map(|v| seat(ALIASES[v]))
                .into_iter()
                .collect::<SeatSet>();
            thread.paused = *paused;
            thread.sped_up = *fast;
        }),
        Event::Recall(n) => {
            let message = protocol::MessageRef(format!("m{n}"));
            desk.give(&ToTally::Recalled { message })
        }
        Event::Back(second) => {
            desk.second = *second;
            Sent::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The desk itself checks at each step that a loaded copy does the same, that every phrase
    /// can be put into words, and that no name of a saying is used twice.
    #[test]
    fn a_petition_reaches_night_once_and_the_book_is_sound(
        events in prop::collection::vec(event(), 0..60),
    ) {
        let mut desk = Desk::open();
        let mut petitions = Vec::new();
        for event in &events {
            for message in happen(&mut desk, event).night {
                match message {
                    ToNight::Petition { faster, .. } => petitions.push(faster),
                    other => prop_assert!(false, "night was sent {:?}", other),
                }
            }
        }
        let all = petitions.len();
        petitions.sort_unstable();
        petitions.dedup();
        prop_assert_eq!(petitions.len(), all, "a petition was carried twice");

        let sent = desk.give(&ToTally::Close { thread: Turn(1) });
        let [ToNight::Book { book, .. }] = sent.night.as_slice() else {
            return Err(TestCaseError::fail("the book is not handed over"));
        };
        let voters: SeatSet = book.ballots.iter().map(|ballot| ballot.voter).collect();
        prop_assert_eq!(voters.len(), book.ballots.len());
        prop_assert!(book.ballots.iter().all(|ballot| ballot.changes <= 1));
    }

    /// Whoever posts something that begins like a vote hears of it, each time.
    #[test]
    fn no_attempt_stays_unanswered(
        before in prop::collection::vec(event(), 0..20),
        tail in any::<String>(),
    ) {
        let mut desk = Desk::open();
        for event in &before {
            happen(&mut desk, event);
        }
        let sent = desk.post("甲", &format!("投票{tail}"));
        prop_assert!(!sent.told.is_empty());
    }
}
