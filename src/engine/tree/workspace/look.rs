//! Looks at the work tree of a run: what differs from HEAD, what git ignores, and what a program has left behind.

use super::{ProofPlace, Workspace};
use crate::error::Result;
use crate::git::{Selection, TreeStatus};
use crate::text::listed;
use crate::worktree::changes::WorktreeChanges;
use crate::worktree::made_by_tools::MadeByTools;
use crate::worktree::path_states::IgnoredPaths;

/// What one look at the work tree shows.
pub(super) struct WorkTreeState {
    pub(super) changes: WorktreeChanges,
    ignored: Vec<Vec<u8>>,
    made_by_tools: MadeByTools,
}

impl Workspace<'_> {
    /// Reads the changes in the work tree again.
    ///
    /// # Errors
    /// If git cannot read the work tree.
    pub(crate) fn refresh(&mut self) -> Result<()> {
        let look = self.look()?;
        self.remember(look);
        Ok(())
    }

    /// The changes in the work tree now. Coverage reports that the plan expects do not count as work, so they are left out
    /// unless they are tracked.
    ///
    /// # Errors
    /// If git cannot read the work tree.
    pub(crate) fn changes_now(&self) -> Result<WorktreeChanges> {
        Ok(self.look()?.changes)
    }

    /// The same after a step that may have changed anything, and before which git ignored these paths. What tools have made is named
    /// once, because no step commits it, and taken out of the index if it was staged.
    ///
    /// # Errors
    /// If git cannot read the work tree, or write the index.
    pub(crate) fn changes_of_step(&mut self, ignored_before: &IgnoredPaths) -> Result<WorktreeChanges> {
        let WorkTreeState { changes, mut ignored, made_by_tools } = self.look_after(ignored_before)?;
        let staged = made_by_tools.staged_entries();
        if !staged.is_empty() {
            self.run.git.set_index(&staged)?;
            ignored = self.run.git.status_and_ignored()?.ignored;
        }
        self.ignored = ignored;
        let new = made_by_tools.without(&self.made_by_tools);
        new.sentences().for_each(|sentence| self.run.warn(&sentence));
        self.made_by_tools.remember(new);
        Ok(changes)
    }

    /// Looks at the work tree, and returns what has changed since the last look.
    ///
    /// # Errors
    /// If git cannot read the work tree or write the index.
    pub(crate) fn look_again(&mut self) -> Result<WorktreeChanges> {
        let look = self.look_after(&IgnoredPaths::of(&self.ignored))?;
        let new = look.changes.since(&self.tree_changes);
        self.remember(look);
        Ok(new)
    }

    /// Looks at the work tree after a program that ought to leave it unchanged. What the program left behind is named
    /// in a warning and stays uncommitted.
    ///
    /// # Errors
    /// If git cannot read the work tree or write the index.
    pub(crate) fn name_leftovers(&mut self, who: &str) -> Result<()> {
        let new = self.look_again()?;
        self.name_as_left(who, new);
        Ok(())
    }

    /// Names `new` in a warning as the leftovers of a program, which no step commits. Files that the user had changed
    /// before still count as the user's.
    pub(crate) fn name_as_left(&mut self, who: &str, new: WorktreeChanges) {
        if !new.is_empty() {
            let paths = listed(&new.shown());
            self.run.warn(&format!("{who} left changes, which stay uncommitted: {paths}"));
        }
        self.foreign.tests.merge(new.apart_from(&self.foreign.users));
    }

    /// What the work tree is like now.
    pub(super) fn look(&self) -> Result<WorkTreeState> {
        Ok(self.state(self.run.git.status_and_ignored()?))
    }

    /// What it is like after a program has worked in it. Files that git ignored before are taken out of the index.
    fn look_after(&self, ignored_before: &IgnoredPaths) -> Result<WorkTreeState> {
        let status = self.run.git.status_and_ignored()?;
        match ignored_before.take_out_of_index(&self.run.git, &status.changes)? {
            Some(sentence) => {
                self.run.warn(&sentence);
                self.look()
            }
            None => Ok(self.state(status)),
        }
    }

    fn state(&self, status: TreeStatus) -> WorkTreeState {
        let TreeStatus { mut changes, ignored } = status;
        let tree = &self.run.plan.tree;
        let is_planned = |path: &str| {
            tree.order().iter().any(|leaf| tree.touches(*leaf).iter().any(|pattern| pattern.matches(path)))
        };
        let (git, top) = (&self.run.git, &self.run.work_tree.top);
        let (changes, made_by_tools) = WorktreeChanges::among(&mut changes, git, top, &is_planned);
        let changes = changes.without_untracked(&tree.coverage_reports());
        WorkTreeState { changes, ignored, made_by_tools }
    }

    /// The file of an artifact that goes into the commit; none if git ignores it.
    ///
    /// # Errors
    /// If git fails.
    pub(crate) fn committed_artifact(&self, path: &str) -> Result<Selection> {
        Ok(if self.run.git.ignores(path)? { Selection::default() } else { Selection::file(path) })
    }

    /// Where proofs are made.
    pub(crate) fn proof_place(&mut self) -> ProofPlace<'_> {
        ProofPlace { tree: &mut self.proof_tree, ignored: &self.ignored }
    }

    /// Takes a look for what is known.
    pub(super) fn remember(&mut self, look: WorkTreeState) {
        self.tree_changes = look.changes;
        self.ignored = look.ignored;
    }
}
