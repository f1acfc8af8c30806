//! What a run does about phases whose tests have failed: it tests them again when files have changed, and opens tasks again.

use std::collections::HashSet;

use super::one_task::Engine;
use crate::error::Result;
use crate::history::{Run, have_same_files};
use crate::plan::NodeIx;
use crate::run::briefs::phase_failure::{FailedPhase, PhaseTask};

impl Engine<'_> {
    /// Lets those phases be closed once more whose tests have failed on other files than there are now: later tasks may have brought
    /// what was missing. The logs that the run commits itself do not count; otherwise two phases that fail would go on for ever, each
    /// because of the log of the other. Returns whether there are any.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(crate) fn tests_may_pass_now(&self, run: &Run, failed: &mut HashSet<NodeIx>) -> Result<bool> {
        // A phase with a branch of its own does not get what others change.
        if self.run.phases.is_some() {
            return Ok(false);
        }
        let head = self.run.repository.branch()?.commit;
        let before = failed.len();
        for phase in failed.clone() {
            let step = run.failed_phases.get(&self.run.plan.tree.node(phase).id);
            if let Some(step) = step
                && !have_same_files(self.run.repository, &step.id, &head, &self.run.artifacts())?
            {
                failed.remove(&phase);
            }
        }
        Ok(failed.len() < before)
    }

    /// Opens the tasks again to which the failed tests of a phase point, as far as the bound allows that. Returns whether there are
    /// any: then the phase is not closed yet.
    pub(super) fn reopen_tasks(&mut self, phase: NodeIx) -> Result<bool> {
        let run = self.read()?;
        let (git, repository, plan) = (&self.run.git, self.run.repository, self.run.plan);
        let tasks = FailedPhase { git, repository, plan, run: &run, phase }
            .to_reopen(|leaf| self.run.settings.tasks.of(leaf).policy.max_attempts.get())?;
        let mut reopened = false;
        for PhaseTask { leaf, attempt, .. } in tasks {
            if self.reopens.includes(leaf) {
                self.step_maker().reopen(leaf, attempt)?;
                reopened = true;
            }
        }
        Ok(reopened)
    }
}
