//! Finds the tasks that the branch of the run contains, and those that it has lost because somebody moved it back.

use std::collections::HashSet;

use crate::error::Result;
use crate::git::RemoteTips;
use crate::history::Run;
use crate::plan::NodeIx;
use crate::run::Plan;
use crate::run::read_run::read_here;
use crate::session::Session;

/// The tasks that are done, by where they are.
pub(super) struct MergedTasks {
    /// Those that are done on the branch of the run.
    pub(super) merged: HashSet<NodeIx>,
    /// Branches for those that are done only on the branches of other tasks, which began when they were merged. They have been removed from
    /// the branch of the run since.
    pub(super) removed: RemoteTips,
}

impl MergedTasks {
    /// Sorts the tasks that are done in a run that was read with the branches of tasks. The new branches are in this folder.
    pub(super) fn of(session: &Session, plan: &Plan, run: &Run, folder: &str) -> Result<Self> {
        let done = plan.tree.order().iter().copied().filter(|leaf| plan.state(run, *leaf).is_done());
        let mut all = Self { merged: HashSet::new(), removed: RemoteTips::new() };
        if run.range.beside().is_empty() {
            all.merged.extend(done);
            return Ok(all);
        }
        let here = read_here(&session.repository, plan)?;
        for leaf in done {
            let id = &plan.tree.node(leaf).id;
            let (latest, latest_here) = (run.tasks.get(id), here.tasks.get(id));
            let has_branch = run.branches.tasks.contains_key(id);
            let is_here = latest.map(|step| step.id) == latest_here.map(|step| step.id)
                || !has_branch && plan.state(&here, leaf).is_done();
            match latest {
                _ if is_here => drop(all.merged.insert(leaf)),
                Some(step) if !has_branch => {
                    all.removed.insert(format!("{folder}/{id}"), step.id);
                }
                _ => {}
            }
        }
        Ok(all)
    }
}
