//! What a landed branch says about the tasks that a person has left out. A squash keeps the trailers of landed commits and no steps,
//! so the landed copy of a skip is a landed commit itself.

use super::message::{plan_trailer, with_blocks};
use super::{LandInputs, LandPlan};
use crate::check::first_error;
use crate::error::Result;
use crate::record::{CommitId, Landing, State, StepFacts, TaskId};
use crate::text::wrapped;

impl LandPlan<'_> {
    /// Whether a commit is the step that skips a task of the run.
    pub(super) fn is_skip(inputs: &LandInputs<'_>, commit: CommitId) -> bool {
        let mut last = inputs.run.tasks.values();
        last.any(|step| step.id == commit && step.record.state() == State::Skipped)
    }

    /// The tasks that the run has skipped since it left the base, in the order of the plan.
    pub(super) fn skipped(&self) -> Vec<TaskId> {
        let tree = &self.inputs.plan.tree;
        let tasks = tree.order().iter().map(|leaf| &tree.node(*leaf).id);
        tasks.filter(|task| self.skip_of(task).is_some()).cloned().collect()
    }

    /// The step of the run that skips a task.
    fn skip_of(&self, task: &TaskId) -> Option<CommitId> {
        let last = self.inputs.run.tasks.get(task)?;
        let is_here = self.survey.commits.contains(&last.id);
        (is_here && last.record.state() == State::Skipped).then_some(last.id)
    }

    /// The message of the landed copy of this commit, if that skips a task.
    pub(super) fn message_of_skip(&self, commit: CommitId) -> Result<Option<Vec<u8>>> {
        let Some(task) = self.skipped().into_iter().find(|task| self.skip_of(task) == Some(commit)) else {
            return Ok(None);
        };
        let messages = &self.request.messages;
        let story = self.story(&task, Some(commit));
        let title = messages.title(task.as_str(), story.name, story.phase);
        let origin = self.landing(vec![task.clone()], commit).base;
        let landing = Landing::skipping(vec![task.clone()], origin, commit).expect("it names a task");
        let block = landing.trailers() + &plan_trailer(story.plan.as_deref());
        let step = self.inputs.repository.commit(&commit)?.message;
        let why = StepFacts::of(&step).reason.unwrap_or_default();
        let whole =
            with_blocks(&format!("{title}, skipped\n\n{}", wrapped(&why)), std::slice::from_ref(&block));
        let is_sound = Landing::all_in(&whole) == [landing] && first_error(&whole).is_none();
        Ok(Some(if is_sound { whole } else { with_blocks(&format!("{title}, skipped"), &[block]) }))
    }
}
