//! The living world: the kept world and chats, one order of everything that is said, and those
//! who are to hear of it. Whatever is shown or answered here is committed.

mod bells;
mod lanes;
mod lines;
mod order;
mod steps;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kit::{HandleError, Handled, TimeSource, Writer};
use protocol::{MessageId, Scene, UserId};
use rules::Time;
use tokio::sync::{Mutex as AsyncMutex, mpsc, watch};

use crate::aggregates::{KeptScene, KeptWorld, Surroundings, WORLD, WorldStep};
use crate::scene::{Message, key_of};
use crate::world::{Change, Happening, Moment, PrivateDoor, Refusal, World};

use bells::Bells;
use lanes::Lanes;
use order::{Order, Ticket};

pub(crate) use bells::Ring;
pub(crate) use lines::{Line, Lines};
pub(crate) use steps::Draft;

/// How many places in the order are set aside at once.
const BLOCK: u64 = 4_096;

/// So many chats stay in memory: those of a few hundred games.
const KEPT_SCENES: usize = 8_192;

/// How often and how patiently a step is handed in again while the store does not answer.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(50);

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The world says no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store does not answer, or a step broke.
    #[error("现在存不下来，稍后再试（{0}）")]
    Unavailable(String),
}

/// What the other side is told.
#[derive(Debug, Clone)]
pub(crate) enum News {
    /// Something was said.
    Said {
        /// Where.
        scene: Scene,
        /// What.
        message: Message,
        /// How a person came to write to the bot, for a private message.
        door: Option<PrivateDoor>,
    },
    /// A message was taken back.
    Recalled {
        /// Where.
        scene: Scene,
        /// Which.
        message: Message,
        /// By whom.
        by: UserId,
    },
    /// Someone reacted to a message.
    Reacted {
        /// Where.
        scene: Scene,
        /// To which.
        message: Message,
        /// Who.
        by: UserId,
        /// With which face.
        face: String,
        /// Reacts from now on.
        on: bool,
    },
    /// Something happened in the world.
    Happened(Happening),
}

/// The living world.
pub(crate) struct Hall {
    bot: UserId,
    clock: TimeSource,
    world: Writer<KeptWorld>,
    scenes: Writer<KeptScene>,
    order: Order,
    bells: Arc<Bells>,
    scene_lanes: Lanes<Scene>,
    world_lane: AsyncMutex<()>,
    reserve_lane: AsyncMutex<()>,
    wires: Mutex<Vec<mpsc::UnboundedSender<News>>>,
    tables: watch::Sender<u64>,
    runtime: tokio::runtime::Handle,
}

impl Hall {
    /// Opens the world that the store keeps, or a new one. Must be called on the runtime that
    /// is to carry the steps.
    pub(crate) async fn open(parts: kit::Parts, bot: UserId) -> Result<Arc<Self>, Trouble> {
        let surroundings = Arc::new(Surroundings { bot });
        let world = Writer::<KeptWorld>::new(parts.clone(), Arc::clone(&surroundings));
        let scenes = Writer::<KeptScene>::keeping(KEPT_SCENES, parts.clone(), surroundings);
        let reserved = world
            .read(WORLD, |kept| kept.0.reserved())
            .await
            .map_err(|error| Trouble::Unavailable(error.to_string()))?;
        let bells = Arc::new(Bells::default());
        let ringing = Arc::clone(&bells);
        let order = Order::after(reserved, move |audience, upto| {
            ringing.lines(audience, upto);
        });
        let hall = Arc::new(Self {
            bot,
            clock: parts.clock.clone(),
            world,
            scenes,
            order,
            bells,
            scene_lanes: Lanes::default(),
            world_lane: AsyncMutex::default(),
            reserve_lane: AsyncMutex::default(),
            wires: Mutex::default(),
            tables: watch::Sender::default(),
            runtime: tokio::runtime::Handle::current(),
        });
        hall.reserve().await?;
        Ok(hall)
    }

    /// The account that the other side speaks with.
    pub(crate) fn bot(&self) -> UserId {
        self.bot
    }

    /// Now.
    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }

    /// Returns when it is this late.
    pub(crate) async fn sleep_until(&self, at: Time) {
        self.clock.sleep_until(at).await;
    }

    /// Everything up to and including this place is settled and may be shown.
    pub(crate) fn horizon(&self) -> u64 {
        self.order.horizon()
    }

    /// Looks at the world.
    pub(crate) async fn world<R: Send>(
        &self,
        mut look: impl FnMut(&World) -> R + Send,
    ) -> Result<R, Trouble> {
        self.world
            .read(WORLD, |kept| look(&kept.0))
            .await
            .map_err(|error| Trouble::Unavailable(error.to_string()))
    }

    /// Listens for what is new for a person.
    pub(crate) fn listen(&self, user: UserId) -> watch::Receiver<Ring> {
        self.bells.listen(user)
    }

    /// Listens for tables that are laid, changed or cleared.
    pub(crate) fn listen_for_tables(&self) -> watch::Receiver<u64> {
        self.tables.subscribe()
    }

    /// From now on the news go here, too, until the receiver is dropped.
    pub(crate) fn attach_wire(&self) -> mpsc::UnboundedReceiver<News> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.wires().push(sender);
        receiver
    }

    /// Tells the other side, where it is there; nothing is kept for it, as on the real platform.
    fn tell(&self, news: &News) {
        self.wires().retain(|wire| wire.send(news.clone()).is_ok());
    }

    fn wires(&self) -> MutexGuard<'_, Vec<mpsc::UnboundedSender<News>>> {
        self.wires.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place in the order of everything.
    async fn ticket(&self) -> Result<Ticket, Trouble> {
        loop {
            if let Some(ticket) = self.order.take() {
                return Ok(ticket);
            }
            self.reserve().await?;
        }
    }

    /// Sets aside a block of places, unless somebody else has just done it.
    async fn reserve(&self) -> Result<(), Trouble> {
        let _turn = self.reserve_lane.lock().await;
        if self.order.left() > 0 {
            return Ok(());
        }
        let reserved = self.world(World::reserved).await?;
        let upto = reserved + BLOCK;
        let when = Moment {
            seq: reserved,
            at: self.now(),
        };
        let step = WorldStep {
            when,
            change: Change::Reserve { upto },
        };
        self.step_world(MessageId(format!("reserve/{upto}")), step)
            .await?;
        self.order.extend(upto);
        Ok(())
    }

    async fn step_world(&self, id: MessageId, step: WorldStep) -> Result<Handled, Trouble> {
        insist(|| self.world.handle(WORLD, id.clone(), &id.0, step.clone())).await
    }

    async fn step_scene(
        &self,
        scene: Scene,
        id: MessageId,
        step: crate::scene::SceneStep,
    ) -> Result<Handled, Trouble> {
        let key = key_of(scene);
        insist(|| self.scenes.handle(&key, id.clone(), &id.0, step.clone())).await
    }
}

/// Hands a step in until the store has answered. The step keeps its name, so that one which was
/// taken after all is not taken twice.
async fn insist<F>(mut attempt: impl FnMut() -> F) -> Result<Handled, Trouble>
where
    F: Future<Output = Result<Handled, HandleError>>,
{
    let mut pause = PAUSE;
    for _ in 1..TRIES {
        match attempt().await {
            Err(HandleError::Store(error)) => {
                tracing::warn!(%error, "the store did not take a step of the playground; trying again");
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
            other => return other.map_err(|error| Trouble::Unavailable(error.to_string())),
        }
    }
    attempt()
        .await
        .map_err(|error| Trouble::Unavailable(error.to_string()))
}
