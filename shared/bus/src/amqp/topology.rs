//! What there is at the broker: exchanges, queues, bindings.
//!
//! Types are in arguments, which cannot be changed; limits are in policies, which can, and which
//! `deploy/rabbitmq/definitions.json` holds together with all that is named here. Whoever uses a
//! queue declares it first, so that a broker without these definitions works too, but without
//! the limits; and a broker that is killed within seconds after a queue was made may forget the
//! queue (seen with 3.10.8), which does not matter for queues that were there before the games.

use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, ExchangeKind, Queue, Result};
use protocol::{Service, Topic};

/// Takes all messages, by the routing keys of their topics.
pub(super) const EXCHANGE: &str = "duskgate";
/// Takes dead letters, by their services' names.
pub(super) const DEAD_EXCHANGE: &str = "duskgate.dead";

/// A topic's queue.
pub(super) fn queue(topic: Topic) -> String {
    topic.to_string()
}

/// A topic's routing key: `night.03`.
pub(super) fn routing_key(topic: Topic) -> String {
    format!("{}.{}", topic.service, topic.shard)
}

/// The queue of a service's dead letters.
pub(super) fn dead_queue(service: Service) -> String {
    format!("{DEAD_EXCHANGE}.{service}")
}

/// Replicated; of several consumers one is active.
fn queue_arguments() -> FieldTable {
    let mut arguments = dead_queue_arguments();
    arguments.insert("x-single-active-consumer".into(), AMQPValue::Boolean(true));
    arguments
}

fn dead_queue_arguments() -> FieldTable {
    let mut arguments = FieldTable::default();
    let quorum = AMQPValue::LongString("quorum".into());
    arguments.insert("x-queue-type".into(), quorum);
    arguments
}

pub(super) async fn declare_exchanges(channel: &Channel) -> Result<()> {
    for exchange in [EXCHANGE, DEAD_EXCHANGE] {
        let durable = ExchangeDeclareOptions {
            durable: true,
            ..ExchangeDeclareOptions::default()
        };
        let none = FieldTable::default();
        channel
            .exchange_declare(exchange.into(), ExchangeKind::Direct, durable, none)
            .await?;
    }
    Ok(())
}

/// Makes sure of a topic's queue; answers how many messages and consumers it has. The queue of
/// its service's dead letters is to be there first: the broker tries to move one there only
/// every three minutes.
pub(super) async fn declare_topic(channel: &Channel, topic: Topic) -> Result<Queue> {
    let (name, key) = (queue(topic), routing_key(topic));
    declare(channel, &name, queue_arguments(), EXCHANGE, &key).await
}

/// Makes sure of the queue of a service's dead letters.
pub(super) async fn declare_dead(channel: &Channel, service: Service) -> Result<Queue> {
    let name = dead_queue(service);
    let arguments = dead_queue_arguments();
    declare(channel, &name, arguments, DEAD_EXCHANGE, service.name()).await
}

async fn declare(
    channel: &Channel,
    queue: &str,
    arguments: FieldTable,
    exchange: &str,
    key: &str,
) -> Result<Queue> {
    let durable = QueueDeclareOptions::durable();
    let declared = channel
        .queue_declare(queue.into(), durable, arguments)
        .await?;
    let none = FieldTable::default();
    channel
        .queue_bind(
            queue.into(),
            exchange.into(),
            key.into(),
            QueueBindOptions::default(),
            none,
        )
        .await?;
    Ok(declared)
}

#[cfg(test)]
mod tests {
    use protocol::Shard;
    use serde_json::{Value, json};

    use super::*;

    const VHOST: &str = "duskgate";
    /// A process that dies of a message each time takes so many down before the message is given
    /// up. Restarts count as well, so it is no small number: nothing innocent may reach it.
    const DELIVERY_LIMIT: u64 = 100;
    /// Looking at dead letters counts as delivering them, and they are to be kept: no limit.
    /// (From version 4 on brokers have one by default.)
    const NO_LIMIT: u64 = 1_000_000_000;

    fn as_json(arguments: &FieldTable) -> Value {
        let value = |value: &AMQPValue| match value {
            AMQPValue::Boolean(truth) => json!(truth),
            AMQPValue::LongString(text) => json!(text.to_string()),
            other => panic!("unexpected: {other:?}"),
        };
        arguments
            .into_iter()
            .map(|(name, v)| (name.to_string(), value(v)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    /// The definitions that belong to this module. No maximal length: a queue that rejects one
    /// message and takes the next breaks the order; a broker that is full stops its publishers.
    fn definitions() -> Value {
        let exchange = |name| {
            json!({"name": name, "vhost": VHOST, "type": "direct", "durable": true,
                "auto_delete": false, "internal": false, "arguments": {}})
        };
        let one_queue = |name: &str, arguments: &FieldTable| {
            json!({"name": name, "vhost": VHOST, "durable": true, "auto_delete": false,
                "arguments": as_json(arguments)})
        };
        let binding = |source: &str, name: &str, key: &str| {
            json!({"source": source, "vhost": VHOST, "destination": name,
                "destination_type": "queue", "routing_key": key, "arguments": {}})
        };
        let policy = |name: &str, pattern: &str, definition: Value| {
            json!({"vhost": VHOST, "name": name, "pattern": pattern, "apply-to": "queues",
                "priority": 0, "definition": definition})
        };
        let (mut queues, mut bindings, mut policies) = (Vec::new(), Vec::new(), Vec::new());
        for service in Service::ALL {
            for shard in Shard::all() {
                let topic = Topic { service, shard };
                queues.push(one_queue(&queue(topic), &queue_arguments()));
                bindings.push(binding(EXCHANGE, &queue(topic), &routing_key(topic)));
            }
            let dead = dead_queue(service);
            queues.push(one_queue(&dead, &dead_queue_arguments()));
            bindings.push(binding(DEAD_EXCHANGE, &dead, service.name()));
            let pattern = format!("^duskgate\\.{service}\\.[0-9][0-9]$");
            let limits = json!({"delivery-limit": DELIVERY_LIMIT,
                "dead-letter-exchange": DEAD_EXCHANGE, "dead-letter-routing-key": service.name(),
                "dead-letter-strategy": "at-least-once", "overflow": "reject-publish"});
            policies.push(policy(&format!("duskgate-{service}"), &pattern, limits));
        }
        let dead = "^duskgate\\.dead\\.[a-z]+$";
        let limits = json!({"delivery-limit": NO_LIMIT});
        policies.push(policy("duskgate-dead", dead, limits));
        json!({"vhosts": [{"name": VHOST}], "exchanges": [exchange(EXCHANGE),
            exchange(DEAD_EXCHANGE)], "queues": queues, "bindings": bindings,
            "policies": policies})
    }

    #[test]
    fn the_definitions_file_says_the_same() {
        let file = include_str!("../../../../deploy/rabbitmq/definitions.json");
        let file: Value = serde_json::from_str(file).unwrap();
        let expected = definitions();
        for part in ["vhosts", "exchanges", "queues", "bindings", "policies"] {
            assert_eq!(file[part], expected[part], "{part}");
        }
        assert_eq!(file, expected);
    }
}
