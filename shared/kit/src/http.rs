//! The HTTP side that every process has: `/healthz`, `/readyz`, `/metrics`, and whatever its
//! services add.

use std::net::TcpListener;

use actix_web::http::header::ContentType;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{App, HttpResponse, HttpServer};
use serde_json::{Map, Value, json};

use crate::health::Health;
use crate::parts::Parts;

/// How many threads answer requests.
const WORKERS: usize = 2;
/// How many seconds running requests have at the end.
const GRACE_SECONDS: u64 = 3;
/// What Prometheus calls the format of [`Metrics::render`](crate::Metrics::render).
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves HTTP on the listener until the parts' shutdown token is cancelled, then lets running
/// requests finish (three seconds at most). `configure` adds the services' own routes and runs
/// once a worker.
///
/// - `/healthz`: the process answers.
/// - `/readyz`: all health checks pass (200), or which do not (503), as JSON.
/// - `/metrics`: see [`crate::metrics`].
///
/// Whoever opened the listener knows its port and announces it.
pub async fn serve_http(
    listener: TcpListener,
    parts: &Parts,
    configure: impl Fn(&mut ServiceConfig) + Send + Clone + 'static,
) -> std::io::Result<()> {
    let health = parts.health.clone();
    let page = MetricsPage(parts.clone());
    let server = HttpServer::new(move || {
        App::new()
            .app_data(Data::new(health.clone()))
            .app_data(Data::new(page.clone()))
            .route("/healthz", web::get().to(healthz))
            .route("/readyz", web::get().to(readyz))
            .route("/metrics", web::get().to(show_metrics))
            .configure(configure.clone())
    })
    .disable_signals()
    // Frames to chat are small and must not wait for each other.
    .tcp_nodelay(true)
    .workers(WORKERS)
    .shutdown_timeout(GRACE_SECONDS)
    .listen(listener)?
    .run();
    let handle = server.handle();
    let shutdown = parts.shutdown.clone();
    let stopper = async move {
        shutdown.cancelled().await;
        handle.stop(true).await;
        // The server's own future says when it is over.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        ended = server => ended,
        () = stopper => Ok(()),
    }
}

async fn healthz() -> HttpResponse {
    HttpResponse::Ok()
        .content_type(ContentType::plaintext())
        .body("ok\n")
}

async fn readyz(health: Data<Health>) -> HttpResponse {
    let report = health.report().await;
    let ready = report.values().all(Result::is_ok);
    let checks: Map<String, Value> = report
        .into_iter()
        .map(|(name, answer)| (name, answer.map_or_else(Value::from, |()| "ok".into())))
        .collect();
    let mut response = if ready {
        HttpResponse::Ok()
    } else {
        HttpResponse::ServiceUnavailable()
    };
    response.json(json!({ "ready": ready, "checks": checks }))
}

/// What the page of metrics is made of.
#[derive(Clone)]
struct MetricsPage(Parts);

async fn show_metrics(page: Data<MetricsPage>) -> HttpResponse {
    let Parts {
        metrics,
        bus,
        store,
        ..
    } = &page.0;
    metrics.connections(bus.condition(), store.condition());
    HttpResponse::Ok()
        .content_type(OPEN_METRICS)
        .body(metrics.render())
}
