//! The director's commands before the deal, and what stands in its way.

use chat::DirectorCommand;
use protocol::{Audience, Line, Phrase, Place, SayKind};
use rules::Board;
use rules::board::Members;
use rules::input::Order;
use serde_json::json;

use super::{Lobby, Next, Reach};
use crate::answers;
use crate::env::Env;
use crate::frame::Frame;
use crate::step::Step;

impl Lobby {
    pub(super) fn order(
        &mut self,
        env: &Env,
        frame: &Frame,
        board: &Board,
        line: &Line,
        command: &DirectorCommand,
        step: &mut Step,
    ) -> Next {
        match command {
            DirectorCommand::Deal => return self.consider_deal(env, frame, board, line, step),
            DirectorCommand::State => step.answer_in_private(line, self.state(frame, board)),
            DirectorCommand::Order(Order::End(_)) => {
                let off = Phrase::new("lobby/called-off", json!({"name": frame.name}));
                step.say(Audience::Square, SayKind::Notice, vec![off]);
                if line.place == Place::Private {
                    answers::plain(step, line, "director/done");
                }
                return Next::CallOff;
            }
            DirectorCommand::Order(Order::Announce(text)) => {
                let says = Phrase::new("lobby/director-says", json!({"text": text}));
                step.say(Audience::Square, SayKind::Notice, vec![says]);
            }
            _ => answers::plain(step, line, "director/not-dealt"),
        }
        Next::Stay
    }

    fn state(&self, frame: &Frame, board: &Board) -> Phrase {
        let people: serde_json::Value = self
            .applicants
            .iter()
            .map(|applicant| {
                json!({
                    "alias": applicant.alias, "user": applicant.user.0,
                    "reach": applicant.reach,
                })
            })
            .collect();
        let args = json!({
            "name": frame.name, "game": frame.game.number, "board": board.name,
            "calendar": frame.calendar, "size": frame.size(board), "people": people,
        });
        Phrase::new("director/lobby", args)
    }

    /// 发牌, if nothing is in its way.
    fn consider_deal(
        &mut self,
        env: &Env,
        frame: &Frame,
        board: &Board,
        line: &Line,
        step: &mut Step,
    ) -> Next {
        let size = frame.size(board);
        let missing = size.saturating_sub(self.applicants.len());
        if missing > 0 {
            let args = json!({"missing": missing, "have": self.applicants.len(), "size": size});
            step.answer(line, Phrase::new("director/too-few", args));
            return Next::Stay;
        }
        let people: serde_json::Value = self
            .out_of_reach(size)
            .map(|someone| {
                let refused = someone.reach == Reach::Refused;
                json!({"alias": someone.alias, "user": someone.user.0, "refused": refused})
            })
            .collect();
        if people.as_array().is_some_and(|people| !people.is_empty()) {
            self.awaits_reach = true;
            step.answer(
                line,
                Phrase::new("director/unreachable", json!({"people": people})),
            );
            return Next::Stay;
        }
        let needed = groups_needed(board);
        if let Some(have) = env.pool(frame.game.account)
            && have < needed
            && !std::mem::replace(&mut self.warned_of_pool, true)
        {
            let args = json!({"needed": needed, "have": have});
            step.answer(line, Phrase::new("director/small-pool", args));
            return Next::Stay;
        }
        Next::Deal
    }
}

/// How many private groups the board's own deal makes; one that meets by a state may come.
fn groups_needed(board: &Board) -> usize {
    let dealt = |faction| {
        let mut roles = board.roles.iter().filter(|role| role.count > 0);
        roles.any(|role| role.faction == Some(faction))
            || board
                .deal
                .shares
                .iter()
                .any(|share| share.faction == faction)
    };
    board
        .groups
        .iter()
        .filter(|group| match group.members {
            Members::Dealt(faction) => dealt(faction),
            Members::State(_) => true,
        })
        .count()
}
