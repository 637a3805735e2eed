//! Bots alone play whole games, one after the other on the same site.

use std::time::Duration;

use serde_json::{Value, json};

use crate::game::member_cards;
use crate::people::{Heard, Person, bot};
use crate::site::{Site, wait_as_long_as, wait_for};

/// How long a whole game may take.
const GAME: Duration = Duration::from_secs(120);

/// A table that was laid: who sits there, and who directs.
struct Laid {
    square: u64,
    director: u64,
    seats: Vec<u64>,
}

fn lay(site: &Site, pace: &str) -> Laid {
    let wanted = json!({"part": "watch", "pace": pace, "seed": 7});
    let table = site.post("/playground/api/table", &wanted)["table"].clone();
    let id = |person: &Value| person["id"].as_u64().expect("a number");
    let seats = table["seats"].as_array().expect("seats");
    Laid {
        square: table["square"].as_u64().expect("a square"),
        director: id(&table["director"]),
        seats: seats.iter().map(id).collect(),
    }
}

/// Waits for the end, and looks at what everybody has read.
fn play_to_the_end(site: &Site, pace: &str) {
    let laid = lay(site, pace);
    assert_eq!(laid.seats.len(), 14);
    let bot = bot(site, laid.director);
    let watcher = Person::new(laid.seats[0]);
    let from_bot = |person: &Person| -> Vec<Heard> {
        let chats = person.chats(site);
        chats.into_iter().filter(|h| h.from == bot).collect()
    };
    let in_square = |person: &Person, part: &str| -> usize {
        let heard = from_bot(person).into_iter();
        heard
            .filter(|h| h.group == Some(laid.square) && h.text.contains(part))
            .count()
    };
    wait_as_long_as(GAME, "the reveal", || {
        (in_square(&watcher, "🎭 揭秘") > 0).then_some(())
    });
    for once in [
        "开局【",
        "发牌了",
        "第1夜 · 入夜",
        "警长竞选结果",
        "第1天公示",
        "游戏结束",
    ] {
        assert_eq!(in_square(&watcher, once), 1, "{once} once");
    }
    assert!(in_square(&watcher, "胜利") == 1, "somebody has won");
    for seat in &laid.seats {
        let cards = from_bot(&Person::new(*seat));
        let cards = cards.iter().filter(|h| h.text.contains("你的身份是【"));
        assert_eq!(cards.count(), 1, "{seat} reads one card");
    }
    // Nobody is left in the pool's groups, and every one is back.
    let groups = site.get("/playground/api/groups");
    let pool: Vec<u64> = groups["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .filter_map(|group| group["id"].as_u64())
        .filter(|id| (700_001..800_000).contains(id))
        .collect();
    assert!(pool.len() >= 2, "there is a pool: {groups}");
    for group in &pool {
        wait_for(&format!("{group} to be cleared"), || {
            let inside = member_cards(site, *group)?;
            inside.iter().all(|(id, _)| *id == bot).then_some(())
        });
    }
}

#[test]
fn bots_play_whole_games_to_the_end() {
    let site = Site::start(&["clock.speed=200"]);
    // In one the windows end by the clock, in the other a director hurries.
    for pace in ["quick", "rush"] {
        play_to_the_end(&site, pace);
        let refused = site.metric("duskgate_sends_total", "refused");
        let unclear = site.metric("duskgate_sends_total", "unclear");
        assert!(refused == 0.0 && unclear == 0.0, "{refused} sends refused");
        site.assert_well();
    }
    let log = site.log();
    let bad = log.lines().find(|line| line.contains("WARN"));
    assert!(bad.is_none(), "a quiet night's log says {bad:?}");
}
