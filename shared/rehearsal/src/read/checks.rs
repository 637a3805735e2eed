//! Steps that check something.

use crate::script::{Check, Trait, Win};
use crate::unreadable::Wrong;
use crate::yaml::{Node, Shape};

use super::names::{Known, flag};

/// The words that begin a check.
pub(super) const KEYS: &[&str] = &[
    "out",
    "out_order",
    "standing",
    "told",
    "untold",
    "public",
    "not_public",
    "has",
    "lacks",
    "is",
    "can",
    "cannot",
    "range",
    "left",
    "tally",
    "group",
    "win",
    "winners",
];

/// Reads a check; `None`: the key begins none.
pub(super) fn read(key: &str, node: &Node, known: &Known) -> Option<Result<Check, Wrong>> {
    let texts = |node: &Node| node.texts("a text");
    Some(match key {
        "out" => known.seats(node).map(Check::Out),
        "out_order" => known.order(node).map(Check::OutOrder),
        "standing" => known.seats(node).map(Check::Standing),
        "told" => known.by_seat(node, texts).map(Check::Told),
        "untold" => known.by_seat(node, texts).map(Check::Untold),
        "public" => texts(node).map(Check::Public),
        "not_public" => texts(node).map(Check::NotPublic),
        "has" => known.by_seat(node, |n| known.features(n)).map(Check::Has),
        "lacks" => known.by_seat(node, |n| known.features(n)).map(Check::Lacks),
        "is" => known.by_seat(node, |n| traits(n, known)).map(Check::Is),
        "can" => known.by_seat(node, |n| known.skills(n)).map(Check::Can),
        "cannot" => known.by_seat(node, |n| known.skills(n)).map(Check::Cannot),
        "range" => known
            .by_seat(node, |n| known.by_skill(n, |n| known.seats(n)))
            .map(Check::Range),
        "left" => known
            .by_seat(node, |n| known.by_skill(n, uses))
            .map(Check::Left),
        "tally" => tally(node, known).map(Check::Tally),
        "group" => groups(node, known).map(Check::Group),
        "win" => win(node, known).map(Check::Win),
        "winners" => known.seats(node).map(Check::Winners),
        _ => return None,
    })
}

fn traits(node: &Node, known: &Known) -> Result<Vec<Trait>, Wrong> {
    let one = |(key, node): &(String, Node)| {
        Ok(match key.as_str() {
            "faction" => Trait::Faction(known.faction(node)?),
            "role" => Trait::Role(known.role(node)?),
            "face_faction" => Trait::FaceFaction(known.faction(node)?),
            "face_role" => Trait::FaceRole(known.role(node)?),
            "armed" => Trait::Armed(flag(node)?),
            _ => {
                return Err(node.wrong(format!(
                    "a seat has faction, role, face_faction, face_role and armed, no {key:?}"
                )));
            }
        })
    };
    node.map("is, for a seat,")?.iter().map(one).collect()
}

fn uses(node: &Node) -> Result<u32, Wrong> {
    let text = node.text("a number of uses")?;
    text.parse()
        .map_err(|_| node.wrong(format!("{text:?} is no number of uses")))
}

/// Weights in hundredths of a vote, in seat order.
fn tally(node: &Node, known: &Known) -> Result<Vec<(rules::SeatId, i32)>, Wrong> {
    let mut tally = known.by_seat(node, weight)?;
    tally.retain(|(_, weight)| *weight > 0);
    tally.sort_unstable();
    Ok(tally)
}

fn weight(node: &Node) -> Result<i32, Wrong> {
    let text = node.text("a weight")?;
    let wrong = || node.wrong(format!("{text:?} is no weight such as 2 or 2.5"));
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    if ![whole, part]
        .iter()
        .all(|p| p.bytes().all(|b| b.is_ascii_digit()))
    {
        return Err(wrong());
    }
    let hundredths = match part.len() {
        1 => part.parse::<u8>().map(|tenths| i32::from(tenths) * 10),
        2 => part.parse::<u8>().map(i32::from),
        _ => return Err(wrong()),
    };
    let whole: u16 = whole.parse().map_err(|_| wrong())?;
    Ok(i32::from(whole) * 100 + hundredths.map_err(|_| wrong())?)
}

fn groups(node: &Node, known: &Known) -> Result<Vec<(rules::GroupId, rules::SeatSet)>, Wrong> {
    node.map("group")?
        .iter()
        .map(|(name, node)| Ok((known.group(name, node)?, known.seats(node)?)))
        .collect()
}

fn win(node: &Node, known: &Known) -> Result<Win, Wrong> {
    match &node.shape {
        Shape::Text(text) if text == "none" => Ok(Win::GoesOn),
        Shape::Text(text) if text == "平局" => Ok(Win::Draw),
        _ => {
            let factions: Result<Vec<_>, _> = node
                .one_or_more()
                .iter()
                .map(|node| known.faction(node))
                .collect();
            let mut factions = factions?;
            if factions.is_empty() {
                return Err(node.wrong("name who won, or none, or 平局"));
            }
            factions.sort_unstable();
            factions.dedup();
            Ok(Win::Factions(factions))
        }
    }
}
