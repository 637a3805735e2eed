//! Before the deal: who signs up, who waits, who can be reached.

mod orders;
mod signing;

use chat::{Names, Reader, Said, SeatName, Vocabulary};
use protocol::{Audience, Line, Phrase, Place, RosterSeat, RosterState, SayKind, UserId};
use rules::{Board, SeatId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answers;
use crate::due::Changed;
use crate::env::Env;
use crate::frame::Frame;
use crate::help;
use crate::step::Step;

/// Can a person be reached in private?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reach {
    /// Nobody knows yet.
    Unknown,
    /// Yes: something arrived there, or was typed there.
    Reached,
    /// No: the platform refused.
    Refused,
}

/// Somebody who has signed up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Applicant {
    pub user: UserId,
    pub alias: String,
    pub reach: Reach,
}

/// A game that waits for its deal. The first applicants, as many as the deal has seats, will
/// play; the others wait behind them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Lobby {
    applicants: Vec<Applicant>,
    /// Was the director told that the pool is too small? Then the deal goes on when repeated.
    warned_of_pool: bool,
    /// Was a deal refused because somebody could not be reached?
    awaits_reach: bool,
}

/// What comes of a line in the lobby besides answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The lobby goes on.
    Stay,
    /// The cards are to be dealt.
    Deal,
    /// The game is called off.
    CallOff,
}

impl Lobby {
    /// Takes a line that somebody typed.
    pub(crate) fn line(
        &mut self,
        env: &Env,
        frame: &mut Frame,
        board: &Board,
        line: &Line,
        step: &mut Step,
    ) -> Next {
        if line.place == Place::Private {
            self.reached(frame, board, line.speaker.user, true, step);
        }
        let director = frame.directs(line.speaker.user);
        let reader = if director {
            Reader::Director
        } else {
            Reader::Player
        };
        let said = match chat::read(&line.text, &self.vocabulary(board), reader) {
            Ok(said) => said,
            Err(misread) => {
                answers::not_understood(step, line, &misread);
                return Next::Stay;
            }
        };
        match said {
            Said::SignUp(wanted) => self.sign_up(frame, board, line, wanted.as_deref(), step),
            Said::Quit => self.quit(frame, board, line, step),
            Said::Elevator => step.answer(line, self.list(frame, board)),
            Said::Status => self.own_status(frame, board, line, step),
            Said::Help(about) => help::in_lobby(frame, board, line, about.as_deref(), step),
            Said::Notices => answers::plain(step, line, "answer/no-notices"),
            Said::Open => {
                step.answer(
                    line,
                    Phrase::new("lobby/already", json!({"name": frame.name})),
                );
            }
            Said::Director(command) if director => {
                return self.order(env, frame, board, line, &command, step);
            }
            Said::Director(_) => answers::plain_if_expected(step, line, "answer/director-only"),
            _ => answers::plain_if_expected(step, line, "answer/not-dealt"),
        }
        Next::Stay
    }

    fn vocabulary(&self, board: &Board) -> Vocabulary {
        let seats = self.applicants.iter().map(|applicant| SeatName {
            alias: applicant.alias.clone(),
            user: Some(applicant.user.0),
        });
        Vocabulary::new(Names::of(board), seats.collect())
    }

    pub(crate) fn roster(&self, frame: &mut Frame, board: &Board) -> protocol::Roster {
        frame.roster(board, RosterState::Lobby, self.seats())
    }

    fn seats(&self) -> Vec<RosterSeat> {
        self.applicants
            .iter()
            .zip(0..)
            .map(|(applicant, seat)| RosterSeat {
                seat: SeatId(seat),
                alias: applicant.alias.clone(),
                user: applicant.user,
            })
            .collect()
    }

    // --- reachability ------------------------------------------------------------------------

    /// It has turned out whether somebody can be reached in private.
    pub(crate) fn reached(
        &mut self,
        frame: &Frame,
        board: &Board,
        user: UserId,
        reachable: bool,
        step: &mut Step,
    ) -> Changed {
        let Some(applicant) = self
            .applicants
            .iter_mut()
            .find(|someone| someone.user == user)
        else {
            return Changed::No;
        };
        let reach = if reachable {
            Reach::Reached
        } else {
            Reach::Refused
        };
        if applicant.reach == reach {
            return Changed::No;
        }
        applicant.reach = reach;
        if reach == Reach::Refused {
            let how = Phrase::new("lobby/unreachable", json!({"alias": applicant.alias}));
            step.say(Audience::Square, SayKind::Prompt, vec![how]);
        }
        if self.awaits_reach && self.out_of_reach(frame.size(board)).next().is_none() {
            self.awaits_reach = false;
            let now = Phrase::new("director/all-reached", json!({"name": frame.name}));
            step.say(Audience::Directors, SayKind::Prompt, vec![now]);
        }
        Changed::Yes
    }

    /// Who would play and cannot be reached, as far as anybody knows.
    fn out_of_reach(&self, size: usize) -> impl Iterator<Item = &Applicant> {
        self.applicants
            .iter()
            .take(size)
            .filter(|applicant| applicant.reach != Reach::Reached)
    }

    // --- lists -------------------------------------------------------------------------------

    fn list(&self, frame: &Frame, board: &Board) -> Phrase {
        let size = frame.size(board);
        let alias = |applicant: &Applicant| applicant.alias.clone();
        let playing: Vec<String> = self.applicants.iter().take(size).map(alias).collect();
        let waiting: Vec<String> = self.applicants.iter().skip(size).map(alias).collect();
        let args = json!({
            "name": frame.name, "board": board.name, "size": size,
            "playing": playing, "waiting": waiting,
        });
        Phrase::new("lobby/list", args)
    }

    fn own_status(&self, frame: &Frame, board: &Board, line: &Line, step: &mut Step) {
        let user = line.speaker.user;
        let Some(place) = self
            .applicants
            .iter()
            .position(|someone| someone.user == user)
        else {
            return answers::plain_if_expected(step, line, "lobby/not-in");
        };
        let size = frame.size(board);
        let args = json!({
            "alias": self.applicants[place].alias, "place": place + 1, "size": size,
            "waiting": (place + 1).saturating_sub(size), "signed_up": self.applicants.len(),
        });
        step.answer(line, Phrase::new("lobby/you", args));
    }

    /// Those who will play, and those who waited in vain.
    pub(crate) fn into_players(self, size: usize) -> (Vec<Applicant>, Vec<Applicant>) {
        let mut players = self.applicants;
        let waiting = players.split_off(size.min(players.len()));
        (players, waiting)
    }
}
