//! Refusals to phrases.

use protocol::Phrase;
use rules::Refusal;
use rules::book;
use rules::refusal::NotChoosable;
use serde_json::json;

use super::names::Names;

/// The phrase of a refusal: a template `refusal/…`.
pub fn refusal(refusal: &Refusal, names: &Names) -> Phrase {
    let skill = |id: &rules::SkillId| names.skill(*id);
    match refusal {
        Refusal::Over => Phrase::plain("refusal/over"),
        Refusal::NotBegun => Phrase::plain("refusal/not-begun"),
        Refusal::Paused => Phrase::plain("refusal/paused"),
        Refusal::NoSuchSeat => Phrase::plain("refusal/no-such-seat"),
        Refusal::NotHeld(id) => Phrase::new("refusal/not-held", json!({"skill": skill(id)})),
        Refusal::ActsByItself(id) => {
            Phrase::new("refusal/acts-by-itself", json!({"skill": skill(id)}))
        }
        Refusal::NotNow { skill: id, opens } => Phrase::new(
            "refusal/not-now",
            json!({"skill": skill(id), "window": opens.map(|w| names.window(w))}),
        ),
        Refusal::Out => Phrase::plain("refusal/out"),
        Refusal::UsedUp(id) => Phrase::new("refusal/used-up", json!({"skill": skill(id)})),
        Refusal::Rests { skill: id, night } => {
            Phrase::new("refusal/rests", json!({"skill": skill(id), "night": night}))
        }
        Refusal::Excluded { skill: id, by } => Phrase::new(
            "refusal/excluded",
            json!({"skill": skill(id), "by": skill(by)}),
        ),
        Refusal::Barred(id) => Phrase::new("refusal/barred", json!({"skill": skill(id)})),
        Refusal::SeatCount {
            skill: id,
            min,
            max,
        } => Phrase::new(
            "refusal/seat-count",
            json!({"skill": skill(id), "min": min, "max": max}),
        ),
        Refusal::Twice(seat) => Phrase::new("refusal/twice", json!({"seat": names.seat(*seat)})),
        Refusal::NotChoosable {
            skill: id,
            seat,
            why,
        } => Phrase::new(
            "refusal/not-choosable",
            json!({"skill": skill(id), "seat": names.seat(*seat), "why": reason(*why)}),
        ),
        Refusal::Choices { skill: id, choices } => {
            let choices: Vec<&str> = choices.iter().map(skill).collect();
            Phrase::new(
                "refusal/choices",
                json!({"skill": skill(id), "choices": choices}),
            )
        }
        Refusal::RoleChoices { skill: id, choices } => {
            let choices: Vec<&str> = choices.iter().map(|r| names.role(*r)).collect();
            Phrase::new(
                "refusal/choices",
                json!({"skill": skill(id), "choices": choices}),
            )
        }
        Refusal::Options { skill: id, options } => Phrase::new(
            "refusal/choices",
            json!({"skill": skill(id), "choices": options}),
        ),
        Refusal::TooFewMarks {
            skill: id,
            mark,
            needs,
            has,
        } => Phrase::new(
            "refusal/too-few-marks",
            json!({"skill": skill(id), "mark": names.state(*mark), "needs": needs, "has": has}),
        ),
        Refusal::HasAlready(id) => Phrase::new("refusal/has-already", json!({"skill": skill(id)})),
        Refusal::Guess { skill: id, skills } => {
            let skills: Vec<&str> = skills.iter().map(skill).collect();
            Phrase::new(
                "refusal/guess",
                json!({"skill": skill(id), "skills": skills}),
            )
        }
        Refusal::TextTooLong { skill: id, most } => Phrase::new(
            "refusal/text-too-long",
            json!({"skill": skill(id), "most": most}),
        ),
        Refusal::ExtraWords(id) => Phrase::new("refusal/extra-words", json!({"skill": skill(id)})),
        Refusal::Forced(id) => Phrase::new("refusal/forced", json!({"skill": skill(id)})),
        Refusal::NothingToDecline => Phrase::plain("refusal/nothing-to-decline"),
        Refusal::NoLastWords => Phrase::plain("refusal/no-last-words"),
        Refusal::EmptyText => Phrase::plain("refusal/empty-text"),
        Refusal::CannotSurrender => Phrase::plain("refusal/cannot-surrender"),
        Refusal::NoSurrender => Phrase::plain("refusal/no-surrender"),
        Refusal::NoCandidacy => Phrase::plain("refusal/no-candidacy"),
        Refusal::CandidacyClosed => Phrase::plain("refusal/candidacy-closed"),
        Refusal::Runs => Phrase::plain("refusal/runs"),
        Refusal::DoesNotRun => Phrase::plain("refusal/does-not-run"),
        Refusal::Overtaken => Phrase::plain("refusal/overtaken"),
        Refusal::OrderNotNow => Phrase::plain("refusal/order-not-now"),
        Refusal::NoCheckpoint => Phrase::plain("refusal/no-checkpoint"),
        Refusal::AlreadySo(seat) => {
            Phrase::new("refusal/already-so", json!({"seat": names.seat(*seat)}))
        }
        Refusal::NotOnBoard => Phrase::plain("refusal/not-on-board"),
        Refusal::Stale => Phrase::plain("refusal/stale"),
    }
}

fn reason(why: NotChoosable) -> &'static str {
    match why {
        NotChoosable::Out => "out",
        NotChoosable::InPlay => "in-play",
        NotChoosable::Untargetable => "untargetable",
        NotChoosable::Oneself => "oneself",
        NotChoosable::TwiceRunning => "twice-running",
        NotChoosable::ChosenBefore => "chosen-before",
        NotChoosable::OwnSide => "own-side",
        NotChoosable::NoMore => "no-more",
        NotChoosable::Narrowed => "narrowed",
    }
}

/// The template for a vote that the ballot book refuses.
pub fn vote_refusal(why: book::Refusal) -> &'static str {
    use book::Refusal;
    match why {
        Refusal::TooEarly => "vote/too-early",
        Refusal::TooLate => "vote/too-late",
        Refusal::Paused => "vote/paused",
        Refusal::NotAVoter => "vote/not-a-voter",
        Refusal::NotChoosable => "vote/not-choosable",
        Refusal::MustVote => "vote/must-vote",
        Refusal::AlreadyVoted => "vote/already-voted",
        Refusal::NothingToChange => "vote/nothing-to-change",
        Refusal::ChangesUsedUp => "vote/changes-used-up",
        Refusal::TooLateForChange => "vote/too-late-for-change",
        Refusal::TooLateByHand => "vote/too-late-by-hand",
        Refusal::SpedUp => "vote/sped-up",
        Refusal::Overtaken => "vote/overtaken",
        Refusal::NothingToConfirm => "vote/nothing-to-confirm",
    }
}
