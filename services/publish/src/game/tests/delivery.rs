//! Whatever a platform does with messages: each notice arrives once, in order, or somebody is
//! told of it; only what is marked may arrive twice.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;
use protocol::{Audience, Refused, Scene, Send, SendOutcome, ToPublish};
use rules::SeatId;

use crate::testing::{Bench, DIRECTOR, SQUARE, Sent, done, refused, say, text, unknown};

#[derive(Debug, Clone)]
enum Op {
    /// Says the next thing to a seat, or in the square.
    Say(u8),
    /// The platform takes the next sends: this many, so.
    Send(u8, Taken),
    /// A scene is blocked, or open again.
    Toggle(u8),
}

#[derive(Debug, Clone, Copy)]
enum Taken {
    Plainly,
    UnclearArrived,
    UnclearLost,
    RefusedItself,
}

struct Chat {
    bench: Bench,
    sends: VecDeque<Send>,
    blocked: BTreeSet<Scene>,
    /// What people see, in order.
    seen: BTreeMap<Scene, Vec<String>>,
    said: BTreeMap<Scene, Vec<String>>,
    count: u32,
}

fn scene(n: u8) -> (Audience, Scene) {
    match n % 3 {
        2 => (Audience::Square, Scene::Group(SQUARE)),
        n => (
            Audience::Seat(SeatId(n)),
            crate::testing::private(u64::from(n) + 1),
        ),
    }
}

impl Chat {
    fn new() -> Self {
        Self {
            bench: Bench::game(),
            sends: VecDeque::new(),
            blocked: BTreeSet::new(),
            seen: BTreeMap::new(),
            said: BTreeMap::new(),
            count: 0,
        }
    }

    fn happen(&mut self, op: &Op) {
        match *op {
            Op::Say(to) => self.say(to),
            Op::Send(n, taken) => (0..n % 4).for_each(|_| self.send(taken)),
            Op::Toggle(n) => {
                // What is on its way has an order only while the scene does not change.
                while !self.sends.is_empty() {
                    self.send(Taken::Plainly);
                }
                let (_, scene) = scene(n);
                if !self.blocked.remove(&scene) {
                    self.blocked.insert(scene);
                }
            }
        }
    }

    fn say(&mut self, to: u8) {
        self.count += 1;
        let (audience, scene) = scene(to);
        let words = format!("第{}条", self.count);
        self.said
            .entry(scene)
            .or_default()
            .push(format!("【{words}】"));
        let sent = self
            .bench
            .take(&ToPublish::Say(say(&words, audience, &words)));
        self.queue(sent);
    }

    fn queue(&mut self, sent: Vec<Sent>) {
        self.sends
            .extend(sent.into_iter().filter_map(|sent| match sent {
                Sent::Message(message) => Some(message),
                _ => None,
            }));
    }

    fn send(&mut self, taken: Taken) {
        let Some(send) = self.sends.pop_front() else {
            return;
        };
        let (arrives, outcome): (bool, SendOutcome) = match taken {
            _ if self.blocked.contains(&send.scene) => (false, refused(Refused::Muted)),
            // The last resort works.
            _ if send.scene == Scene::Private(DIRECTOR) => (true, done()),
            Taken::Plainly => (true, done()),
            Taken::UnclearArrived => (true, unknown()),
            Taken::UnclearLost => (false, unknown()),
            Taken::RefusedItself => (false, refused(Refused::Other)),
        };
        if arrives {
            self.seen.entry(send.scene).or_default().push(text(&send));
        }
        let next = self.bench.take(&ToPublish::Sent {
            key: send.key,
            outcome,
        });
        self.queue(next);
    }
}

fn op() -> impl Strategy<Value = Op> {
    let taken = prop_oneof![
        4 => Just(Taken::Plainly),
        1 => Just(Taken::UnclearArrived),
        1 => Just(Taken::UnclearLost),
        1 => Just(Taken::RefusedItself),
    ];
    prop_oneof![
        4 => any::<u8>().prop_map(Op::Say),
        4 => (any::<u8>(), taken).prop_map(|(n, taken)| Op::Send(n, taken)),
        1 => any::<u8>().prop_map(Op::Toggle),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_notice_arrives_in_order_or_is_told_of(ops in prop::collection::vec(op(), 1..60)) {
        let mut chat = Chat::new();
        for op in &ops {
            chat.happen(op);
        }
        while !chat.sends.is_empty() {
            chat.send(Taken::Plainly);
        }
        // All scenes open, and something is said in each.
        chat.blocked.clear();
        for to in 0..3 {
            chat.say(to);
        }
        while !chat.sends.is_empty() {
            chat.send(Taken::Plainly);
        }
        let told = chat.seen.remove(&Scene::Private(DIRECTOR)).unwrap_or_default().concat();
        for (scene, said) in &chat.said {
            let seen = &chat.seen[scene];
            let plain: Vec<_> = seen.iter().filter(|text| !text.contains("重发")).collect();
            let unique: BTreeSet<_> = plain.iter().collect();
            prop_assert_eq!(unique.len(), plain.len(), "something was repeated without a mark");
            let mut places = plain.iter().map(|text| said.iter().position(|s| *s == **text));
            prop_assert!(places.clone().all(|place| place.is_some()));
            let first = places.next();
            let ordered = places.try_fold(first, |last, next| (last < Some(next)).then_some(Some(next)));
            prop_assert!(ordered.is_some(), "out of order: {:?}", plain);
            for notice in said {
                let arrived = seen.iter().any(|text| text.ends_with(notice));
                prop_assert!(arrived || told.contains(notice), "{notice} is lost");
            }
        }
    }
}
