//! Redirects, swaps, mirrors and veils (G10, V27).

use rules::board::{Harm, Redirect, SeatCount, StateDef};
use rules::{Arg, Notice, PhaseKind};
use sim::Table;

use crate::board::Toy;
use crate::skills::{Lay, Peek, Strike, Swap, until};

fn redirect(redirect: Redirect) -> StateDef {
    StateDef {
        redirect: Some(redirect),
        ..StateDef::default()
    }
}

/// Where the one peek of these notices ended, by numbers.
fn peeked(told: &[Notice]) -> Option<Vec<u16>> {
    told.iter()
        .find(|n| n.key == "toy/peek")
        .and_then(|n| n.args.first())
        .and_then(|(_, arg)| match arg {
            Arg::Order(seats) => Some(seats.iter().map(|s| s.number()).collect()),
            _ => None,
        })
}

fn two(def: &mut rules::board::SkillDef) {
    def.seats = SeatCount::exactly(2);
}

/// A board with 逆流 (back to the user), 交换 (two seats), 反射 (a random seat) and 窥视.
fn redirects() -> Toy {
    let mut toy = Toy::new();
    let dawn = Some(until(&[PhaseKind::Dawn]));
    let back = toy.state("逆流", &redirect(Redirect::Back));
    let swap = toy.state("交换", &redirect(Redirect::Partner));
    let mirror = toy.state("反射", &redirect(Redirect::Random));
    toy.skill("逆流", Lay(back, dawn));
    toy.skill_with("交换", Swap(swap), two);
    toy.skill("反射", Lay(mirror, dawn));
    toy.skill("窥视", Peek);
    toy
}

const ROLES: [&str; 6] = ["逆流", "交换", "反射", "窥视", "平民", "平民"];

fn night(toy: Toy, dice: &[&str]) -> Table {
    let mut table = toy.deal_with_dice(&ROLES, dice);
    table.until_window("早夜");
    table
}

#[test]
fn a_ball_is_thrown_back_to_whoever_used_the_skill() {
    let mut table = night(redirects(), &[]);
    table.sends(4, "窥视", &[5]);
    table.sends(1, "逆流", &[5]);
    assert_eq!(peeked(&table.close()), Some(vec![4]));
}

#[test]
fn two_seats_change_places() {
    let mut table = night(redirects(), &[]);
    table.sends(2, "交换", &[5, 6]);
    table.sends(4, "窥视", &[6]);
    assert_eq!(peeked(&table.close()), Some(vec![5]));
}

#[test]
fn a_mirror_throws_at_a_random_seat() {
    let mut table = night(redirects(), &["2"]);
    table.sends(3, "反射", &[5]);
    table.sends(4, "窥视", &[5]);
    assert_eq!(peeked(&table.close()), Some(vec![2]));
    assert_eq!(table.game.bad_force(), None);
}

/// Time reversal, then swap, then mirror: each is asked once, for the seat that the ball is at
/// then. 5 throws back to 4, whose place is 6's, who has no mirror.
#[test]
fn the_chain_asks_each_step_once_where_the_ball_is() {
    let mut table = night(redirects(), &[]);
    table.sends(1, "逆流", &[5]);
    table.sends(2, "交换", &[4, 6]);
    table.sends(3, "反射", &[5]);
    table.sends(4, "窥视", &[5]);
    assert_eq!(peeked(&table.close()), Some(vec![6]));
}

#[test]
fn redirects_end_with_the_night() {
    let mut table = night(redirects(), &[]);
    table.sends(1, "逆流", &[5]);
    table.until_window("晨曦");
    table.until_window("早夜");
    table.sends(4, "窥视", &[5]);
    assert_eq!(peeked(&table.close()), Some(vec![5]));
}

/// V27: nothing is settled on a veiled seat, and the use is spent all the same.
#[test]
fn a_veil_stops_a_targeted_skill() {
    let mut toy = Toy::new();
    let veil = toy.state(
        "隐身",
        &StateDef {
            veils: true,
            ..StateDef::default()
        },
    );
    toy.skill("隐身", Lay(veil, Some(until(&[PhaseKind::Dawn]))));
    toy.skill("窥视", Peek);
    let once = |def: &mut rules::board::SkillDef| def.uses = Some(1);
    toy.skill_with("刀", Strike(Harm::Strike), once);
    let mut table = toy.deal(&["隐身", "窥视", "刀", "平民"]);
    table.until_window("早夜");
    table.sends(1, "隐身", &[4]);
    table.sends(2, "窥视", &[4]);
    table.sends(3, "刀", &[4]);
    assert_eq!(peeked(&table.close()), Some(vec![]));
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [0; 0]);
    table.until_window("早夜");
    table.send(3, "刀", &[4]).expect_err("it is spent");
}

/// Of two balls one ends at a veiled seat: the other is still known by the seat that was chosen.
#[test]
fn a_veil_takes_its_own_ball_only() {
    let mut toy = Toy::new();
    let dawn = Some(until(&[PhaseKind::Dawn]));
    let veil = toy.state(
        "隐身",
        &StateDef {
            veils: true,
            ..StateDef::default()
        },
    );
    toy.skill("隐身", Lay(veil, dawn));
    toy.skill_with("双视", Peek, two);
    let mut table = toy.deal(&["隐身", "双视", "平民", "平民"]);
    table.until_window("早夜");
    table.sends(1, "隐身", &[3]);
    table.sends(2, "双视", &[3, 4]);
    let told = table.close();
    let peek = told.iter().find(|n| n.key == "toy/peek");
    let four = Arg::Order(vec![sim::table::at(4)]);
    let args: Vec<&Arg> = peek
        .into_iter()
        .flat_map(|n| n.args.iter().map(|(_, arg)| arg))
        .collect();
    assert_eq!(args, [&four, &four]);
}
