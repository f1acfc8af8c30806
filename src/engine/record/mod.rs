//! Records finished steps and the decisions of persons as commits. What cannot be committed now is kept for the next run.

pub(crate) mod decision;
pub(crate) mod finished;
mod kept_step;
pub(crate) mod place;
pub(crate) mod plan_file;
pub(crate) mod recorder;
mod unstage;
