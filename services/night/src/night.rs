//! The aggregate: one game from 开局 to the reveal.

use std::sync::Arc;

use kit::{Aggregate, Effects, LoadError};
use protocol::{
    Audience, ChatGroup, GameId, Line, Phrase, Roster, RosterState, SayKind, Service, ToNight,
    UserId,
};
use rules::input::Act;
use rules::{Board, Stamp, Time};
use serde_json::json;

use crate::act::{self, Receipts};
use crate::answers;
use crate::due::{self, Changed};
use crate::env::Env;
use crate::frame::Frame;
use crate::lobby::{Lobby, Next};
use crate::open;
use crate::play;
use crate::snapshot;
use crate::step::Step;
use crate::sync::sync;
use crate::table::Table;

/// A game: its lobby, then its table. Its only writer is this service.
#[derive(Debug)]
pub struct Night {
    pub(crate) game: GameId,
    /// How many steps it has taken; part of the names of what it says.
    pub(crate) steps: u64,
    pub(crate) stage: Stage,
}

/// How far a game is.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Nothing has been heard of it.
    Unopened,
    /// People sign up.
    Lobby(Frame, Lobby),
    /// Cards are dealt; also after the end.
    Table(Frame, Box<Table>),
    /// It never came to a deal.
    CalledOff,
}

impl Aggregate for Night {
    const SERVICE: Service = Service::Night;
    const IS_OVER: Option<fn(&Self) -> bool> = Some(Self::is_over);
    type Input = ToNight;
    type Env = Env;

    fn new(_env: &Env, key: &str) -> Self {
        let nowhere = GameId {
            account: protocol::AccountId(0),
            number: 0,
        };
        let game = key.parse().unwrap_or(nowhere);
        Self {
            game,
            steps: 0,
            stage: Stage::Unopened,
        }
    }

    fn handle(&mut self, env: &Env, input: &ToNight) -> Effects {
        let mut step = Step::new(self.game, self.steps + 1);
        let changed = self.take(env, input, &mut step);
        if changed == Changed::No && step.is_silent() {
            return Effects::ignored();
        }
        self.steps += 1;
        if let Stage::Table(frame, table) = &mut self.stage {
            sync(table, frame, &mut step);
        }
        step.finish()
    }

    fn save(&self) -> Vec<u8> {
        snapshot::save(self)
    }

    fn load(env: &Env, key: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        snapshot::load(env, key, bytes)
    }
}

impl Night {
    /// The watermark of the account for which a deadline of this game waits.
    pub fn needs_watermark(&self) -> Option<Time> {
        match &self.stage {
            Stage::Table(_, table) => table.seating.waiting.map(|waiting| waiting.needs),
            _ => None,
        }
    }

    fn take(&mut self, env: &Env, input: &ToNight, step: &mut Step) -> Changed {
        match input {
            ToNight::Open {
                square,
                line,
                entropy,
                taken,
            } => self.open(env, *square, line, entropy, taken, step),
            ToNight::Line(line) => {
                self.line(env, line, step);
                Changed::No
            }
            ToNight::Due { deadline, now, .. } => match &mut self.stage {
                Stage::Table(frame, table) => due::due(table, frame, env, deadline, *now, step),
                _ => Changed::No,
            },
            ToNight::Watermark { upto, .. } => match &mut self.stage {
                Stage::Table(_, table) => due::watermark(table, *upto, step),
                _ => Changed::No,
            },
            ToNight::Book { thread, book } => self.rules_act(
                Act::BookClosed {
                    thread: *thread,
                    book: book.clone(),
                },
                None,
                step,
            ),
            ToNight::Petition { thread, faster, at } => self.rules_act(
                Act::Petition {
                    thread: *thread,
                    faster: *faster,
                },
                Some(*at),
                step,
            ),
            ToNight::Reach { user, reachable } => self.reach(env, *user, *reachable, step),
            ToNight::Skipped { holds_up, .. } => match self.stage {
                Stage::Lobby(..) | Stage::Table(..) => {
                    if *holds_up {
                        let phrase = Phrase::plain("director/stuck");
                        step.say(Audience::Directors, SayKind::Notice, vec![phrase]);
                    }
                    Changed::Yes
                }
                _ => Changed::No,
            },
            ToNight::Trouble { phrase } => {
                if matches!(self.stage, Stage::Lobby(..) | Stage::Table(..)) {
                    step.say(Audience::Directors, SayKind::Notice, vec![phrase.clone()]);
                }
                Changed::No
            }
        }
    }

    // --- opening -----------------------------------------------------------------------------

    fn open(
        &mut self,
        env: &Env,
        square: ChatGroup,
        line: &Line,
        entropy: &str,
        taken: &[String],
        step: &mut Step,
    ) -> Changed {
        if !matches!(self.stage, Stage::Unopened) {
            return Changed::No;
        }
        match open::frame(env, self.game, square, line, entropy, taken) {
            Ok(mut frame) => {
                let Some(board) = env.board(&frame.board) else {
                    return Changed::No;
                };
                let lobby = Lobby::default();
                // The roster first: publish finds the square in it.
                step.roster(&lobby.roster(&mut frame, board));
                let args = json!({
                    "name": frame.name, "game": frame.game.number, "board": board.name,
                    "size": frame.size(board), "calendar": frame.calendar,
                });
                step.answer(line, Phrase::new("lobby/opened", args));
                self.stage = Stage::Lobby(frame, lobby);
            }
            Err(why) => {
                step.roster(&self.no_game(square));
                let scene = protocol::Scene::Group(square);
                step.say(Audience::Scene(scene), SayKind::Answer, vec![why]);
                self.stage = Stage::CalledOff;
            }
        }
        Changed::Yes
    }

    /// The roster of a game that did not come about: the group is free again.
    fn no_game(&self, square: ChatGroup) -> Roster {
        Roster {
            game: self.game,
            version: 1,
            name: String::new(),
            square,
            state: RosterState::Over,
            directors: Vec::new(),
            seats: Vec::new(),
            skill_words: Vec::new(),
        }
    }

    // --- lines -------------------------------------------------------------------------------

    /// Takes a line. One that changes anything is answered, so that silence means nothing
    /// has changed.
    fn line(&mut self, env: &Env, line: &Line, step: &mut Step) {
        let next = match &mut self.stage {
            Stage::Unopened | Stage::CalledOff => {
                return answers::plain_if_expected(step, line, "answer/no-game");
            }
            Stage::Table(frame, table) => return play::line(table, frame, line, step),
            Stage::Lobby(frame, lobby) => {
                let Some(board) = env.board(&frame.board) else {
                    return;
                };
                lobby.line(env, frame, board, line, step)
            }
        };
        match next {
            Next::Stay => {}
            Next::Deal => self.deal(env, line, step),
            Next::CallOff => self.call_off(env, step),
        }
    }

    /// Has it ended, or been called off? Then everybody has been told.
    fn is_over(&self) -> bool {
        match &self.stage {
            Stage::Unopened | Stage::Lobby(..) => false,
            Stage::Table(_, table) => table.seating.sent.over,
            Stage::CalledOff => true,
        }
    }

    fn call_off(&mut self, env: &Env, step: &mut Step) {
        let Stage::Lobby(frame, lobby) = &mut self.stage else {
            return;
        };
        let Some(board) = env.board(&frame.board) else {
            return;
        };
        let mut roster = lobby.roster(frame, board);
        roster.state = RosterState::Over;
        step.roster(&roster);
        self.stage = Stage::CalledOff;
    }

    /// 发牌: everyone is told their card, groups are asked for.
    fn deal(&mut self, env: &Env, line: &Line, step: &mut Step) {
        let stage = std::mem::replace(&mut self.stage, Stage::CalledOff);
        let Stage::Lobby(mut frame, lobby) = stage else {
            self.stage = stage;
            return;
        };
        let Some(board) = env.board(&frame.board).cloned() else {
            self.stage = Stage::Lobby(frame, lobby);
            return;
        };
        let (players, waiting) = lobby.into_players(frame.size(&board));
        let (mut table, cards) = Table::deal(env, &frame, &board, players, line.received);
        let roster = table.roster(&mut frame, RosterState::Running);
        step.roster(&roster);
        announce_deal(&frame, &board, &roster, step);
        for someone in waiting {
            let missed = Phrase::new("lobby/missed", json!({"name": frame.name}));
            step.say(Audience::User(someone.user), SayKind::Notice, vec![missed]);
        }
        act::tell(&mut table, &cards, Receipts::Private, step);
        step.answer_in_private(line, Phrase::plain("director/dealt"));
        step.snapshot();
        self.stage = Stage::Table(frame, Box::new(table));
    }

    // --- what other services say -------------------------------------------------------------

    /// Something that the rules are told; refused when it comes too late to matter.
    fn rules_act(&mut self, act: Act, at: Option<Time>, step: &mut Step) -> Changed {
        let Stage::Table(_, table) = &mut self.stage else {
            return Changed::No;
        };
        let now = at.unwrap_or_default();
        match act::apply(table, act, now, Stamp::default(), Receipts::Private, step) {
            Ok(()) => Changed::Yes,
            Err(_stale) => Changed::No,
        }
    }

    fn reach(&mut self, env: &Env, user: UserId, reachable: bool, step: &mut Step) -> Changed {
        match &mut self.stage {
            Stage::Lobby(frame, lobby) => {
                let Some(board) = env.board(&frame.board) else {
                    return Changed::No;
                };
                lobby.reached(frame, board, user, reachable, step)
            }
            Stage::Table(_, table) => seat_reach(table, user, reachable),
            Stage::Unopened | Stage::CalledOff => Changed::No,
        }
    }
}

fn announce_deal(frame: &Frame, board: &Arc<Board>, roster: &Roster, step: &mut Step) {
    let seats: Vec<serde_json::Value> = roster
        .seats
        .iter()
        .map(|seat| json!({"number": seat.seat.number(), "alias": seat.alias}))
        .collect();
    let args = json!({"name": frame.name, "board": board.name, "seats": seats});
    step.say(
        Audience::Square,
        SayKind::Notice,
        vec![Phrase::new("lobby/dealt", args)],
    );
}

/// Whether a seat can be reached is kept for 状态; publish has told the director already.
fn seat_reach(table: &mut Table, user: UserId, reachable: bool) -> Changed {
    let Some(holder) = table.holder_mut(user) else {
        return Changed::No;
    };
    if holder.unreachable != reachable {
        return Changed::No;
    }
    holder.unreachable = !reachable;
    Changed::Yes
}
