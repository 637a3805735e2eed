//! A bridge with everything around it: store, bus, HTTP, and ears on the other services' queues.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bus::{Outgoing, Settle};
use ingest::{Bridge, Limits, Pace, People, Settings, key};
use kit::config::Secret;
use kit::testing::TestParts;
use kit::{CancellationToken, Parts};
use protocol::{
    AccountId, ChatGroup, Directory, DirectoryGroup, GameId, Message, MessageId, Part, PlatformAct,
    PoolIn, Roster, RosterSeat, RosterState, SayKind, Scene, Send, SendKey, SendOutcome, Service,
    Shard, ToIngest, ToNight, ToPublish, ToTally, Topic, UserId,
};
use rules::{SeatId, Time};

use crate::fake::{BOT, until};

pub const SQUARE: u64 = 700;
pub const PACK: u64 = 701;
pub const DIRECTOR: u64 = 1;
pub const PLAYER: u64 = 30;
pub const OTHER: u64 = 31;

type Heard = Arc<Mutex<Vec<Message>>>;

pub struct Rig {
    parts: Option<TestParts>,
    pub address: String,
    settings: Settings,
    heard: Heard,
    tasks: Vec<tokio::task::JoinHandle<()>>,
    server: CancellationToken,
    next: u64,
}

pub fn settings() -> Settings {
    Settings {
        access_token: Some(Secret::new("secret")),
        people: People {
            directors: vec![UserId(DIRECTOR)],
            pool: vec![ChatGroup(PACK)],
        },
        pace: Pace {
            account: Duration::from_micros(10),
            burst: 100,
            group: Duration::from_micros(10),
        },
        limits: Limits {
            frame: 256 * 1024,
            call: Duration::from_millis(400),
            settle: Duration::from_millis(10),
            beat: Duration::from_millis(20),
            silence: Duration::from_secs(5),
            reconnect: Duration::from_millis(10),
            reconnect_most: Duration::from_millis(50),
            muted: Duration::from_millis(300),
            page: 20,
            compare: Duration::from_secs(60),
            quiet: Duration::from_secs(60),
            absence: Duration::from_secs(60),
        },
        ..Settings::bare()
    }
}

impl Rig {
    pub async fn new() -> Self {
        Self::with(settings()).await
    }

    pub async fn with(settings: Settings) -> Self {
        Self::on(TestParts::new().await, settings, Heard::default(), 0)
    }

    fn on(parts: TestParts, settings: Settings, heard: Heard, next: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let bridge = Bridge::new(Parts::clone(&parts), settings.clone());
        let mut tasks = Vec::new();
        let server = CancellationToken::new();
        serve_http(listener, bridge.clone(), server.clone());
        tasks.push(tokio::spawn(async move {
            bridge.run().await.expect("the bridge runs to its end");
        }));
        tasks.push(tokio::spawn(listen(
            Parts::clone(&parts),
            Arc::clone(&heard),
        )));
        Self {
            parts: Some(parts),
            address,
            settings,
            heard,
            tasks,
            server,
            next,
        }
    }

    /// Stops as suddenly as a process can be stopped from inside, and begins again on the same
    /// store.
    pub async fn restart(mut self) -> Self {
        let parts = self.parts.take().expect("a rig has parts");
        parts.shutdown.cancel();
        self.server.cancel();
        for task in std::mem::take(&mut self.tasks) {
            task.await.expect("no task panics");
        }
        let parts = parts.restart().await;
        Self::on(
            parts,
            self.settings.clone(),
            Arc::clone(&self.heard),
            self.next,
        )
    }

    /// The pause after a refusal in a muted group.
    pub fn muted(&self) -> Duration {
        self.settings.limits.muted
    }

    pub fn parts(&self) -> &Parts {
        self.parts.as_ref().expect("a rig has parts")
    }

    /// Tells the bridge of a running game with a square and one private group.
    pub async fn with_game(self) -> Self {
        self.with_game_that(RosterState::Running).await
    }

    /// The same, with sign-up still open.
    pub async fn with_lobby(self) -> Self {
        self.with_game_that(RosterState::Lobby).await
    }

    async fn with_game_that(mut self, state: RosterState) -> Self {
        let game = GameId {
            account: AccountId(BOT),
            number: 1,
        };
        let seat = |seat: u8, user: u64| RosterSeat {
            seat: SeatId(seat),
            alias: format!("座{seat}"),
            user: UserId(user),
        };
        let roster = Roster {
            game,
            version: 1,
            name: "鸣潮一".into(),
            square: ChatGroup(SQUARE),
            state,
            directors: vec![UserId(DIRECTOR)],
            skill_words: Vec::new(),
            seats: vec![seat(0, PLAYER), seat(1, OTHER)],
        };
        let group = DirectoryGroup {
            group: ChatGroup(PACK),
            game,
            name: "狼群".into(),
        };
        self.tell(&ToIngest::Roster(roster)).await;
        self.tell(&ToIngest::Directory(Directory {
            version: 1,
            groups: vec![group],
        }))
        .await;
        self
    }

    /// A message to the account's aggregate.
    pub async fn tell(&mut self, body: &ToIngest) {
        self.next += 1;
        let key = key(AccountId(BOT));
        let message = Message {
            id: MessageId(format!("test/{}", self.next)),
            trace: "test".into(),
            to: Topic {
                service: Service::Ingest,
                shard: Shard::of(&key),
            },
            key,
            body: serde_json::to_string(body).expect("protocol types always serialize"),
        };
        let receipts = self
            .parts()
            .bus
            .publish(vec![Outgoing::first(message)])
            .await;
        for receipt in receipts.expect("the bus takes it") {
            receipt.await.expect("the bridge takes it");
        }
    }

    pub async fn send(&mut self, name: &str, scene: Scene, words: &str) {
        let send = Send {
            key: SendKey(name.into()),
            scene,
            parts: vec![Part::Text(words.into())],
            repeat: false,
            kind: SayKind::Notice,
        };
        self.tell(&ToIngest::Send {
            send,
            answer: format!("{BOT}-1"),
        })
        .await;
    }

    pub async fn act(&mut self, name: &str, act: PlatformAct) {
        let key = SendKey(name.into());
        self.tell(&ToIngest::Act {
            key,
            act,
            answer: format!("pool:{BOT}"),
        })
        .await;
    }

    fn bodies<T: serde::de::DeserializeOwned>(&self, service: Service) -> Vec<T> {
        let heard = self.heard.lock().expect("nobody panics with it");
        heard
            .iter()
            .filter(|message| message.to.service == service)
            .map(|message| serde_json::from_str(&message.body).expect("a body of the protocol"))
            .collect()
    }

    /// Texts of lines that tally got, in order.
    pub fn tally_lines(&self) -> Vec<String> {
        self.bodies(Service::Tally)
            .into_iter()
            .filter_map(|body| match body {
                ToTally::Line(line) => Some(line.text),
                _ => None,
            })
            .collect()
    }

    pub fn tally(&self) -> Vec<ToTally> {
        self.bodies(Service::Tally)
    }

    /// Texts of lines that night got, in order.
    pub fn night_lines(&self) -> Vec<String> {
        self.bodies(Service::Night)
            .into_iter()
            .filter_map(|body| match body {
                ToNight::Line(line) => Some(line.text),
                _ => None,
            })
            .collect()
    }

    /// The keys of what directors are told, in order.
    pub fn troubles(&self) -> Vec<String> {
        self.bodies(Service::Night)
            .into_iter()
            .filter_map(|body| match body {
                ToNight::Trouble { phrase } => Some(phrase.key),
                _ => None,
            })
            .collect()
    }

    /// Games that night was told to open: where, and the words after 开局.
    pub fn opened(&self) -> Vec<(ChatGroup, String)> {
        self.bodies(Service::Night)
            .into_iter()
            .filter_map(|body| match body {
                ToNight::Open { square, line, .. } => Some((square, line.text)),
                _ => None,
            })
            .collect()
    }

    /// The newest watermark of the account; it is told to all shards.
    pub fn watermark(&self) -> Option<Time> {
        let heard = self.heard.lock().expect("nobody panics with it");
        let told = heard
            .iter()
            .filter(|m| m.to.service == Service::Night && m.key.is_empty());
        told.filter_map(|message| match serde_json::from_str(&message.body) {
            Ok(ToNight::Watermark {
                account: AccountId(BOT),
                upto,
            }) => Some(upto),
            _ => None,
        })
        .max()
    }

    /// How many shards of night have heard a watermark.
    pub fn shards_told(&self) -> usize {
        let heard = self.heard.lock().expect("nobody panics with it");
        let told = heard
            .iter()
            .filter(|m| m.to.service == Service::Night && m.key.is_empty());
        told.map(|message| message.to.shard)
            .collect::<std::collections::BTreeSet<_>>()
            .len()
    }

    /// What became of a send or an act.
    pub fn outcome(&self, name: &str) -> Option<SendOutcome> {
        self.outcomes(name).into_iter().next()
    }

    pub fn outcomes(&self, name: &str) -> Vec<SendOutcome> {
        self.bodies(Service::Publish)
            .into_iter()
            .filter_map(|body| match body {
                ToPublish::Sent { key, outcome } | ToPublish::ActDone { key, outcome, .. } => {
                    (key.0 == name).then_some(outcome)
                }
                _ => None,
            })
            .collect()
    }

    pub async fn outcome_of(&self, name: &str) -> SendOutcome {
        until(&format!("the outcome of {name}"), || {
            self.outcome(name).is_some()
        })
        .await;
        self.outcome(name).expect("it is there")
    }

    /// News that the pool got.
    pub fn pool_news(&self) -> Vec<ToPublish> {
        self.bodies(Service::Publish)
            .into_iter()
            .filter_map(|body| match body {
                ToPublish::Pool(PoolIn::News { news, .. }) => Some(*news),
                _ => None,
            })
            .collect()
    }

    pub async fn caught_up(&self) {
        let before = self.parts().clock.now();
        until("a watermark", || {
            self.watermark().is_some_and(|upto| upto >= before)
        })
        .await;
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.server.cancel();
        if let Some(parts) = &self.parts {
            parts.shutdown.cancel();
        }
    }
}

/// HTTP runs on threads of its own, as it does in the product.
fn serve_http(listener: TcpListener, bridge: Bridge, stop: CancellationToken) {
    std::thread::spawn(move || {
        let server = actix_web::HttpServer::new(move || {
            let bridge = bridge.clone();
            actix_web::App::new().configure(move |config| bridge.routes(config))
        });
        let server = server
            .workers(1)
            .disable_signals()
            .shutdown_timeout(0)
            .listen(listener);
        let server = server.expect("a server on the listener").run();
        let handle = server.handle();
        actix_web::rt::System::new().block_on(async move {
            tokio::select! {
                _ = server => {}
                () = stop.cancelled() => handle.stop(false).await,
            }
        });
    });
}

/// Takes what is sent to the other services.
async fn listen(parts: Parts, heard: Heard) {
    let services = [Service::Night, Service::Tally, Service::Publish];
    let topics = services
        .into_iter()
        .flat_map(|service| Shard::all().map(move |shard| Topic { service, shard }));
    let mut queue = parts
        .bus
        .subscribe(topics.collect(), 16)
        .await
        .expect("free queues");
    loop {
        let delivery = tokio::select! {
            delivery = queue.next() => delivery,
            () = parts.shutdown.cancelled() => return,
        };
        let Some(delivery) = delivery else { return };
        heard
            .lock()
            .expect("nobody panics with it")
            .push(delivery.message);
        if queue.settle(delivery.tag, Settle::Ack).await.is_err() {
            return;
        }
    }
}
