//! A board in words: the rules post that a director publishes.

use rules::Board;
use rules::board::{End, SkillDef, Usage, WindowKind};
use rules::wins::{Cond, Who};
use serde_json::{Value, json};

use protocol::Phrase;

use super::names::{self, Names};
use crate::{TextError, Texts};

/// The rules post of a board: cards, skills, windows, order, votes, wins.
///
/// # Errors
/// When a template does not fit.
pub fn rules_post(board: &Board, texts: &Texts) -> Result<String, TextError> {
    let writer = Writer {
        board,
        names: Names::new(board, &[]),
        texts,
    };
    texts.render(&Phrase::new("board/post", writer.post()?))
}

/// The list of boards, one a line.
///
/// # Errors
/// When the template does not fit.
pub fn board_list<'b>(
    boards: impl IntoIterator<Item = &'b Board>,
    texts: &Texts,
) -> Result<String, TextError> {
    let line =
        |board: &Board| json!({"id": board.id, "name": board.name, "seats": board.seat_count()});
    let lines: Vec<Value> = boards.into_iter().map(line).collect();
    texts.render(&Phrase::new("board/list", json!({"boards": lines})))
}

struct Writer<'a> {
    board: &'a Board,
    names: Names<'a>,
    texts: &'a Texts,
}

impl Writer<'_> {
    fn post(&self) -> Result<Value, TextError> {
        let board = self.board;
        let mut wins = Vec::new();
        for win in &board.wins {
            let when = self.cond(&win.wins)?;
            wins.push(json!({"faction": self.names.faction(win.faction), "when": when}));
        }
        let draws = board.draws.iter().map(|draw| self.cond(draw));
        let draws = draws.collect::<Result<Vec<String>, TextError>>()?;
        let hits: Vec<&str> = board
            .settlement
            .iter()
            .map(|s| self.names.skill(*s))
            .collect();
        let stops: Vec<&str> = board
            .preventions
            .iter()
            .map(|s| self.names.state(*s))
            .collect();
        Ok(json!({
            "name": board.name,
            "id": board.id,
            "seats": board.seat_count(),
            "cards": self.cards(),
            "shares": self.shares(),
            "skills": board.skills.iter().map(|s| self.skill(s)).collect::<Vec<_>>(),
            "lead": board.flow.lead.iter().map(|p| names::phase(*p)).collect::<Vec<_>>(),
            "cycle": board.flow.cycle.iter().map(|p| names::phase(*p)).collect::<Vec<_>>(),
            "windows": self.windows(),
            "hits": hits,
            "stops": stops,
            "changes": board.vote.changes,
            "secret_from": board.vote.secret_from,
            "first_day_shows": board.vote.first_day_shows.is_some(),
            "sheriff": board.options.sheriff,
            "wins": wins,
            "draws": draws,
        }))
    }

    fn cards(&self) -> Vec<Value> {
        let card = |role: &rules::board::Role| {
            let skills: Vec<&str> = role.skills.iter().map(|s| self.names.skill(*s)).collect();
            json!({
                "role": role.name,
                "count": role.count,
                "faction": role.faction.map(|f| self.names.faction(f)),
                "class": role.class.map(|c| self.names.class(c)),
                "skills": skills,
            })
        };
        let dealt = self.board.roles.iter().filter(|role| role.count > 0);
        dealt.map(card).collect()
    }

    fn shares(&self) -> Vec<Value> {
        let shares = self.board.deal.shares.iter();
        shares
            .map(|share| {
                let least = share.least.iter();
                let least: Vec<Value> = least
                    .map(|(role, n)| json!({"role": self.names.role(*role), "count": n}))
                    .collect();
                json!({
                    "faction": self.names.faction(share.faction),
                    "seats": share.seats,
                    "least": least,
                })
            })
            .collect()
    }

    fn skill(&self, skill: &SkillDef) -> Value {
        let windows: Vec<&str> = self
            .board
            .windows
            .iter()
            .zip(0..)
            .filter(|(_, id)| skill.windows.has(rules::WindowId(*id)))
            .map(|(window, _)| window.name.as_str())
            .collect();
        let usage = match skill.usage {
            Usage::Sent => "sent",
            Usage::Immediate => "immediate",
            Usage::Reaction => "reaction",
            Usage::Standing => "standing",
        };
        json!({
            "skill": skill.name,
            "usage": usage,
            "windows": windows,
            "uses": skill.uses,
            "forced": skill.forced,
            "team": skill.team.is_some(),
            "help": skill.help,
        })
    }

    fn windows(&self) -> Vec<Value> {
        let board = self.board;
        let ends = |calendar: &str, place: usize| {
            let end = board.calendar(calendar).map(|c| c.ends[place]);
            match end {
                Some(End::At(minutes)) => {
                    let at = format!("{:02}:{:02}", minutes / 60, minutes % 60);
                    json!({"at": at, "minutes": null})
                }
                Some(End::After(minutes)) if minutes > 0 => json!({"at": null, "minutes": minutes}),
                Some(End::After(_)) | None => Value::Null,
            }
        };
        let windows = board.windows.iter().enumerate();
        windows
            .filter(|(_, window)| window.kind != WindowKind::Rest)
            .map(|(place, window)| {
                json!({
                    "phase": names::phase(window.phase),
                    "window": window.name,
                    "slow": ends("slow", place),
                    "quick": ends("quick", place),
                })
            })
            .collect()
    }

    fn who(&self, who: Who) -> Result<String, TextError> {
        let args = json!({
            "faction": self.names.faction(who.faction),
            "class": who.class.map(|c| self.names.class(c)),
            "role": who.role.map(|r| self.names.role(r)),
        });
        self.texts.render(&Phrase::new("board/who", args))
    }

    /// A condition in words, from the inside out.
    fn cond(&self, cond: &Cond) -> Result<String, TextError> {
        let parts = |conds: &[Cond]| {
            let parts = conds.iter().map(|cond| self.cond(cond));
            parts.collect::<Result<Vec<String>, TextError>>()
        };
        let faction = |f: &rules::FactionId| self.names.faction(*f);
        let args = match cond {
            Cond::All(conds) => json!({"kind": "all", "parts": parts(conds)?}),
            Cond::Any(conds) => json!({"kind": "any", "parts": parts(conds)?}),
            Cond::Not(cond) => json!({"kind": "not", "parts": [self.cond(cond)?]}),
            Cond::AllOut(who) => json!({"kind": "out", "who": self.who(*who)?}),
            Cond::InPlay(who) => json!({"kind": "in-play", "who": self.who(*who)?}),
            Cond::Lost(f) => json!({"kind": "lost", "faction": faction(f)}),
            Cond::LastLeft(f) => json!({"kind": "last-left", "faction": faction(f)}),
            Cond::AtLeast(a, b) => {
                json!({"kind": "at-least", "who": self.who(*a)?, "other": self.who(*b)?})
            }
            Cond::AllHave { state, but } => json!({
                "kind": "all-have", "state": self.names.state(*state), "faction": faction(but),
            }),
            Cond::VoteOf(day) => json!({"kind": "vote-of", "day": day}),
            Cond::QuietVote => json!({"kind": "quiet-vote"}),
            Cond::VotedOut {
                faction: f,
                card,
                day,
            } => json!({
                "kind": "voted-out", "faction": faction(f),
                "role": self.names.role(*card), "day": day,
            }),
            Cond::Marks {
                faction: f,
                skill,
                at_least,
            } => json!({
                "kind": "marks", "faction": faction(f),
                "skill": self.names.skill(*skill), "count": at_least,
            }),
            Cond::QuietDays { days, since } => {
                json!({"kind": "quiet-days", "days": days, "faction": faction(since)})
            }
        };
        self.texts.render(&Phrase::new("board/cond", args))
    }
}
