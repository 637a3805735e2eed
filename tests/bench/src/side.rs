//! A chat side with nothing in the way: what it is asked to do is done and answered at once.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use futures::{SinkExt, StreamExt};
use onebot::{Call, Frame};
use protocol::{AccountId, ChatGroup, Scene, UserId};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

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
    histories: Arc<AtomicUsize>,
    last_id: i64,
}

/// What the connection's task is handed.
enum Ours {
    /// Somebody typed: the event without its place in the scene.
    Event(Scene, Value),
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
        let (socket, _) = connect_async(request).await.context("cannot connect")?;
        let (frames, ours) = mpsc::unbounded_channel();
        let (tell, said) = mpsc::unbounded_channel();
        let histories = Arc::new(AtomicUsize::new(0));
        let wire = Wire {
            account,
            tell,
            seqs: HashMap::new(),
            last_id: 0,
            histories: Arc::clone(&histories),
        };
        tokio::spawn(wire.run(socket, ours));
        Ok(Self {
            account,
            frames,
            said,
            histories,
            last_id: 0,
        })
    }

    /// How often histories were read so far.
    pub fn histories(&self) -> usize {
        self.histories.load(Ordering::Relaxed)
    }

    /// Somebody types in a group; the message's name.
    pub fn say(&mut self, group: u64, user: u64, text: &str) -> i64 {
        self.event(Scene::Group(ChatGroup(group)), user, &[segment(text)])
    }

    /// Somebody types in a group, quoting a message.
    pub fn reply(&mut self, group: u64, user: u64, to: i64, text: &str) -> i64 {
        let quote = json!({"type": "reply", "data": {"id": to.to_string()}});
        let scene = Scene::Group(ChatGroup(group));
        self.event(scene, user, &[quote, segment(text)])
    }

    /// Somebody types to the bot in private.
    pub fn whisper(&mut self, user: u64, text: &str) -> i64 {
        self.event(Scene::Private(UserId(user)), user, &[segment(text)])
    }

    fn event(&mut self, scene: Scene, user: u64, message: &[Value]) -> i64 {
        self.last_id += 2;
        let id = self.last_id;
        let mut event = json!({
            "post_type": "message", "self_id": self.account.0, "user_id": user, "time": seconds(),
            "message_id": id, "message": message,
            "sender": {"user_id": user, "nickname": format!("网友{user}")},
        });
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
        // When the connection has gone, whoever waits for an answer says so.
        let _ = self.frames.send(Ours::Event(scene, event));
        id
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
    /// How many messages each scene has.
    seqs: HashMap<Scene, u64>,
    /// Own messages have odd names.
    last_id: i64,
    histories: Arc<AtomicUsize>,
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
                event = ours.recv() => match event {
                    Some(Ours::Event(scene, mut event)) => {
                        event["real_seq"] = self.next_seq(scene).to_string().into();
                        event
                    }
                    None => return,
                },
            };
            if socket.send(Message::text(frame.to_string())).await.is_err() {
                return;
            }
        }
    }

    fn next_seq(&mut self, scene: Scene) -> u64 {
        let seq = self.seqs.entry(scene).or_default();
        *seq += 1;
        *seq
    }

    fn answer(&mut self, call: &Call) -> Value {
        let data = match call.action.as_str() {
            "send_group_msg" | "send_private_msg" => self.said(call),
            "get_version_info" => json!({"app_name": "bench"}),
            "get_login_info" => json!({"user_id": self.account.0, "nickname": "bench"}),
            "get_group_msg_history" | "get_friend_msg_history" => {
                self.histories.fetch_add(1, Ordering::Relaxed);
                json!({"messages": []})
            }
            "get_group_system_msg" => json!({"invited_requests": [], "join_requests": []}),
            "get_group_member_list" | "get_friend_list" => json!([]),
            _ => Value::Null,
        };
        json!({"status": "ok", "retcode": 0, "data": data, "echo": call.echo})
    }

    fn said(&mut self, call: &Call) -> Value {
        let at = Instant::now();
        let number = |name| call.params.number(name);
        let scene = match (number("group_id"), number("user_id")) {
            (Some(group), _) => Scene::Group(ChatGroup(group)),
            (None, user) => Scene::Private(UserId(user.unwrap_or_default())),
        };
        let message = call.params.0.get("message").unwrap_or(&Value::Null);
        let text = onebot::Message::read(message).plain_text();
        self.next_seq(scene);
        self.last_id += 2;
        // Its owner may have gone; then nobody waits for this.
        let _ = self.tell.send(Said { at, scene, text });
        json!({"message_id": self.last_id - 1})
    }
}
