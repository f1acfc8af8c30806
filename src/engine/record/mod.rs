//! Records finished steps and the decisions of persons as commits. What cannot be committed now is kept for the next run.

pub(in crate::engine) mod decision;
pub(in crate::engine) mod finished;
mod kept_step;
pub(in crate::engine) mod place;
pub(in crate::engine) mod plan_file;
pub(in crate::engine) mod recorder;
mod unstage;
