//! Ends the paying for an agent that has given the same answer twice and changed nothing.

use super::one_task::Engine;
use crate::config::OnBlocked;
use crate::engine::steps::complete::GivenUp;
use crate::engine::steps::taken_question::TakenQuestion;
use crate::error::Result;
use crate::plan::NodeIx;
use crate::record::{Goal, Step, StepRecord};
use crate::run::steps::foreign_commits::Line;
use crate::run::steps::same_answer::same_answer;
use crate::workflow::NextAction;

impl Engine<'_> {
    /// What an agent has said twice about a task without changing anything, if it would be asked a third time.
    pub(super) fn answered_twice(&self, leaf: NodeIx, next: NextAction) -> Result<Option<String>> {
        let is_asked = |step: Step| matches!(step.row().goal, Goal::Change | Goal::TestsFail);
        let NextAction::Run { step, merge: None, .. } = next else { return Ok(None) };
        if !is_asked(step) {
            return Ok(None);
        }
        let steps = self.followed.steps_of(&self.run.plan.tree.node(leaf).id)?;
        let Some(said) = same_answer(&steps) else { return Ok(None) };
        let line = Line { steps: &steps, head: self.run.repository.branch()?.commit };
        let is_as_it_was = self.run.foreign_commits().since_last_attempt(line)?.is_empty();
        Ok(is_as_it_was.then_some(said))
    }

    /// Ends a task for which an agent has answered this twice: it waits for a person, or has failed.
    pub(super) fn end_paying(&mut self, leaf: NodeIx, latest: Option<&StepRecord>, said: &str) -> Result<()> {
        let attempt = latest.map_or(0, |record| record.attempt);
        match self.run.settings.runner.on_blocked {
            OnBlocked::Fail => {
                let job = self.run.assignment(leaf, Step::COMPLETE, attempt);
                self.step_maker().give_up(job, GivenUp::SameAnswer)
            }
            OnBlocked::Wait | OnBlocked::Ask => {
                let job = self.run.assignment(leaf, Step::BLOCK, attempt);
                self.step_maker().take_for_question(job, TakenQuestion { who: "The agent", said, work: None })
            }
        }
    }
}
