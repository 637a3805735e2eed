//! 报名 and 退出.

use chat::Names;
use protocol::{Audience, Line, Phrase, Place, SayKind};
use rules::Board;
use serde_json::json;

use super::{Applicant, Lobby, Reach};
use crate::alias;
use crate::answers;
use crate::frame::Frame;
use crate::step::Step;

/// More people than this cannot sign up for one game.
const MOST_APPLICANTS: usize = 64;

impl Lobby {
    pub(super) fn sign_up(
        &mut self,
        frame: &mut Frame,
        board: &Board,
        line: &Line,
        wanted: Option<&str>,
        step: &mut Step,
    ) {
        let user = line.speaker.user;
        if frame.directs(user) {
            return answers::plain(step, line, "lobby/director-plays-not");
        }
        let own = self
            .applicants
            .iter()
            .position(|applicant| applicant.user == user);
        let taken: Vec<&str> = self
            .applicants
            .iter()
            .filter(|applicant| applicant.user != user)
            .map(|applicant| applicant.alias.as_str())
            .collect();
        let names = Names::of(board);
        let alias = match (wanted, own) {
            (Some(wanted), _) => match alias::checked(wanted, &names, taken) {
                Ok(alias) => alias,
                Err(bad) => {
                    let args = json!({"longest": alias::LONGEST});
                    return step.answer(line, Phrase::new(bad.key(), args));
                }
            },
            (None, Some(own)) => self.applicants[own].alias.clone(),
            (None, None) => alias::default(&line.speaker.nickname, &names, &taken),
        };
        if own.is_none() && self.applicants.len() >= MOST_APPLICANTS {
            return answers::plain(step, line, "lobby/full");
        }
        let place = own.unwrap_or(self.applicants.len());
        let private = line.place == Place::Private;
        let changed = if let Some(own) = own {
            std::mem::replace(&mut self.applicants[own].alias, alias.clone()) != alias
        } else {
            let reach = if private {
                Reach::Reached
            } else {
                Reach::Unknown
            };
            self.applicants.push(Applicant {
                user,
                alias: alias.clone(),
                reach,
            });
            true
        };
        let size = frame.size(board);
        let args = json!({
            "alias": alias, "again": own.is_some(), "place": place + 1, "size": size,
            "waiting": (place + 1).saturating_sub(size), "name": frame.name,
        });
        step.answer(line, Phrase::new("lobby/signed-up", args.clone()));
        if own.is_none() && !private {
            let hello = Phrase::new("lobby/hello", args);
            step.say(Audience::User(user), SayKind::Notice, vec![hello]);
        }
        if own.is_none() && place + 1 == size {
            let full = Phrase::new("lobby/complete", json!({"name": frame.name, "size": size}));
            step.say(Audience::Directors, SayKind::Prompt, vec![full]);
        }
        if changed {
            step.roster(&self.roster(frame, board));
        }
    }

    pub(super) fn quit(&mut self, frame: &mut Frame, board: &Board, line: &Line, step: &mut Step) {
        let user = line.speaker.user;
        let Some(place) = self
            .applicants
            .iter()
            .position(|applicant| applicant.user == user)
        else {
            return answers::plain_if_expected(step, line, "lobby/not-in");
        };
        let gone = self.applicants.remove(place);
        step.answer(
            line,
            Phrase::new("lobby/quit", json!({"alias": gone.alias})),
        );
        let size = frame.size(board);
        if place < size
            && let Some(next) = self.applicants.get(size - 1)
        {
            let args = json!({"alias": next.alias, "name": frame.name});
            let moved = Phrase::new("lobby/moved-up", args);
            step.say(Audience::User(next.user), SayKind::Notice, vec![moved]);
        }
        step.roster(&self.roster(frame, board));
    }
}
