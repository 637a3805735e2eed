//! How a message looks at the broker: its body is the payload, the rest is in headers.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};
use protocol::{Message, MessageId, Service, Shard, Topic};

use super::topology;

/// The format's name and version.
const FORMAT: &str = "duskgate.1";

const ID: &str = "id";
const TRACE: &str = "trace";
const TO: &str = "to";
const KEY: &str = "key";
const AGAIN: &str = "again";
const REASON: &str = "reason";
/// When a message was handed over, in microseconds since 1970.
const PUBLISHED: &str = "published";
/// When a message was given up, in microseconds since 1970.
const BURIED: &str = "buried";

/// What is said of a message beside itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mark {
    First,
    /// It may have been handed over before.
    Again,
    /// It may be lost.
    Transient,
    /// It was given up, for this reason.
    Dead(String),
}

/// A message as it is handed to the broker.
pub(super) struct Envelope {
    pub(super) properties: BasicProperties,
    pub(super) payload: Vec<u8>,
}

impl Envelope {
    pub(super) fn seal(message: &Message, mark: &Mark) -> Self {
        let mut headers = FieldTable::default();
        let mut text = |name: &str, text: &str| {
            headers.insert(name.into(), AMQPValue::LongString(text.into()));
        };
        text(ID, &message.id.0);
        text(TRACE, &message.trace);
        text(TO, &topology::routing_key(message.to));
        text(KEY, &message.key);
        let now = AMQPValue::LongLongInt(now_us());
        if let Mark::Dead(reason) = mark {
            text(REASON, reason);
            headers.insert(BURIED.into(), now);
        } else {
            headers.insert(PUBLISHED.into(), now);
        }
        if *mark == Mark::Again {
            headers.insert(AGAIN.into(), AMQPValue::Boolean(true));
        }
        let properties = BasicProperties::default()
            .with_content_type("application/json".into())
            .with_type(FORMAT.into())
            .with_delivery_mode(2)
            .with_headers(headers);
        Self {
            properties,
            payload: message.body.clone().into_bytes(),
        }
    }
}

fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_micros()).unwrap_or(i64::MAX)
}

/// A message as the broker hands it over.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) message: Message,
    /// Was it handed over before, as far as its sender knows?
    pub(super) again: bool,
    /// How many times it has come back to its queue unsettled.
    pub(super) returned: u32,
    pub(super) published: Option<SystemTime>,
}

/// Reads a message. `Err` says why it is none of ours.
pub(super) fn open(properties: &BasicProperties, payload: &[u8]) -> Result<Opened, String> {
    let none = FieldTable::default();
    let headers = properties.headers().as_ref().unwrap_or(&none);
    let text = |name: &str| text(headers, name).ok_or_else(|| format!("it has no {name}"));
    let format = properties.kind().as_ref().map_or("", |kind| kind.as_str());
    if format != FORMAT {
        return Err(format!("its format is {format:?}, not {FORMAT:?}"));
    }
    let to = text(TO)?;
    let body = std::str::from_utf8(payload).map_err(|_| "its body is no text".to_owned())?;
    Ok(Opened {
        message: Message {
            id: MessageId(text(ID)?),
            trace: text(TRACE)?,
            to: topic(&to).ok_or_else(|| format!("there is no topic {to:?}"))?,
            key: text(KEY)?,
            body: body.to_owned(),
        },
        again: matches!(headers.inner().get(AGAIN), Some(AMQPValue::Boolean(true))),
        returned: number(headers, "x-delivery-count")
            .and_then(|count| u32::try_from(count).ok())
            .unwrap_or(0),
        published: number(headers, PUBLISHED)
            .and_then(|us| u64::try_from(us).ok())
            .and_then(|us| UNIX_EPOCH.checked_add(Duration::from_micros(us))),
    })
}

/// What a dead letter says beside its message: when it was given up (in microseconds since 1970)
/// and why.
pub(super) fn fate(properties: &BasicProperties) -> (i64, String) {
    let none = FieldTable::default();
    let headers = properties.headers().as_ref().unwrap_or(&none);
    if let (Some(at), Some(reason)) = (number(headers, BURIED), text(headers, REASON)) {
        return (at, reason);
    }
    let deaths = match headers.inner().get("x-death") {
        Some(AMQPValue::FieldArray(deaths)) => deaths.as_slice(),
        _ => &[],
    };
    let Some(AMQPValue::FieldTable(death)) = deaths.first() else {
        return (0, "it is not known why".to_owned());
    };
    let seconds = number(death, "time").unwrap_or(0);
    let reason = match text(death, "reason").as_deref() {
        Some("delivery_limit") => {
            "given up by the broker: it came back too often, each time because its consumer died \
             or lost its connection"
                .to_owned()
        }
        Some("rejected") => "it cannot be read".to_owned(),
        other => format!("given up by the broker: {}", other.unwrap_or("?")),
    };
    (seconds.saturating_mul(1_000_000), reason)
}

fn topic(key: &str) -> Option<Topic> {
    let (service, shard) = key.split_once('.')?;
    let number: u8 = shard.parse().ok()?;
    Some(Topic {
        service: Service::ALL.into_iter().find(|s| s.name() == service)?,
        shard: Shard::all().find(|shard| shard.number() == number)?,
    })
}

fn text(headers: &FieldTable, name: &str) -> Option<String> {
    match headers.inner().get(name)? {
        AMQPValue::LongString(text) => String::from_utf8(text.as_bytes().to_vec()).ok(),
        AMQPValue::ShortString(text) => Some(text.to_string()),
        _ => None,
    }
}

fn number(headers: &FieldTable, name: &str) -> Option<i64> {
    match headers.inner().get(name)? {
        AMQPValue::ShortShortInt(n) => Some((*n).into()),
        AMQPValue::ShortShortUInt(n) => Some((*n).into()),
        AMQPValue::ShortInt(n) => Some((*n).into()),
        AMQPValue::ShortUInt(n) => Some((*n).into()),
        AMQPValue::LongInt(n) => Some((*n).into()),
        AMQPValue::LongUInt(n) => Some((*n).into()),
        AMQPValue::LongLongInt(n) => Some(*n),
        AMQPValue::Timestamp(n) => i64::try_from(*n).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Message {
        Message {
            id: MessageId("鸣潮/\u{0}\"1\"".repeat(100)),
            trace: String::new(),
            to: Topic {
                service: Service::Playground,
                shard: Shard::all().last().unwrap(),
            },
            key: "7-1".to_owned(),
            body: "{\"text\":\"魔女会\"}".to_owned(),
        }
    }

    #[test]
    fn what_is_sealed_can_be_opened() {
        for mark in [
            Mark::First,
            Mark::Again,
            Mark::Transient,
            Mark::Dead("读不懂".to_owned()),
        ] {
            let envelope = Envelope::seal(&message(), &mark);
            let opened = open(&envelope.properties, &envelope.payload).unwrap();
            let expected = Opened {
                message: message(),
                again: mark == Mark::Again,
                returned: 0,
                published: opened.published,
            };
            assert_eq!(opened, expected);
            assert_eq!(opened.published.is_none(), matches!(mark, Mark::Dead(_)));
            let (at, reason) = fate(&envelope.properties);
            match mark {
                Mark::Dead(why) => assert!(at > 0 && reason == why),
                _ => assert_eq!(at, 0),
            }
        }
    }

    #[test]
    fn what_is_not_ours_is_refused_with_a_reason() {
        let ours = Envelope::seal(&message(), &Mark::First);
        assert!(open(&BasicProperties::default(), b"{}").is_err());
        assert!(open(&ours.properties, b"\xff").is_err());
        let mut headers = ours.properties.headers().clone().unwrap();
        headers.insert(TO.into(), AMQPValue::LongString("night.16".into()));
        let elsewhere = ours.properties.clone().with_headers(headers);
        let why = open(&elsewhere, b"{}").unwrap_err();
        assert!(why.contains("night.16"), "{why}");
    }

    #[test]
    fn the_brokers_own_reasons_are_told() {
        let mut death = FieldTable::default();
        let reason = AMQPValue::LongString("delivery_limit".into());
        death.insert("reason".into(), reason);
        death.insert("time".into(), AMQPValue::Timestamp(1_800_000_000));
        let deaths = AMQPValue::FieldArray(vec![AMQPValue::FieldTable(death)].into());
        let mut headers = FieldTable::default();
        headers.insert("x-death".into(), deaths);
        let (at, reason) = fate(&BasicProperties::default().with_headers(headers));
        assert_eq!(at, 1_800_000_000_000_000);
        assert!(reason.contains("came back too often"), "{reason}");
    }
}
