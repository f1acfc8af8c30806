//! Takes in work on a task that a person has committed already.

use super::{HandIn, Taking, merge_of, takeover};
use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::plan::NodeIx;
use crate::record::{CommitId, Step};
use crate::text::advice;
use crate::workflow::next_action;
use crate::worktree::branch_watch::forged_since;

impl HandIn<'_, '_> {
    /// What a person means who names the commits with the work on a task.
    pub(super) fn committed(&mut self, leaf: NodeIx, base: CommitId) -> Result<Taking> {
        let RunContext { git, repository, .. } = self.engine.run;
        let id = self.id(leaf);
        if self.has_changes() {
            return Err(Error::new(
                Kind::No,
                "there are also changes in the work tree, which are in none of these commits",
                "Nothing was committed. Commit them as part of the work, or set them aside with `git stash push --include-untracked`.",
            ));
        }
        let head = repository.branch()?;
        // Before the newest of them, there is nothing that could be named.
        if let Some(step) = forged_since(git, repository, &Head { commit: base, ..head })?.last() {
            let what =
                format!("the range has a step of a run in it: {} ({})", step.short(), self.subject(step)?);
            return Err(Error::new(
                Kind::Input,
                what,
                format!(
                    "Nothing was committed. Name only your own commits, as in {}.",
                    advice::done_range(id, format_args!("{}..", step.short()))
                ),
            ));
        }
        let latest = self.latest(leaf)?;
        let takeover = takeover(id, latest)?;
        let next = next_action(latest.as_ref(), &self.engine.run.settings.tasks.of(leaf).policy);
        let (step, attempt, merge) = (Step::IMPLEMENT, takeover.attempt, merge_of(next));
        Ok(Taking::Changes { step, attempt, merge, base: Some(base) })
    }
}
