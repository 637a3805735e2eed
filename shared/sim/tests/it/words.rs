//! Everything that a game can say has words: each notice and each refusal of lively games, and
//! of games full of garbage, is filled into its template.

use std::collections::BTreeSet;

use rules::{Game, Input, Notice, Refusal};
use sim::{Habits, Player, Rng, garbage, setup};
use texts::Texts;
use texts::phrases::{Names, phrase, refusal};

/// What could not be said, and the kinds that could.
#[derive(Default)]
struct Heard {
    kinds: BTreeSet<String>,
    silent: BTreeSet<String>,
}

impl Heard {
    fn say(&mut self, texts: &Texts, names: &Names, answer: &Result<Vec<Notice>, Refusal>) {
        let phrases = match answer {
            Ok(notices) => notices.iter().map(|n| phrase(n, names)).collect(),
            Err(why) => vec![refusal(why, names)],
        };
        for phrase in phrases {
            match texts.render(&phrase) {
                Ok(text) if !text.trim().is_empty() => {
                    self.kinds.insert(phrase.key);
                }
                Ok(_) => {
                    self.silent.insert(format!("{} is empty", phrase.key));
                }
                Err(why) => {
                    self.silent.insert(format!("{}: {why}", phrase.key));
                }
            }
        }
    }
}

#[test]
fn everything_has_words() {
    let texts = Texts::builtin();
    let mut heard = Heard::default();
    for seed in 0..crate::games(160) {
        let board = crate::board(seed);
        let aliases: Vec<String> = (1..=board.seat_count()).map(|n| format!("{n}号")).collect();
        let names = Names::new(&board, &aliases);
        let (mut game, dealt) = Game::new(setup(&board, "slow", seed));
        heard.say(&texts, &names, &Ok(dealt));
        let mut player = Player::new(seed, Habits::LIVELY);
        let mut rng = Rng::new(seed);
        while let Some(input) = player.next(&game) {
            let act = garbage::act(&game, &mut rng);
            let stray = Input {
                act,
                ..input.clone()
            };
            let answer = game.clone().apply(&stray);
            heard.say(&texts, &names, &answer);
            let answer = game.apply(&input);
            heard.say(&texts, &names, &answer);
        }
    }
    assert!(heard.silent.is_empty(), "{:#?}", heard.silent);
    assert!(heard.kinds.len() > 90, "only {:#?}", heard.kinds);
}
