//! Lets the reviewers judge what an implementer says of the tests of its task: that they are wrong.

use super::Reviewer;
use super::panel::ReviewAnswers;
use crate::engine::record::FinishedStep;
use crate::engine::record::recorder::Recorder;
use crate::engine::run_context::Assignment;
use crate::engine::tree::artifact::{Artifact, ArtifactKind};
use crate::engine::tree::unit::WorkUnit;
use crate::error::Result;
use crate::git::Selection;
use crate::record::{Outcome, Step, StepMessage};

impl Reviewer<'_, '_> {
    /// Whether a task waits for the answer to such a claim.
    pub(super) fn is_asked_about_tests(&self, job: Assignment<'_>) -> bool {
        let run = self.followed.run();
        run.tasks
            .get(job.task.id)
            .is_some_and(|step| step.record.step == Step::BLOCK && step.record.is_about_claim)
    }

    /// Commits the answer. The tests are written again if all reviewers say so; otherwise the work goes on with them.
    pub(super) fn settle_claim(
        &mut self,
        job: Assignment<'_>,
        unit: &WorkUnit,
        panel: ReviewAnswers,
    ) -> Result<()> {
        let run = self.workspace.run;
        let (duration, work) = (panel.duration(), panel.work());
        let finished = if panel.rejects_tests() {
            let path = Artifact::of_step(run, ArtifactKind::ReviewLog, job.task)?.write(&panel.log())?;
            let message = StepMessage::new(job.step, job.task, job.attempt, Outcome::Fail)
                .with_review_log(&path)
                .with_work(&work);
            FinishedStep {
                job,
                outcome: Outcome::Fail,
                selection: self.workspace.committed_artifact(&path)?,
                duration,
                detail: "the tests are written again".to_owned(),
                reason: panel.reason(),
                head: unit.head.clone(),
                message: panel.described_in(message).agreeing_with_claim(),
            }
        } else {
            let job = Assignment { step: Step::NOTE, ..job };
            let message = StepMessage::new(job.step, job.task, job.attempt, Outcome::Pass)
                .by_reviewer()
                .with_sentence("The tests stay as they are, and the work goes on with them.");
            FinishedStep {
                job,
                outcome: Outcome::Pass,
                selection: Selection::default(),
                duration,
                detail: "the tests stay".to_owned(),
                reason: None,
                head: unit.head.clone(),
                message: panel.words_in(message),
            }
        };
        Recorder { followed: self.followed, workspace: self.workspace }.record(&finished)
    }
}
