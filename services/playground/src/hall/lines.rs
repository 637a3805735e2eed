//! What a person can see of the chats.

use std::collections::BTreeSet;

use protocol::{Scene, UserId};
use serde::Serialize;

use super::{Hall, Trouble};
use crate::scene::{Message, Page, Piece, SceneLog, key_of};
use crate::world::{Refusal, Sight, World};

/// A line of chat as one person sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Line {
    /// Its place in the order of all chats; grows, with gaps.
    pub(crate) seq: u64,
    /// `group` or `private`.
    pub(crate) scene: &'static str,
    /// The group, or the bot.
    pub(crate) peer: u64,
    /// Who said it.
    pub(crate) from: UserId,
    /// The name that the chat shows for them.
    pub(crate) name: String,
    /// Said by this person.
    pub(crate) own: bool,
    /// What was said; empty once it is taken back.
    pub(crate) text: String,
    /// The place of the line that it quotes.
    pub(crate) reply_to: Option<u64>,
    /// Whom it mentions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) mentions: Vec<UserId>,
    /// When, in whole seconds since the Unix epoch, as chat tells it.
    pub(crate) time: i64,
    /// When, in milliseconds.
    pub(crate) time_ms: i64,
    /// Its number on the platform.
    pub(crate) message_id: u32,
    /// Its sequence number within the chat.
    pub(crate) real_seq: u64,
    /// Was it taken back?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) recalled: bool,
    /// How many people reacted with which face.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reactions: Vec<(String, usize)>,
}

/// A person's lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Lines {
    /// The lines, in order.
    pub(crate) list: Vec<Line>,
    /// Ask for what comes after this place next.
    pub(crate) next: u64,
    /// Are there more already?
    pub(crate) more: bool,
}

impl Hall {
    /// What a person sees after this place: at most `limit` lines, oldest first.
    pub(crate) async fn lines(
        &self,
        user: UserId,
        after: u64,
        limit: usize,
    ) -> Result<Lines, Trouble> {
        // The horizon comes first: what is settled later belongs to the next question.
        let horizon = self.horizon();
        let mut found = self
            .gather(user, move |log, sight| {
                log.after(after)
                    .filter(|message| message.seq <= horizon && sight.covers(message.seq))
                    .take(limit + 1)
                    .cloned()
                    .collect()
            })
            .await?;
        found.sort_by_key(|(_, message)| message.seq);
        let more = found.len() > limit;
        found.truncate(limit);
        let next = match found.last() {
            Some((_, last)) if more => last.seq,
            _ => horizon.max(after),
        };
        let list = self.named(user, &found).await?;
        Ok(Lines { list, next, more })
    }

    /// Earlier lines that were changed after this place: taken back, reacted to.
    pub(crate) async fn edits(&self, user: UserId, after: u64) -> Result<Vec<Line>, Trouble> {
        let horizon = self.horizon();
        let found = self
            .gather(user, move |log, sight| {
                log.edited_after(after)
                    .filter(|message| message.seq <= horizon && sight.covers(message.seq))
                    .cloned()
                    .collect()
            })
            .await?;
        self.named(user, &found).await
    }

    /// Picks messages from every chat that a person has seen.
    async fn gather(
        &self,
        user: UserId,
        pick: impl Fn(&SceneLog, &Sight) -> Vec<Message> + Send + Sync,
    ) -> Result<Vec<(Scene, Message)>, Trouble> {
        let sights = self
            .world(|world| {
                world.person(user).ok_or(Refusal::NoSuchPerson(user))?;
                let groups = world
                    .groups_seen(user)
                    .map(|(id, group)| (Scene::Group(id), group.sight(user)));
                let private = (Scene::Private(user), Sight::everything());
                Ok::<_, Refusal>(groups.chain([private]).collect::<Vec<_>>())
            })
            .await??;
        let mut found = Vec::new();
        for (scene, sight) in sights {
            let picked = self
                .scenes
                .read(&key_of(scene), |kept| pick(&kept.0, &sight))
                .await
                .map_err(|error| Trouble::Unavailable(error.to_string()))?;
            found.extend(picked.into_iter().map(|message| (scene, message)));
        }
        Ok(found)
    }

    async fn named(
        &self,
        reader: UserId,
        found: &[(Scene, Message)],
    ) -> Result<Vec<Line>, Trouble> {
        if found.is_empty() {
            return Ok(Vec::new());
        }
        self.world(|world| {
            found
                .iter()
                .map(|(scene, message)| line(world, reader, *scene, message))
                .collect()
        })
        .await
    }

    /// A message of a chat.
    pub(crate) async fn message(&self, scene: Scene, seq: u64) -> Result<Option<Message>, Trouble> {
        self.scenes
            .read(&key_of(scene), |kept| kept.0.get(seq).cloned())
            .await
            .map_err(|error| Trouble::Unavailable(error.to_string()))
    }

    /// A page of a chat's history.
    pub(crate) async fn history(
        &self,
        scene: Scene,
        page: Page,
        count: usize,
    ) -> Result<Vec<Message>, Trouble> {
        self.scenes
            .read(&key_of(scene), |kept| {
                kept.0
                    .page(page, count)
                    .into_iter()
                    .cloned()
                    .collect::<Vec<_>>()
            })
            .await
            .map_err(|error| Trouble::Unavailable(error.to_string()))
    }

    /// In which of the chats that could have it is the message at this place? The platform finds
    /// a message by its number alone, so this looks everywhere.
    pub(crate) async fn find(&self, seq: u64) -> Result<Option<(Scene, Message)>, Trouble> {
        let scenes: Vec<Scene> = self
            .world(|world| {
                let groups = world.groups().map(|(id, _)| Scene::Group(id));
                groups
                    .chain(world.people().map(|(id, _)| Scene::Private(id)))
                    .collect()
            })
            .await?;
        for scene in scenes {
            if let Some(message) = self.message(scene, seq).await? {
                return Ok(Some((scene, message)));
            }
        }
        Ok(None)
    }

    /// Has the person of this private chat written to the bot?
    pub(super) async fn person_wrote(&self, scene: Scene) -> Result<bool, Trouble> {
        self.scenes
            .read(&key_of(scene), |kept| kept.0.person_wrote())
            .await
            .map_err(|error| Trouble::Unavailable(error.to_string()))
    }
}

fn line(world: &World, reader: UserId, scene: Scene, message: &Message) -> Line {
    let (kind, peer, group) = match scene {
        Scene::Group(group) => ("group", group.0, Some(group)),
        Scene::Private(_) => ("private", world.bot().0, None),
    };
    let recalled = message.recalled_by.is_some();
    let mentions: BTreeSet<UserId> = message
        .pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::At(user) => Some(*user),
            _ => None,
        })
        .collect();
    Line {
        seq: message.seq,
        scene: kind,
        peer,
        from: message.from,
        name: world.shown_name(group, message.from).to_owned(),
        own: message.from == reader,
        text: if recalled {
            String::new()
        } else {
            message.text(|user| world.shown_name(group, user).to_owned())
        },
        reply_to: message.reply_to,
        mentions: mentions.into_iter().collect(),
        time: message.at.0.div_euclid(1000),
        time_ms: message.at.0,
        message_id: message.number().get(),
        real_seq: message.real,
        recalled,
        reactions: message
            .reactions
            .iter()
            .map(|(face, people)| (face.clone(), people.len()))
            .collect(),
    }
}
