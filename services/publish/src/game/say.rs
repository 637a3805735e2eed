//! From a saying to messages: words and readers.

use protocol::{Audience, MessageRef, Phrase, Say, SayKind, Scene, SendKey, UserId};
use rules::{SeatId, SeatSet};
use serde_json::json;

use super::Game;
use super::item::{Item, Origin, Reader};
use crate::step::Step;
use crate::words;

/// A text and how it is meant, before it is known to whom it goes.
pub(super) struct Draft<'a> {
    pub key: &'a SendKey,
    pub text: &'a str,
    pub reply: Option<&'a MessageRef>,
    pub kind: SayKind,
    pub origin: Origin,
}

impl Game {
    /// Says something, unless it has been said. False when it has.
    pub(super) fn say(&mut self, step: &mut Step<'_>, say: &Say) -> bool {
        if !self.said.insert(&say.key) {
            return false;
        }
        match step.texts.render_all(&say.phrases) {
            Ok(text) => {
                let draft = Draft {
                    key: &say.key,
                    text: &text,
                    reply: say.reply_to.as_ref(),
                    kind: say.kind,
                    origin: Origin::Said,
                };
                self.address(step, &say.to, &draft);
            }
            Err(error) => {
                tracing::error!(key = %say.key.0, %error, "a saying has no words");
                step.note_dropped(&say.key.0, "no words");
                let text = error.to_string();
                self.tell_directors(step, "publish/no-words", json!({"error": text}), None);
            }
        }
        true
    }

    fn address(&mut self, step: &mut Step<'_>, to: &Audience, draft: &Draft<'_>) {
        match to {
            Audience::Seat(seat) => self.write(step, &Reader::Seat(*seat), draft),
            Audience::User(user) | Audience::Scene(Scene::Private(user)) => {
                self.write(step, &Reader::User(*user), draft);
            }
            Audience::Square => self.write(step, &Reader::Square, draft),
            Audience::Directors => {
                for director in self.directors() {
                    self.write(step, &Reader::Director(director), draft);
                }
            }
            Audience::Group(name) => self.write_to_room(step, name, draft),
            Audience::Scene(Scene::Group(group)) => {
                let room = self
                    .rooms
                    .values()
                    .find(|room| room.group() == Some(*group));
                match room.map(|room| room.name.clone()) {
                    Some(name) => self.write_to_room(step, &name, draft),
                    None if self.is_square(*group) => self.write(step, &Reader::Square, draft),
                    None => self.write(step, &Reader::Group(*group), draft),
                }
            }
        }
    }

    /// Sends a draft to one reader, in as many messages as it takes.
    pub(super) fn write(&mut self, step: &mut Step<'_>, reader: &Reader, draft: &Draft<'_>) {
        for (n, text) in (1..).zip(words::split(draft.text)) {
            let item = Item {
                base: format!("{}/{}.{n}", draft.key.0, reader.word()),
                sends: 0,
                place: self.next_place(),
                reader: reader.clone(),
                text,
                reply: draft.reply.filter(|_| n == 1).cloned(),
                kind: draft.kind,
                origin: draft.origin,
                repeat: false,
            };
            self.dispatch(step, item);
        }
    }

    /// To the members of a room: in its chat group those whom it reaches there, the others in
    /// private.
    fn write_to_room(&mut self, step: &mut Step<'_>, name: &str, draft: &Draft<'_>) {
        let Some(room) = self.rooms.get(name) else {
            step.note_dropped(&draft.key.0, "no such private group");
            let args = json!({"who": name, "text": draft.text});
            self.tell_directors(step, "publish/hand-over", args, None);
            return;
        };
        let members: SeatSet = room.members().collect();
        let usable = self.roster.as_ref().and_then(|roster| room.usable(roster));
        let mut rest = members;
        if let Some((_, reached)) = usable {
            let seats: SeatSet = reached.into_iter().collect();
            rest = members.minus(seats);
            let name = name.to_owned();
            self.write(step, &Reader::Room { name, seats }, draft);
        }
        self.write_to_members(step, name, rest, draft);
    }

    /// To members of a room in private, with its name in front.
    pub(super) fn write_to_members(
        &mut self,
        step: &mut Step<'_>,
        room: &str,
        seats: SeatSet,
        draft: &Draft<'_>,
    ) {
        let front = Phrase::new("groups/in-front", json!({"room": room}));
        // Without its template the text says nothing about where it comes from; the directors
        // read of it in the log. The text itself matters more.
        let front = step.texts.render(&front).unwrap_or_else(|error| {
            tracing::error!(%error, "a private group's name cannot be put in front");
            String::new()
        });
        let text = format!("{front}{}", draft.text);
        let private = Draft {
            text: &text,
            reply: None,
            ..*draft
        };
        for seat in seats.iter() {
            self.write(step, &Reader::Seat(seat), &private);
        }
    }

    /// Tells a seat something of the desk's own.
    pub(super) fn tell_seat(&mut self, step: &mut Step<'_>, seat: SeatId, phrase: &Phrase) {
        self.tell(step, &Reader::Seat(seat), phrase, Origin::Said);
    }

    /// Tells those who direct the game, but for the one whom it is about, that something needs
    /// their hands. The game's name is filled in.
    pub(super) fn tell_directors(
        &mut self,
        step: &mut Step<'_>,
        key: &str,
        mut args: serde_json::Value,
        about: Option<UserId>,
    ) {
        args["game"] = json!(self.roster.as_ref().map_or("", |roster| &roster.name));
        let phrase = Phrase::new(key, args);
        let directors = self.directors();
        if directors.iter().all(|director| Some(*director) == about) {
            tracing::warn!(key, game = %self.id, "no director can be told");
        }
        for director in directors
            .into_iter()
            .filter(|director| Some(*director) != about)
        {
            self.tell(step, &Reader::Director(director), &phrase, Origin::Trouble);
        }
    }

    /// Says a phrase of the desk's own.
    pub(super) fn tell(
        &mut self,
        step: &mut Step<'_>,
        reader: &Reader,
        phrase: &Phrase,
        origin: Origin,
    ) {
        let key = self.own_key("publish");
        match step.texts.render(phrase) {
            Ok(text) => {
                let draft = Draft {
                    key: &key,
                    text: &text,
                    reply: None,
                    kind: SayKind::Notice,
                    origin,
                };
                self.write(step, reader, &draft);
            }
            Err(error) => {
                tracing::error!(%error, "a text of publish cannot be filled");
                step.note_dropped(&key.0, "no words");
            }
        }
    }

    pub(super) fn directors(&self) -> Vec<UserId> {
        self.roster
            .as_ref()
            .map_or_else(Vec::new, |roster| roster.directors.clone())
    }
}
