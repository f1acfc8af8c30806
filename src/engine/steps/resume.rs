//! Finds the session that a call continues: that in which the agent has asked a question that is answered now, or in which it is
//! asked once more.

use crate::agents::{PastSession, Runner, StoredOutput};
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::handover::Handover;
use crate::history::{StepValidity, TaskStep};
use crate::record::{By, Step, StepFacts};
use crate::worktree::outputs_of;

/// The session of an earlier call.
#[derive(Clone, Debug)]
pub(crate) struct EarlierSession {
    /// The runner, followed by a slash and its model if it has one.
    runner: String,
    session: PastSession,
}

impl EarlierSession {
    /// The session that an attempt continues. `steps` are those of the task, newest first. It is `None` if the attempt is to
    /// begin a fresh one: if the agent has not asked a question in the last one; in the first attempt since the task was begun
    /// or reopened; or if no session is kept beside the output, because that may be deleted.
    pub(super) fn of(run: &RunContext<'_>, job: Assignment<'_>, steps: &[TaskStep]) -> Option<Self> {
        let since_begin = steps.iter().take_while(|one| one.step.record.step != Step::REOPEN);
        let is_work =
            |one: &&TaskStep| one.step.record.step == job.step || one.step.record.step == Step::BLOCK;
        let last = since_begin.into_iter().find(is_work)?;
        let has_asked = last.step.record.step == Step::BLOCK && !last.step.record.is_about_claim;
        if !has_asked || last.validity != StepValidity::Counts || last.step.record.by != By::Run {
            return None;
        }
        let runner = StepFacts::of(&last.message).runner?;
        let stored = StoredOutput::of_task(outputs_of(&run.work_tree), job.task.id).ok()?;
        let is_of_last = |attempt, step| attempt == last.step.record.attempt && step == job.step;
        let output = stored.iter().find(|stored| is_of_last(stored.attempt, stored.step))?;
        let session = output.session_of(&runner)?;
        Some(Self { runner, session })
    }

    /// The session of a call that has just ended, if it has one.
    pub(super) fn of_call(handover: &Handover) -> Option<Self> {
        let session = handover.session.clone()?;
        Some(Self { runner: handover.worker.clone(), session })
    }

    /// The session, if this runner has made it and can continue it.
    pub(super) fn for_runner(&self, runner: &Runner) -> Option<&PastSession> {
        (runner.label() == self.runner && runner.resumes()).then_some(&self.session)
    }
}
