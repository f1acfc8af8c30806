//! Makes the branches of tasks, and deletes those that were merged.

use super::Jobs;
use crate::engine::event::{BranchOf, Event};
use crate::error::{Error, Kind, Result};
use crate::plan::{NodeIx, TaskBranch};
use crate::run::branch_of;
use crate::run::branches::tasks::task_branches;

impl Jobs<'_, '_> {
    /// Makes the branch of a task at the tip of the branch of the run.
    pub(super) fn make_branch(&self, leaf: NodeIx) -> Result<TaskBranch> {
        let run = self.engine.run;
        let name = branch_of(run.plan, leaf);
        let head = run.repository.branch()?;
        match run.repository.tip_of(&name)? {
            None => run.git.new_branch(&name, &head.commit)?,
            Some(old)
                if !self.is_as_known(&TaskBranch { name: name.clone(), tip: old })
                    && !self.places.is_interrupted(&name) =>
            {
                return Err(foreign_branch(&name, head.branch_name()));
            }
            // In a slot, work on it was interrupted before its first commit. Elsewhere, git says who has checked it out.
            Some(old) if run.git.work_tree_of_branch(&name)?.is_some() => {
                return Ok(TaskBranch { name, tip: old });
            }
            Some(old) if run.repository.reaches(head.commit, old)? => {
                run.git.advance_branch(&name, &old, &head.commit)?;
            }
            Some(_) => return Err(foreign_branch(&name, head.branch_name())),
        }
        let (task, base) = (run.plan.tree.node(leaf).id.clone(), head.branch_name().to_owned());
        run.observer.on(Event::BranchBegun { of: BranchOf::Task { task }, branch: name.clone(), base });
        Ok(TaskBranch { name, tip: head.commit })
    }

    /// Deletes branches that a killed run has merged but not deleted.
    pub(super) fn forget_merged_branches(&self) -> Result<()> {
        let run = self.engine.run;
        let here = self.engine.read()?;
        let open = task_branches(run.repository, run.plan, &here)?;
        for leaf in run.plan.tree.order() {
            let (id, name) = (&run.plan.tree.node(*leaf).id, branch_of(run.plan, *leaf));
            if open.contains_key(id) || !run.plan.state(&here, *leaf).is_done() {
                continue;
            }
            if let Some(tip) = run.repository.tip_of(&name)?
                && run.repository.reaches(here.range.head(), tip)?
            {
                self.forget_branch(&name, &tip)?;
            }
        }
        Ok(())
    }
}

fn foreign_branch(name: &str, base: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!(
            "the branch {name} exists, but it does not belong to the run on {}",
            crate::text::one_line(base)
        ),
        format!(
            "It may be that of an earlier run. Rename it with `git branch -m {name} NAME` or, if it is not needed any more, delete it with \
             `git branch -D {name}`; then run the same command again."
        ),
    )
}
