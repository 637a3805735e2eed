//! Laying a table: the people, the square, and what was there before anybody came.

use std::sync::Arc;

use protocol::{ChatGroup, UserId};

use crate::account;
use crate::hall::{Hall, Trouble};
use crate::world::{
    Cast, Change, Door, Founding, Happening, Newcomer, Pace, Person, Refusal, Table,
};

/// How many play a game of m158.
pub(crate) const SEATS: usize = 14;

/// The longest name of a visitor, in characters.
pub(crate) const NAME_LIMIT: usize = 8;

/// What a visitor is called who gives no name.
pub(crate) const DEFAULT_NAME: &str = "旅人";

/// Those whom bots play, unless the visitor is called the same.
const CAST: [&str; 20] = [
    "阿岚",
    "白泽",
    "苍耳",
    "丁香",
    "鹅黄",
    "风信子",
    "谷雨",
    "海棠",
    "惊蛰",
    "空山",
    "老茶",
    "木鱼",
    "南星",
    "藕荷",
    "蒲公英",
    "青团",
    "若水",
    "石榴",
    "听雪",
    "乌梅",
];

/// What a visitor wants.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// The visitor's name; `None`: the visitor only looks on.
    pub(crate) visitor: Option<String>,
    /// How fast.
    pub(crate) pace: Pace,
    /// Who plays the other seats.
    pub(crate) cast: Cast,
    /// Decides what the bots choose.
    pub(crate) seed: u64,
}

/// Makes the directors and the pool of groups, where they are not there yet.
pub(crate) async fn furnish(hall: &Arc<Hall>) -> Result<(), Trouble> {
    let (missing_people, missing_groups) = hall
        .world(|world| {
            let people: Vec<UserId> = account::directors()
                .filter(|id| world.person(*id).is_none())
                .collect();
            let groups: Vec<ChatGroup> = account::pool()
                .filter(|id| world.group(*id).is_none())
                .collect();
            (people, groups)
        })
        .await?;
    if !missing_people.is_empty() {
        let people = missing_people.into_iter().map(|id| Newcomer {
            id: Some(id),
            person: Person {
                nickname: "导演".to_owned(),
                friend: true,
            },
        });
        hall.change(Change::Register {
            people: people.collect(),
        })
        .await?;
    }
    if !missing_groups.is_empty() {
        let foundings = missing_groups.into_iter().map(|id| Founding {
            id: Some(id),
            name: format!("备用群{id}"),
            owner: hall.bot(),
            admins: Vec::new(),
            members: Vec::new(),
            door: Door::Ask,
        });
        hall.change(Change::Found(foundings.collect())).await?;
    }
    Ok(())
}

/// Lays a table for a visitor's session. One at a time: two would be given the same director.
pub(crate) async fn lay(hall: &Arc<Hall>, token: &str, order: Order) -> Result<Table, Trouble> {
    let director = free_director(hall).await?;
    let visitor = order.visitor.as_deref();
    let bots = if visitor.is_some() { SEATS - 1 } else { SEATS };
    let names = cast(order.seed, visitor)
        .take(bots)
        .chain(visitor.map(str::to_owned));
    let people = names
        .map(|nickname| Newcomer {
            id: None,
            person: Person {
                nickname,
                friend: true,
            },
        })
        .collect();
    let happenings = hall.change(Change::Register { people }).await?;
    let seats: Vec<UserId> = happenings
        .into_iter()
        .flat_map(|happening| match happening {
            Happening::Made { people, .. } => people,
            _ => Vec::new(),
        })
        .collect();
    let square = found_square(hall, director, &seats).await?;
    let table = Table {
        square,
        director,
        visitor: visitor.and(seats.last().copied()),
        seats,
        seed: order.seed,
        pace: order.pace,
        cast: order.cast,
        opened: hall.now(),
        over: false,
    };
    hall.change(Change::Seat {
        token: token.to_owned(),
        table: table.clone(),
    })
    .await?;
    Ok(table)
}

/// A director with no open table.
async fn free_director(hall: &Arc<Hall>) -> Result<UserId, Trouble> {
    let free = hall
        .world(|world| {
            let busy: Vec<UserId> = world.tables().map(|(_, table)| table.director).collect();
            account::directors().find(|director| !busy.contains(director))
        })
        .await?;
    Ok(free.ok_or(Refusal::HouseFull)?)
}

async fn found_square(
    hall: &Arc<Hall>,
    director: UserId,
    seats: &[UserId],
) -> Result<ChatGroup, Trouble> {
    let founding = Founding {
        id: None,
        name: "鸣潮广场".to_owned(),
        owner: director,
        admins: vec![hall.bot()],
        members: seats.to_vec(),
        door: Door::Open,
    };
    let happenings = hall.change(Change::Found(vec![founding])).await?;
    let square = happenings
        .into_iter()
        .find_map(|happening| match happening {
            Happening::Made { groups, .. } => groups.first().copied(),
            _ => None,
        });
    Ok(square.ok_or(Refusal::HouseFull)?)
}

/// The names for a table, in an order that the seed decides.
fn cast(seed: u64, visitor: Option<&str>) -> impl Iterator<Item = String> + use<> {
    let start = usize::try_from(seed % CAST.len() as u64).unwrap_or(0);
    let taken = visitor.map(str::to_owned);
    (0..CAST.len())
        .map(move |nth| CAST[(start + nth * 7) % CAST.len()].to_owned())
        .filter(move |name| Some(name) != taken.as_ref())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_differ_from_each_other_and_from_the_visitor() {
        for seed in 0..40 {
            let names: BTreeSet<String> = cast(seed, Some("海棠")).take(SEATS - 1).collect();
            assert_eq!(names.len(), SEATS - 1);
            assert!(!names.contains("海棠"));
        }
    }
}
