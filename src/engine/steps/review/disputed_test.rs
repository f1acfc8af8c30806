//! Lets the reviewers judge what an implementer says of the tests of its task: that they are wrong.

use super::Reviewer;
use super::panel::ReviewAnswers;
use crate::engine::record::FinishedStep;
use crate::engine::record::recorder::Recorder;
use crate::engine::run_context::Assignment;
use crate::engine::tree::artifact::{Artifact, ArtifactKind};
use crate::engine::tree::unit::WorkUnit;
use crate::error::Result;
use crate::record::{About, By, Outcome, Step};

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
        panel: &ReviewAnswers,
    ) -> Result<()> {
        let run = self.workspace.run;
        let (duration, work) = (panel.duration(), panel.work());
        let finished = if panel.rejects_tests() {
            let path = Artifact::of_step(run, ArtifactKind::ReviewLog, job.task)?.write(&panel.log())?;
            let mut draft = job.draft(Outcome::Fail).done_by(&work);
            panel.describe(&mut draft);
            draft.facts.review_log = Some(path.clone());
            draft.facts.rejects_tests = true;
            draft.facts.reason = Some(About::TestsWrong.word().to_owned());
            let reason = panel.reason();
            FinishedStep {
                selection: self.workspace.committed_artifact(&path)?,
                duration,
                detail: "the tests are written again".to_owned(),
                reason,
                ..FinishedStep::new(job, unit.head.clone(), draft)
            }
        } else {
            let job = Assignment { step: Step::NOTE, ..job };
            let mut draft = job.draft(Outcome::Pass);
            draft.facts.by = By::Reviewer;
            draft.notes.push("The tests stay as they are, and the work goes on with them.".to_owned());
            panel.quote_in(&mut draft);
            FinishedStep {
                duration,
                detail: "the tests stay".to_owned(),
                ..FinishedStep::new(job, unit.head.clone(), draft)
            }
        };
        Recorder { followed: self.followed, workspace: self.workspace }.record(&finished)
    }
}
