//! The RabbitMQ kind against the conformance suite and a real broker, and what is its own.

mod ground;
mod network;
mod outage;
mod queues;
mod sender;
mod speed;

use ground::Vhost;

bus::conformance_tests!(Vhost::new().await);
