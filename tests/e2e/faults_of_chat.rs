//! The chat side misbehaves, in one way at a time, and the whole game is played all the same.

use serde_json::{Value, json};

use crate::game::{DIRECTOR, Quotes, STRANGER, Table, is_refused};
use crate::people::{Person, bot};
use crate::site::{Site, wait_for};
use crate::whole_game::{Played, check, play};

/// As often as it likes.
const ALWAYS: u32 = 1_000_000;

/// The group that the pack is given.
const FIRST_OF_POOL: u64 = 700_001;

fn set(site: &Site, faults: &Value) {
    site.post("/playground/api/faults", faults);
}

/// Plays the game with these faults all the time.
fn played_with(faults: &Value) {
    let site = Site::start(&[]);
    set(&site, faults);
    finish(&play(Table::new(site, Box::new(|_, _| {}))));
}

/// Plays the game, setting these faults anew at every nth thing that is typed.
fn played_with_now_and_then(nth: usize, faults: &Value) {
    let site = Site::start(&[]);
    let mut typed = 0;
    let now_and_then = |site: &mut Site, _: &str| {
        typed += 1;
        if typed % nth == 0 {
            set(site, faults);
        }
    };
    finish(&play(Table::new(site, Box::new(now_and_then))));
}

/// Everybody has read what they should have, nothing twice, and nothing else happened.
fn finish(played: &Played) {
    let site = &played.table.site;
    site.post("/playground/api/faults", &json!({"swap_events": 0}));
    check(played);
    let bot = bot(site, DIRECTOR);
    for player in &played.table.players {
        assert_said_once(&player.person, site, bot);
    }
    site.assert_well();
}

/// The bot never says the same thing twice in a row in one chat.
fn assert_said_once(person: &Person, site: &Site, bot: u64) {
    let chats = person.chats(site);
    let mut last = std::collections::BTreeMap::new();
    for heard in chats.iter().filter(|heard| heard.from == bot) {
        let before = last.insert(heard.group, &heard.text);
        assert_ne!(before, Some(&heard.text), "{} reads it twice", person.id);
    }
}

#[test]
fn events_that_come_twice() {
    played_with(&json!({"duplicate_events": ALWAYS}));
}

#[test]
fn events_in_the_wrong_order() {
    played_with_now_and_then(4, &json!({"swap_events": 1}));
}

/// A lost event is noticed when the next one of the same chat comes: votes are cast in bursts.
#[test]
fn events_that_never_come() {
    let site = Site::start(&[]);
    let mut votes = 0;
    let among_votes = |site: &mut Site, typed: &str| {
        votes += usize::from(typed == "投票");
        if typed == "投票" && [3, 7, 18, 19].contains(&votes) {
            set(site, &json!({"lose_events": 1}));
        }
    };
    finish(&play(Table::new(site, Box::new(among_votes))));
}

#[test]
fn quotes_that_get_lost() {
    let site = Site::start(&[]);
    set(&site, &json!({"drop_reply": true}));
    let mut table = Table::new(site, Box::new(|_, _| {}));
    table.quotes = Quotes::Lost;
    finish(&play(table));
}

#[test]
fn sends_that_arrive_though_they_are_said_to_have_timed_out() {
    played_with_now_and_then(9, &json!({"timeout_sends": 1}));
}

#[test]
fn ids_as_texts() {
    played_with(&json!({"ids": "text"}));
}

#[test]
fn ids_below_zero() {
    played_with(&json!({"ids": "negative"}));
}

#[test]
fn ids_that_collide_between_chats() {
    played_with(&json!({"ids": "colliding"}));
}

#[test]
fn messages_as_strings() {
    played_with(&json!({"messages": "string"}));
}

/// On this side a private send by way of a group goes to the group: nobody must notice.
#[test]
fn private_sends_that_would_leak_into_groups() {
    played_with(&json!({"private_leak": true, "send_msg_leak": true}));
}

#[test]
fn approvals_and_removals_that_are_said_to_be_done_and_are_not() {
    let site = Site::start(&[]);
    set(&site, &json!({"no_effect": {"set_group_kick": 2}}));
    let mut asked = false;
    let when_members_ask = |site: &mut Site, typed: &str| {
        if typed == "申请进群" && !std::mem::replace(&mut asked, true) {
            wait_for("the stranger to be turned away", || {
                is_refused(site, STRANGER, FIRST_OF_POOL).then_some(())
            });
            let both = json!({"set_group_kick": 2, "set_group_add_request": 2});
            set(site, &json!({ "no_effect": both }));
        }
    };
    finish(&play(Table::new(site, Box::new(when_members_ask))));
}

#[test]
fn a_connection_that_is_lost_now_and_then() {
    played_with_now_and_then(20, &json!({"disconnect_ms": 150}));
}

#[test]
fn a_side_that_starts_anew_and_knows_no_old_ids() {
    played_with_now_and_then(25, &json!({"restart": true}));
}

#[test]
fn answers_that_come_twice_among_the_own_messages() {
    played_with(&json!({
        "answer_twice": ALWAYS, "own_messages": true, "odd_members": true,
    }));
}
