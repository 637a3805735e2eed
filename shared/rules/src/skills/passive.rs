//! A skill that only has a name: what it does is a rule of the board (竞岗, 带队).

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::skill::Skill;

#[derive(Debug)]
pub(super) struct Passive;

#[expect(
    clippy::unnecessary_wraps,
    reason = "every skill is built the same way"
)]
pub(super) fn build(_params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Passive))
}

impl Skill for Passive {}
