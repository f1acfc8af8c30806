//! What an interrupted call of a step had made, if it was saved and nobody has worked on the task since.

use super::Prompts;
use crate::error::Result;
use crate::history::TaskStep;
use crate::plan::NodeIx;
use crate::record::Step;
use crate::text::show_path;
use crate::workflow::SavedFacts;
use crate::worktree::saves_step;

impl Prompts<'_> {
    /// The newest saved work of a step of a leaf, whose steps are `steps`, newest first. Work that is older than the last change of
    /// the task is not offered.
    pub(super) fn saved_work(
        &self,
        leaf: NodeIx,
        step: Step,
        steps: &[TaskStep],
    ) -> Result<Option<SavedFacts>> {
        let id = &self.plan.tree.node(leaf).id;
        let rescued = self.git.rescued()?;
        let of_step = rescued.iter().filter(|saved| saves_step(&saved.subject, step, id));
        let Some(newest) = of_step.max_by_key(|saved| (saved.time, &saved.name)) else { return Ok(None) };
        let Some(base) = self.git.commit_named(&format!("{}^1", newest.commit))? else { return Ok(None) };
        let head = self.followed.run().range.head();
        let last_change = steps.iter().find(|one| one.step.record.step.changes_files());
        let is_older = match last_change {
            Some(last) => !self.git.is_ancestor(&last.step.id, &base)?,
            None => false,
        };
        if is_older || !self.git.is_ancestor(&base, &head)? {
            return Ok(None);
        }
        let files = self.git.paths_between(&base, &newest.commit)?;
        let files = files.iter().map(|path| show_path(path)).collect();
        Ok(Some(SavedFacts { commit: newest.commit.to_string(), files }))
    }
}
