//! From what somebody said to the service that it is for.

use chat::{SquareCommand, SquareWord};
use kit::Effects;
use protocol::{
    ChatGroup, GameId, Line, Place, Roster, RosterState, Scene, Service, Speaker, ToNight, ToTally,
};
use rules::Stamp;

use super::directory::{GroupUse, speaker};
use super::hints::Hint;
use super::{Account, Env};
use crate::input::Heard;
use crate::talk::{Typed, is_for_tally, is_help, is_sign_up, typed};

/// So many seconds after it was typed in a group of no game, a line is not worth an answer.
pub(crate) const STALE: i64 = 30 * 60;

impl Account {
    /// Takes a line. What concerns nobody leaves no trace.
    pub(super) fn heard(&mut self, env: &Env, heard: &Heard, effects: &mut Effects) {
        let bot = protocol::UserId(self.id.0);
        if heard.user == bot {
            effects.ignore = true;
            return;
        }
        let said = typed(&heard.message, bot, heard.user, heard.quoted);
        match heard.scene {
            Scene::Private(_) => {
                self.note(heard);
                self.private_line(env, heard, &said, effects);
            }
            Scene::Group(group) => match self.use_of(group) {
                GroupUse::Square(game) => {
                    self.note(heard);
                    self.square_line(env, heard, &said, game, effects);
                }
                GroupUse::Private(game, name) => {
                    self.note(heard);
                    self.group_line(heard, &said, game, name, effects);
                }
                GroupUse::Stranger => self.stray_line(env, heard, &said, group, effects),
            },
        }
    }

    fn note(&mut self, heard: &Heard) {
        self.arrival += 1;
        self.scenes.heard(heard.scene, heard.secs, heard.seq);
    }

    fn square_line(
        &mut self,
        env: &Env,
        heard: &Heard,
        said: &Typed,
        game: GameId,
        effects: &mut Effects,
    ) {
        let Some(roster) = self.games.live().find(|roster| roster.game == game) else {
            return;
        };
        let speaker = speaker(roster, heard.user, &heard.nickname);
        let name = roster.name.clone();
        // A skill typed in public is refused by the referee, without repeating it.
        let skill = chat::square_skill(&said.text, &roster.skill_words);
        match chat::square_word(&said.text) {
            SquareWord::Nothing => {}
            SquareWord::Night(SquareCommand::Open) if heard.may_open && speaker.seat.is_none() => {
                self.answer(env, heard, &Hint::SquareTaken(name));
            }
            SquareWord::Night(SquareCommand::Director) if !speaker.director => {
                self.talk(heard, said, speaker, game, effects);
            }
            SquareWord::Tally if skill => {
                self.to_night(heard, said, speaker, Place::Square, game, effects);
            }
            SquareWord::Tally | SquareWord::Night(SquareCommand::Open) => {
                self.talk(heard, said, speaker, game, effects);
            }
            SquareWord::Night(_) => {
                self.to_night(heard, said, speaker, Place::Square, game, effects);
            }
        }
    }

    /// Everything said in the square may count there; what calls the bot is answered as well.
    fn talk(
        &self,
        heard: &Heard,
        said: &Typed,
        speaker: Speaker,
        game: GameId,
        effects: &mut Effects,
    ) {
        if said.called && !chat::is_book_line(&said.text) {
            self.to_night(heard, said, speaker.clone(), Place::Square, game, effects);
        }
        self.to_tally(heard, said, speaker, Place::Square, game, effects);
    }

    fn group_line(
        &mut self,
        heard: &Heard,
        said: &Typed,
        game: GameId,
        name: String,
        effects: &mut Effects,
    ) {
        let Some(roster) = self.games.live().find(|roster| roster.game == game) else {
            return;
        };
        let speaker = speaker(roster, heard.user, &heard.nickname);
        if said.text.is_empty() {
            return;
        }
        self.to_service(heard, said, speaker, Place::Group(name), game, effects);
    }

    /// A line in a group of no game: only 开局 matters, and being addressed, and neither when it
    /// comes so late that nobody waits for an answer.
    fn stray_line(
        &mut self,
        env: &Env,
        heard: &Heard,
        said: &Typed,
        group: ChatGroup,
        effects: &mut Effects,
    ) {
        if heard.received.0.div_euclid(1000) - heard.secs > STALE {
            effects.ignore = true;
            return;
        }
        let Some(words) = chat::opening_words(&said.text) else {
            if said.addressed {
                self.answer(env, heard, &Hint::NothingHere);
            } else {
                effects.ignore = true;
            }
            return;
        };
        if !heard.may_open {
            if said.addressed {
                self.answer(env, heard, &Hint::NotDirector);
            } else {
                effects.ignore = true;
            }
            return;
        }
        // Without entropy the dice could be guessed: then there is no game.
        let Some(entropy) = heard.entropy.clone() else {
            effects.ignore = true;
            return;
        };
        let Some(game) = self.games.open(self.id, group, heard.received) else {
            effects.ignore = true;
            return;
        };
        self.note(heard);
        let speaker = Speaker {
            user: heard.user,
            nickname: heard.nickname.clone(),
            seat: None,
            director: true,
        };
        let said = Typed {
            text: words.to_owned(),
            ..said.clone()
        };
        let line = self.line(heard, &said, speaker, Place::Square);
        let taken = self
            .games
            .live()
            .map(|roster| roster.name.clone())
            .collect();
        let open = ToNight::Open {
            square: group,
            line,
            entropy,
            taken,
        };
        effects.send(Service::Night, game.to_string(), &open);
    }

    /// A private line belongs to the game that it names in front, else to the sender's only one.
    fn private_line(&mut self, env: &Env, heard: &Heard, said: &Typed, effects: &mut Effects) {
        if said.text.is_empty() {
            return;
        }
        if chat::opening_words(&said.text).is_some() {
            let hint = if heard.may_open {
                Hint::OpenInGroup
            } else {
                Hint::NotDirector
            };
            self.answer(env, heard, &hint);
            return;
        }
        match self.addressee(heard, &said.text) {
            Ok((game, speaker, text)) => {
                let said = Typed {
                    text,
                    ..said.clone()
                };
                self.to_service(heard, &said, speaker, Place::Private, game, effects);
            }
            Err(hint) => self.answer(env, heard, &hint),
        }
    }

    /// The game that a private line is for, who the sender is in it, and the line without the
    /// game's name; else what to answer.
    fn addressee(&self, heard: &Heard, text: &str) -> Result<(GameId, Speaker, String), Hint> {
        let of = |roster: &Roster, text: &str| {
            (
                roster.game,
                speaker(roster, heard.user, &heard.nickname),
                text.to_owned(),
            )
        };
        if let Some((roster, text)) = self.games.named(text) {
            return Ok(of(roster, text));
        }
        let lobbies: Vec<&Roster> = self
            .games
            .live()
            .filter(|roster| roster.state == RosterState::Lobby)
            .collect();
        match self.games.of_person(heard.user).as_slice() {
            [roster] => Ok(of(roster, text)),
            [] if is_sign_up(text) => match lobbies.as_slice() {
                [roster] => Ok(of(roster, text)),
                [] => Err(Hint::NoGame(Vec::new())),
                several => Err(Hint::WhichLobby(names(several))),
            },
            [] if is_help(text) => Err(Hint::Help(names(&lobbies))),
            [] => Err(Hint::NoGame(names(&lobbies))),
            several => Err(Hint::WhichGame(names(several))),
        }
    }

    fn to_service(
        &self,
        heard: &Heard,
        said: &Typed,
        speaker: Speaker,
        place: Place,
        game: GameId,
        effects: &mut Effects,
    ) {
        if is_for_tally(&said.text) {
            self.to_tally(heard, said, speaker, place, game, effects);
        } else {
            self.to_night(heard, said, speaker, place, game, effects);
        }
    }

    fn to_tally(
        &self,
        heard: &Heard,
        said: &Typed,
        speaker: Speaker,
        place: Place,
        game: GameId,
        effects: &mut Effects,
    ) {
        let line = self.line(heard, said, speaker, place);
        effects.send(Service::Tally, game.to_string(), &ToTally::Line(line));
    }

    fn to_night(
        &self,
        heard: &Heard,
        said: &Typed,
        speaker: Speaker,
        place: Place,
        game: GameId,
        effects: &mut Effects,
    ) {
        let line = self.line(heard, said, speaker, place);
        effects.send(Service::Night, game.to_string(), &ToNight::Line(line));
    }

    fn line(&self, heard: &Heard, said: &Typed, speaker: Speaker, place: Place) -> Line {
        Line {
            speaker,
            place,
            text: said.text.clone(),
            mentions: said.mentions.clone(),
            addressed: said.addressed,
            reply_to: said.reply_to.clone(),
            message: heard.id.clone(),
            stamp: Stamp {
                secs: heard.secs,
                seq: heard.seq.unwrap_or(0),
                arrival: self.arrival,
                scene: scene_number(heard.scene),
            },
            received: heard.received,
        }
    }
}

/// A number for each scene of an account: groups even, people odd.
fn scene_number(scene: Scene) -> u64 {
    match scene {
        Scene::Group(group) => group.0 << 1,
        Scene::Private(user) => user.0 << 1 | 1,
    }
}

fn names(games: &[&Roster]) -> Vec<String> {
    games.iter().map(|roster| roster.name.clone()).collect()
}
