//! Several processes that run the same service: one relay at a time moves an outbox.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

mod common;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bus::{Bus, BusError, DeadLetter, Outgoing, Receipt, Subscription};
use common::{Desk, NightDiary, Note, TallyDiary, id, lines};
use kit::testing::{DEADLINE, TestParts, wait_for};
use kit::{CancellationToken, NoHooks, Parts, Writer, serve};
use protocol::{Message, Service, Topic};
use servers::redis::RedisServer;
use store::Store;
use tokio::task::JoinHandle;

/// A bus that keeps a book of who publishes what; several share the book.
struct Observed {
    inner: Arc<dyn Bus>,
    who: &'static str,
    book: Book,
}

/// Who published, and the message's name.
type Book = Arc<Mutex<Vec<(&'static str, String)>>>;

#[async_trait]
impl Bus for Observed {
    async fn publish(&self, messages: Vec<Outgoing>) -> Result<Vec<Receipt>, BusError> {
        let names = messages.iter().map(|out| out.message.id.0.clone());
        let entries = names.map(|name| (self.who, name)).collect::<Vec<_>>();
        self.book.lock().unwrap().extend(entries);
        self.inner.publish(messages).await
    }

    async fn publish_transient(&self, messages: Vec<Message>) -> Result<(), BusError> {
        self.inner.publish_transient(messages).await
    }

    async fn subscribe(
        &self,
        topics: Vec<Topic>,
        prefetch: usize,
    ) -> Result<Box<dyn Subscription>, BusError> {
        self.inner.subscribe(topics, prefetch).await
    }

    async fn dead_letters(&self, service: Service) -> Result<Vec<DeadLetter>, BusError> {
        self.inner.dead_letters(service).await
    }

    async fn put_back(&self, service: Service, id: u64) -> Result<(), BusError> {
        self.inner.put_back(service, id).await
    }

    async fn drop_letter(&self, service: Service, id: u64) -> Result<(), BusError> {
        self.inner.drop_letter(service, id).await
    }

    async fn count_letters(&self, service: Service) -> Result<u64, BusError> {
        self.inner.count_letters(service).await
    }

    async fn waiting(&self, topic: Topic) -> Result<u64, BusError> {
        self.inner.waiting(topic).await
    }

    fn condition(&self) -> bus::Condition {
        self.inner.condition()
    }

    async fn health(&self) -> Result<(), BusError> {
        self.inner.health().await
    }
}

/// One process: parts of its own on what all share.
struct Process {
    parts: Parts,
    night: Writer<NightDiary>,
    running: JoinHandle<anyhow::Result<()>>,
}

impl Process {
    fn start(who: &'static str, store: Arc<dyn Store>, shared: &Parts, book: &Book) -> Self {
        let bus = Arc::new(Observed {
            inner: Arc::clone(&shared.bus),
            who,
            book: Arc::clone(book),
        });
        let parts = Parts::new(
            kit::Config::default(),
            store,
            bus,
            shared.clock.clone(),
            CancellationToken::new(),
        );
        let night = Writer::<NightDiary>::new(parts.clone(), Arc::new(Desk::default()));
        let running = tokio::spawn(serve(night.clone(), NoHooks));
        Self {
            parts,
            night,
            running,
        }
    }

    /// Has the diary `from` pass `text` on to another.
    async fn pass(&self, from: &str, text: &str) {
        let note = Note::Pass {
            to: Service::Tally,
            key: "7-9".to_owned(),
            text: text.to_owned(),
        };
        self.night.handle(from, id(text), "t", note).await.unwrap();
    }

    async fn stop(self) {
        self.parts.shutdown.cancel();
        self.running.await.unwrap().unwrap();
    }

    /// As `kill -9` would: nothing is finished, nothing given back.
    async fn kill(self) {
        self.running.abort();
        assert!(self.running.await.unwrap_err().is_cancelled());
    }
}

/// The texts that have reached the other diary.
async fn wait_for_texts(tally: &Writer<TallyDiary>, count: usize) -> Vec<String> {
    wait_for(&format!("{count} texts"), DEADLINE, || async {
        let texts = lines(tally, "7-9").await;
        (texts.len() >= count).then_some(texts)
    })
    .await
}

/// Texts in order of each sender: `a0 a1 …`, `b0 b1 …`.
fn in_order(texts: &[String]) -> BTreeMap<char, Vec<usize>> {
    let mut by_sender = BTreeMap::<_, Vec<_>>::new();
    for text in texts {
        let sender = text.chars().next().unwrap();
        by_sender
            .entry(sender)
            .or_default()
            .push(text[1..].parse().unwrap());
    }
    by_sender
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_relay_moves_what_two_processes_commit() {
    let server = RedisServer::start().await.unwrap();
    let open = async || store::open(&server.url()).await.unwrap();
    let shared = TestParts::new().await;
    let book = Book::default();
    let one = Process::start("one", open().await, &shared, &book);
    let two = Process::start("two", open().await, &shared, &book);
    let there = Parts::new(
        kit::Config::default(),
        open().await,
        Arc::clone(&shared.bus),
        shared.clock.clone(),
        CancellationToken::new(),
    );
    let tally = Writer::<TallyDiary>::new(there.clone(), Arc::new(Desk::default()));
    let listening = tokio::spawn(serve(tally.clone(), NoHooks));

    // Two diaries of one shard, each written to by another process at the same time.
    let (from_one, from_two) = ("7-1".to_owned(), common::beside("7-1"));
    let each = 100;
    let write = async |process: &Process, from: &str, sender: char| {
        for n in 0..each {
            process.pass(from, &format!("{sender}{n}")).await;
        }
    };
    tokio::join!(write(&one, &from_one, 'a'), write(&two, &from_two, 'b'));
    let texts = wait_for_texts(&tally, 2 * each).await;
    let order: Vec<_> = (0..each).collect();
    let expected = BTreeMap::from([('a', order.clone()), ('b', order)]);
    assert_eq!(in_order(&texts), expected);
    let published = book.lock().unwrap().clone();
    let movers: std::collections::BTreeSet<_> = published.iter().map(|(who, _)| *who).collect();
    assert_eq!(movers.len(), 1, "both moved the shard");
    assert_eq!(published.len(), 2 * each, "and each message once");

    // Whichever moved them stops: the other takes over at once.
    let (mover, other) = if movers.contains("one") {
        (one, two)
    } else {
        (two, one)
    };
    mover.stop().await;
    other.pass(&from_one, "a100").await;
    let texts = wait_for_texts(&tally, 2 * each + 1).await;
    assert_eq!(texts.last().unwrap(), "a100");
    other.stop().await;
    there.shutdown.cancel();
    listening.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_dead_process_left_is_moved_by_another() {
    let server = RedisServer::start().await.unwrap();
    let open = async || store::open(&server.url()).await.unwrap();
    let shared = TestParts::new().await;
    let book = Book::default();
    let tally = Writer::<TallyDiary>::new(
        Parts::new(
            kit::Config::default(),
            open().await,
            Arc::clone(&shared.bus),
            shared.clock.clone(),
            shared.shutdown.clone(),
        ),
        Arc::new(Desk::default()),
    );
    let listening = tokio::spawn(serve(tally.clone(), NoHooks));
    let one = Process::start("one", open().await, &shared, &book);
    one.pass("7-1", "a0").await;
    wait_for_texts(&tally, 1).await;
    let writer = one.night.clone();
    one.kill().await;
    // Committed, and nobody is there to move it.
    let note = Note::Pass {
        to: Service::Tally,
        key: "7-9".to_owned(),
        text: "a1".to_owned(),
    };
    writer.handle("7-1", id("a1"), "t", note).await.unwrap();
    let two = Process::start("two", open().await, &shared, &book);
    two.pass("7-1", "a2").await;
    assert_eq!(wait_for_texts(&tally, 3).await, ["a0", "a1", "a2"]);
    two.stop().await;
    shared.shutdown.cancel();
    listening.await.unwrap().unwrap();
}
