//! The end of a task: the commit that says whether it is complete (docs/commits.md).

use super::StepMaker;
use super::task_report::CompletionReport;
use crate::engine::record::FinishedStep;
use crate::engine::run_context::Assignment;
use crate::engine::tree::artifact::{Artifact, ArtifactKind};
use crate::engine::tree::workspace::Workspace;
use crate::error::Result;
use crate::history::{StepValidity, TaskStep};
use crate::record::{
    AwaitedChange, CommitId, Goal, Outcome, ProofRecord, UNREVIEWED_SENTENCE, attempts_made, refused_by_hook,
};
use crate::run::IntegrationFailure;
use crate::run::steps::findings::findings;

/// Why a task has failed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GivenUp<'w> {
    /// Its attempts are used up.
    Attempts,
    /// An agent has given the same answer twice and changed nothing, and no question may be asked.
    SameAnswer,
    /// It was complete and could not be merged into this commit, for this reason, and no attempt is left.
    NotMerged(&'w CommitId, &'w IntegrationFailure),
}

impl StepMaker<'_, '_> {
    /// Writes the report of a task, and commits that it is complete.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn complete(&mut self, job: Assignment<'_>) -> Result<()> {
        let run = self.workspace.run;
        let unit = self.workspace.begin(self.followed, job)?;
        run.announce(job, None);
        let all = self.followed.steps_of(job.task.id)?;
        let findings = findings(run.repository, &run.git, &all)?;
        let newest_first = all.clone();
        let mut steps = all;
        steps.retain(|step| step.validity == StepValidity::Counts);
        steps.reverse();
        let attempts = attempts_made(&steps, |step| step.step.record).max(1);
        let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
        let name = run.shown_name(job.task.name);
        let json = CompletionReport::of_complete(job, &name, &newest_first, &steps).json();
        let path = Artifact::of_step(run, ArtifactKind::Report, job.task)?.write(&json)?;
        let message = job.message(Outcome::Pass).with_report(&path, attempts).with_findings(&findings);
        let tested = newest_test(&newest_first).map(|step| AwaitedChange::recorded_in(&step.message));
        let message = message.with_awaited(&tested.unwrap_or_default().to_complete());
        let message = if ends_with_tests(&steps) {
            // A clone does not contain the settings that turned reviews off.
            message.with_sentence(UNREVIEWED_SENTENCE)
        } else {
            message
        };
        let proof = newest_test(&newest_first).and_then(|step| ProofRecord::recorded_in(&step.message));
        let message = match proof {
            // What it has cost is counted once, in the test step.
            Some(proof) => message.with_proof(&ProofRecord { cost: None, ..proof }),
            None => message,
        };
        let finished = FinishedStep {
            selection: self.workspace.committed_artifact(&path)?,
            detail: format!("after {attempts} attempt{}", if attempts == 1 { "" } else { "s" }),
            ..FinishedStep::new(job, Outcome::Pass, unit.head, message)
        };
        self.record(&finished)
    }

    /// Records that a task has failed, because its attempts are used up or because of a finding. Changes that its attempts
    /// could not commit do not become part of later tasks.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn give_up(&mut self, job: Assignment<'_>, why: GivenUp<'_>) -> Result<()> {
        let head = self.workspace.run.repository.branch()?;
        let newest_first = self.followed.steps_of(job.task.id)?;
        if newest_first.first().is_some_and(|step| refused_by_hook(&step.message).is_some()) {
            // A hook that looks at all files would refuse the next task because of them.
            self.workspace.set_aside(
                job.task.id,
                format!("the attempts at {}", job.task.id),
                &head.commit,
            )?;
        } else {
            let Workspace { tree_changes, foreign, .. } = &*self.workspace;
            let left = tree_changes.clone().apart_from(&foreign.users).apart_from(&foreign.tests);
            self.workspace.name_as_left(&format!("the attempts at {}", job.task.id), left);
        }
        let message = job.message(Outcome::Fail);
        let (message, detail) = match why {
            GivenUp::Attempts => (message, String::new()),
            GivenUp::SameAnswer => {
                let sentence = "The agent has given the same answer twice, and has changed nothing.";
                (message.with_sentence(sentence), "the same answer twice".to_owned())
            }
            GivenUp::NotMerged(onto, failure) => {
                (message.not_merged_into(onto, &failure.clause()), "it could not be merged".to_owned())
            }
        };
        let finished = FinishedStep { detail, ..FinishedStep::new(job, Outcome::Fail, head, message) };
        self.record(&finished)
    }
}

/// Whether the last of these steps was the tests: reviews are switched off.
fn ends_with_tests(oldest_first: &[TaskStep]) -> bool {
    let last = oldest_first.iter().rfind(|step| !step.step.record.step.leaves_the_work_as_it_was());
    last.is_some_and(|step| step.step.record.step.row().goal == Goal::TestsPass)
}

/// The newest test step.
fn newest_test(newest_first: &[TaskStep]) -> Option<&TaskStep> {
    newest_first.iter().find(|step| {
        step.validity == StepValidity::Counts && step.step.record.step.row().goal == Goal::TestsPass
    })
}
