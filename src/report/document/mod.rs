//! Everything that is known of a plan and its run, gathered once: the plan, the tasks with their steps, the phases, the counts, and
//! the words that people read. Every view prints this document or a part of it, so that no two of them can differ.
//!
//! What a view does not need is not read from history: `status` knows the latest step of each task, and only `show` and
//! reports know all of them.

mod advised;
mod at_work;
mod counts;
mod details;
pub(super) mod figures;
mod look;
mod phase;
mod reading;
mod reported;
mod run;
mod run_lines;
mod step;
mod summary;
mod task;
mod task_steps;
mod unit;
mod words;

pub use at_work::{AccountLeftAlone, RunAtWork, RunningStep, WaitAtWork};
pub use counts::TaskCounts;
pub use figures::{Figures, Rejections, RunSpan};
pub use look::{DoubtView, LookAt, LookKind};
pub use phase::{Group, MarkCommit, PhaseReport, RunPhase};
pub use reported::ReportInput;
pub use run::{Integration, Known, Presence, RunDocument, RunNow, RunState};
pub(super) use step::Tone;
pub use step::{ChangedFile, CodeChange, Effort, Moment, RunAttempt, RunStep, StepView, WorkedStep};
pub(super) use summary::merge_line;
pub use summary::{Merge, Report};
pub use task::{Dependency, InPlan, RunTask, TestInPlan};
pub use task_steps::{Artifact, Evidence, TaskSteps};
pub use unit::{DoneDocument, FeedbackView, MergeView, MergedWith, NextStep, Unit, UnitWork, Units, Verdict};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_those_of_the_document_and_its_parts() {
        crate::schema::assert_committed_in_parts::<RunDocument<'_>>("status", "git arborist status --json");
        crate::schema::assert_committed_in_parts::<RunDocument<'_>>(
            "run-report",
            "git arborist report --format json",
        );
        crate::schema::assert_committed_in_parts::<RunTask<'_>>("show-task", "git arborist show TASK --json");
        crate::schema::assert_committed_in_parts::<RunPhase<'_>>(
            "show-node",
            "git arborist show PHASE --json",
        );
    }
}
