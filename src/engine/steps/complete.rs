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
    CommitId, Goal, Outcome, ProofRecord, Quote, QuoteKind, Statement, StepFacts, attempts_made,
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
        let tested = newest_test(&newest_first).map(|step| StepFacts::of(&step.message)).unwrap_or_default();
        let mut draft = job.draft(Outcome::Pass).naming(&findings);
        draft.notes.push(format!("Completed after {attempts} attempt(s). Report: {path}"));
        draft.facts.report = Some(path.clone());
        draft.facts.awaited = tested.awaited.to_complete();
        if ends_with_tests(&steps) {
            draft.facts.states.insert(Statement::Unreviewed);
        }
        // What it has cost is counted once, in the test step.
        draft.facts.proof = tested.proof.map(|proof| ProofRecord { cost: None, ..proof });
        let finished = FinishedStep {
            selection: self.workspace.committed_artifact(&path)?,
            detail: format!("after {attempts} attempt{}", if attempts == 1 { "" } else { "s" }),
            ..FinishedStep::new(job, unit.head, draft)
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
        if newest_first.first().is_some_and(|step| Quote::first_in(QuoteKind::Hook, &step.message).is_some())
        {
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
        let mut draft = job.draft(Outcome::Fail);
        let detail = match why {
            GivenUp::Attempts => String::new(),
            GivenUp::SameAnswer => {
                let note = "The agent has given the same answer twice, and has changed nothing.";
                draft.notes.push(note.to_owned());
                "the same answer twice".to_owned()
            }
            GivenUp::NotMerged(onto, failure) => {
                draft.facts.not_merged_into = Some(*onto);
                draft.facts.not_merged = Some(failure.clause());
                "it could not be merged".to_owned()
            }
        };
        let finished = FinishedStep { detail, ..FinishedStep::new(job, head, draft) };
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
