//! A skill whose effect the director settles by a ruling: the choice is collected like any other,
//! and handed to the director when it takes effect.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::SeatId;
use crate::input::Word;
use crate::notice::{Arg, Notice};
use crate::refusal::Refusal;
use crate::skill::{Held, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct Manual {
    /// How many characters may follow the seats; `None`: none.
    text: Option<u8>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let text = params.number("text")?;
    let text = text.map(|n| {
        u8::try_from(n).map_err(|_| ParamProblem {
            key: Some("text".to_owned()),
            message: "must be a number of characters, at most 255".to_owned(),
        })
    });
    Ok(Arc::new(Manual {
        text: text.transpose()?,
    }))
}

/// How many characters a word has, as it was typed or nearly so.
fn length(game: &Game, word: &Word) -> usize {
    let board = game.board();
    match word {
        Word::Text(text) => text.chars().count(),
        Word::Skill(skill) => board.skill_def(*skill).name.chars().count(),
        Word::Role(role) => board.role_def(*role).name.chars().count(),
        Word::Faction(faction) => {
            let faction = board.factions.get(faction.index());
            faction.map_or(0, |f| f.name.chars().count())
        }
        Word::Seat(_) | Word::Number(_) => 1,
    }
}

impl Skill for Manual {
    /// The seats come first; what follows is text, also where it names a seat.
    fn read_targets(&self, words: &[Word]) -> (Vec<SeatId>, Vec<Word>) {
        let seat = |word: &Word| match word {
            Word::Seat(seat) => Some(*seat),
            _ => None,
        };
        let targets: Vec<SeatId> = words.iter().map_while(seat).collect();
        let rest = words[targets.len()..].to_vec();
        (targets, rest)
    }

    fn read_words(&self, game: &Game, held: Held, words: &[Word]) -> Result<(), Refusal> {
        let known = words.iter().all(|word| game.knows(word));
        match self.text {
            _ if words.is_empty() => Ok(()),
            None => Err(Refusal::ExtraWords(held.skill)),
            Some(_) if !known => Err(Refusal::NotOnBoard),
            Some(most) => {
                let length: usize = words.iter().map(|word| length(game, word)).sum();
                if length > usize::from(most) {
                    let skill = held.skill;
                    return Err(Refusal::TextTooLong { skill, most });
                }
                Ok(())
            }
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, finals: &[SeatId]) {
        game.tell(
            Notice::director("manual/asks")
                .with("skill", Arg::Skill(held.skill))
                .with("seat", Arg::Seat(held.seat))
                .with("targets", Arg::Order(finals.to_vec()))
                .with("words", Arg::Words(intent.words.clone())),
        );
        game.tell(Notice::to(held.seat, "manual/handed").with("skill", Arg::Skill(held.skill)));
    }
}
