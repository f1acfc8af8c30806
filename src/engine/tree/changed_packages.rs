//! The installed packages that agents changed while they worked on a task, as far as this process has seen it. No commit has
//! them, so a proof that runs with them shows nothing that another machine could repeat.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::config::CheckLevel;
use crate::engine::run_context::context::RunContext;
use crate::error::Result;
use crate::plan::NodeIx;
use crate::worktree::DependencyListing;

/// What agents have changed in the work tree's folders of packages.
#[derive(Debug, Default)]
pub(crate) struct AgentPackages {
    /// The task that was worked on last.
    task: Option<NodeIx>,
    /// From the top of the work tree.
    paths: BTreeSet<PathBuf>,
    /// The packages before the first agent whose work was not looked at yet. After an agent that ended badly, nothing is looked
    /// at: git could obey settings that it has changed.
    before: Option<DependencyListing>,
}

impl AgentPackages {
    /// What was changed during a task.
    pub(crate) fn during(&self, task: NodeIx) -> impl Iterator<Item = &PathBuf> {
        self.paths.iter().filter(move |_| self.task == Some(task))
    }

    /// Notes what is installed before an agent works on a task, if somebody will ask.
    pub(crate) fn begin(&mut self, task: NodeIx, now: Option<DependencyListing>) {
        if self.task.replace(task) != Some(task) {
            self.paths.clear();
            self.before = None;
        }
        self.before = self.before.take().or(now);
    }

    /// Adds what has changed since then.
    pub(crate) fn end(&mut self, now: Option<DependencyListing>) {
        if let (Some(before), Some(now)) = (self.before.take(), now) {
            self.paths.extend(now.changed_since(&before));
        }
    }
}

/// The packages that are installed now, where git ignores these paths; `None` if nothing will ask for them: no proof is made,
/// or a command installs them anew for it.
///
/// # Errors
/// If git cannot read the work tree.
pub(crate) fn listed(
    run: &RunContext<'_>,
    task: NodeIx,
    ignored: &[Vec<u8>],
) -> Result<Option<DependencyListing>> {
    let is_wanted = run.settings.trust.prove != CheckLevel::Off
        && run.programs.scratches.setup.is_none()
        && run.plan.tree.node(task).is_tested();
    is_wanted.then(|| DependencyListing::take(&run.git, &run.work_tree, ignored)).transpose()
}
