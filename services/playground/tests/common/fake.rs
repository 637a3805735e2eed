//! The other end of the wire: takes one connection at a time, keeps what it hears, and calls.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};

use super::{DEADLINE, wait_for};

/// A scripted Duskgate.
pub struct FakeIngest {
    address: SocketAddr,
    token: String,
    state: Mutex<State>,
    echo: AtomicU64,
}

#[derive(Default)]
struct State {
    headers: HashMap<String, String>,
    connections: usize,
    socket: Option<mpsc::UnboundedSender<Message>>,
    events: Vec<Value>,
    answers: Vec<Value>,
}

impl FakeIngest {
    pub async fn listen(token: &str) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Arc::new(Self {
            address: listener.local_addr().unwrap(),
            token: token.to_owned(),
            state: Mutex::default(),
            echo: AtomicU64::new(0),
        });
        let taking = Arc::clone(&fake);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&taking).take(stream));
            }
        });
        fake
    }

    pub fn url(&self) -> String {
        format!("ws://{}/onebot/v11/ws", self.address)
    }

    #[expect(clippy::result_large_err, reason = "the library's own signature")]
    async fn take(self: Arc<Self>, stream: TcpStream) {
        let mut headers = HashMap::new();
        let look = |request: &Request, response: Response| {
            for (name, value) in request.headers() {
                headers.insert(name.to_string(), value.to_str().unwrap_or("").to_owned());
            }
            let allowed = format!("Bearer {}", self.token);
            if headers.get("authorization") == Some(&allowed) {
                Ok(response)
            } else {
                Err(ErrorResponse::new(Some("wrong token".to_owned())))
            }
        };
        let Ok(socket) = tokio_tungstenite::accept_hdr_async(stream, look).await else {
            return;
        };
        let (mut sink, mut source) = socket.split();
        let (sender, mut queue) = mpsc::unbounded_channel();
        {
            let mut state = self.state.lock().unwrap();
            state.headers = headers;
            state.connections += 1;
            state.socket = Some(sender);
        }
        loop {
            tokio::select! {
                frame = queue.recv() => match frame {
                    Some(frame) => { let _ = sink.send(frame).await; }
                    None => return,
                },
                frame = source.next() => match frame {
                    Some(Ok(Message::Text(text))) => self.hear(text.as_str()),
                    Some(Ok(_)) => {}
                    _ => {
                        self.state.lock().unwrap().socket = None;
                        return;
                    }
                },
            }
        }
    }

    fn hear(&self, text: &str) {
        let frame: Value = serde_json::from_str(text).unwrap();
        let mut state = self.state.lock().unwrap();
        if frame.get("post_type").is_some() {
            state.events.push(frame);
            return;
        }
        state.answers.push(frame);
    }

    /// Closes the connection from this end.
    pub fn hang_up(&self) {
        self.state.lock().unwrap().socket = None;
    }

    /// Waits for a connection and its first event.
    pub async fn connected(&self) {
        wait_for("a connection", DEADLINE, || async {
            let state = self.state.lock().unwrap();
            (state.socket.is_some() && !state.events.is_empty()).then_some(())
        })
        .await;
    }

    /// How many connections there have been.
    pub fn connections(&self) -> usize {
        self.state.lock().unwrap().connections
    }

    pub fn header(&self, name: &str) -> Option<String> {
        self.state.lock().unwrap().headers.get(name).cloned()
    }

    /// Everything that was heard but heartbeats.
    pub fn events(&self) -> Vec<Value> {
        let state = self.state.lock().unwrap();
        let beat = |event: &&Value| event["meta_event_type"] != "heartbeat";
        state.events.iter().filter(beat).cloned().collect()
    }

    pub fn heartbeats(&self) -> Vec<Value> {
        let state = self.state.lock().unwrap();
        let beat = |event: &&Value| event["meta_event_type"] == "heartbeat";
        state.events.iter().filter(beat).cloned().collect()
    }

    pub fn forget(&self) {
        let mut state = self.state.lock().unwrap();
        state.events.clear();
        state.answers.clear();
    }

    /// The answers with this echo.
    pub fn answers(&self, echo: &str) -> Vec<Value> {
        let state = self.state.lock().unwrap();
        state
            .answers
            .iter()
            .filter(|answer| answer["echo"] == echo)
            .cloned()
            .collect()
    }

    /// Waits for the first event that fits.
    pub async fn event(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        wait_for(what, DEADLINE, || async {
            self.events().into_iter().find(|event| fits(event))
        })
        .await
    }

    /// Waits for an event of this `notice_type`, `request_type` or `message_type`.
    pub async fn kind(&self, kind: &str) -> Value {
        self.event(kind, |event| {
            ["notice_type", "request_type", "message_type"]
                .iter()
                .any(|name| event[*name] == kind)
        })
        .await
    }

    /// Waits for the message event with this text.
    pub async fn heard(&self, text: &str) -> Value {
        self.event(text, |event| event["raw_message"] == text).await
    }

    /// Sends a frame as it is.
    pub fn send_raw(&self, frame: &str) {
        let state = self.state.lock().unwrap();
        let _ = state
            .socket
            .as_ref()
            .unwrap()
            .send(Message::text(frame.to_owned()));
    }

    /// Calls without waiting; the echo.
    pub fn call_only(&self, action: &str, params: &Value) -> String {
        let echo = format!("t-{}", self.echo.fetch_add(1, Ordering::Relaxed));
        self.send_raw(&json!({"action": action, "params": params, "echo": echo}).to_string());
        echo
    }

    /// Calls and waits for the answer.
    pub async fn call(&self, action: &str, params: Value) -> Value {
        let echo = self.call_only(action, &params);
        wait_for(action, DEADLINE, || async {
            self.answers(&echo).into_iter().next()
        })
        .await
    }

    /// Calls something that must work; its data.
    pub async fn done(&self, action: &str, params: Value) -> Value {
        let answer = self.call(action, params).await;
        assert_eq!(answer["status"], "ok", "{action}: {answer}");
        answer["data"].clone()
    }

    /// Calls something that must fail; the answer's words.
    pub async fn refused(&self, action: &str, params: Value) -> String {
        let answer = self.call(action, params).await;
        assert_eq!(answer["status"], "failed", "{action}: {answer}");
        answer["message"].as_str().unwrap().to_owned()
    }
}
