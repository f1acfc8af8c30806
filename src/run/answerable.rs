//! Finds the task that has to answer for a line, or for the output of a check.

use super::Plan;
use super::briefs::attempts::failing_in;
use super::briefs::phase_failure::{last_to_change, names};
use super::steps::feedback::files_of;
use crate::error::Result;
use crate::git::{Git, Line};
use crate::history::{FollowedRun, Repository, TaskStep};
use crate::plan::NodeIx;
use crate::record::{CommitId, CommitKind, Landing, State, TaskId, commit_kind};

/// A run in which tasks are looked for.
pub struct Answerable<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The plan.
    pub plan: &'a Plan,
    /// The run.
    pub followed: &'a FollowedRun<'a>,
}

impl Answerable<'_> {
    /// The task of the commit that wrote a line, or that removed it on the way to `removed_in`. If that commit is not the work of
    /// one task of the plan, it is the last task of the plan that changed the file; `None` if there is none.
    ///
    /// # Errors
    /// If history cannot be read.
    pub fn for_line(
        &self,
        path: &str,
        line: Option<Line<'_>>,
        removed_in: Option<CommitId>,
    ) -> Result<Option<NodeIx>> {
        let is_part = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\0');
        if !path.split('/').all(is_part) {
            return Ok(None);
        }
        let commit = match (line, removed_in) {
            (Some(line), Some(head)) => self.git.remover_of(line, head)?,
            (Some(line), None) => self.git.writer_of(line)?,
            (None, _) => None,
        };
        if let Some(commit) = commit
            && let Some(leaf) = self.task_of(&commit)?
        {
            return Ok(Some(leaf));
        }
        let run = self.followed.run();
        let (Some(anchor), head) = (run.range.anchor(), run.range.head()) else { return Ok(None) };
        let mut last = None;
        for commit in self.git.commits_changing(&anchor, &head, &[path.as_bytes().to_vec()])? {
            last = last.max(self.task_of(&commit)?.map(|leaf| self.place(leaf)));
        }
        Ok(last.map(|place| self.plan.tree.order()[place]))
    }

    /// The last task of the plan of which an output names a changed file or a test; otherwise the last one that was complete, even
    /// if it is open again.
    ///
    /// # Errors
    /// If history cannot be read.
    pub fn for_output(&self, output: &str) -> Result<Option<NodeIx>> {
        let Self { git, plan, followed } = *self;
        let (run, repository) = (followed.run(), followed.repository());
        let (mut complete, mut changed) = (Vec::new(), Vec::new());
        for leaf in plan.tree.order().iter().copied() {
            let steps = followed.steps_of(&plan.tree.node(leaf).id)?;
            let is_end = |step: &TaskStep| step.counts() && step.record().state() == State::Complete;
            if plan.state(&run, leaf) != State::Skipped && steps.iter().any(is_end) {
                complete.push(leaf);
                changed.push(files_of(git, repository, &steps)?);
            }
        }
        let named = changed.iter().rposition(|files| files.iter().any(|file| names(output, file)));
        let place = match named {
            Some(place) => Some(place),
            None => {
                let tests = plan.tree.nodes().flat_map(|(_, node)| &node.test_commands).cloned();
                let failing = failing_in(output, &tests.collect::<Vec<_>>());
                last_to_change(repository, &run.range.head(), &changed, &failing)?.into_iter().max()
            }
        };
        Ok(place.or(complete.len().checked_sub(1)).map(|place| complete[place]))
    }

    /// The only task of the plan to which a commit belongs, if somebody has worked on it.
    fn task_of(&self, commit: &CommitId) -> Result<Option<NodeIx>> {
        let tasks = tasks_of(self.followed.repository(), commit)?;
        let [task] = tasks.as_slice() else { return Ok(None) };
        let leaf = self.plan.tree.find(task.as_str()).filter(|leaf| self.plan.tree.is_leaf(*leaf));
        Ok(leaf.filter(|_| self.followed.run().tasks.contains_key(task)))
    }

    fn place(&self, leaf: NodeIx) -> usize {
        self.plan.tree.order().iter().position(|other| *other == leaf).unwrap_or_default()
    }
}

/// The tasks to which a commit belongs: as a step, or as the landed work of several steps.
///
/// # Errors
/// If it cannot be read.
pub fn tasks_of(repository: &Repository, commit: &CommitId) -> Result<Vec<TaskId>> {
    let message = repository.commit(commit)?.message;
    let mut landed: Vec<TaskId> = Vec::new();
    for task in Landing::all_in(&message).iter().flat_map(|landing| &landing.tasks) {
        if !landed.contains(task) {
            landed.push(task.clone());
        }
    }
    Ok(match commit_kind(&message) {
        CommitKind::Task(id, _) if landed.is_empty() => vec![id],
        _ => landed,
    })
}
