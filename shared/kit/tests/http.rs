//! Health, readiness and metrics over HTTP.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use actix_web::web;
use kit::http::serve_http;
use kit::testing::{DEADLINE, TestParts};
use protocol::Service;

/// Asks once; gives the status and everything after it.
async fn get(address: SocketAddr, path: &'static str) -> (u16, String) {
    let ask = move || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = tokio::task::spawn_blocking(ask).await.unwrap().unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_readiness_metrics_and_a_services_own_routes() {
    let parts = TestParts::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn({
        let parts = kit::Parts::clone(&parts);
        async move {
            serve_http(listener, &parts, |app| {
                app.route("/own", web::get().to(|| async { "own page" }));
            })
            .await
        }
    });
    let (status, answer) = get(address, "/healthz").await;
    assert_eq!(status, 200, "{answer}");
    let (status, answer) = get(address, "/readyz").await;
    assert_eq!(status, 200, "{answer}");
    assert!(
        answer.contains(r#""checks":{"bus":"ok","store":"ok"}"#),
        "{answer}"
    );
    let (status, answer) = get(address, "/own").await;
    assert_eq!(
        (status, answer.ends_with("own page")),
        (200, true),
        "{answer}"
    );
    assert_eq!(get(address, "/nothing").await.0, 404);

    parts
        .health
        .register("chat", || async { Err("nobody is connected".to_owned()) });
    let (status, answer) = get(address, "/readyz").await;
    assert_eq!(status, 503);
    assert!(
        answer.contains(r#""chat":"nobody is connected""#),
        "{answer}"
    );
    assert!(answer.contains(r#""ready":false"#), "{answer}");
    assert_eq!(
        get(address, "/healthz").await.0,
        200,
        "the process is well all the same"
    );

    parts.metrics.dead_letter(Service::Night);
    let (status, answer) = get(address, "/metrics").await;
    assert_eq!(status, 200);
    assert!(answer.contains("openmetrics-text"), "{answer}");
    assert!(
        answer.contains("duskgate_dead_letters_total{service=\"night\"} 1"),
        "{answer}"
    );

    parts.shutdown.cancel();
    let ended = tokio::time::timeout(DEADLINE, server)
        .await
        .expect("it stops in time");
    ended.unwrap().unwrap();
    assert!(
        TcpStream::connect(address).is_err(),
        "the port is free again"
    );
}
