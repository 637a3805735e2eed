//! The library of skills: one file each, and one line in [`LIBRARY`].

mod acquaint;
mod badge;
mod bar_voters;
mod barrier;
mod barter;
mod bond;
mod check;
mod counsel;
mod couple;
mod crush;
mod decoy;
mod dream;
mod duel;
mod enemy;
mod face_down;
mod fear;
mod follow;
mod guess;
mod hand_over;
mod harm;
mod insight;
mod join;
mod kin;
mod last_shot;
mod last_will;
mod lay;
mod manual;
mod marks;
mod mates;
mod mode;
mod params;
mod passive;
mod pipe;
mod platform;
mod self_blast;
mod spare;
mod stand_in;
mod standing;
mod step_forward;
mod strikes;
mod succeed;
mod support;
mod survey;
mod take_place;
mod trial;
mod turn_card;

use std::sync::Arc;

pub use params::{Names, Param, ParamProblem, Params};

use crate::nearest::did_you_mean;
use crate::skill::Skill;

/// How a skill's code is made from the parameters of a board file.
type Build = fn(&mut Params) -> Result<Arc<dyn Skill>, ParamProblem>;

/// Every skill there is: the word that board files use, and how it is made.
pub const LIBRARY: &[(&str, Build)] = &[
    ("acquaint", acquaint::build),
    ("bar-voters", bar_voters::build),
    ("barrier", barrier::build),
    ("barter", barter::build),
    ("bond", bond::build),
    ("check", check::build),
    ("counsel", counsel::build),
    ("couple", couple::build),
    ("crush", crush::build),
    ("decoy", decoy::build),
    ("duel", duel::build),
    ("dream", dream::build),
    ("enemy", enemy::build),
    ("face-down", face_down::build),
    ("fear", fear::build),
    ("follow", follow::build),
    ("guess", guess::build),
    ("hand-over", hand_over::build),
    ("harm", harm::build),
    ("insight", insight::build),
    ("join", join::build),
    ("kin", kin::build),
    ("last-shot", last_shot::build),
    ("last-will", last_will::build),
    ("lay", lay::build),
    ("manual", manual::build),
    ("marks", marks::build),
    ("mates", mates::build),
    ("mode", mode::build),
    ("pass-badge", badge::build_pass),
    ("passive", passive::build),
    ("pipe", pipe::build),
    ("platform", platform::build),
    ("spare", spare::build),
    ("stand-in", stand_in::build),
    ("self-blast", self_blast::build),
    ("standing", standing::build),
    ("step-forward", step_forward::build),
    ("strikes", strikes::build),
    ("succeed", succeed::build),
    ("support", support::build),
    ("survey", survey::build),
    ("take-place", take_place::build),
    ("tear-badge", badge::build_tear),
    ("trial", trial::build),
    ("turn-card", turn_card::build),
];

/// Makes the code of a skill. Parameters that it does not know are a problem.
///
/// # Errors
/// An unknown word, or a parameter that is missing, unknown or names nothing on the board.
pub fn build(code: &str, mut params: Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let Some((_, make)) = LIBRARY.iter().find(|(word, _)| *word == code) else {
        let words: Vec<&str> = LIBRARY.iter().map(|(word, _)| *word).collect();
        let message = format!(
            "there is no skill code {code:?}{}; there are {}",
            did_you_mean(code, words.iter().copied()),
            words.join(", ")
        );
        return Err(ParamProblem { key: None, message });
    };
    let skill = make(&mut params)?;
    params.finish()?;
    Ok(skill)
}

/// The code of a skill that only has a name.
pub fn nothing() -> Arc<dyn Skill> {
    Arc::new(passive::Passive)
}
