//! Starts agents and tests for a command: a whole run with everything that has to be settled before it, or a single question.

pub(crate) mod before_run;
pub(crate) mod briefs;
pub(crate) mod conclusion;
pub(crate) mod confirmation;
pub(crate) mod consultation;
pub(crate) mod doubts;
pub(crate) mod dry_jobs;
pub(crate) mod dry_run;
mod foreseen;
pub(crate) mod moment;
pub(crate) mod monitor;
pub(crate) mod options;
pub(crate) mod plan_secrets;
pub(crate) mod programs;
pub(crate) mod run;
pub(crate) mod runners;
pub(crate) mod settings;
