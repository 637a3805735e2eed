//! The process is killed, again and again, and nobody in the chats notices more than a delay.

use std::cell::Cell;

use crate::game::Table;
use crate::site::Site;
use crate::whole_game::{check, play};

/// Kills the site at every nth thing that somebody types, right after it was typed: some kills
/// hit before the message was taken, some in the midst of handling it, some after.
fn killed_every(nth: u32, first: u32) -> u32 {
    let kills = Cell::new(0);
    {
        let typed = Cell::new(first);
        let site = Site::start(&[]);
        let between = |site: &mut Site, _: &str| {
            typed.set(typed.get() + 1);
            if typed.get().is_multiple_of(nth) {
                // A different moment each time, from at once to some milliseconds in.
                let spin = std::time::Instant::now();
                while spin.elapsed().as_micros() < u128::from(typed.get() % 7) * 900 {
                    std::hint::spin_loop();
                }
                site.kill();
                site.restart();
                kills.set(kills.get() + 1);
            }
        };
        let played = play(Table::new(site, Box::new(between)));
        check(&played);
    }
    kills.get()
}

#[test]
fn kills_change_nothing() {
    let kills: u32 = [(7, 0), (7, 3)]
        .into_iter()
        .map(|(n, first)| killed_every(n, first))
        .sum();
    println!("{kills} kills, and everybody read what they should have");
    assert!(kills >= 12, "at least a dozen kills, not {kills}");
}
