//! The RabbitMQ kind against the conformance suite and a real broker, and what is its own.

mod ground;

use ground::Vhost;

bus::conformance_tests!(Vhost::new().await);
