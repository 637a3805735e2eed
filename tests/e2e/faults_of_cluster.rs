//! Any process of a cluster, its broker and its Redis are killed, again and again, and nobody in
//! the chats notices more than a delay.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Instant;

use cluster::{Plan, Service};
use store::AggregateKey;

use crate::cluster_site::ClusterSite;
use crate::game::{DIRECTOR, STRANGER, Table};
use crate::people::Person;
use crate::site::Site;
use crate::whole_game::{check, play};

/// The same dice for all: the same people get the same cards.
const DICE: &str = "playground.dice=the same for all";

/// Everything that everybody can read, in order, by who reads it, in which chat, and who said it:
/// how people's lines mix with the bot's is a question of milliseconds. Without times.
type Chats = BTreeMap<(u64, Option<u64>, u64), Vec<String>>;

fn chats(table: &Table) -> Chats {
    let players = table.players.iter().map(|player| player.person.id);
    let mut chats = Chats::new();
    for id in players.chain([DIRECTOR, STRANGER]) {
        for heard in Person::new(id).chats(&table.site) {
            let lines = chats.entry((id, heard.group, heard.from)).or_default();
            lines.push(without_times(&heard.text));
        }
    }
    chats
}

/// Times of day (21:05) are masked.
fn without_times(text: &str) -> String {
    let mut masked: Vec<char> = text.chars().collect();
    for at in 2..masked.len().saturating_sub(2) {
        let time = [at - 2, at - 1, at + 1, at + 2];
        if masked[at] == ':' && time.iter().all(|at| masked[*at].is_ascii_digit()) {
            for at in time {
                masked[at] = '0';
            }
        }
    }
    masked.into_iter().collect()
}

#[test]
fn both_ways_to_run_show_everybody_the_same_chats() {
    let play_on = |site| {
        let mut played = play(Table::new(site, Box::new(|_, _| {})));
        check(&played);
        let chats = chats(&played.table);
        played.table.site.assert_well();
        played.table.site.stop();
        chats
    };
    let one = play_on(Site::start(&[DICE]));
    let many = play_on(Site::on(ClusterSite::start(ClusterSite::plan(&[DICE]))));
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        many.keys().collect::<Vec<_>>()
    );
    for (chat, lines) in &one {
        assert_eq!(lines, &many[chat], "{chat:?}");
    }
}

/// What is killed next: each of the services in turn, now and then Redis, seldom the broker,
/// whose start takes seconds.
struct Killer {
    instances: usize,
    turn: usize,
    kills: BTreeMap<String, u32>,
}

impl Killer {
    const SERVICES: [Service; 6] = [
        Service::Night,
        Service::Ingest,
        Service::Publish,
        Service::Tally,
        Service::Clock,
        Service::Playground,
    ];

    fn new(instances: usize) -> Self {
        Self {
            instances,
            turn: 0,
            kills: BTreeMap::new(),
        }
    }

    /// After something was typed: kills what is next, at another moment each time.
    fn strike(&mut self, site: &mut ClusterSite) {
        self.turn += 1;
        let spin = Instant::now();
        let moment = u128::try_from(self.turn % 11).unwrap_or_default() * 700;
        while spin.elapsed().as_micros() < moment {
            std::hint::spin_loop();
        }
        if self.turn.is_multiple_of(29) {
            site.bounce_broker();
            self.count("broker");
        } else if self.turn.is_multiple_of(9) {
            site.bounce_redis();
            self.count("redis");
        }
        // Two of them: neighbours in a walk, or the same service's second instance.
        for step in [0, 1 + self.turn / 6 % 4] {
            let service = Self::SERVICES[(self.turn + step) % Self::SERVICES.len()];
            let nth = match service {
                Service::Playground => 0,
                _ => self.turn / 5 % self.instances,
            };
            site.bounce(service, nth);
            self.count(&service.to_string());
        }
    }

    fn count(&mut self, what: &str) {
        *self.kills.entry(what.to_owned()).or_default() += 1;
    }
}

/// Plays the whole game while everything is killed in turn; how often, by what it was.
fn killed(instances: usize) -> BTreeMap<String, u32> {
    let plan = Plan {
        instances,
        ..ClusterSite::plan(&[])
    };
    let killer = RefCell::new(Killer::new(instances));
    {
        let strike = |site: &mut Site, _: &str| killer.borrow_mut().strike(site.cluster());
        let site = Site::on(ClusterSite::start(plan));
        let mut played = play(Table::new(site, Box::new(strike)));
        check(&played);
        played.table.site.assert_sound();
        assert_gapless(&mut played.table.site);
    }
    killer.into_inner().kills
}

/// Each journal in the store has an entry for every version, and nothing waits in an outbox.
fn assert_gapless(site: &mut Site) {
    let url = site.cluster().parts().redis.url();
    site.cluster().runtime().block_on(async {
        let store = store::open(&url).await.expect("the store");
        let mut steps = 0;
        for service in protocol::Service::ALL {
            for key in store.keys(service).await.expect("the keys") {
                let aggregate = AggregateKey { service, key };
                let stored = store.load(&aggregate).await.expect("an aggregate");
                let journal = store
                    .journal(&aggregate, 0, usize::MAX)
                    .await
                    .expect("a journal");
                let versions: Vec<u64> = journal.iter().map(|(version, _)| *version).collect();
                let expected: Vec<u64> = (1..=stored.version).collect();
                assert_eq!(versions, expected, "{aggregate:?}");
                steps += versions.len();
            }
        }
        println!("{steps} steps of all aggregates, none missing");
    });
}

#[test]
fn kills_of_anything_change_nothing() {
    let kills = killed(1);
    let all: u32 = kills.values().sum();
    println!("{all} kills ({kills:?}), and everybody read what they should have, once");
    assert!(all >= 150, "{all} kills");
}

#[test]
fn two_of_each_take_over_from_each_other() {
    let kills = killed(2);
    let all: u32 = kills.values().sum();
    println!("{all} kills ({kills:?}), and everybody read what they should have, once");
    assert!(all >= 150, "{all} kills");
}
