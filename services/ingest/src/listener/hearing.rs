//! Lines, and the holes between them.

use onebot::{ChatMessage, Message, Piece};
use protocol::{ChatGroup, MessageRef, Scene, UserId};
use sha2::{Digest, Sha256};

use super::Listener;
use crate::account::{After, GroupUse};
use crate::bridge::Novelty;
use crate::input::{Heard, Input, heard_id, scene};

impl Listener {
    pub(super) async fn message(&mut self, message: &ChatMessage) {
        let place = scene(message.chat);
        if message.own {
            // Never a command. It explains a step in the scene's sequence.
            let name = MessageRef(message.id.to_string());
            self.side
                .authors
                .note(place, &name, UserId(message.sender.user));
            if let Some(track) = self.tracks.get_mut(&place)
                && track.last.map(|last| last + 1) == message.seq
            {
                track.last = message.seq;
            }
            return;
        }
        if let Some(after) = self.hole_before(place, message).await {
            match self.read_missed(place, &after).await {
                Ok(new) => {
                    // The message itself is one of them.
                    self.tracks.entry(place).or_default().has_looked(new > 1);
                }
                Err(error) => {
                    let account = self.side.account;
                    tracing::warn!(%account, ?error, "messages may be missing");
                }
            }
        }
        self.hear(message, self.novelty()).await;
        let track = self.tracks.entry(place).or_default();
        track.last = track.last.max(message.seq);
    }

    /// Are messages missing before this one, as its sequence number tells? From where on.
    pub(super) async fn hole_before(
        &mut self,
        place: Scene,
        message: &ChatMessage,
    ) -> Option<After> {
        let seq = message.seq?;
        let own = self.side.spoken(place);
        if !self.is_of_interest(place).await {
            return None;
        }
        let read = self
            .bridge
            .peek(self.side.account, |state| state.point(place)?.seq)
            .await;
        let track = self.tracks.entry(place).or_default();
        let last = track.last.max(read.ok().flatten())?;
        let missing = seq.saturating_sub(last).saturating_sub(1);
        (missing > own && track.may_look()).then(|| After {
            secs: message.time,
            seq: Some(last),
            said: Vec::new(),
        })
    }

    pub(super) async fn is_of_interest(&self, place: Scene) -> bool {
        match place {
            Scene::Private(_) => true,
            Scene::Group(group) => self.use_of(group).await != GroupUse::Stranger,
        }
    }

    pub(super) async fn use_of(&self, group: ChatGroup) -> GroupUse {
        let found = self
            .bridge
            .peek(self.side.account, |state| state.use_of(group))
            .await;
        found.unwrap_or(GroupUse::Stranger)
    }

    /// Has a message handled; true when it was new.
    pub(super) async fn hear(&mut self, message: &ChatMessage, novelty: Novelty) -> bool {
        let place = scene(message.chat);
        let name = MessageRef(message.id.to_string());
        let user = UserId(message.sender.user);
        self.side.authors.note(place, &name, user);
        if message.own || self.stopped {
            return false;
        }
        let account = self.side.account;
        let received = self.bridge.parts().clock.now();
        let may_open = self
            .bridge
            .settings()
            .people(account)
            .directors
            .contains(&user);
        let heard = Heard {
            scene: place,
            id: name,
            seq: message.seq,
            secs: message.time,
            user,
            nickname: message.sender.shown().to_owned(),
            message: message.message.clone(),
            quoted: self.quoted(place, message),
            may_open,
            entropy: may_open
                .then(|| self.entropy(place, &message.message))
                .flatten(),
            received,
        };
        let id = heard_id(account, message);
        let input = Input::Heard(heard);
        let handled = self.bridge.commit_as(novelty, account, id, input).await;
        self.stopped |= handled.is_none() && self.bridge.parts().shutdown.is_cancelled();
        let new = handled.is_some_and(|handled| !handled.repeat && !handled.ignored);
        if new {
            let late = received.0.saturating_sub(message.time.saturating_mul(1000));
            self.bridge
                .parts()
                .metrics
                .lag_ms(protocol::Service::Ingest, late);
        }
        new
    }

    pub(super) fn quoted(&self, place: Scene, message: &ChatMessage) -> Option<UserId> {
        let quote = message
            .message
            .0
            .iter()
            .find_map(|segment| match segment.piece() {
                Piece::Reply(id) => id,
                _ => None,
            })?;
        self.side.authors.of(place, &MessageRef(quote.to_string()))
    }

    /// 32 random bytes in hexadecimal for a line that may open a game.
    fn entropy(&self, place: Scene, message: &Message) -> Option<String> {
        if !message.plain_text().contains("开局") {
            return None;
        }
        let mut bytes = [0; 32];
        if let Some(dice) = self.bridge.settings().dice(self.side.account) {
            bytes = Sha256::digest(format!("{dice}/{place:?}")).into();
        } else if let Err(error) = getrandom::fill(&mut bytes) {
            tracing::error!(%error, "the system has no random numbers; no game can be opened");
            return None;
        }
        Some(hexadecimal(&bytes))
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves
        .map(|half| char::from(b"0123456789abcdef"[usize::from(half)]))
        .collect()
}
