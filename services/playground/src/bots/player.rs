//! A bot that plays a seat. It knows what it has read in its own chats, and nothing else.

mod square;

use std::collections::BTreeSet;

use protocol::{ChatGroup, Scene, UserId};

use super::choose::{Choice, Knowledge, choose};
use super::dice::Dice;
use super::reading::{self, OpenSkill, Sign, Word};
use super::talk;
use super::tempo::Tempo;
use super::wish::{Anchor, Brain, Deed, Rooms, Wish};
use crate::hall::Line;
use square::{Square, ThreadKind};

/// How much a bot does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Plays.
    Plays,
    /// Signs up for someone who then plays.
    SignsUp,
}

/// Where a bot sits.
#[derive(Debug, Clone)]
pub(super) struct Seat {
    /// Its number in chat.
    pub(super) user: UserId,
    /// The name it plays under.
    pub(super) alias: String,
    /// The public group.
    pub(super) square: ChatGroup,
    /// The host.
    pub(super) bot: UserId,
}

/// A player.
pub(super) struct Player {
    seat: Seat,
    part: Part,
    dice: Dice,
    tempo: Tempo,
    sign_up: Option<Anchor>,
    square: Square,
    /// Which part of the game it is.
    when: String,
    night: u32,
    ask: Option<Anchor>,
    open: Option<(Anchor, Vec<OpenSkill>)>,
    acted: BTreeSet<String>,
    mate_chose: BTreeSet<String>,
    mates: BTreeSet<String>,
    struck: Vec<String>,
    words: Option<Anchor>,
    invited: Option<(ChatGroup, Anchor)>,
    rooms: Rooms,
    whispered: bool,
    tried: BTreeSet<String>,
    done: bool,
}

impl Player {
    /// A player at a table with this seed.
    pub(super) fn new(seat: Seat, part: Part, seed: u64, tempo: Tempo) -> Self {
        let dice = Dice::new(seed, seat.alias.clone());
        Self {
            square: Square::new(seat.alias.clone(), dice.clone()),
            seat,
            part,
            dice,
            tempo,
            sign_up: None,
            when: String::new(),
            night: 0,
            ask: None,
            open: None,
            acted: BTreeSet::new(),
            mate_chose: BTreeSet::new(),
            mates: BTreeSet::new(),
            struck: Vec::new(),
            words: None,
            invited: None,
            rooms: Rooms::new(),
            whispered: false,
            tried: BTreeSet::new(),
            done: false,
        }
    }

    fn hear_host_in_public(&mut self, line: &Line) {
        for sign in reading::public(&line.text) {
            self.notice(sign, Anchor::of(line));
        }
        self.square.hear_answer(line);
    }

    fn notice(&mut self, sign: Sign, anchor: Anchor) {
        match sign {
            Sign::Lobby => self.sign_up = Some(anchor),
            Sign::Dealt(names) => {
                self.sign_up = None;
                self.square.seat(names);
            }
            Sign::Out(names) => self.square.remove(&names),
            Sign::Over => self.done = true,
            Sign::Opening => self.turn("开局".to_owned()),
            Sign::Dawn => self.turn(format!("晨{}", self.night)),
            Sign::Dusk => self.turn(format!("昏{}", self.night)),
            Sign::Night { number, window } => {
                self.night = number;
                self.turn(format!("夜{number}{window}"));
            }
            Sign::Badge => self.turn("警徽".to_owned()),
            Sign::Election => {
                self.turn("竞选".to_owned());
                self.square.open(ThreadKind::Election, anchor);
            }
            Sign::Day { number } => {
                self.turn(format!("日{number}"));
                self.square.open(ThreadKind::Day, anchor);
            }
        }
    }

    /// Another part of the game: what was open is not any more.
    fn turn(&mut self, when: String) {
        self.when = when;
        self.open = None;
        self.acted.clear();
        self.mate_chose.clear();
        self.square.close();
    }

    fn hear_host_in_private(&mut self, line: &Line) {
        let anchor = Anchor::of(line);
        for word in reading::private(&line.text) {
            match word {
                Word::Prompt => self.ask_again(anchor),
                Word::Status(open) => self.open = Some((anchor, open)),
                Word::Mates(names) => self.mates.extend(names),
                Word::Invited { group } => self.invited = Some((ChatGroup(group), anchor)),
                Word::Struck(names) => self.struck = names,
                Word::MateChose { skill } => {
                    self.mate_chose.insert(skill);
                }
                Word::ChooseAgain { skill } => {
                    self.acted.remove(&skill);
                    self.mate_chose.remove(&skill);
                    self.ask_again(anchor);
                }
                Word::OutYou { last_words } => {
                    self.square.go_out();
                    self.words = last_words.then_some(anchor);
                }
                Word::Checked { target, answer } => self.square.learn(&target, &answer),
                Word::Card { .. } => {}
            }
        }
    }

    /// What was open may have changed: nothing is done before one has asked.
    fn ask_again(&mut self, anchor: Anchor) {
        self.ask = Some(anchor);
        self.open = None;
    }

    fn hear_myself(&mut self, line: &Line) {
        let text = line.text.trim();
        if text == "我" {
            self.ask = None;
            return;
        }
        if text.starts_with("报名") {
            self.sign_up = None;
            return;
        }
        if text.starts_with("遗言") {
            self.words = None;
            return;
        }
        let skill = text.strip_prefix("放弃").unwrap_or(text).trim();
        let acted = self.open.iter().flat_map(|(_, open)| open).find(|open| {
            skill
                .strip_prefix(open.name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
        if let Some(acted) = acted.map(|open| open.name.clone()) {
            self.acted.insert(acted);
        } else if line.scene == "group" && line.peer == self.seat.square.0 {
            self.square.hear_myself(line);
        } else if line.scene == "group" {
            self.whispered = true;
        }
    }

    /// The private group, when there is just one.
    fn den(&self) -> Option<ChatGroup> {
        let mut own = self.rooms.iter().filter(|room| **room != self.seat.square);
        let den = own.next().copied();
        den.filter(|_| own.next().is_none())
    }

    /// About how long one thinks before this.
    fn thinks(&self, what: &str) -> f64 {
        self.tempo.think * self.dice.between(what, 0.4, 1.6)
    }

    fn sign_up_wish(&self) -> Option<Wish> {
        let anchor = self.sign_up?;
        let key = format!("sign-up/{}", anchor.seq);
        let due_ms = anchor.plus(self.tempo.think * self.dice.between(&key, 0.1, 1.5));
        Some(self.say(
            key,
            due_ms,
            Scene::Group(self.seat.square),
            format!("报名 {}", self.seat.alias),
        ))
    }

    fn ask_wish(&self) -> Option<Wish> {
        let anchor = self.ask?;
        let key = format!("ask/{}", anchor.seq);
        let due_ms = anchor.plus(self.thinks(&key));
        Some(self.say(key, due_ms, Scene::Private(self.seat.user), "我".to_owned()))
    }

    fn skill_wishes(&self) -> impl Iterator<Item = Wish> {
        let open = self.open.as_ref().filter(|_| self.ask.is_none());
        open.into_iter().flat_map(move |(anchor, open)| {
            open.iter()
                .filter(|skill| !self.acted.contains(&skill.name))
                .enumerate()
                .filter_map(move |(nth, skill)| self.skill_wish(*anchor, nth, skill, open))
        })
    }

    fn skill_wish(
        &self,
        anchor: Anchor,
        nth: usize,
        skill: &OpenSkill,
        open: &[OpenSkill],
    ) -> Option<Wish> {
        let know = Knowledge {
            dice: &self.dice,
            when: &self.when,
            night: self.night,
            me: &self.seat.alias,
            mates: &self.mates,
            checked: self.square.checked(),
            struck: &self.struck,
            mate_chose: self.mate_chose.contains(&skill.name),
            suspect: self.square.suspect(&self.mates),
            open,
        };
        let text = match choose(skill, &know) {
            Choice::Use(rest) => format!("{} {rest}", skill.name).trim_end().to_owned(),
            Choice::Decline => format!("放弃 {}", skill.name),
            Choice::Leave => return None,
        };
        let key = format!("act/{}/{}", anchor.seq, skill.name);
        let patience = if skill.name == "杀人" {
            self.pack_patience()
        } else {
            0.0
        };
        let turns = u32::try_from(nth).unwrap_or(u32::MAX);
        let due_ms =
            anchor.plus(self.thinks(&key) + self.tempo.think * (f64::from(turns) + patience));
        let scene = match self.den() {
            Some(den) if skill.name == "杀人" => Scene::Group(den),
            _ => Scene::Private(self.seat.user),
        };
        Some(self.say(key, due_ms, scene, text))
    }

    /// In a pack one waits a little, so that not everybody chooses at once.
    fn pack_patience(&self) -> f64 {
        self.dice
            .between(&format!("{}/patience", self.when), 0.0, 4.0)
    }

    fn last_words_wish(&self) -> Option<Wish> {
        let anchor = self.words?;
        let key = format!("last-words/{}", anchor.seq);
        let words = self.dice.pick(&key, &talk::LAST_WORDS)?;
        let due_ms = anchor.plus(self.thinks(&key));
        Some(self.say(
            key,
            due_ms,
            Scene::Private(self.seat.user),
            format!("遗言 {words}"),
        ))
    }

    fn join_wish(&self) -> Option<Wish> {
        let (group, anchor) = self.invited?;
        if self.rooms.contains(&group) {
            return None;
        }
        let key = format!("join/{group}/{}", anchor.seq);
        let due_ms = anchor.plus(self.thinks(&key));
        Some(Wish {
            key,
            due_ms,
            deed: Deed::Join { group },
        })
    }

    fn whisper_wish(&self) -> Option<Wish> {
        let (den, (_, anchor)) = (self.den()?, self.invited?);
        if self.whispered {
            return None;
        }
        let key = format!("whisper/{den}");
        let words = self.dice.pick(&key, &talk::WHISPERS)?;
        let due_ms = anchor.plus(self.tempo.think * self.dice.between(&key, 2.0, 6.0));
        Some(self.say(key, due_ms, Scene::Group(den), (*words).to_owned()))
    }

    fn square_wishes(&self) -> Vec<Wish> {
        let said = self.square.wishes(&self.tempo, &self.mates);
        said.into_iter()
            .map(|(key, due_ms, text)| self.say(key, due_ms, Scene::Group(self.seat.square), text))
            .collect()
    }

    #[expect(clippy::unused_self, reason = "reads as what it is: the player says")]
    fn say(&self, key: String, due_ms: i64, scene: Scene, text: String) -> Wish {
        Wish {
            key,
            due_ms,
            deed: Deed::Say {
                scene,
                text,
                reply_to: None,
            },
        }
    }
}

impl Brain for Player {
    fn hear(&mut self, line: &Line) {
        let in_square = line.scene == "group" && line.peer == self.seat.square.0;
        if line.own {
            self.hear_myself(line);
        } else if line.from == self.seat.bot {
            if in_square {
                self.hear_host_in_public(line);
            } else {
                self.hear_host_in_private(line);
            }
        } else if in_square {
            self.square.hear_other(line);
        }
    }

    fn look(&mut self, rooms: &Rooms) {
        self.rooms.clone_from(rooms);
    }

    fn wishes(&self) -> Vec<Wish> {
        let mut wishes: Vec<Wish> = self.sign_up_wish().into_iter().collect();
        if self.part == Part::Plays {
            wishes.extend(self.ask_wish());
            wishes.extend(self.skill_wishes());
            wishes.extend(self.last_words_wish());
            wishes.extend(self.join_wish());
            wishes.extend(self.whisper_wish());
            wishes.extend(self.square_wishes());
        }
        wishes.retain(|wish| !self.tried.contains(&wish.key));
        wishes
    }

    fn tried(&mut self, key: &str) {
        self.tried.insert(key.to_owned());
    }

    fn set_tempo(&mut self, tempo: Tempo) {
        self.tempo = tempo;
    }

    fn is_done(&self) -> bool {
        self.done
    }
}

#[cfg(test)]
mod tests;
