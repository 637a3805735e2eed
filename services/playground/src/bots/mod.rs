//! Bots: they fill the seats of visitors' tables that nobody has taken. Each reads only its own
//! chats, as a person would, and types what a person would type.

mod choose;
mod dice;
mod director;
mod player;
mod reading;
mod run;
mod talk;
mod tempo;
mod wish;

use std::collections::HashMap;
use std::sync::Arc;

use protocol::{ChatGroup, UserId};
use rules::Time;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::hall::Hall;
use crate::world::{Cast, Change, Pace, Table};

use director::Director;
use player::{Part, Player, Seat};
use tempo::Tempo;
use wish::Brain;

/// The bots of one table.
struct Troupe {
    pace: watch::Sender<Pace>,
    /// They go home when this is dropped.
    _tasks: JoinSet<()>,
}

/// Has bots play at every open table, until it is told to stop.
pub(crate) async fn run(hall: &Arc<Hall>, speed: f64, stop: &CancellationToken) {
    let mut changed = hall.listen_for_tables();
    let mut troupes: HashMap<String, Troupe> = HashMap::new();
    loop {
        changed.mark_unchanged();
        match open_tables(hall).await {
            Ok(tables) => {
                troupes.retain(|token, _| tables.iter().any(|(open, _)| open == token));
                for (token, table) in tables {
                    let troupe = troupes
                        .entry(token.clone())
                        .or_insert_with(|| gather(hall, &token, &table, speed));
                    troupe
                        .pace
                        .send_if_modified(|pace| std::mem::replace(pace, table.pace) != table.pace);
                }
            }
            Err(trouble) => tracing::warn!(%trouble, "the bots cannot see their tables"),
        }
        tokio::select! {
            heard = changed.changed() => if heard.is_err() { return },
            () = stop.cancelled() => return,
        }
    }
}

async fn open_tables(hall: &Arc<Hall>) -> Result<Vec<(String, Table)>, crate::hall::Trouble> {
    hall.world(|world| {
        world
            .tables()
            .map(|(token, table)| (token.to_owned(), table.clone()))
            .collect()
    })
    .await
}

/// Sends everybody to the table.
fn gather(hall: &Arc<Hall>, token: &str, table: &Table, speed: f64) -> Troupe {
    let pace = watch::Sender::new(table.pace);
    let mut tasks = JoinSet::new();
    let tempo = Tempo::new(table.pace, speed);
    for seat in &table.seats {
        let (hall, table, seat, pace) = (Arc::clone(hall), table.clone(), *seat, pace.subscribe());
        tasks.spawn(async move {
            let Ok(alias) = hall
                .world(|world| world.shown_name(None, seat).to_owned())
                .await
            else {
                return;
            };
            let sits = Seat {
                user: seat,
                alias,
                square: table.square,
                bot: hall.bot(),
            };
            let player = Player::new(sits, part(&table, seat), table.seed, tempo);
            run::live(&hall, seat, Box::new(player), pace, speed).await;
        });
    }
    tasks.spawn(direct(
        Arc::clone(hall),
        token.to_owned(),
        table.clone(),
        pace.subscribe(),
        speed,
    ));
    Troupe {
        pace,
        _tasks: tasks,
    }
}

fn part(table: &Table, seat: UserId) -> Part {
    let plays = table.cast == Cast::Bots && Some(seat) != table.visitor;
    if plays { Part::Plays } else { Part::SignsUp }
}

/// Directs a table to its end, then clears it.
async fn direct(
    hall: Arc<Hall>,
    token: String,
    table: Table,
    pace: watch::Receiver<Pace>,
    speed: f64,
) {
    let Time(laid_ms) = table.opened;
    let square: ChatGroup = table.square;
    let tempo = Tempo::new(table.pace, speed);
    let director = Director::new(
        table.director,
        hall.bot(),
        square,
        table.pace,
        laid_ms,
        tempo,
    );
    let brain: Box<dyn Brain> = Box::new(director);
    if run::live(&hall, table.director, brain, pace, speed).await
        && let Err(trouble) = hall.change(Change::Rise { token }).await
    {
        tracing::warn!(%trouble, "a table could not be cleared");
    }
}
