//! New lines of chat: by asking, by asking and waiting, or as a stream.

use std::convert::Infallible;
use std::fmt::Write;
use std::time::Duration;

use actix_web::web::{Bytes, Data, Path, Query};
use actix_web::{HttpRequest, HttpResponse};
use futures::Stream;
use futures::stream::unfold;
use protocol::UserId;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::error::ApiError;
use crate::Playground;
use crate::hall::{Lines, Ring, Trouble};

/// How many lines one answer has at most.
const LIMIT: usize = 1_000;
/// How long an answer waits for new lines at most.
const LONGEST_WAIT_MS: u64 = 60_000;
/// How often a silent stream says that it lives.
const PULSE: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    after: u64,
    limit: Option<usize>,
    #[serde(default)]
    wait_ms: u64,
}

/// `GET /users/{id}/chats`: the lines after a place, oldest first; with `wait_ms` it waits that
/// long for one. `next` is what to ask for next.
pub(super) async fn chats(
    playground: Data<Playground>,
    id: Path<u64>,
    asked: Query<Asked>,
) -> Result<HttpResponse, ApiError> {
    let user = UserId(id.into_inner());
    let limit = asked.limit.unwrap_or(LIMIT).clamp(1, LIMIT);
    let patience = Duration::from_millis(asked.wait_ms.min(LONGEST_WAIT_MS));
    let lines = first_lines(&playground, user, asked.after, limit, patience).await?;
    Ok(HttpResponse::Ok().json(json!({
        "chats": lines.list, "next": lines.next, "more": lines.more,
    })))
}

async fn first_lines(
    playground: &Playground,
    user: UserId,
    after: u64,
    limit: usize,
    patience: Duration,
) -> Result<Lines, Trouble> {
    let hall = playground.hall();
    let mut bell = hall.listen(user);
    let deadline = tokio::time::Instant::now() + patience;
    loop {
        bell.mark_unchanged();
        let lines = hall.lines(user, after, limit).await?;
        if !lines.list.is_empty() {
            return Ok(lines);
        }
        let heard = tokio::select! {
            heard = bell.changed() => heard.is_ok(),
            () = tokio::time::sleep_until(deadline) => false,
            () = playground.stopping().cancelled() => false,
        };
        if !heard {
            return Ok(lines);
        }
    }
}

/// `GET /users/{id}/stream`: server-sent events. `line` for each line, and again for a line that
/// was taken back or reacted to; `changed` when a group, a card or a request has changed. A
/// browser that comes back goes on where it was.
pub(super) async fn stream(
    playground: Data<Playground>,
    id: Path<u64>,
    asked: Query<Asked>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let user = UserId(id.into_inner());
    let hall = playground.hall();
    // A stranger is told so at once, not in the stream.
    hall.lines(user, u64::MAX, 1).await?;
    let last = request
        .headers()
        .get("last-event-id")
        .and_then(|id| id.to_str().ok()?.parse().ok());
    let listener = Listener {
        playground: playground.get_ref().clone(),
        user,
        after: last.unwrap_or(asked.after),
        bell: hall.listen(user),
        edits_after: hall.horizon(),
        changes: None,
        stop: playground.stopping().clone(),
    };
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream; charset=utf-8")
        .insert_header(("cache-control", "no-store"))
        .streaming(events(listener)))
}

struct Listener {
    playground: Playground,
    user: UserId,
    after: u64,
    edits_after: u64,
    bell: watch::Receiver<Ring>,
    changes: Option<u64>,
    stop: CancellationToken,
}

fn events(listener: Listener) -> impl Stream<Item = Result<Bytes, Infallible>> {
    unfold(listener, |mut listener| async move {
        let chunk = listener.next().await?;
        Some((Ok(Bytes::from(chunk)), listener))
    })
}

impl Listener {
    /// What comes next; `None` when the stream is over.
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.stop.is_cancelled() {
                return None;
            }
            let ring = *self.bell.borrow_and_update();
            let hall = self.playground.hall();
            let horizon = hall.horizon();
            let lines = hall.lines(self.user, self.after, LIMIT).await.ok()?;
            let edits = hall.edits(self.user, self.edits_after).await.ok()?;
            self.edits_after = horizon;
            self.after = lines.next;
            let first = self.changes.is_none();
            let changed = self
                .changes
                .replace(ring.changes)
                .is_some_and(|old| old != ring.changes);
            let mut chunk = String::new();
            if first {
                chunk.push_str("retry: 1000\n\n");
            }
            for line in &lines.list {
                let data = serde_json::to_string(line).ok()?;
                write!(chunk, "id: {}\nevent: line\ndata: {data}\n\n", line.seq).ok()?;
            }
            // An edit has no id: a browser that comes back goes on from the newest line.
            for line in &edits {
                let data = serde_json::to_string(line).ok()?;
                write!(chunk, "event: line\ndata: {data}\n\n").ok()?;
            }
            if changed {
                chunk.push_str("event: changed\ndata: {}\n\n");
            }
            if !chunk.is_empty() {
                return Some(chunk);
            }
            tokio::select! {
                heard = self.bell.changed() => heard.ok()?,
                () = tokio::time::sleep(PULSE) => return Some(": ♪\n\n".to_owned()),
                () = self.stop.cancelled() => return None,
            }
        }
    }
}
