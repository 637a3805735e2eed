//! What people do: each a step that is checked, committed and then told.

use std::sync::Arc;

use kit::Handled;
use protocol::{ChatGroup, MessageId, Scene, UserId};
use serde::de::DeserializeOwned;

use super::{Hall, News, Trouble};
use crate::aggregates::{SceneOutcome, WorldOutcome, WorldStep};
use crate::scene::{Message, Piece, SceneChange, SceneStep, TEXT_LIMIT};
use crate::world::{Change, Founding, Happening, Moment, PrivateDoor, Refusal, World};

/// A message that is to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    /// What.
    pub(crate) pieces: Vec<Piece>,
    /// The place of the message that it quotes.
    pub(crate) reply_to: Option<u64>,
}

impl Draft {
    /// Plain text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self {
            pieces: vec![Piece::Text(text.into())],
            reply_to: None,
        }
    }

    fn check(&self) -> Result<(), Refusal> {
        let length: usize = self
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.chars().count(),
                Piece::Bundle(nodes) => nodes.iter().map(|node| node.text.chars().count()).sum(),
                Piece::At(_) | Piece::AtAll | Piece::Other { .. } => 1,
            })
            .sum();
        if length == 0 {
            return Err(Refusal::Empty);
        }
        if length > TEXT_LIMIT {
            Err(Refusal::TooLong(TEXT_LIMIT))
        } else {
            Ok(())
        }
    }
}

impl Hall {
    /// Says something. It is committed when this returns.
    pub(crate) async fn say(
        self: &Arc<Self>,
        from: UserId,
        scene: Scene,
        draft: Draft,
    ) -> Result<Message, Trouble> {
        draft.check()?;
        self.carry(move |hall| async move { hall.say_in_turn(from, scene, draft).await })
            .await
    }

    /// Takes a message back.
    pub(crate) async fn recall(
        self: &Arc<Self>,
        by: UserId,
        scene: Scene,
        seq: u64,
    ) -> Result<(), Trouble> {
        self.carry(move |hall| async move { hall.recall_in_turn(by, scene, seq).await })
            .await
    }

    /// Reacts to a message, or no longer.
    pub(crate) async fn react(
        self: &Arc<Self>,
        by: UserId,
        scene: Scene,
        seq: u64,
        face: String,
        on: bool,
    ) -> Result<(), Trouble> {
        self.carry(move |hall| async move {
            let _turn = hall.scene_lanes.enter(scene).await;
            let (audience, _) = hall.entrance(by, scene).await?;
            let change = SceneChange::React {
                seq,
                by,
                face: face.clone(),
                on,
            };
            let (message, ticket) = hall.step_in_scene(scene, change, seq).await?;
            hall.tell(&News::Reacted {
                scene,
                message,
                by,
                face,
                on,
            });
            ticket.settle(audience);
            Ok(())
        })
        .await
    }

    /// Changes the world.
    pub(crate) async fn change(
        self: &Arc<Self>,
        change: Change,
    ) -> Result<Vec<Happening>, Trouble> {
        self.carry(move |hall| async move { hall.change_in_turn(change).await })
            .await
    }

    /// Runs a step to its end on the hall's runtime, also when whoever asked for it has gone:
    /// half a step would leave others unaware of what was committed.
    async fn carry<T, F>(self: &Arc<Self>, step: impl FnOnce(Arc<Self>) -> F) -> Result<T, Trouble>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Trouble>> + Send + 'static,
    {
        let step = step(Arc::clone(self));
        self.runtime
            .spawn(step)
            .await
            .unwrap_or_else(|error| Err(Trouble::Unavailable(error.to_string())))
    }

    async fn say_in_turn(
        &self,
        from: UserId,
        scene: Scene,
        draft: Draft,
    ) -> Result<Message, Trouble> {
        let _turn = self.scene_lanes.enter(scene).await;
        let (audience, door) = self.entrance(from, scene).await?;
        let change = SceneChange::Say {
            from,
            pieces: draft.pieces,
            reply_to: draft.reply_to,
        };
        let ticket = self.ticket().await?;
        let seq = ticket.seq();
        let message = self.commit_in_scene(scene, change, seq, seq).await?;
        self.tell(&News::Said {
            scene,
            message: message.clone(),
            door,
        });
        ticket.settle(audience);
        Ok(message)
    }

    async fn recall_in_turn(&self, by: UserId, scene: Scene, seq: u64) -> Result<(), Trouble> {
        let _turn = self.scene_lanes.enter(scene).await;
        let author = self
            .message(scene, seq)
            .await?
            .map(|message| message.from)
            .ok_or(Refusal::NoSuchMessage)?;
        let (audience, power) = self
            .world(|world| {
                let power = match scene {
                    Scene::Group(group) => world
                        .group(group)
                        .is_some_and(|group| group.outranks(by, author)),
                    Scene::Private(_) => false,
                };
                (audience(world, scene), power)
            })
            .await?;
        let change = SceneChange::Recall { seq, by, power };
        let (message, ticket) = self.step_in_scene(scene, change, seq).await?;
        self.tell(&News::Recalled { scene, message, by });
        ticket.settle(audience);
        Ok(())
    }

    async fn change_in_turn(&self, change: Change) -> Result<Vec<Happening>, Trouble> {
        let _turn = self.world_lane.lock().await;
        let ticket = self.ticket().await?;
        let when = Moment {
            seq: ticket.seq(),
            at: self.now(),
        };
        // Those who are told are those before and after: whoever was removed hears of it too.
        let before = self.world(|world| concerned(world, &change)).await?;
        let id = MessageId(format!("step/{}", when.seq));
        let handled = self
            .step_world(
                id,
                WorldStep {
                    when,
                    change: change.clone(),
                },
            )
            .await?;
        let happenings = outcome::<WorldOutcome>(&handled)??;
        for happening in &happenings {
            self.tell(&News::Happened(happening.clone()));
        }
        let mut audience = self.world(|world| concerned(world, &change)).await?;
        audience.extend(before);
        ticket.settle(Vec::new());
        self.bells.changed(&audience);
        if happenings.contains(&Happening::TableChanged) {
            self.tables.send_modify(|changes| *changes += 1);
        }
        Ok(happenings)
    }

    /// Commits a step about an earlier message, and gives that message as it is now.
    async fn step_in_scene(
        &self,
        scene: Scene,
        change: SceneChange,
        about: u64,
    ) -> Result<(Message, super::Ticket), Trouble> {
        let ticket = self.ticket().await?;
        let message = self
            .commit_in_scene(scene, change, ticket.seq(), about)
            .await?;
        Ok((message, ticket))
    }

    async fn commit_in_scene(
        &self,
        scene: Scene,
        change: SceneChange,
        seq: u64,
        about: u64,
    ) -> Result<Message, Trouble> {
        let step = SceneStep {
            when: Moment {
                seq,
                at: self.now(),
            },
            change,
        };
        let handled = self
            .step_scene(scene, MessageId(format!("step/{seq}")), step)
            .await?;
        outcome::<SceneOutcome>(&handled)??;
        let message = self.message(scene, about).await?;
        Ok(message.ok_or(Refusal::NoSuchMessage)?)
    }

    /// May this person speak here now? Who hears it, and how they came to write to the bot.
    async fn entrance(
        &self,
        from: UserId,
        scene: Scene,
    ) -> Result<(Vec<UserId>, Option<PrivateDoor>), Trouble> {
        let now = self.now();
        let from_bot = from == self.bot;
        let answer_allowed = match scene {
            Scene::Private(_) if from_bot => self.person_wrote(scene).await?,
            _ => false,
        };
        let checked = self
            .world(move |world| {
                let door = match scene {
                    Scene::Group(group) => {
                        may_speak(world, group, from, now)?;
                        None
                    }
                    Scene::Private(user) if from_bot => {
                        let person = world.person(user).ok_or(Refusal::NoSuchPerson(user))?;
                        if !person.friend && !answer_allowed {
                            return Err(Refusal::NoWayToBot(user));
                        }
                        None
                    }
                    Scene::Private(_) => Some(world.may_write_to_bot(from)?),
                };
                Ok((audience(world, scene), door))
            })
            .await?;
        Ok(checked?)
    }
}

fn may_speak(
    world: &World,
    group: ChatGroup,
    user: UserId,
    now: rules::Time,
) -> Result<(), Refusal> {
    if user != world.bot() && world.person(user).is_none() {
        return Err(Refusal::NoSuchPerson(user));
    }
    world
        .group(group)
        .ok_or(Refusal::NoSuchGroup(group))?
        .may_speak(group, user, now)
}

/// Who hears what is said here.
fn audience(world: &World, scene: Scene) -> Vec<UserId> {
    match scene {
        Scene::Private(user) => vec![user],
        Scene::Group(group) => world
            .group(group)
            .map(|group| group.members().map(|(user, _)| user).collect())
            .unwrap_or_default(),
    }
}

/// Whose view of the world a change may alter.
fn concerned(world: &World, change: &Change) -> Vec<UserId> {
    let members = |group: ChatGroup| audience(world, Scene::Group(group));
    match change {
        Change::InGroup { group, change } => {
            let mut users = members(*group);
            users.extend(change.subject());
            users
        }
        Change::Settle { flag, .. } => world
            .request(flag)
            .map(|(group, request)| {
                let mut users = members(group);
                users.push(request.user);
                users
            })
            .unwrap_or_default(),
        Change::Befriend { user, .. } => vec![*user],
        Change::Found(foundings) => foundings.iter().flat_map(Founding::people).collect(),
        Change::Seat { table, .. } => table.everybody().collect(),
        Change::Reserve { .. }
        | Change::Register { .. }
        | Change::SetPace { .. }
        | Change::Rise { .. } => Vec::new(),
    }
}

fn outcome<T: DeserializeOwned>(handled: &Handled) -> Result<T, Trouble> {
    let log = handled.log.clone().unwrap_or_default();
    serde_json::from_value(log)
        .map_err(|error| Trouble::Unavailable(format!("a step without an outcome: {error}")))
}
