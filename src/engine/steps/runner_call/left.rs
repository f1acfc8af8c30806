//! Looks at what a call has left in the work tree.

use std::collections::BTreeSet;

use chrono::Utc;

use super::RunnerCall;
use crate::agents::{Runner, RunnerResult, Unavailable};
use crate::engine::steps::left_work::LeftWork;
use crate::error::Result;
use crate::record::Role;
use crate::text::show_path;

impl RunnerCall<'_, '_, '_> {
    /// The tool that a runner was not allowed to use, if nothing came of its work and another runner can step in.
    pub(super) fn denied(&mut self, runner: &Runner, result: &RunnerResult) -> Result<Option<Unavailable>> {
        let Some(denied) = result.denied().filter(|_| self.request.role != Role::Reviewer) else {
            return Ok(None);
        };
        let now = Utc::now();
        let mut others = self.request.runners.iter().filter(|other| other.name() != runner.name());
        let can_other = others.any(|other| self.memory.held(other, now).is_none());
        Ok(if can_other && !self.has_changed()? { Some(denied) } else { None })
    }

    /// Whether a runner has left anything on the branch or in the work tree of the run.
    pub(super) fn has_changed(&mut self) -> Result<bool> {
        // First of all, so that git runs no program that the runner has put in place.
        let change = self.workspace.check_after(self.request.head, self.job.step)?;
        Ok(self.request.place.is_none()
            && (!change.adopted.is_empty()
                || !self.workspace.changes_now()?.since(&self.workspace.tree_changes).is_empty()))
    }

    /// Takes note of what a call that could not go on has left in the work tree.
    pub(super) fn note_left(&mut self, left: &mut LeftWork) -> Result<()> {
        let change = self.workspace.check_after(self.request.head, self.job.step)?;
        if self.request.place.is_some() {
            return Ok(());
        }
        let run = self.workspace.run;
        let mut files: BTreeSet<String> =
            self.workspace.changes_now()?.since(&self.workspace.tree_changes).shown().into_iter().collect();
        if !change.adopted.is_empty() {
            let committed = run.git.paths_between(&self.request.head.commit, &change.head.commit)?;
            files.extend(committed.iter().map(|path| show_path(path)));
        }
        left.files = files.iter().map(|file| run.secret_search().mask(file)).collect();
        Ok(())
    }
}
