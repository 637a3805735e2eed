//! The life of one bot: read what is new, wish, wait, do.

use std::sync::Arc;

use protocol::UserId;
use tokio::sync::watch;

use super::tempo::Tempo;
use super::wish::{Brain, Deed, Rooms, Wish};
use crate::hall::{Draft, Hall, Ring, Trouble};
use crate::world::{Change, GroupChange, Pace};

/// How many lines are read at once.
const PAGE: usize = 500;

/// Lives until the brain is done (true) or the world is not there any more (false).
pub(super) async fn live(
    hall: &Arc<Hall>,
    user: UserId,
    mut brain: Box<dyn Brain>,
    mut pace: watch::Receiver<Pace>,
    speed: f64,
) -> bool {
    let mut bell = hall.listen(user);
    let mut read_upto = 0;
    let mut seen: Option<Ring> = None;
    loop {
        let ring = *bell.borrow_and_update();
        if seen.is_none_or(|seen| seen.changes != ring.changes) {
            match rooms(hall, user).await {
                Ok(rooms) => brain.look(&rooms),
                Err(trouble) => return lost(user, &trouble),
            }
        }
        seen = Some(ring);
        match read(hall, user, read_upto, brain.as_mut()).await {
            Ok(upto) => read_upto = upto,
            Err(trouble) => return lost(user, &trouble),
        }
        if brain.is_done() {
            return true;
        }
        let next = brain.wishes().into_iter().min_by_key(|wish| wish.due_ms);
        if let Some(wish) = next.as_ref().filter(|wish| wish.due_ms <= hall.now().0) {
            brain.tried(&wish.key);
            fulfil(hall, user, wish).await;
            continue;
        }
        tokio::select! {
            heard = bell.changed() => if heard.is_err() { return false },
            () = until(hall, next.as_ref()) => {}
            changed = pace.changed() => {
                if changed.is_err() {
                    return false;
                }
                brain.set_tempo(Tempo::new(*pace.borrow_and_update(), speed));
            }
        }
    }
}

async fn until(hall: &Hall, wish: Option<&Wish>) {
    match wish {
        Some(wish) => hall.sleep_until(rules::Time(wish.due_ms)).await,
        None => std::future::pending().await,
    }
}

async fn rooms(hall: &Hall, user: UserId) -> Result<Rooms, Trouble> {
    hall.world(|world| {
        let inside = world.groups_seen(user).filter(|(_, group)| group.has(user));
        inside.map(|(id, _)| id).collect()
    })
    .await
}

async fn read(
    hall: &Hall,
    user: UserId,
    mut after: u64,
    brain: &mut dyn Brain,
) -> Result<u64, Trouble> {
    loop {
        let page = hall.lines(user, after, PAGE).await?;
        for line in &page.list {
            brain.hear(line);
        }
        after = page.next;
        if !page.more {
            return Ok(after);
        }
    }
}

/// Does it. What the world refuses comes to nothing, as it does for people.
async fn fulfil(hall: &Arc<Hall>, user: UserId, wish: &Wish) {
    let outcome = match &wish.deed {
        Deed::Say {
            scene,
            text,
            reply_to,
        } => {
            let draft = Draft {
                reply_to: *reply_to,
                ..Draft::text(text.clone())
            };
            hall.say(user, *scene, draft).await.map(drop)
        }
        Deed::Join { group } => {
            let change = GroupChange::Join {
                user,
                comment: String::new(),
            };
            hall.change(Change::InGroup {
                group: *group,
                change,
            })
            .await
            .map(drop)
        }
    };
    if let Err(trouble) = outcome {
        tracing::debug!(%user, %trouble, "a bot could not do what it wanted");
    }
}

fn lost(user: UserId, trouble: &Trouble) -> bool {
    tracing::warn!(%user, %trouble, "a bot has lost sight of its chats");
    false
}
