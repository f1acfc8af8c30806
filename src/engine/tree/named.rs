//! Finds the files of an implement step that a person should look at. The commit, a warning and the review prompt name
//! them, and the following steps carry a finding.
//!
//! If a person writes a file while a runner is working, it looks like the work of the runner. Signs of a person are files
//! with what was staged before, and files that the plan does not name. Such files are named, but committed all the same.

use std::collections::BTreeSet;

use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::error::Result;
use crate::git::Head;
use crate::history::{TaskStep, TreeComparison, changed_paths};
use crate::record::{Check, Goal, NamedFiles};
use crate::run::steps::findings::named_by;
use crate::text::show_path;
use crate::worktree::branch_watch::BranchChange;
use crate::worktree::hidden::before::HiddenBefore;
use crate::worktree::hidden::{Comparison, Hidden, StateBefore};
use crate::worktree::ignored_before::IgnoredBefore;
use crate::worktree::{StepChanges, WorktreeChanges};

/// The work tree after an implement step, and before it.
#[derive(Clone, Copy)]
pub(crate) struct WorkDone<'a> {
    /// What `git status` did not show before the step.
    pub(crate) state_before: &'a StateBefore,
    /// The head of the branch before the step.
    pub(crate) head: &'a Head,
    pub(crate) watched: &'a BranchChange,
    pub(crate) before: &'a WorktreeChanges,
    pub(crate) after: &'a WorktreeChanges,
    /// The paths that git ignores after it.
    pub(crate) ignored: &'a [Vec<u8>],
    pub(crate) changed: &'a StepChanges,
}

/// Looks at the work tree before the implement step of a job. `ignored` are the paths that git ignores there.
///
/// # Errors
/// If git cannot list files.
pub(crate) fn state_before(
    run: &RunContext<'_>,
    job: Assignment<'_>,
    ignored: &[Vec<u8>],
) -> Result<StateBefore> {
    Ok(StateBefore {
        hidden: HiddenBefore::of_first_try(job.task.id, &run.git, &run.work_tree, ignored)?,
        ignored: IgnoredBefore::now(ignored),
    })
}

impl WorkDone<'_> {
    /// The files to name after the implement step of a job.
    ///
    /// # Errors
    /// If git cannot list files, or history cannot be read.
    pub(crate) fn files_to_name(
        &self,
        run: &RunContext<'_>,
        job: Assignment<'_>,
        steps: &[TaskStep],
    ) -> Result<NamedFiles> {
        let comparison = Comparison { git: &run.git, base: self.head.commit, named: &named_by(steps) };
        let hidden = Hidden::read(&run.git, &run.work_tree.top, self.ignored)?;
        let mut named = hidden.since(&self.state_before.hidden, &comparison)?;
        let selection = &self.changed.selection;
        let mut changed: BTreeSet<Vec<u8>> = selection.paths().map(<[u8]>::to_vec).collect();
        let staged = selection.there.iter().filter(|path| self.after.restages(self.before, path));
        named.add(Check::StagedFiles, staged.map(|path| show_path(path)));
        if !self.watched.adopted.is_empty() {
            let adopted = TreeComparison { commit: self.watched.head.commit, base: Some(self.head.commit) };
            changed.extend(changed_paths(run.repository, &[adopted])?);
        }
        let touches = run.plan.tree.touches(job.leaf);
        let is_outside = |path: &&Vec<u8>| {
            let path = String::from_utf8_lossy(path);
            // A step that writes tests may change nothing else, so the plan need not name them.
            job.step.row().goal == Goal::Change
                && !touches.is_empty()
                && !touches.iter().any(|pattern| pattern.matches(&path))
        };
        named.add(Check::OutsideTouches, changed.iter().filter(is_outside).map(|path| show_path(path)));
        Ok(named)
    }
}
