//! Every message that a seat could send, and all that it can ask, in one list.

use rules::{Act, Game, Input, NoticeKind, SeatId, Stamp, Time, Word};

/// What the engine answers a seat: a question in words, and the answer in words.
pub(crate) type Answers = Vec<(String, String)>;

/// Asks everything in copies of the game. Receipts, refusals, offers and times are compared;
/// what a shot brings about is not, since that is told by its own rules.
pub(crate) fn answers(game: &Game, seat: SeatId, now: Time, stamp: Stamp) -> Answers {
    let mut answers = facts(game, seat);
    let board = game.board();
    let all: Vec<SeatId> = game.all().collect();
    let skills = (0..board.skills.len()).map(rules::SkillId::at);
    for skill in skills {
        let mut tried: Vec<Vec<Word>> = vec![Vec::new()];
        tried.extend(all.iter().map(|t| vec![Word::Seat(*t)]));
        tried.extend((0..board.skills.len()).map(|s| vec![Word::Skill(rules::SkillId::at(s))]));
        let options = board.skill_def(skill).code.options().iter();
        tried.extend(options.map(|o| vec![Word::Text(o.clone())]));
        for words in tried {
            // What is refused is refused by the same check; a copy is made only for the rest.
            let question = format!("use {skill:?} {words:?}");
            let answer = if let Err(why) = game.check_use(seat, skill, &words) {
                format!("{why:?}")
            } else {
                send(game, seat, now, stamp, Act::Use { seat, skill, words })
            };
            answers.push((question, answer));
        }
        let decline = Act::Decline {
            seat,
            skill: Some(skill),
        };
        let answer = send(game, seat, now, stamp, decline);
        answers.push((format!("decline {skill:?}"), answer));
    }
    let others = [
        Act::Decline { seat, skill: None },
        Act::Surrender { seat },
        Act::AgreeSurrender { seat },
        Act::LastWords {
            seat,
            text: "后会有期".to_owned(),
        },
        Act::LastWords {
            seat,
            text: String::new(),
        },
    ];
    for act in others {
        let question = format!("{act:?}");
        answers.push((question, send(game, seat, now, stamp, act)));
    }
    answers
}

fn send(game: &Game, seat: SeatId, now: Time, stamp: Stamp, act: Act) -> String {
    let mut game = game.clone();
    let mut stamp = stamp;
    stamp.arrival = u64::MAX;
    let answer = game.apply(&Input { now, stamp, act });
    match answer {
        Err(why) => format!("{why:?}"),
        Ok(notices) => {
            let receipts = notices
                .iter()
                .filter(|n| n.kind == NoticeKind::Receipt && super::side::reads(&game, n, seat));
            format!("{:?}", receipts.collect::<Vec<_>>())
        }
    }
}

/// What can be asked without sending anything.
fn facts(game: &Game, seat: SeatId) -> Answers {
    let offers = game.offers(seat).into_iter();
    let offers: Vec<_> = offers
        .map(|o| (o.held.skill, o.left, o.range, o.until))
        .collect();
    let groups: Vec<_> = game
        .groups()
        .into_iter()
        .filter(|(_, members)| members.has(seat))
        .collect();
    let ranges: Vec<_> = game
        .seat(seat)
        .map(|me| me.holdings.as_slice())
        .unwrap_or_default()
        .iter()
        .map(|h| {
            let held = rules::skill::Held {
                seat,
                holding: h.id,
                skill: h.skill,
            };
            (h.skill, h.left, game.range(held))
        })
        .collect();
    vec![
        ("offers".to_owned(), format!("{offers:?}")),
        ("ranges".to_owned(), format!("{ranges:?}")),
        ("groups".to_owned(), format!("{groups:?}")),
        ("window".to_owned(), format!("{:?}", game.window())),
        ("phase".to_owned(), format!("{:?}", game.phase())),
        ("turn".to_owned(), format!("{:?}", game.turn())),
        ("ends".to_owned(), format!("{:?}", game.window_ends())),
        ("thread".to_owned(), format!("{:?}", game.thread())),
        ("paused".to_owned(), format!("{:?}", game.paused())),
        ("book".to_owned(), format!("{:?}", game.awaits_book())),
        (
            "in play".to_owned(),
            format!("{:?}", game.publicly_in_play()),
        ),
        ("over".to_owned(), format!("{:?}", game.ending().is_some())),
    ]
}
