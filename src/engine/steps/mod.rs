//! The actors of the steps: each does one kind of step and settles it.

mod answered;
mod asking;
mod backoff;
pub(crate) mod baseline;
mod beside;
pub(crate) mod complete;
mod empty;
mod ended_program;
mod follow;
pub(crate) mod handed_in;
mod idle;
pub(crate) mod implement;
mod judged_tests;
mod kept_tests;
mod left_work;
pub(super) mod memory;
pub(super) mod merging;
pub(super) mod phase;
mod red;
mod resume;
pub(crate) mod review;
pub(super) mod runner_call;
mod runner_outcome;
pub(super) mod suite;
pub(crate) mod test;
mod test_run;
mod written_tests;
