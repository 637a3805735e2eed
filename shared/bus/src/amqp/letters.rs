//! Dead letters: a queue a service, looked at and put back by whoever asks.
//!
//! To look is to take everything out and to give it back. So it is done on a connection of its
//! own, by one at a time: whatever happens, the letters are in their queue again when that
//! connection is gone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use lapin::message::BasicGetMessage;
use lapin::options::{BasicAckOptions, BasicGetOptions, BasicNackOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use lapin::{Channel, ErrorKind};
use protocol::{Message, MessageId, Service, Shard, Topic};

use super::address::Address;
use super::publisher::Publisher;
use super::session::Session;
use super::{envelope, topology};
use crate::{BusError, DeadLetter, Outgoing};

/// All of it takes no longer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two tries whether somebody else is still looking.
const PAUSE: Duration = Duration::from_millis(50);

/// The letters of a service, oldest first.
pub(super) async fn list(address: &Address, service: Service) -> Result<Vec<DeadLetter>, BusError> {
    in_time(async {
        let desk = Desk::open(address, service).await?;
        let letters = desk.take_all().await?;
        desk.give_back().await?;
        Ok(in_order(&letters))
    })
    .await
}

/// Publishes a letter's message again and forgets the letter.
pub(super) async fn put_back(
    address: &Address,
    publisher: &Arc<Publisher>,
    service: Service,
    id: u64,
) -> Result<(), BusError> {
    in_time(async {
        let desk = Desk::open(address, service).await?;
        let mut letters = desk.take_all().await?;
        letters.retain(|letter| letter.id == id);
        let Some(letter) = letters.first() else {
            desk.give_back().await?;
            return Err(BusError::UnknownLetter(service, id));
        };
        let again = Outgoing::again(letter.message.clone());
        for receipt in publisher.publish(vec![again]).await? {
            receipt.await?;
        }
        settle(letters).await?;
        desk.give_back().await
    })
    .await
}

/// Forgets a letter.
pub(super) async fn forget(address: &Address, service: Service, id: u64) -> Result<(), BusError> {
    in_time(async {
        let desk = Desk::open(address, service).await?;
        let mut letters = desk.take_all().await?;
        letters.retain(|letter| letter.id == id);
        let found = !letters.is_empty();
        settle(letters).await?;
        desk.give_back().await?;
        if found {
            Ok(())
        } else {
            Err(BusError::UnknownLetter(service, id))
        }
    })
    .await
}

/// Takes all copies of a letter out for good.
async fn settle(letters: Vec<Letter>) -> Result<(), BusError> {
    for copy in letters {
        let acked = copy.means.ack(BasicAckOptions::default()).await;
        acked.map_err(|e| unavailable(&e))?;
    }
    Ok(())
}

async fn in_time<T>(what: impl Future<Output = Result<T, BusError>>) -> Result<T, BusError> {
    tokio::time::timeout(PATIENCE, what)
        .await
        .unwrap_or_else(|_| {
            let why = "the broker does not hand the dead letters over".to_owned();
            Err(BusError::Unavailable(why))
        })
}

fn unavailable(error: &lapin::Error) -> BusError {
    BusError::Unavailable(format!("dead letters: {error}"))
}

/// A letter that has been taken out.
struct Letter {
    id: u64,
    message: Message,
    at: i64,
    reason: String,
    means: lapin::Acker,
}

impl Letter {
    fn read(service: Service, taken: BasicGetMessage) -> Self {
        let delivery = taken.delivery;
        let (at, reason) = envelope::fate(&delivery.properties);
        let (message, reason) = match envelope::open(&delivery.properties, &delivery.data) {
            Ok(opened) => (opened.message, reason),
            Err(why) => (unreadable(service, &delivery.data), why),
        };
        Self {
            id: id_of(&message),
            message,
            at,
            reason,
            means: delivery.acker,
        }
    }
}

/// Something that is none of our messages, as good as it can be shown.
fn unreadable(service: Service, payload: &[u8]) -> Message {
    Message {
        id: MessageId("unreadable".to_owned()),
        trace: String::new(),
        to: Topic {
            service,
            shard: Shard::of(""),
        },
        key: String::new(),
        body: String::from_utf8_lossy(payload).into_owned(),
    }
}

/// A letter's mark is made from its message, so that a message that was buried twice (its
/// consumer died before it could tell the broker) is one letter. Small enough for every reader
/// of JSON. FNV-1a.
fn id_of(message: &Message) -> u64 {
    let to = topology::routing_key(message.to);
    let mut parts = vec![to.as_str(), &message.key, &message.id.0];
    if message.key.is_empty() {
        parts.push(&message.body);
    }
    let hash = parts
        .into_iter()
        .flat_map(|part| part.bytes().chain([0]))
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
    (hash ^ hash >> 53) & ((1 << 53) - 1)
}

/// Each message once, with its newest reason; the oldest first.
fn in_order(letters: &[Letter]) -> Vec<DeadLetter> {
    let mut newest = BTreeMap::new();
    for (nth, letter) in letters.iter().enumerate() {
        let place = (letter.at, nth);
        let known = newest.entry(letter.id).or_insert(place);
        *known = place.max(*known);
    }
    let mut places: Vec<_> = newest.into_values().collect();
    places.sort_unstable();
    let listed = places.into_iter().map(|(_, nth)| DeadLetter {
        id: letters[nth].id,
        message: letters[nth].message.clone(),
        reason: letters[nth].reason.clone(),
    });
    listed.collect()
}

/// Where one at a time looks at the letters of a service.
struct Desk {
    session: Session,
    channel: Channel,
    service: Service,
}

impl Desk {
    async fn open(address: &Address, service: Service) -> Result<Self, BusError> {
        let session = Session::open(address, "duskgate dead letters")
            .await
            .map_err(BusError::Unavailable)?;
        loop {
            let channel = session
                .connection()
                .create_channel()
                .await
                .map_err(|e| unavailable(&e))?;
            match sit_down(&channel, service).await {
                Ok(()) => {
                    return Ok(Self {
                        session,
                        channel,
                        service,
                    });
                }
                Err(error) if is_taken(&error) => tokio::time::sleep(PAUSE).await,
                Err(error) => return Err(unavailable(&error)),
            }
        }
    }

    async fn take_all(&self) -> Result<Vec<Letter>, BusError> {
        let mut letters = Vec::new();
        loop {
            let queue = topology::dead_queue(self.service).into();
            let taken = self
                .channel
                .basic_get(queue, BasicGetOptions::default())
                .await
                .map_err(|e| unavailable(&e))?;
            match taken {
                Some(taken) => letters.push(Letter::read(self.service, taken)),
                None => return Ok(letters),
            }
        }
    }

    /// Gives back what has not been settled, and leaves.
    async fn give_back(self) -> Result<(), BusError> {
        let all = BasicNackOptions {
            multiple: true,
            requeue: true,
        };
        self.channel
            .basic_nack(0, all)
            .await
            .map_err(|e| unavailable(&e))?;
        // An answer to something that is asked later: by then they are back.
        topology::declare_dead(&self.channel, self.service)
            .await
            .map_err(|e| unavailable(&e))?;
        self.session.close().await;
        Ok(())
    }
}

/// A queue that belongs to one connection says that somebody is looking.
async fn sit_down(channel: &Channel, service: Service) -> lapin::Result<()> {
    topology::declare_exchanges(channel).await?;
    topology::declare_dead(channel, service).await?;
    let seat = format!("{}.lock", topology::dead_queue(service));
    let ours = QueueDeclareOptions::exclusive();
    channel
        .queue_declare(seat.into(), ours, FieldTable::default())
        .map(|declared| declared.map(|_| ()))
        .await
}

/// `RESOURCE_LOCKED`: the seat is another connection's.
fn is_taken(error: &lapin::Error) -> bool {
    matches!(error.kind(), ErrorKind::ProtocolError(refusal) if refusal.get_id() == 405)
}
