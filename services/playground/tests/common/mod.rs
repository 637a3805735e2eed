//! A playground on a store of its own, with a scripted Duskgate at the other end of the wire.
#![allow(dead_code, reason = "each test file uses a part of it")]

mod fake;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use kit::testing::TestParts;
use playground::{Playground, Settings};
use serde_json::{Value, json};

pub use fake::FakeIngest;
pub use kit::testing::{DEADLINE, wait_for};

/// The token of the tests.
pub const TOKEN: &str = "a-token";

/// Everything a test needs.
pub struct Stage {
    parts: TestParts,
    pub ingest: Arc<FakeIngest>,
    pub http: SocketAddr,
    client: reqwest::Client,
    speed: f64,
}

/// What a request was answered.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub body: Value,
}

impl Stage {
    pub async fn new() -> Self {
        Self::fast(1.0).await
    }

    /// On a clock that runs so many times as fast as the one on the wall.
    pub async fn fast(speed: f64) -> Self {
        Self::over(
            TestParts::new().await,
            FakeIngest::listen(TOKEN).await,
            speed,
        )
        .await
    }

    async fn over(parts: TestParts, ingest: Arc<FakeIngest>, speed: f64) -> Self {
        let settings = Settings {
            heartbeat: Duration::from_millis(200),
            speed,
            ..Settings::new(vec![ingest.url()], TOKEN)
        };
        let playground = Playground::open(parts.clone(), settings).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let http = listener.local_addr().unwrap();
        let (routes, served) = (playground.clone(), parts.clone());
        std::thread::spawn(move || {
            let serving = kit::http::serve_http(listener, &served, move |config| {
                routes.routes(config);
            });
            actix_web::rt::System::new().block_on(serving).unwrap();
        });
        tokio::spawn(playground.run());
        let stage = Self {
            parts,
            ingest,
            http,
            client: reqwest::Client::new(),
            speed,
        };
        stage.ingest.connected().await;
        stage
    }

    /// Stops the process, so to speak, and starts it again on the same store.
    pub async fn restart(self) -> Self {
        let Self {
            parts,
            ingest,
            speed,
            ..
        } = self;
        ingest.hang_up();
        Self::over(parts.restart().await, ingest, speed).await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.http)
    }

    pub async fn get(&self, path: &str) -> Reply {
        reply(self.client.get(self.url(path)).send().await.unwrap()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        reply(
            self.client
                .post(self.url(path))
                .json(&body)
                .send()
                .await
                .unwrap(),
        )
        .await
    }

    pub async fn post_raw(&self, path: &str, kind: &str, body: Vec<u8>) -> Reply {
        let request = self
            .client
            .post(self.url(path))
            .header("content-type", kind)
            .body(body);
        reply(request.send().await.unwrap()).await
    }

    pub fn client(&self) -> &reqwest::Client {
        &self.client
    }

    /// A request of the interface that must work.
    pub async fn api(&self, path: &str, body: Value) -> Value {
        let reply = self.post(&format!("/playground/api{path}"), body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        reply.body
    }

    /// Waits until everything up to here has arrived at the other end, and forgets it.
    pub async fn settle(&self, somebody: u64) {
        self.whisper(somebody, "就绪").await;
        self.ingest.heard("就绪").await;
        self.ingest.forget();
    }

    /// Makes a person.
    pub async fn person(&self, id: u64, nickname: &str, friend: bool) {
        self.api(
            "/users",
            json!({"id": id, "nickname": nickname, "friend": friend}),
        )
        .await;
    }

    /// Says something in a group.
    pub async fn say(&self, user: u64, group: u64, text: &str) -> Value {
        let body = json!({"scene": "group", "peer": group, "text": text});
        self.api(&format!("/users/{user}/send"), body).await
    }

    /// Writes to the bot.
    pub async fn whisper(&self, user: u64, text: &str) -> Value {
        self.api(
            &format!("/users/{user}/send"),
            json!({"scene": "private", "text": text}),
        )
        .await
    }

    /// Everything that someone sees after a place.
    pub async fn chats(&self, user: u64, after: u64) -> Vec<Value> {
        let reply = self
            .get(&format!("/playground/api/users/{user}/chats?after={after}"))
            .await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body["chats"].as_array().unwrap().clone()
    }

    /// The texts that someone sees.
    pub async fn texts(&self, user: u64) -> Vec<String> {
        let chats = self.chats(user, 0).await;
        chats
            .iter()
            .map(|line| line["text"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Sets faults.
    pub async fn faults(&self, faults: Value) {
        self.api("/faults", faults).await;
    }
}

async fn reply(response: reqwest::Response) -> Reply {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Reply { status, body }
}
