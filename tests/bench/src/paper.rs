//! Games on paper: the same aggregates as in the product, without store, bus and chat. What
//! somebody types goes through all of them at once; in the end everything is put into a store.

use std::collections::{BTreeMap, VecDeque};

use futures::stream::{self, StreamExt, TryStreamExt};
use ingest::{Account, Heard, Input, Task};
use kit::Aggregate;
use kit::journal::{Entry, FORMAT};
use night::Night;
use onebot::Segment;
use protocol::{
    AccountId, Message, MessageId, MessageRef, Part, Scene, SendOutcome, Service, UserId,
};
use publish::Desk;
use rules::Time;
use store::{AggregateKey, Commit, Committed, Deadline, Store};
use tally::Tally;
use texts::Texts;

/// So many commits share a transaction.
const AT_ONCE: usize = 256;

/// Everything that an account's games are.
pub struct Paper {
    account: AccountId,
    ingest: Kind<Account>,
    night: Kind<Night>,
    tally: Kind<Tally>,
    publish: Kind<Desk>,
    queue: VecDeque<Message>,
    typed: u64,
    said: u64,
}

impl Paper {
    /// Nothing has been typed yet.
    pub fn new(account: AccountId, night: night::Settings) -> Self {
        let texts = Texts::builtin();
        Self {
            account,
            ingest: Kind::new(ingest::Env {
                texts: texts.clone(),
            }),
            night: Kind::new(night::Env::new(boards::builtin().iter().cloned(), night)),
            tally: Kind::new(()),
            publish: Kind::new(publish::Settings {
                texts,
                pools: publish::Pools::default(),
            }),
            queue: VecDeque::new(),
            typed: 0,
            said: 0,
        }
    }

    /// Somebody who may open games or not types something; what the bot says then, and where.
    pub fn types(
        &mut self,
        scene: Scene,
        user: u64,
        text: &str,
        may_open: bool,
        now: Time,
    ) -> Vec<(Scene, String)> {
        self.typed += 1;
        let heard = Heard {
            scene,
            id: MessageRef((2 * self.typed).to_string()),
            seq: None,
            secs: now.0 / 1000,
            user: UserId(user),
            nickname: format!("网友{user}"),
            message: onebot::Message(vec![Segment::text(text)]),
            quoted: None,
            may_open,
            entropy: may_open.then(|| format!("{:064x}", self.typed)),
            received: now,
        };
        let id = MessageId(format!("chat/{}/{}", self.account, self.typed));
        self.take(id, Input::Heard(heard));
        self.settle()
    }

    /// Hands on what was said until nobody has anything to say; chat does all that it is asked.
    fn settle(&mut self) -> Vec<(Scene, String)> {
        let mut all = Vec::new();
        loop {
            while let Some(message) = self.queue.pop_front() {
                self.deliver(&message);
            }
            let Some((job, said)) = self.job() else {
                return all;
            };
            all.extend(said);
            self.said += 1;
            let message = Some(MessageRef((2 * self.said + 1).to_string()));
            let outcome = SendOutcome::Done { message };
            let id = MessageId(format!("outcome/{}/{job}", self.account));
            self.take(id, Input::Outcome { job, outcome });
        }
    }

    /// The next thing that chat is asked to do, and what it says, if it says anything.
    fn job(&self) -> Option<(u64, Option<(Scene, String)>)> {
        let account = self.ingest.kept.get(&ingest::key(self.account))?;
        let job = account.state.jobs().next()?;
        let Task::Send(send) = &job.task else {
            return Some((job.number, None));
        };
        let texts = send.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::At(_) | Part::Reply(_) => None,
        });
        Some((job.number, Some((send.scene, texts.collect()))))
    }

    fn take(&mut self, id: MessageId, input: Input) {
        let key = ingest::key(self.account);
        self.queue.extend(self.ingest.step(&key, id, input));
    }

    fn deliver(&mut self, message: &Message) {
        let sent = match message.to.service {
            Service::Ingest => self.ingest.read(message),
            Service::Night => self.night.read(message),
            Service::Tally => self.tally.read(message),
            Service::Publish => self.publish.read(message),
            Service::Clock | Service::Playground => Vec::new(),
        };
        self.queue.extend(sent);
    }

    /// Puts all of it into an empty store: each aggregate with its newest step and a snapshot.
    pub async fn keep(&self, store: &dyn Store) -> anyhow::Result<()> {
        self.ingest.keep(store).await?;
        self.night.keep(store).await?;
        self.tally.keep(store).await?;
        self.publish.keep(store).await
    }
}

/// All aggregates of one kind.
struct Kind<A: Aggregate> {
    env: A::Env,
    kept: BTreeMap<String, Kept<A>>,
}

/// An aggregate and its newest step.
struct Kept<A> {
    state: A,
    version: u64,
    deadlines: Vec<Deadline>,
    last: Option<(MessageId, Vec<u8>)>,
}

impl<A: Aggregate> Kind<A> {
    fn new(env: A::Env) -> Self {
        let kept = BTreeMap::new();
        Self { env, kept }
    }

    fn read(&mut self, message: &Message) -> Vec<Message> {
        let input = serde_json::from_str(&message.body).expect("services write what they read");
        self.step(&message.key, message.id.clone(), input)
    }

    fn step(&mut self, key: &str, id: MessageId, input: A::Input) -> Vec<Message> {
        let kept = self.kept.entry(key.to_owned()).or_insert_with(|| Kept {
            state: A::new(&self.env, key),
            version: 0,
            deadlines: Vec::new(),
            last: None,
        });
        let effects = kept.state.handle(&self.env, &input);
        if effects.ignore {
            return Vec::new();
        }
        kept.version += 1;
        if let Some(deadlines) = effects.deadlines {
            kept.deadlines = deadlines;
        }
        let entry = Entry {
            format: FORMAT,
            id: id.clone(),
            trace: id.0.clone(),
            input,
            log: effects.log,
        };
        let entry = serde_json::to_vec(&entry).expect("an entry always serializes");
        let out = effects.out.into_iter().enumerate();
        let sent = out.map(|(nth, out)| out.message(A::SERVICE, key, kept.version, nth, &id.0));
        let sent = sent.collect();
        kept.last = Some((id, entry));
        sent
    }

    async fn keep(&self, store: &dyn Store) -> anyhow::Result<()> {
        let commits = self.kept.iter().filter_map(|(key, kept)| {
            let (message, entry) = kept.last.clone()?;
            Some(Commit {
                aggregate: AggregateKey {
                    service: A::SERVICE,
                    key: key.clone(),
                },
                expected: 0,
                after: None,
                message,
                entry,
                snapshot: Some(kept.state.save()),
                deadlines: Some(kept.deadlines.clone()),
                outbox: Vec::new(),
            })
        });
        stream::iter(commits)
            .map(|commit| store.commit(commit))
            .buffer_unordered(AT_ONCE)
            .map_err(anyhow::Error::from)
            .try_for_each(|committed| async move {
                anyhow::ensure!(
                    matches!(committed, Committed::Done(_)),
                    "not an empty store"
                );
                Ok(())
            })
            .await
    }
}
