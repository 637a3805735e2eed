//! A scripted chat side: what was said, who asked, and how it misbehaves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use futures::{SinkExt, StreamExt};
use kit::testing::{DEADLINE, wait_for};
use onebot::{Call, Frame};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, connect_async};

pub const BOT: u64 = 10;

/// A place in chat, as the other side names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum At {
    Group(u64),
    Private(u64),
}

/// How a send is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    /// Delivered and answered.
    Well,
    /// Delivered, but answered with a time-out.
    DeliveredButTimeout,
    /// Not delivered, and answered with a time-out.
    LostAndTimeout,
    /// Delivered, never answered.
    DeliveredInSilence,
    /// Answered first under an echo of nobody, then twice under the right one.
    WrongEchoFirst,
    /// Refused with this result number.
    Refused(u32),
}

/// What the side says of itself when it is asked how it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// It does not have this question.
    #[default]
    Unknown,
    Online,
    Offline,
    /// It does not answer.
    Silent,
}

/// What the side knows and does; outlives its connections.
#[derive(Default)]
pub struct Book {
    messages: HashMap<At, Vec<Value>>,
    ids: u64,
    pub requests: Vec<Value>,
    pub doubtful: Vec<Value>,
    pub members: HashMap<u64, Vec<u64>>,
    /// All calls, in order: name and parameters.
    pub calls: Vec<(String, Value)>,
    /// When each of them came.
    pub times: Vec<Instant>,
    /// How the next sends are answered; `Well` when empty.
    pub manners: Vec<Manner>,
    pub history_is_gone: bool,
    /// Does it list recent chats? Else friends only.
    pub recent_is_unknown: bool,
    pub friends: Vec<u64>,
    pub histories_are_slow: Option<Duration>,
    pub status: Status,
}

impl Book {
    /// Makes everything in a chat older by so many seconds.
    pub fn backdate(&mut self, at: At, secs: i64) {
        for message in self.messages.entry(at).or_default() {
            message["time"] = (message["time"].as_i64().expect("a time") - secs).into();
        }
    }
}

/// Handle to a side's book. Cheap to clone.
#[derive(Clone, Default)]
pub struct World(Arc<Mutex<Book>>);

pub fn text(text: &str) -> Value {
    json!([{"type": "text", "data": {"text": text}}])
}

pub fn now() -> i64 {
    kit::TimeSource::system().now().0 / 1000
}

impl World {
    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.0
            .lock()
            .expect("no test panics while it holds the book")
    }

    /// Somebody says something; the event that tells of it.
    pub fn say(&self, at: At, user: u64, message: &Value) -> Value {
        let mut book = self.book();
        book.ids += 1;
        let id = 1_000_000 + book.ids;
        let seq = book.messages.get(&at).map_or(0, Vec::len) + 1;
        let own = user == BOT;
        let mut event = json!({
            "post_type": if own { "message_sent" } else { "message" },
            "self_id": BOT, "user_id": user, "time": now(), "message_id": id,
            "message_seq": id, "real_seq": seq.to_string(), "message": message,
            "sender": {"user_id": user, "nickname": format!("n{user}")},
        });
        match at {
            At::Group(group) => {
                event["message_type"] = "group".into();
                event["group_id"] = group.into();
            }
            At::Private(peer) => {
                event["message_type"] = "private".into();
                event["sub_type"] = "friend".into();
                event["target_id"] = peer.into();
            }
        }
        book.messages.entry(at).or_default().push(event.clone());
        event
    }

    /// Texts of the account itself in a chat.
    pub fn own_texts(&self, at: At) -> Vec<String> {
        let book = self.book();
        let messages = book.messages.get(&at).map_or(&[][..], Vec::as_slice);
        messages
            .iter()
            .filter(|message| message["user_id"] == BOT)
            .map(|message| onebot::Message::read(&message["message"]).plain_text())
            .collect()
    }

    /// Calls of this name so far.
    pub fn calls(&self, name: &str) -> Vec<Value> {
        let book = self.book();
        book.calls
            .iter()
            .filter(|(called, _)| called == name)
            .map(|(_, p)| p.clone())
            .collect()
    }

    /// When calls of this name came.
    pub fn call_times(&self, name: &str) -> Vec<Instant> {
        let book = self.book();
        let both = book.calls.iter().zip(&book.times);
        both.filter(|((called, _), _)| called == name)
            .map(|(_, at)| *at)
            .collect()
    }

    /// Answers a call: the frames, in order.
    fn answer(&self, call: &Call) -> Vec<Value> {
        let params = Value::Object(call.params.0.clone());
        {
            let mut book = self.book();
            book.calls.push((call.action.clone(), params.clone()));
            book.times.push(Instant::now());
        }
        let ok =
            |data: Value| json!({"status": "ok", "retcode": 0, "data": data, "echo": call.echo});
        match call.action.as_str() {
            "send_group_msg" | "send_private_msg" => self.send(call, &params),
            "get_version_info" => vec![ok(json!({"app_name": "NapCat.Onebot"}))],
            "get_login_info" => vec![ok(json!({"user_id": BOT, "nickname": "bot"}))],
            "get_status" => match self.book().status {
                Status::Unknown => vec![failed(call, 1404, "no such action")],
                Status::Online => vec![ok(json!({"online": true, "good": true}))],
                Status::Offline => vec![ok(json!({"online": false, "good": true}))],
                Status::Silent => Vec::new(),
            },
            "get_group_msg_history" => {
                let group = call.params.number("group_id").expect("a group");
                self.history(call, At::Group(group))
            }
            "get_friend_msg_history" => {
                let user = call.params.number("user_id").expect("a user");
                self.history(call, At::Private(user))
            }
            "get_group_system_msg" => {
                vec![ok(
                    json!({"invited_requests": [], "join_requests": self.book().requests}),
                )]
            }
            "get_group_member_list" => {
                let group = call.params.number("group_id").expect("a group");
                let members = self.book().members.get(&group).cloned().unwrap_or_default();
                let list: Vec<Value> = members.iter().map(|id| json!({"user_id": id})).collect();
                vec![ok(json!(list))]
            }
            "get_recent_contact" => vec![self.recent(call)],
            "get_friend_list" => {
                let friends = self.book().friends.clone();
                let list: Vec<Value> = friends.iter().map(|id| json!({"user_id": id})).collect();
                vec![ok(json!(list))]
            }
            "get_doubt_friends_add_request" => vec![ok(json!(self.book().doubtful))],
            "set_friend_add_request"
            | "set_doubt_friends_add_request"
            | "set_group_card"
            | "set_group_kick" => vec![ok(Value::Null)],
            "set_group_add_request" => vec![failed(call, 1200, "No such request")],
            _ => vec![failed(call, 1404, "no such action")],
        }
    }

    /// The newest messages of the chats, as `NapCat` lists them.
    fn recent(&self, call: &Call) -> Value {
        let book = self.book();
        if book.recent_is_unknown {
            return failed(call, 1404, "no such action");
        }
        let mut newest: Vec<(&At, &Value)> = book
            .messages
            .iter()
            .filter_map(|(at, messages)| Some((at, messages.last()?)))
            .collect();
        newest.sort_by_key(|(_, message)| std::cmp::Reverse(message["message_id"].as_u64()));
        let count = call.params.number("count").expect("a count");
        let list: Vec<Value> = newest
            .into_iter()
            .take(usize::try_from(count).expect("a small count"))
            .map(|(at, message)| {
                let (kind, peer) = match at {
                    At::Private(peer) => (1, peer),
                    At::Group(group) => (2, group),
                };
                let time = message["time"].to_string();
                json!({"peerUin": peer.to_string(), "chatType": kind, "msgTime": time})
            })
            .collect();
        json!({"status": "ok", "retcode": 0, "data": list, "echo": call.echo})
    }

    /// A page of 20, newest or up to a message, as NapCat gives it when read backwards.
    fn history(&self, call: &Call, at: At) -> Vec<Value> {
        let book = self.book();
        if book.history_is_gone {
            return vec![failed(call, 1200, "history is gone")];
        }
        let messages = book.messages.get(&at).cloned().unwrap_or_default();
        let start = call.params.id("message_seq");
        let end = match start {
            Some(start) if call.params.flag("reverse_order") == Some(true) => messages
                .iter()
                .position(|m| onebot::Id::read(&m["message_id"]).as_ref() == Some(&start))
                .map_or(messages.len(), |at| at + 1),
            Some(_) | None => messages.len(),
        };
        let page = &messages[end.saturating_sub(20)..end];
        let data = json!({"messages": page});
        vec![json!({"status": "ok", "retcode": 0, "data": data, "echo": call.echo})]
    }

    fn send(&self, call: &Call, params: &Value) -> Vec<Value> {
        let manner = {
            let mut book = self.book();
            if book.manners.is_empty() {
                Manner::Well
            } else {
                book.manners.remove(0)
            }
        };
        // As some sides do: a private send that carries a group id lands in the group.
        let at = match call.params.number("group_id") {
            Some(group) => At::Group(group),
            None => At::Private(call.params.number("user_id").expect("a user")),
        };
        let deliver = || {
            let sent = self.say(at, BOT, &params["message"]);
            let data = json!({"message_id": sent["message_id"]});
            json!({"status": "ok", "retcode": 0, "data": data, "echo": call.echo})
        };
        let timeout = || {
            failed(
                call,
                1200,
                "Timeout: NTEvent sendMsg EventRet: {\"result\": 0}",
            )
        };
        match manner {
            Manner::Well => vec![deliver()],
            Manner::DeliveredButTimeout => {
                deliver();
                vec![timeout()]
            }
            Manner::LostAndTimeout => vec![timeout()],
            Manner::DeliveredInSilence => {
                deliver();
                Vec::new()
            }
            Manner::WrongEchoFirst => {
                let right = deliver();
                let mut wrong = failed(call, 1200, "\"result\": 110");
                wrong["echo"] = "nobody-7".into();
                vec![wrong, right.clone(), right]
            }
            Manner::Refused(result) => {
                vec![failed(
                    call,
                    1200,
                    &format!("EventRet: {{\"result\": {result}}}"),
                )]
            }
        }
    }
}

fn failed(call: &Call, retcode: i64, message: &str) -> Value {
    json!({
        "status": "failed", "retcode": retcode, "data": null, "message": message, "echo": call.echo
    })
}

/// How a connection ended: the close frame's code, if any.
pub type Ended = Option<u16>;

/// One connection of the side.
pub struct Side {
    pub world: World,
    frames: mpsc::UnboundedSender<Message>,
    ended: tokio::task::JoinHandle<Ended>,
}

impl Side {
    /// Connects to the bridge as the account.
    pub async fn connect(address: &str, world: &World) -> Self {
        Self::connect_as(address, world, "Universal").await
    }

    pub async fn connect_as(address: &str, world: &World, role: &'static str) -> Self {
        let mut request = format!("ws://{address}/onebot/v11/ws")
            .into_client_request()
            .expect("an address");
        let headers = request.headers_mut();
        headers.insert("Authorization", HeaderValue::from_static("Bearer secret"));
        headers.insert("X-Self-ID", HeaderValue::from(BOT));
        headers.insert("X-Client-Role", HeaderValue::from_static(role));
        let (socket, _) = connect_async(request)
            .await
            .expect("the bridge lets its side in");
        Self::over(socket, world)
    }

    /// Talks over a connection that is there already.
    pub fn over<S>(socket: WebSocketStream<S>, world: &World) -> Self
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + std::marker::Send + 'static,
    {
        let (frames, wire) = mpsc::unbounded_channel();
        let ended = tokio::spawn(serve(socket, world.clone(), wire));
        let side = Self {
            world: world.clone(),
            frames,
            ended,
        };
        side.event(&json!({
            "post_type": "meta_event", "meta_event_type": "lifecycle", "sub_type": "connect",
            "self_id": BOT, "time": now()
        }));
        side
    }

    pub fn raw(&self, text: impl Into<String>) {
        // A connection that has ended swallows it.
        let _ = self.frames.send(Message::text(text.into()));
    }

    pub fn event(&self, event: &Value) {
        self.raw(event.to_string());
    }

    /// Somebody says something while the account is there.
    pub fn say(&self, at: At, user: u64, words: &str) -> Value {
        let event = self.world.say(at, user, &text(words));
        self.event(&event);
        event
    }

    /// Breaks off without a word.
    pub async fn break_off(self) {
        self.ended.abort();
        let _ = self.ended.await;
    }

    /// Waits until the bridge has ended the connection.
    pub async fn ended(self) -> Ended {
        let waiting = tokio::time::timeout(DEADLINE, self.ended);
        waiting
            .await
            .expect("the connection ends")
            .expect("the side does not panic")
    }
}

async fn serve<S>(
    mut socket: WebSocketStream<S>,
    world: World,
    mut wire: mpsc::UnboundedReceiver<Message>,
) -> Ended
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    loop {
        let outgoing = tokio::select! {
            message = socket.next() => match message {
                Some(Ok(Message::Text(frame))) => {
                    let Ok(Frame::Call(call)) = Frame::read(&frame) else {
                        panic!("the bridge sends calls only: {frame}");
                    };
                    assert!(call.echo.is_string(), "some sides drop other echoes");
                    let slow = world.book().histories_are_slow;
                    if let Some(pause) = slow.filter(|_| call.action.ends_with("history")) {
                        tokio::time::sleep(pause).await;
                    }
                    world.answer(&call).iter().map(|f| Message::text(f.to_string())).collect()
                }
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => Vec::new(),
                Some(Err(_)) | None => return None,
            },
            frame = wire.recv() => match frame {
                Some(frame) => vec![frame],
                None => std::future::pending().await,
            },
        };
        for frame in outgoing {
            match socket.send(frame).await {
                Ok(()) | Err(tungstenite::Error::Protocol(_)) => {}
                Err(_) => return None,
            }
        }
    }
}

/// Waits until the world is as wanted.
pub async fn until(what: &str, mut look: impl FnMut() -> bool) {
    wait_for(what, DEADLINE, || std::future::ready(look().then_some(()))).await;
}
