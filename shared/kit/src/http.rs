//! The HTTP side that every process has: `/healthz`, `/readyz`, `/metrics`, and whatever its
//! services add.

use std::net::TcpListener;

use actix_web::web::ServiceConfig;

use crate::parts::Parts;

/// Serves HTTP on the listener until the parts' shutdown token is cancelled, then lets running
/// requests finish. `configure` adds the services' own routes and runs once a worker.
pub async fn serve_http(
    listener: TcpListener,
    parts: &Parts,
    configure: impl Fn(&mut ServiceConfig) + Send + Clone + 'static,
) -> std::io::Result<()> {
    let _ = (listener, parts, configure);
    todo!()
}
