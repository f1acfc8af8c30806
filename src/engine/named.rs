//! Finds the files of an implement step that a person should look at. The commit, a warning and the review prompt name
//! them, and the following steps carry a finding.
//!
//! If a person writes a file while a runner is working, it looks like the work of the runner. Signs of a person are an
//! open editor, staged files, and files that the plan does not name. Such files are named, but committed all the same.

use std::collections::BTreeSet;

use super::hidden::baseline::Baseline;
use super::hidden::{Comparison, Hidden, StateBefore};
use super::state::{Assignment, Engine};
use crate::error::Result;
use crate::git::Head;
use crate::history::{StepValidity, TaskStep, TreeComparison, changed_paths};
use crate::record::{Finding, Goal, Lifetime, NamedFiles};
use crate::text::one_line;
use crate::worktree::editors::{EditorFile, PATTERNS, open_by_folder};
use crate::worktree::guard::BranchChange;
use crate::worktree::ignored_before::IgnoredBefore;
use crate::worktree::{Changed, WorktreeChanges};

/// The work tree after an implement step.
#[derive(Clone, Copy)]
pub(super) struct WorkDone<'a> {
    /// The head of the branch before.
    pub(super) head: &'a Head,
    pub(super) watched: &'a BranchChange,
    pub(super) before: &'a WorktreeChanges,
    pub(super) after: &'a WorktreeChanges,
    pub(super) changed: &'a Changed,
}

impl Engine<'_> {
    /// Looks at the work tree before the implement step of a job.
    ///
    /// # Errors
    /// If git cannot list files.
    pub(super) fn look_before(&self, job: Assignment<'_>) -> Result<StateBefore> {
        let ignored = self.context.git.ignored_paths()?;
        Ok(StateBefore {
            open: self.open_files(&ignored)?,
            hidden: Baseline::of_first_try(
                job.task.id,
                &self.context.git,
                &self.context.work_tree,
                &ignored,
            )?,
            ignored: IgnoredBefore::now(&ignored),
        })
    }

    /// The files that are to be named after the implement step of a job.
    ///
    /// # Errors
    /// If git cannot list files, or history cannot be read.
    pub(super) fn files_to_name(
        &self,
        job: Assignment<'_>,
        state_before: &StateBefore,
        done: WorkDone<'_>,
    ) -> Result<NamedFiles> {
        let steps = self.followed.steps_of(job.task.id)?;
        let ignored = self.context.git.ignored_paths()?;
        let comparison =
            Comparison { git: &self.context.git, base: done.head.commit, named: &named_by(&steps) };
        let hidden = Hidden::read(&self.context.git, &self.context.work_tree.top, &ignored)?;
        let mut named = hidden.since(&state_before.hidden, &comparison)?;
        let selection = &done.changed.selection;
        let mut changed: BTreeSet<Vec<u8>> = selection.paths().map(<[u8]>::to_vec).collect();
        let staged = selection.there.iter().filter(|path| done.after.is_newly_staged(done.before, path));
        named.add(Finding::StagedFiles, staged.map(|path| shown(path)));
        if !done.watched.adopted.is_empty() {
            let adopted = TreeComparison { commit: done.watched.head.commit, base: Some(done.head.commit) };
            changed.extend(changed_paths(self.context.repository, &[adopted])?);
        }
        let open = &self.open_files(&ignored)? | &state_before.open;
        named.add(Finding::OpenInEditor, changed.intersection(&open).map(|path| shown(path)));
        let touches = self.context.plan.tree.touches(job.leaf);
        let is_outside = |path: &&Vec<u8>| {
            let path = String::from_utf8_lossy(path);
            !touches.is_empty() && !touches.iter().any(|pattern| pattern.matches(&path))
        };
        named.add(Finding::OutsideTouches, changed.iter().filter(is_outside).map(|path| shown(path)));
        Ok(named)
    }

    /// The files that are open in an editor now, as far as editors leave traces.
    fn open_files(&self, ignored: &[Vec<u8>]) -> Result<BTreeSet<Vec<u8>>> {
        let top = &self.context.work_tree.top;
        let untracked = self.context.git.untracked_paths(&PATTERNS)?;
        let open = |path: &Vec<u8>| EditorFile::at(top, path)?.open_file(path);
        let mut files: BTreeSet<Vec<u8>> = untracked.iter().chain(ignored).filter_map(open).collect();
        files.extend(self.context.settings.swap_folder.iter().flat_map(|folder| open_by_folder(top, folder)));
        Ok(files)
    }
}

/// A path for messages.
fn shown(path: &[u8]) -> String {
    one_line(&String::from_utf8_lossy(path))
}

/// The files of a task that a person should look at: those in its commits, and those that its newest implement step and
/// the tests since then found in the work tree.
pub(super) fn named_by(steps: &[TaskStep]) -> NamedFiles {
    let counts = |step: &&TaskStep| {
        step.validity == StepValidity::Counts
            && matches!(step.step.record.step.row().goal, Goal::Change | Goal::TestsPass)
    };
    let mut named = NamedFiles::default();
    let mut is_newest = true;
    for step in steps.iter().filter(counts) {
        for (finding, _, files) in NamedFiles::recorded_in(&step.message).found() {
            if is_newest || finding.lasting() == Lifetime::WithCommit {
                named.add(finding, files.iter().cloned());
            }
        }
        is_newest &= step.step.record.step.row().goal != Goal::Change;
    }
    named
}
