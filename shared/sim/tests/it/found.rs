//! Faults that random play has found, each as the smallest game that shows it.

use std::sync::Arc;

use rules::board::Colour;
use rules::{Board, Order, PhaseKind, Ruling};
use sim::Table;
use sim::table::at;

fn m158() -> Arc<Board> {
    boards::find("m158").expect("m158 is built in")
}

/// The board's own deal, in the order of its roles: 预言家 1, 荣光骑士 2, 猎人 3, 守墓人 4,
/// 村民 5 to 8, 黑狼王 9, 恶魔 10, 狼人 11, 女巫 12, 图腾萨满 13, 侍僧 14.
fn table(calendar: &str) -> Table {
    let board = m158();
    let roles: Vec<&str> = board
        .roles
        .iter()
        .flat_map(|r| std::iter::repeat_n(r.name.as_str(), usize::from(r.count)))
        .collect();
    Table::open(&board, calendar, &roles)
}

#[test]
fn a_pause_without_a_deadline_survives_a_restart() {
    let mut table = table("manual");
    table.order(Order::Pause);
    table.reload();
    assert!(table.game.paused());
    table.order(Order::Resume);
}

fn red_card(seat: u8) -> Order {
    Order::Card {
        seat: at(seat),
        colour: Colour::Red,
        reason: "贴脸".to_owned(),
    }
}

fn rule(ruling: Ruling) -> Order {
    let reason = "裁定".to_owned();
    Order::Rule { ruling, reason }
}

/// G19: a red card ends the right to react, so nobody is asked who has one.
#[test]
fn a_sent_off_seat_is_not_asked_for_a_reaction() {
    let mut table = table("slow");
    table.until_window("入夜");
    table.sends(9, "杀人", &[5]);
    table.until_window("女巫");
    table.sends(12, "毒药", &[6]);
    table.until_window("竞选");
    table.order(red_card(6));
    table.close_with(&[(1, 5)]);
    assert_eq!(table.game.offers(at(5)).len(), 2);
    table.sends(5, "殉职", &[6]);
    assert_eq!(table.game.offers(at(6)), []);
    assert_eq!(table.game.world().reactions, []);
    let badge = table.state("警长");
    assert_eq!(table.game.holder_of(badge), None);
}

/// Two shots are two reactions: each is used once.
#[test]
fn a_seat_with_the_same_reaction_twice_uses_each_once() {
    let mut table = table("slow");
    table.until(PhaseKind::Day);
    let shot = table.skill("最后一枪");
    table.order(rule(Ruling::Give(at(3), shot)));
    table.close_with(&[(1, 3)]);
    table.sends(3, "最后一枪", &[5]);
    table.sends(3, "最后一枪", &[6]);
    table.send(3, "最后一枪", &[7]).expect_err("both are spent");
    assert_eq!(table.out(), [3, 5, 6]);
}

fn tags(table: &Table, seat: u8) -> Vec<&str> {
    let board = table.game.board();
    let states = table.game.world().states.iter();
    states
        .filter(|r| r.seat == at(seat))
        .map(|r| board.state_def(r.state).name.as_str())
        .collect()
}

/// Cards survive a rewind, and so do their tags.
#[test]
fn a_rewind_leaves_the_tags_of_cards() {
    let mut table = table("slow");
    table.until_window("入夜");
    let yellow = Order::Card {
        seat: at(5),
        colour: Colour::Yellow,
        reason: String::new(),
    };
    table.order(yellow);
    table.order(Order::Rewind);
    assert_eq!(tags(&table, 5), ["黄牌"]);
    table.order(Order::Rewind);
    assert_eq!(tags(&table, 5), ["黄牌"]);
}

/// A seat that the director has brought back after a red card stays in play when the night it
/// was back in begins again.
#[test]
fn a_seat_brought_back_from_a_red_card_stays_after_a_rewind() {
    let mut table = table("slow");
    table.until_window("入夜");
    table.order(red_card(5));
    table.order(rule(Ruling::BringBack(at(5))));
    assert_eq!(tags(&table, 5), [""; 0]);
    table.until(PhaseKind::Night);
    table.order(Order::Rewind);
    assert_eq!(table.out(), [0; 0]);
}

/// 开门 after a rewind to the vote settles the vote first.
#[test]
fn opening_the_door_settles_a_vote_that_waits() {
    let mut table = table("slow");
    table.until(PhaseKind::Day);
    table.close_with(&[(1, 5)]);
    table.order(Order::Rewind);
    table.order(Order::OpenDoor);
    assert_eq!(table.out(), [5]);
    assert_eq!(table.game.phase().to_string(), "day 2");
}

/// 关门 shuts a door that is open, not the window in which a badge is passed on.
#[test]
fn the_door_is_shut_once() {
    let mut table = table("slow");
    table.until_window("警徽");
    table
        .act(rules::Act::Director(Order::CloseDoor))
        .expect_err("it is shut");
}

/// G27: the dusk that begins while the game is paused has its length when it goes on.
#[test]
fn a_window_that_opens_in_a_pause_waits_for_its_end() {
    for calendar in ["slow", "quick"] {
        let mut table = table(calendar);
        table.until(PhaseKind::Day);
        let (turn, at) = table.game.deadline().expect("a door-close");
        table.now = at;
        table.must(rules::Act::Clock { turn });
        table.order(Order::Pause);
        let thread = table.game.awaits_book().expect("a book is awaited");
        let book = sim::table::book(&[(1, 5)]);
        table.must(rules::Act::BookClosed { thread, book });
        let planned = table.game.window_ends().expect("an end").since(table.now);
        table.now = table.now.plus_minutes(180);
        table.order(Order::Resume);
        let left = table.game.window_ends().expect("an end").since(table.now);
        assert_eq!(left, planned, "{calendar}");
    }
}

/// G27: what the players have asked for before the pause holds after it.
#[test]
fn an_extension_that_arrives_in_a_pause_holds() {
    let mut table = table("quick");
    table.until(PhaseKind::Day);
    let thread = table.game.thread().expect("a thread").id;
    let before = table.game.window_ends().expect("an end");
    table.order(Order::Pause);
    let faster = false;
    table.must(rules::Act::Petition { thread, faster });
    table.order(Order::Resume);
    let after = table.game.window_ends().expect("an end");
    assert_eq!(after.since(before), 8 * 60_000);
}

/// G5: who went out by a ruling in the night, without knowing, sends in vain.
#[test]
fn a_seat_that_is_out_without_knowing_acts_in_vain() {
    let mut table = table("slow");
    table.until_window("入夜");
    table.sends(9, "杀人", &[5]);
    table.order(rule(Ruling::PutOut(at(2))));
    table.sends(2, "荣光庇护", &[5]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [2, 5]);
}

/// M8: quiet days are counted from the day on which the faction was gone, however that came.
#[test]
fn quiet_days_begin_when_the_last_wolf_turned() {
    let mut table = table("slow");
    table.until(PhaseKind::Day);
    table.until(PhaseKind::Day);
    let village = table.game.board().faction("村民阵营").expect("a faction");
    for seat in [9, 10, 11] {
        table.order(rule(Ruling::Faction(at(seat), village)));
    }
    table.until(PhaseKind::Night);
    assert_eq!(table.game.ending(), None);
}

/// A faction that has lost without knowing is not told so by a refusal.
#[test]
fn a_lost_faction_may_surrender_until_the_list_is_out() {
    let mut table = table("slow");
    table.until_window("入夜");
    for seat in [9, 10, 11] {
        table.order(rule(Ruling::PutOut(at(seat))));
    }
    table.must(rules::Act::Surrender { seat: at(9) });
}

/// A bait that counts no more lets the pack go, and the pack hears of it (M10).
#[test]
fn a_red_card_takes_the_bait_away() {
    let mut table = table("slow");
    let choice = rules::Act::Use {
        seat: at(13),
        skill: table.skill("模式选择"),
        words: vec![rules::Word::Skill(table.skill("诱饵图腾"))],
    };
    table.must(choice);
    table.until_window("入夜");
    table.sends(13, "诱饵图腾", &[5]);
    let told = table.order(red_card(13));
    assert!(told.iter().any(|n| n.key == "decoy/free"), "{told:?}");
}

/// G14: cards for idling count like the others.
#[test]
fn two_red_cards_by_idling_are_reported() {
    let mut table = table("slow");
    table.order(red_card(5));
    table.until(PhaseKind::Day);
    for colour in [Colour::Yellow, Colour::Yellow] {
        table.order(Order::Card {
            seat: at(6),
            colour,
            reason: String::new(),
        });
    }
    let (turn, at) = table.game.deadline().expect("a door-close");
    table.now = at;
    table.must(rules::Act::Clock { turn });
    let thread = table.game.awaits_book().expect("a book is awaited");
    let book = sim::table::book(&[]);
    let told = table.must(rules::Act::BookClosed { thread, book });
    assert!(told.iter().any(|n| n.key == "director/two-red-cards"));
}

/// A slip of the director's that is taken back costs nobody the win.
#[test]
fn a_faction_brought_back_can_win_again() {
    let mut table = table("slow");
    table.until(PhaseKind::Day);
    for seat in [10, 11] {
        table.order(rule(Ruling::PutOut(at(seat))));
    }
    table.order(rule(Ruling::PutOut(at(9))));
    table.order(rule(Ruling::BringBack(at(9))));
    for seat in [5, 6, 7, 8] {
        table.order(rule(Ruling::PutOut(at(seat))));
    }
    let wolves = table.game.board().faction("狼人阵营").expect("a faction");
    assert!(
        matches!(table.game.ending(), Some(rules::Ending::Won { factions, .. }) if *factions == [wolves])
    );
}

/// What the public sees from now until the window of this name: notices with their times, and
/// the end of the window that is open.
fn seen_until(table: &mut Table, window: &str) -> Vec<(rules::Time, rules::Notice)> {
    let window = table.game.board().window(window).expect("a window");
    let mut seen = Vec::new();
    while table.game.window() != Some(window) {
        let told = table.close();
        let public = told.into_iter().filter(|n| n.to == rules::Audience::Public);
        seen.extend(public.map(|n| (table.now, n)));
    }
    seen
}

/// M2 gives a reaction that is asked late its time. Nobody else may see that it was asked: by
/// night nothing moves, at dusk the end moves for every shot.
#[test]
fn a_reaction_that_is_asked_late_does_not_show() {
    let play = |kind: PhaseKind, target: u8| {
        let mut table = table("slow");
        if kind == PhaseKind::Dawn {
            table.until_window("入夜");
            table.sends(9, "杀人", &[3]);
            table.until(PhaseKind::Dawn);
        } else {
            table.until(PhaseKind::Day);
            table.close_with(&[(1, 3)]);
        }
        table.now = table.game.window_ends().expect("an end").plus_minutes(-10);
        table.sends(3, "最后一枪", &[target]);
        let ends = table.game.window_ends();
        let asked = !table.game.offers(at(target)).is_empty();
        let left = table.game.deadline().map(|(_, end)| end.since(table.now));
        let next = if kind == PhaseKind::Dawn {
            "竞选"
        } else {
            "入夜"
        };
        (asked, left, (ends, seen_until(&mut table, next)))
    };
    for kind in [PhaseKind::Dawn, PhaseKind::Dusk] {
        let (asked, left, seen) = play(kind, 9);
        assert!(asked, "the wolf king may shoot");
        assert_eq!(left, Some(15 * 60_000));
        let (asked, _, other) = play(kind, 5);
        assert!(!asked);
        assert_eq!(seen, other, "{}", kind.word());
    }
}

/// A seat that a ruling has turned does not learn whose side it is on by a surrender, nor does
/// the pack learn of it.
#[test]
fn a_turned_seat_takes_no_part_in_a_surrender() {
    let mut table = table("slow");
    let wolves = table.game.board().faction("狼人阵营").expect("a faction");
    table.order(rule(Ruling::Faction(at(5), wolves)));
    table
        .act(rules::Act::Surrender { seat: at(5) })
        .expect_err("it was dealt into the village");
    for seat in [9, 10] {
        table.must(rules::Act::Surrender { seat: at(seat) });
    }
    let told = table.must(rules::Act::AgreeSurrender { seat: at(11) });
    assert!(told.iter().any(|n| n.key == "surrender/done"));
}
