//! What a person can see of the chats.

use std::collections::BTreeSet;

use protocol::{Scene, UserId};
use serde::Serialize;

use super::{Hall, Trouble};
use crate::scene::{Message, Page, Piece, key_of};
use crate::world::{Refusal, World};

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
        let sights = self
            .world(|world| {
                world.person(user).ok_or(Refusal::NoSuchPerson(user))?;
                let groups = world
                    .groups_seen(user)
                    .map(|(id, group)| (Scene::Group(id), Some(group.sight(user))));
                Ok::<_, Refusal>(
                    groups
                        .chain([(Scene::Private(user), None)])
                        .collect::<Vec<_>>(),
                )
            })
            .await??;
        let mut found: Vec<(Scene, Message)> = Vec::new();
        for (scene, sight) in sights {
            let sees =
                |seq: u64| seq <= horizon && sight.as_ref().is_none_or(|sight| sight.covers(seq));
            let messages = self
                .scenes
                .read(&key_of(scene), |kept| {
                    kept.0
                        .after(after)
                        .filter(|message| sees(message.seq))
                        .take(limit + 1)
                        .cloned()
                        .collect::<Vec<_>>()
                })
                .await
                .map_err(|error| Trouble::Unavailable(error.to_string()))?;
            found.extend(messages.into_iter().map(|message| (scene, message)));
        }
        found.sort_by_key(|(_, message)| message.seq);
        let more = found.len() > limit;
        found.truncate(limit);
        let next = match found.last() {
            Some((_, last)) if more => last.seq,
            _ => horizon.max(after),
        };
        let list = self.world(|world| name_lines(world, user, &found)).await?;
        Ok(Lines { list, next, more })
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

fn name_lines(world: &World, reader: UserId, found: &[(Scene, Message)]) -> Vec<Line> {
    found
        .iter()
        .map(|(scene, message)| line(world, reader, *scene, message))
        .collect()
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
