//! Taking steps: what goes into the scripts that write, and what they answer.

use redis::{RedisResult, ScriptInvocation};

use super::keys::{Keys, due_member};
use super::link::Connection;
use super::scripts::COMMIT;
use crate::{Commit, Committed, StoreError};

/// Runs the script for a step. `from` is this process, as bells name it.
pub(super) async fn commit(
    connection: &mut Connection,
    keys: &Keys,
    commit: &Commit,
    from: &str,
) -> RedisResult<(String, u64)> {
    invocation(keys, commit, from)
        .invoke_async(connection)
        .await
}

/// Reads the script's answer.
pub(super) fn committed((what, version): (String, u64)) -> Result<Committed, StoreError> {
    match &*what {
        "done" => Ok(Committed::Done(version)),
        "repeat" => Ok(Committed::Repeat(version)),
        "conflict" => Ok(Committed::Conflict(version)),
        _ => Err(StoreError::Corrupt {
            place: "the answer to a commit".to_owned(),
            why: format!("{what:?} has no meaning"),
        }),
    }
}

fn invocation(keys: &Keys, commit: &Commit, from: &str) -> ScriptInvocation<'static> {
    let Commit {
        aggregate,
        expected,
        after,
        message,
        entry,
        snapshot,
        deadlines,
        outbox,
    } = commit;
    let (service, shard) = (aggregate.service, aggregate.shard());
    let mut script = COMMIT.prepare_invoke();
    script
        .key(keys.state(aggregate))
        .key(keys.journal(aggregate))
        .key(keys.handled(aggregate))
        .key(keys.outbox(service, shard))
        .key(keys.places(service, shard))
        .key(keys.due(shard))
        .key(keys.index(service, shard));
    let snapshot = snapshot
        .as_ref()
        .map(|state| [b"s", state.as_slice()].concat())
        .unwrap_or_default();
    script
        .arg(expected)
        .arg(&message.0)
        .arg(entry)
        .arg(&aggregate.key)
        .arg(keys.bells())
        .arg(format!("{from} {service} {}", shard.number()))
        .arg(snapshot)
        .arg(after.as_ref().map_or("", |after| &after.0));
    match deadlines {
        None => {
            script.arg(-1);
        }
        Some(deadlines) => {
            script.arg(deadlines.len());
            for deadline in deadlines {
                script.arg(due_member(aggregate, deadline));
            }
        }
    }
    for message in outbox {
        script
            .arg(&message.id.0)
            .arg(&message.trace)
            .arg(message.to.service.name())
            .arg(message.to.shard.number())
            .arg(&message.key)
            .arg(&message.body);
    }
    script
}
