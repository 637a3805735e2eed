//! The steps of a script, one after another, until one does not hold.

use texts::Texts;

use crate::report::{Failure, Fault, StepAt};
use crate::script::{Action, Script, Sender};
use crate::stage::{Patience, Reply, Stage, Stop};

/// Plays a rehearsal.
///
/// # Errors
/// The first step that does not hold.
pub fn play(script: &Script, texts: &Texts) -> Result<(), Failure> {
    let mut stage = Stage::set(script, texts).map_err(|fault| Failure {
        step: None,
        fault,
        notices: Vec::new(),
    })?;
    for (place, step) in script.steps.iter().enumerate() {
        let done = stage.take(&step.action).and_then(|()| stage.check_dice());
        done.map_err(|fault| Failure {
            step: Some(StepAt {
                number: place + 1,
                line: step.line,
                source: step.source.clone(),
            }),
            fault,
            notices: stage.heard().newest(),
        })?;
    }
    Ok(())
}

impl Stage<'_> {
    fn take(&mut self, action: &Action) -> Result<(), Fault> {
        match action {
            Action::Send { from, messages } => {
                for message in messages {
                    self.must_take(*from, message)?;
                }
                Ok(())
            }
            Action::Refuse {
                from,
                message,
                because,
            } => self.must_refuse(*from, message, because.as_deref()),
            Action::Vote(votes) => votes
                .iter()
                .try_for_each(|(seat, target)| self.vote(*seat, target)),
            Action::Post(posts) => posts
                .iter()
                .try_for_each(|(seat, text)| self.post(*seat, text, Reply::None)),
            Action::Repost(posts) => posts
                .iter()
                .try_for_each(|(seat, text)| self.post(*seat, text, Reply::ToOwnVote)),
            Action::Until(goal) => self.play_until(*goal),
            Action::Next => self.pass_window(),
            Action::At(minutes) => self.move_to(*minutes),
            Action::Mark => {
                self.heard().forget();
                Ok(())
            }
            Action::Check(check) => self.check(check),
        }
    }

    fn send(&mut self, from: Sender, message: &str, patience: Patience) -> Result<(), Stop> {
        match from {
            Sender::Seat(seat) => self.write(seat, message, patience),
            Sender::Director => self.direct(message),
        }
    }

    fn must_take(&mut self, from: Sender, message: &str) -> Result<(), Fault> {
        match self.send(from, message, Patience::Waits) {
            Ok(()) => Ok(()),
            Err(Stop::Fault(fault)) => Err(fault),
            Err(Stop::Refused(refusal)) => Err(Fault::Differs {
                expected: format!("{message} is taken"),
                got: format!("refused: {refusal}"),
            }),
        }
    }

    /// It must be refused, change nothing, and say `because`.
    fn must_refuse(
        &mut self,
        from: Sender,
        message: &str,
        because: Option<&str>,
    ) -> Result<(), Fault> {
        let before = self.fingerprint();
        let expected = match because {
            Some(text) => format!("{message} is refused: {text}"),
            None => format!("{message} is refused"),
        };
        let refusal = match self.send(from, message, Patience::Now) {
            Err(Stop::Refused(refusal)) => refusal,
            Err(Stop::Fault(fault)) => return Err(fault),
            Ok(()) => {
                let got = "it is taken".to_owned();
                return Err(Fault::Differs { expected, got });
            }
        };
        let got = if self.fingerprint() != before {
            format!("refused, but something has changed: {refusal}")
        } else if because.is_some_and(|text| !refusal.contains(text)) {
            format!("refused: {refusal}")
        } else {
            return Ok(());
        };
        Err(Fault::Differs { expected, got })
    }
}
