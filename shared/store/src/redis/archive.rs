//! Aggregates whose story is over, made small: a list whose first piece is the snapshot and whose
//! others are the journal, a fixed number of entries each, compressed.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::read::{self, journal_is_corrupt};
use super::{keys::Keys, link::Link, scripts::RETIRE};
use crate::{AggregateKey, StoreError, Stored};

/// How many journal entries make a piece.
const PIECE: usize = 256;

/// Puts an aggregate away that is at this version.
pub(super) async fn retire(
    link: &Link,
    keys: &Keys,
    aggregate: &AggregateKey,
    version: u64,
) -> Result<bool, StoreError> {
    let loaded = link
        .call(async |c| read::load(c, keys, aggregate).await)
        .await?;
    if version == 0 || loaded.0 != version {
        return Ok(false);
    }
    if loaded.1.is_some() {
        return Ok(true);
    }
    // The journal up to this version does not change any more, so it may be read in pieces.
    let snapshot = read::stored(aggregate, loaded)?.snapshot;
    let mut pieces = vec![pack_snapshot(snapshot.as_ref())];
    let mut after = 0;
    while after < version {
        let entries = link
            .call(async |c| read::stream(c, keys.journal(aggregate), after, PIECE).await)
            .await?;
        let entries = read::entries_of(aggregate, entries)?;
        let until = (after + PIECE as u64).min(version);
        let in_order = entries.iter().map(|(at, _)| *at).eq(after + 1..=until);
        if !in_order {
            let why = format!("versions {} to {until} are not all there", after + 1);
            return Err(journal_is_corrupt(aggregate, why));
        }
        pieces.push(pack(entries.iter().map(|(_, entry)| entry.as_slice())));
        after = until;
    }
    let shard = aggregate.shard();
    let retired: u8 = link
        .call(async |connection| {
            let mut script = RETIRE.prepare_invoke();
            script
                .key(keys.state(aggregate))
                .key(keys.journal(aggregate))
                .key(keys.handled(aggregate))
                .key(keys.due(shard))
                .key(keys.index(aggregate.service, shard))
                .key(keys.archive(aggregate))
                .arg(version)
                .arg(&aggregate.key);
            for piece in &pieces {
                script.arg(piece);
            }
            script.invoke_async(connection).await
        })
        .await?;
    Ok(retired == 1)
}

/// A retired aggregate as it was kept before.
pub(super) async fn load(
    link: &Link,
    keys: &Keys,
    aggregate: &AggregateKey,
    version: u64,
) -> Result<Stored, StoreError> {
    let pieces = pieces(link, keys, aggregate, 0, 0).await?;
    let snapshot = match pieces.first() {
        Some(piece) => unpack_snapshot(aggregate, piece)?,
        None => {
            return Err(journal_is_corrupt(
                aggregate,
                "it has no archive".to_owned(),
            ));
        }
    };
    let from = snapshot.as_ref().map_or(0, |(at, _)| *at);
    let entries = journal(link, keys, aggregate, from, usize::MAX).await?;
    if !entries.iter().map(|(at, _)| *at).eq(from + 1..=version) {
        return Err(journal_is_corrupt(
            aggregate,
            format!("its archive after version {from} does not make version {version}"),
        ));
    }
    Ok(Stored {
        version,
        snapshot,
        entries: entries.into_iter().map(|(_, entry)| entry).collect(),
    })
}

/// Journal entries of a retired aggregate.
pub(super) async fn journal(
    link: &Link,
    keys: &Keys,
    aggregate: &AggregateKey,
    after: u64,
    limit: usize,
) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let piece = PIECE as u64;
    let first = after / piece;
    let last = after.saturating_add(limit as u64 - 1) / piece;
    // The snapshot is before them.
    let pieces = pieces(link, keys, aggregate, first + 1, last.saturating_add(1)).await?;
    let mut entries = Vec::new();
    for (nth, bytes) in (first..).zip(&pieces) {
        let versions = nth * piece + 1..;
        entries.extend(versions.zip(unpack(aggregate, bytes)?));
    }
    let wanted = |(version, _): &(u64, Vec<u8>)| *version > after;
    Ok(entries.into_iter().filter(wanted).take(limit).collect())
}

async fn pieces(
    link: &Link,
    keys: &Keys,
    aggregate: &AggregateKey,
    first: u64,
    last: u64,
) -> Result<Vec<Vec<u8>>, StoreError> {
    let last = i64::try_from(last).unwrap_or(i64::MAX);
    let mut range = redis::cmd("LRANGE");
    range.arg(keys.archive(aggregate)).arg(first).arg(last);
    link.call(async |c| read::ask(c, &mut range).await).await
}

/// Several texts as one: each after its length, all of it compressed.
fn pack<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let write = || -> io::Result<Vec<u8>> {
        for text in texts {
            encoder.write_all(&(text.len() as u64).to_be_bytes())?;
            encoder.write_all(text)?;
        }
        encoder.try_finish()?;
        Ok(std::mem::take(encoder.get_mut()))
    };
    write().expect("writing into memory does not fail")
}

fn unpack(aggregate: &AggregateKey, piece: &[u8]) -> Result<Vec<Vec<u8>>, StoreError> {
    let unpack = || -> io::Result<Vec<Vec<u8>>> {
        let mut bytes = Vec::new();
        DeflateDecoder::new(piece).read_to_end(&mut bytes)?;
        let mut rest = bytes.as_slice();
        let mut texts = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk() {
            let length = usize::try_from(u64::from_be_bytes(*length)).unwrap_or(usize::MAX);
            let (text, after) = after
                .split_at_checked(length)
                .ok_or(io::ErrorKind::UnexpectedEof)?;
            texts.push(text.to_vec());
            rest = after;
        }
        Ok(texts)
    };
    unpack().map_err(|error| journal_is_corrupt(aggregate, format!("its archive: {error}")))
}

fn pack_snapshot(snapshot: Option<&(u64, Vec<u8>)>) -> Vec<u8> {
    match snapshot {
        Some((at, state)) => pack([at.to_be_bytes().as_slice(), state]),
        None => pack([]),
    }
}

fn unpack_snapshot(
    aggregate: &AggregateKey,
    piece: &[u8],
) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
    let mut texts = unpack(aggregate, piece)?.into_iter();
    match (texts.next(), texts.next()) {
        (None, _) => Ok(None),
        (Some(at), Some(state)) if at.len() == 8 => {
            let at = at.iter().fold(0, |at, byte| at << 8 | u64::from(*byte));
            Ok(Some((at, state)))
        }
        _ => Err(journal_is_corrupt(
            aggregate,
            "the snapshot in its archive cannot be read".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Service;

    #[test]
    fn what_is_packed_is_unpacked_and_garbage_is_told() {
        let game = AggregateKey {
            service: Service::Night,
            key: "7-1".to_owned(),
        };
        for texts in [
            vec![],
            vec![vec![]],
            vec![b"a".to_vec(), vec![], vec![0xff; 1_000]],
        ] {
            let packed = pack(texts.iter().map(Vec::as_slice));
            assert_eq!(unpack(&game, &packed).unwrap(), texts);
        }
        for snapshot in [None, Some((700, b"state".to_vec()))] {
            let packed = pack_snapshot(snapshot.as_ref());
            assert_eq!(unpack_snapshot(&game, &packed).unwrap(), snapshot);
        }
        let cut = pack([b"a long enough text".as_slice()]);
        assert!(unpack(&game, &cut[..cut.len() - 4]).is_err());
        assert!(unpack_snapshot(&game, &pack([b"x".as_slice()])).is_err());
    }
}
