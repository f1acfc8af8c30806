//! The actors of the steps: each does one kind of step and settles it.

mod asking;
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
mod superseded;
pub(crate) mod taken_question;
mod task_report;
pub(crate) mod test;
mod test_run;
mod trial;
mod wait_for_agent;
mod written_tests;

use crate::engine::record::FinishedStep;
use crate::engine::record::recorder::Recorder;
use crate::engine::tree::workspace::Workspace;
use crate::error::Result;
use crate::history::FollowedRun;

/// Does what needs no agent: tests, and the ends of tasks and phases.
pub(crate) struct StepMaker<'e, 'a> {
    /// The state of the plan, read from history.
    pub(crate) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(crate) workspace: &'e mut Workspace<'a>,
}

impl StepMaker<'_, '_> {
    fn record(&mut self, finished: &FinishedStep<'_>) -> Result<()> {
        Recorder { followed: self.followed, workspace: self.workspace }.record(finished)
    }
}
