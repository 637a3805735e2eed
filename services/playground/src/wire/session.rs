//! One connection, from its first event to its end.

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use onebot::{Call, Frame};
use protocol::Scene;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message as WsMessage;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use tokio_util::sync::CancellationToken;

use super::actions::Side;
use super::events;
use super::stream::Stream;
use crate::hall::News;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Calls about different chats are done side by side; those about one chat in their order.
const WORKERS: usize = 8;

/// How long a message that waits for another to be swapped with is held back.
const HOLD: Duration = Duration::from_secs(1);

/// How a connection ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The process stops.
    Stopped,
    /// It was cut on purpose.
    Cut {
        /// For how long.
        away: Duration,
    },
    /// It broke, or was closed by the other end.
    Lost,
}

/// Takes the order to cut the connection, if there is one.
pub(super) fn cut(side: &Side) -> Option<Ending> {
    let (away_ms, restart) = side.faults.take_cut()?;
    if restart {
        side.memory.forget(side.hall.horizon());
    }
    Some(Ending::Cut {
        away: Duration::from_millis(away_ms),
    })
}

/// A connection.
pub(super) struct Session {
    side: Arc<Side>,
    heartbeat: Duration,
    stream: Stream,
    told_offline: bool,
}

impl Session {
    pub(super) fn new(side: Arc<Side>, heartbeat: Duration) -> Self {
        Self {
            side,
            heartbeat,
            stream: Stream::default(),
            told_offline: false,
        }
    }

    /// Runs until the connection ends.
    pub(super) async fn run(mut self, socket: Socket, stop: &CancellationToken) -> Ending {
        let mut news = self.side.hall.attach_wire();
        let mut orders = self.side.faults.listen();
        let (mut sink, mut source) = socket.split();
        let (outgoing, mut queue) = mpsc::unbounded_channel::<String>();
        // Dropping the set ends the workers with the connection.
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            while let Some(frame) = queue.recv().await {
                if sink.send(WsMessage::text(frame)).await.is_err() {
                    return;
                }
            }
        });
        let workers = spawn_workers(&self.side, &outgoing, &mut tasks);
        let emit = |event: &Value| outgoing.send(event.to_string()).is_ok();
        emit(&events::lifecycle(self.side.hall.bot(), self.now_secs()));
        let mut pulse =
            tokio::time::interval_at(tokio::time::Instant::now() + self.heartbeat, self.heartbeat);
        let mut hold = tokio::time::interval(HOLD);
        loop {
            if let Some(ending) = cut(&self.side) {
                return ending;
            }
            if let Some(notice) = self.offline_notice().await {
                emit(&notice);
            }
            tokio::select! {
                () = stop.cancelled() => return Ending::Stopped,
                _ = orders.changed() => {}
                _ = pulse.tick() => {
                    let online = !self.side.faults.now().bot_offline;
                    let interval = u64::try_from(self.heartbeat.as_millis()).unwrap_or(u64::MAX);
                    let bot = self.side.hall.bot();
                    emit(&events::heartbeat(bot, self.now_secs(), interval, online));
                }
                _ = hold.tick() => {
                    if let Some(held) = self.stream.release() {
                        emit(&held);
                    }
                }
                piece = news.recv() => match piece {
                    Some(piece) => {
                        for event in self.events(piece).await {
                            emit(&event);
                        }
                    }
                    None => return Ending::Lost,
                },
                frame = source.next() => match frame {
                    Some(Ok(WsMessage::Text(text))) => hand_over(&workers, text.as_str()),
                    Some(Ok(WsMessage::Close(_)) | Err(_)) | None => return Ending::Lost,
                    Some(Ok(_)) => {}
                },
                _ = tasks.join_next() => return Ending::Lost,
            }
        }
    }

    /// The events that a piece of news makes.
    async fn events(&mut self, news: News) -> Vec<Value> {
        match self.try_events(news).await {
            Ok(events) => events,
            Err(trouble) => {
                tracing::warn!(%trouble, "the playground lost an event");
                Vec::new()
            }
        }
    }

    async fn try_events(&mut self, news: News) -> Result<Vec<Value>, crate::hall::Trouble> {
        let side = &self.side;
        let faults = side.faults.now();
        let now = self.now_secs();
        let event = match news {
            News::Said {
                scene,
                message,
                door,
            } => {
                if message.from == side.hall.bot() && !faults.own_messages {
                    return Ok(Vec::new());
                }
                let quoted = match message.reply_to {
                    Some(seq) => side.hall.message(scene, seq).await?,
                    None => None,
                };
                let heard = side
                    .hall
                    .world(|world| {
                        let heard = match scene {
                            Scene::Group(group) => world
                                .group(group)
                                .is_some_and(|group| group.has(world.bot())),
                            Scene::Private(_) => true,
                        };
                        heard.then(|| {
                            events::message(world, &faults, scene, &message, quoted.as_ref(), door)
                        })
                    })
                    .await?;
                return Ok(match heard {
                    Some(event) => self.stream.message(&side.faults, event),
                    None => Vec::new(),
                });
            }
            News::Recalled { scene, message, by } => {
                side.hall
                    .world(|world| Some(events::recalled(world, &faults, now, scene, &message, by)))
                    .await?
            }
            News::Reacted {
                scene: Scene::Group(group),
                message,
                by,
                face,
                on,
            } => {
                side.hall
                    .world(|world| {
                        let reaction = (by, face.as_str(), on);
                        Some(events::reacted(
                            world, &faults, now, group, &message, reaction,
                        ))
                    })
                    .await?
            }
            News::Reacted { .. } => None,
            News::Happened(happening) => {
                side.hall
                    .world(|world| events::happened(world, &faults, now, &happening))
                    .await?
            }
        };
        Ok(event.map_or_else(Vec::new, |event| Stream::other(&side.faults, event)))
    }

    /// Says once that the account was put offline, when it was.
    async fn offline_notice(&mut self) -> Option<Value> {
        let faults = self.side.faults.now();
        let first = faults.bot_offline && !self.told_offline;
        self.told_offline = faults.bot_offline;
        if !first {
            return None;
        }
        let now = self.now_secs();
        self.side
            .hall
            .world(|world| events::bot_offline(world, &faults, now))
            .await
            .ok()
    }

    fn now_secs(&self) -> i64 {
        self.side.hall.now().0.div_euclid(1000)
    }
}

/// Gives a call to the worker of its chat. What is no call is passed over.
fn hand_over(workers: &[mpsc::UnboundedSender<Call>], text: &str) {
    match Frame::read(text) {
        Ok(Frame::Call(call)) => {
            let peer = call
                .params
                .number("group_id")
                .or_else(|| call.params.number("user_id"));
            let lane = usize::try_from(peer.unwrap_or(0)).unwrap_or(0) % workers.len();
            // A worker that is gone ends the session by itself.
            let _ = workers[lane].send(call);
        }
        Ok(_) => {}
        Err(error) => tracing::debug!(%error, "the playground was sent a frame that is no JSON"),
    }
}

fn spawn_workers(
    side: &Arc<Side>,
    outgoing: &mpsc::UnboundedSender<String>,
    tasks: &mut JoinSet<()>,
) -> Vec<mpsc::UnboundedSender<Call>> {
    (0..WORKERS)
        .map(|_| {
            let (calls, mut queue) = mpsc::unbounded_channel::<Call>();
            let (side, outgoing) = (Arc::clone(side), outgoing.clone());
            tasks.spawn(async move {
                while let Some(call) = queue.recv().await {
                    let reply = side.answer(&call).await;
                    if side.faults.spend(|faults| &mut faults.answer_never) {
                        continue;
                    }
                    let no_data = side.faults.now().no_data;
                    let Some(frame) = reply.frame(&call.echo, no_data) else {
                        continue;
                    };
                    if side.faults.spend(|faults| &mut faults.answer_twice) {
                        let _ = outgoing.send(frame.clone());
                    }
                    let _ = outgoing.send(frame);
                }
            });
            calls
        })
        .collect()
}
