//! A chat side that the test writes itself: an account with its chats, which outlive the product
//! and every connection to it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::site::{Site, wait_for};
use crate::wire::{Socket, dial, runtime};

/// The account's number.
pub const ACCOUNT: u64 = 5_000_001;
/// The token that the product asks for; give it as `DUSKGATE_ONEBOT_ACCESS_TOKEN`.
pub const TOKEN: &str = "the side's own token";

/// Before it connects again.
const RECONNECT: Duration = Duration::from_millis(100);

/// A chat of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    Group(u64),
    Private(u64),
}

/// The platform on which the account lives. Clones share everything.
#[derive(Clone)]
pub struct Platform(Arc<Mutex<Book>>);

#[derive(Default)]
struct Book {
    chats: BTreeMap<At, Vec<Value>>,
    friends: Vec<u64>,
    groups: Vec<u64>,
    ids: u64,
    /// The connections that there are.
    live: Vec<UnboundedSender<String>>,
    /// What the product must never do, if it did.
    sins: Vec<String>,
}

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.expect("a sane clock").as_millis()).expect("a sane clock")
}

impl Platform {
    /// An account with these friends, which owns these groups and is in them alone.
    pub fn new(friends: &[u64], groups: &[u64]) -> Self {
        Self(Arc::new(Mutex::new(Book {
            friends: friends.to_vec(),
            groups: groups.to_vec(),
            ..Book::default()
        })))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().expect("nobody panics with the book in hand")
    }

    /// Connects the account to the product; an earlier connection is forgotten.
    pub fn connect(&self, site: &Site) {
        let socket = dial(site, &headers()).expect("the product lets its side in");
        let (live, frames) = unbounded_channel();
        self.book().live = vec![live];
        runtime().spawn(serve(self.clone(), socket, frames));
        self.emit(&json!({
            "post_type": "meta_event", "meta_event_type": "lifecycle", "sub_type": "connect",
            "self_id": ACCOUNT, "time": now_ms() / 1000,
        }));
    }

    /// Stays connected to all of these doors at once, as real sides can be told to, and tells
    /// each of them everything.
    pub fn stay_connected(&self, doors: &[String]) {
        for door in doors {
            runtime().spawn(stay_connected(self.clone(), door.clone()));
        }
    }

    /// Cuts the account off.
    pub fn disconnect(&self) {
        self.book().live.clear();
    }

    /// Sends an event, when there is a connection.
    pub fn emit(&self, event: &Value) {
        self.emit_raw(&event.to_string());
    }

    /// The same for any text.
    pub fn emit_raw(&self, frame: &str) {
        // One that has just ended hears nothing.
        self.book()
            .live
            .retain(|live| live.send(frame.to_owned()).is_ok());
    }

    /// Somebody says something: it is kept, and told when there is a connection.
    pub fn say(&self, at: At, user: u64, text: &str) -> Value {
        self.put(at, user, &json!([{"type": "text", "data": {"text": text}}]))
    }

    /// The same, quoting a message.
    pub fn reply(&self, at: At, user: u64, to: &Value, text: &str) -> Value {
        let quote = json!({"type": "reply", "data": {"id": to["message_id"].to_string()}});
        let mention = json!({"type": "at", "data": {"qq": to["user_id"].to_string()}});
        let text = json!({"type": "text", "data": {"text": format!(" {text}")}});
        self.put(at, user, &json!([quote, mention, text]))
    }

    /// The same for any segments. Gives back the event.
    pub fn put(&self, at: At, user: u64, message: &Value) -> Value {
        let event = self.book().keep(at, user, message);
        if user != ACCOUNT {
            self.emit(&event);
        }
        event
    }

    /// What the account has said in a chat, oldest first.
    pub fn said(&self, at: At) -> Vec<String> {
        self.book().chats.get(&at).map_or_else(Vec::new, |chat| {
            let own = chat.iter().filter(|message| message["user_id"] == ACCOUNT);
            own.map(|message| plain(&message["message"])).collect()
        })
    }

    /// How often it has said something that contains this.
    pub fn count(&self, at: At, part: &str) -> usize {
        self.said(at).iter().filter(|s| s.contains(part)).count()
    }

    /// Nothing was asked of the side that could give a secret away or speak for everybody.
    pub fn assert_well_behaved(&self) {
        let sins = self.book().sins.clone();
        assert!(sins.is_empty(), "the product must not: {sins:?}");
    }
}

/// What somebody has heard of a chat.
#[derive(Debug, Clone, Copy)]
pub struct Ear {
    at: At,
    heard: usize,
}

impl Ear {
    pub fn new(at: At) -> Self {
        Self { at, heard: 0 }
    }

    /// Waits until the account says something new here that contains all of these.
    #[track_caller]
    pub fn expect(&mut self, platform: &Platform, parts: &[&str]) -> String {
        let what = format!("{:?} to hear {parts:?}", self.at);
        let (text, heard) = wait_for(&what, || {
            let said = platform.said(self.at);
            let new = said.iter().enumerate().skip(self.heard);
            let mut fits = new.filter(|(_, text)| parts.iter().all(|part| text.contains(part)));
            fits.next().map(|(nth, text)| (text.clone(), nth))
        });
        // One message may say several things.
        self.heard = heard;
        text
    }
}

/// The headers with which the account knocks.
pub fn headers() -> [(&'static str, &'static str); 3] {
    [
        ("authorization", "Bearer the side's own token"),
        ("x-self-id", "5000001"),
        ("x-client-role", "Universal"),
    ]
}

/// The text segments of a message.
fn plain(message: &Value) -> String {
    let segments = message.as_array().map_or(&[][..], Vec::as_slice);
    let texts = segments
        .iter()
        .filter_map(|segment| segment["data"]["text"].as_str());
    texts.collect()
}

/// Connects, again and again.
async fn stay_connected(platform: Platform, door: String) {
    loop {
        let mut request = door.as_str().into_client_request().expect("an address");
        for (name, value) in headers() {
            let value = value.parse().expect("a header");
            request.headers_mut().insert(name, value);
        }
        if let Ok((socket, _)) = connect_async(request).await {
            let (live, frames) = unbounded_channel();
            platform.book().live.push(live);
            serve(platform.clone(), socket, frames).await;
        }
        tokio::time::sleep(RECONNECT).await;
    }
}

async fn serve(platform: Platform, mut socket: Socket, mut frames: UnboundedReceiver<String>) {
    loop {
        tokio::select! {
            frame = frames.recv() => {
                let Some(frame) = frame else { return };
                if socket.send(Message::text(frame)).await.is_err() {
                    return;
                }
            }
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    let call: Value = serde_json::from_str(&text).expect("calls are JSON");
                    let answer = platform.book().answer(&call);
                    if socket.send(Message::text(answer.to_string())).await.is_err() {
                        return;
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
        }
    }
}

impl Book {
    fn keep(&mut self, at: At, user: u64, message: &Value) -> Value {
        self.ids += 1;
        let id = 1_000_000 + self.ids;
        let chat = self.chats.entry(at).or_default();
        let kind = if user == ACCOUNT {
            "message_sent"
        } else {
            "message"
        };
        let mut event = json!({
            "post_type": kind, "self_id": ACCOUNT, "user_id": user, "time": now_ms() / 1000,
            "message_id": id, "message_seq": id, "real_seq": (chat.len() + 1).to_string(),
            "message": message, "sender": {"user_id": user, "nickname": format!("用户{user}")},
        });
        match at {
            At::Group(group) => {
                event["message_type"] = "group".into();
                event["sub_type"] = "normal".into();
                event["group_id"] = group.into();
            }
            At::Private(peer) => {
                event["message_type"] = "private".into();
                event["sub_type"] = "friend".into();
                event["target_id"] = peer.into();
            }
        }
        chat.push(event.clone());
        event
    }

    fn answer(&mut self, call: &Value) -> Value {
        let params = &call["params"];
        let group = params["group_id"].as_u64().unwrap_or_default();
        let done = match call["action"].as_str().unwrap_or_default() {
            "get_version_info" => Some(json!({"app_name": "Test side", "app_version": "1"})),
            "get_login_info" => Some(json!({"user_id": ACCOUNT, "nickname": "主持"})),
            "get_status" => Some(json!({"online": true, "good": true})),
            "get_friend_list" => Some(
                self.friends
                    .iter()
                    .map(|id| json!({"user_id": id}))
                    .collect(),
            ),
            "get_group_system_msg" => Some(json!({"invited_requests": [], "join_requests": []})),
            "get_group_member_list" if self.groups.contains(&group) => {
                Some(json!([{"user_id": ACCOUNT, "role": "owner", "card": ""}]))
            }
            "get_group_msg_history" => Some(self.history(At::Group(group), params)),
            "get_friend_msg_history" => {
                let user = params["user_id"].as_u64().unwrap_or_default();
                Some(self.history(At::Private(user), params))
            }
            "set_group_name" | "set_group_card" | "set_group_kick" => Some(Value::Null),
            "send_group_msg" => Some(self.send(At::Group(group), params)),
            "send_private_msg" => {
                if params.get("group_id").is_some() {
                    self.sins
                        .push(format!("send a secret by way of a group: {call}"));
                }
                let user = params["user_id"].as_u64().unwrap_or_default();
                Some(self.send(At::Private(user), params))
            }
            _ => None,
        };
        let echo = &call["echo"];
        match done {
            Some(data) => json!({"status": "ok", "retcode": 0, "data": data, "echo": echo}),
            None => json!({
                "status": "failed", "retcode": 1404, "message": "no such action", "echo": echo,
            }),
        }
    }

    fn send(&mut self, at: At, params: &Value) -> Value {
        let message = &params["message"];
        let everybody = message
            .as_array()
            .is_none_or(|segments| segments.iter().any(|s| s["data"]["qq"] == "all"));
        if everybody {
            self.sins.push(format!("call everybody: {params}"));
        }
        json!({"message_id": self.keep(at, ACCOUNT, message)["message_id"]})
    }

    /// The newest, or what leads up to a message: `NapCat`'s way when read backwards.
    fn history(&self, at: At, params: &Value) -> Value {
        let chat = self.chats.get(&at).map_or(&[][..], Vec::as_slice);
        let count = params["count"]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok());
        let end = match params.get("message_seq") {
            Some(start) if params["reverse_order"] == true => chat
                .iter()
                .position(|message| message["message_id"] == *start)
                .map_or(chat.len(), |place| place + 1),
            _ => chat.len(),
        };
        let from = end.saturating_sub(count.unwrap_or(20));
        json!({"messages": chat[from..end]})
    }
}
