//! A chat side with nothing in the way: what it is asked to do is done and answered at once.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use futures::{SinkExt, StreamExt};
use onebot::{Call, Frame};
use protocol::{AccountId, ChatGroup, Scene, UserId};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::connect_async_with_config;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Messages in one page of history.
const PAGE: usize = 20;

/// Something that the bot has said.
#[derive(Debug, Clone)]
pub struct Said {
    /// When its frame had been read.
    pub at: Instant,
    /// Where.
    pub scene: Scene,
    /// What.
    pub text: String,
}

/// A connected side. Its owner types as anybody.
pub struct Side {
    account: AccountId,
    frames: mpsc::UnboundedSender<Ours>,
    said: mpsc::UnboundedReceiver<Said>,
    last_id: i64,
}

/// Something that somebody typed.
pub struct Typed {
    /// The message's name.
    pub id: i64,
    /// When its frame was put on the wire.
    pub sent: oneshot::Receiver<Instant>,
}

/// What the connection's task is handed: an event without its place in the scene.
struct Ours {
    scene: Scene,
    event: Value,
    sent: oneshot::Sender<Instant>,
}

impl Side {
    /// Connects as this account.
    pub async fn connect(
        address: SocketAddr,
        account: AccountId,
        token: &str,
    ) -> anyhow::Result<Self> {
        let mut request = format!("ws://{address}/onebot/v11/ws").into_client_request()?;
        let headers = request.headers_mut();
        headers.insert("Authorization", format!("Bearer {token}").parse()?);
        headers.insert("X-Self-ID", account.to_string().parse()?);
        headers.insert("X-Client-Role", "Universal".parse()?);
        let connecting = connect_async_with_config(request, None, true);
        let (socket, _) = connecting.await.context("cannot connect")?;
        let (frames, ours) = mpsc::unbounded_channel();
        let (tell, said) = mpsc::unbounded_channel();
        let wire = Wire {
            account,
            tell,
            messages: HashMap::new(),
            last_id: 0,
        };
        tokio::spawn(wire.run(socket, ours));
        Ok(Self {
            account,
            frames,
            said,
            last_id: 0,
        })
    }

    /// Somebody types in a group.
    pub fn say(&mut self, group: u64, user: u64, text: &str) -> Typed {
        self.event(Scene::Group(ChatGroup(group)), user, &[segment(text)])
    }

    /// Somebody types in a group, quoting a message.
    pub fn reply(&mut self, group: u64, user: u64, to: i64, text: &str) -> Typed {
        let quote = json!({"type": "reply", "data": {"id": to.to_string()}});
        let scene = Scene::Group(ChatGroup(group));
        self.event(scene, user, &[quote, segment(text)])
    }

    /// Somebody types to the bot in private.
    pub fn whisper(&mut self, user: u64, text: &str) -> Typed {
        self.event(Scene::Private(UserId(user)), user, &[segment(text)])
    }

    fn event(&mut self, scene: Scene, user: u64, message: &[Value]) -> Typed {
        self.last_id += 2;
        let id = self.last_id;
        let event = json!({
            "post_type": "message", "self_id": self.account.0, "user_id": user, "time": seconds(),
            "message_id": id, "message": message,
            "sender": {"user_id": user, "nickname": format!("网友{user}")},
        });
        let event = in_scene(event, scene);
        // When the connection has gone, whoever waits for an answer says so.
        let (told, sent) = oneshot::channel();
        let _ = self.frames.send(Ours {
            scene,
            event,
            sent: told,
        });
        Typed { id, sent }
    }

    /// The next thing that the bot says in this scene.
    pub async fn next_in(&mut self, scene: Scene) -> anyhow::Result<Said> {
        self.until(|said| said.scene == scene)
            .await
            .with_context(|| format!("nothing was said in {scene:?}"))
    }

    /// Waits until the bot has said something like this; what it says before is passed over.
    pub async fn until(&mut self, wanted: impl Fn(&Said) -> bool) -> anyhow::Result<Said> {
        let search = async {
            while let Some(said) = self.said.recv().await {
                if wanted(&said) {
                    return Ok(said);
                }
            }
            bail!("the connection was lost")
        };
        tokio::time::timeout(PATIENCE, search)
            .await
            .context("the bot did not say what was waited for")?
    }

    /// Waits until the bot has been silent for so long; what it said meanwhile.
    pub async fn silence(&mut self, pause: Duration) -> Vec<Said> {
        let mut all = Vec::new();
        while let Ok(Some(said)) = tokio::time::timeout(pause, self.said.recv()).await {
            all.push(said);
        }
        all
    }
}

fn segment(text: &str) -> Value {
    json!({"type": "text", "data": {"text": text}})
}

fn seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

/// The connection's task.
struct Wire {
    account: AccountId,
    tell: mpsc::UnboundedSender<Said>,
    /// What was said in each scene, oldest first.
    messages: HashMap<Scene, Vec<Value>>,
    /// Own messages have odd names.
    last_id: i64,
}

impl Wire {
    async fn run<S>(
        mut self,
        mut socket: tokio_tungstenite::WebSocketStream<S>,
        mut ours: mpsc::UnboundedReceiver<Ours>,
    ) where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    {
        loop {
            let frame = tokio::select! {
                frame = socket.next() => match frame {
                    Some(Ok(Message::Text(text))) => match Frame::read(&text) {
                        Ok(Frame::Call(call)) => self.answer(&call),
                        _ => continue,
                    },
                    // Signs of life are answered by the library.
                    Some(Ok(_)) => continue,
                    Some(Err(_)) | None => return,
                },
                ours = ours.recv() => match ours {
                    Some(Ours { scene, event, sent }) => {
                        let frame = self.note(scene, event);
                        // Most do not want to know.
                        let _ = sent.send(Instant::now());
                        frame
                    }
                    None => return,
                },
            };
            if socket.send(Message::text(frame.to_string())).await.is_err() {
                return;
            }
        }
    }

    /// Puts a message at the end of its scene.
    fn note(&mut self, scene: Scene, mut event: Value) -> Value {
        let messages = self.messages.entry(scene).or_default();
        event["real_seq"] = (messages.len() + 1).to_string().into();
        messages.push(event.clone());
        event
    }

    /// A page of a scene, newest or up to a message.
    fn history(&self, call: &Call, scene: Scene) -> Value {
        let messages = self.messages.get(&scene).map_or(&[][..], Vec::as_slice);
        let named = |message: &Value| onebot::Id::read(&message["message_id"]);
        let end = match call.params.id("message_seq") {
            Some(start) => messages
                .iter()
                .position(|message| named(message).as_ref() == Some(&start))
                .map_or(messages.len(), |at| at + 1),
            None => messages.len(),
        };
        json!({"messages": messages[end.saturating_sub(PAGE)..end]})
    }

    fn answer(&mut self, call: &Call) -> Value {
        let data = match call.action.as_str() {
            "send_group_msg" | "send_private_msg" => self.said(call),
            "get_version_info" => json!({"app_name": "bench"}),
            "get_login_info" => json!({"user_id": self.account.0, "nickname": "bench"}),
            "get_group_msg_history" | "get_friend_msg_history" => self.history(call, scene(call)),
            "get_group_system_msg" => json!({"invited_requests": [], "join_requests": []}),
            "get_group_member_list" | "get_friend_list" => json!([]),
            _ => Value::Null,
        };
        json!({"status": "ok", "retcode": 0, "data": data, "echo": call.echo})
    }

    fn said(&mut self, call: &Call) -> Value {
        let (at, scene) = (Instant::now(), scene(call));
        let message = call.params.0.get("message").unwrap_or(&Value::Null);
        let text = onebot::Message::read(message).plain_text();
        // Its owner may have gone; then nobody waits for this.
        let _ = self.tell.send(Said { at, scene, text });
        self.last_id += 2;
        let id = self.last_id - 1;
        let bot = self.account.0;
        let event = json!({
            "post_type": "message_sent", "self_id": bot, "user_id": bot, "time": seconds(),
            "message_id": id, "message": message, "sender": {"user_id": bot},
        });
        self.note(scene, in_scene(event, scene));
        json!({"message_id": id})
    }
}

/// The scene that a call is about.
fn scene(call: &Call) -> Scene {
    match call.params.number("group_id") {
        Some(group) => Scene::Group(ChatGroup(group)),
        None => Scene::Private(UserId(call.params.number("user_id").unwrap_or_default())),
    }
}

/// An event with the fields that say where it happened.
fn in_scene(mut event: Value, scene: Scene) -> Value {
    match scene {
        Scene::Group(group) => {
            event["message_type"] = "group".into();
            event["group_id"] = group.0.into();
        }
        Scene::Private(peer) => {
            event["message_type"] = "private".into();
            event["sub_type"] = "friend".into();
            event["target_id"] = peer.0.into();
        }
    }
    event
}
