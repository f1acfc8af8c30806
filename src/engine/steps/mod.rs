//! The actors of the steps: each does one kind of step and settles it.

mod asking;
pub(crate) mod baseline;
mod changes_to_commit;
pub(crate) mod complete;
mod follow;
pub(crate) mod handed_in;
mod idle;
pub(crate) mod implement;
mod judged_tests;
pub(crate) mod kept_tests;
mod left_work;
pub(super) mod memory;
mod merged_siblings;
pub(super) mod merging;
pub(super) mod phase;
mod red;
mod resume;
pub(crate) mod review;
pub(super) mod runner_call;
mod runner_outcome;
pub(super) mod suite;
mod task_report;
pub(crate) mod test;
mod test_run;
mod wait_for_agent;
mod written_tests;
