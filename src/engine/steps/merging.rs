//! The implement step of a finished task that could not be merged: the branch of the run is merged into the branch of the
//! task, and an agent resolves what keeps the two from fitting together (docs/parallel.md).
//!
//! The work tree gets the files as git alone merges them, with conflict markers, but no merge is in progress there while the
//! agent works. The commit of the step becomes the merge. If the attempt fails, nothing of the merge is committed, and the next
//! attempt begins it anew.

use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::{RunContext, RunPart, TaskPart};
use crate::engine::tree::unit::WorkUnit;
use crate::engine::tree::workspace::Workspace;
use crate::error::Result;
use crate::history::TaskStep;
use crate::plan::NodeIx;
use crate::record::{CommitId, Goal, Outcome, StepRecord};
use crate::run::IntegrationFailure;
use crate::run::steps::branch_line::Sides;
use crate::run::steps::implement_commits::automatic_merge_of;
use crate::workflow::MergeFacts;
use crate::worktree::changes::WorktreeChanges;
use crate::worktree::rescue;

/// A merge that an implement step has to make.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    /// The commit of the branch of the run.
    onto: CommitId,
    /// The commit that git alone makes of the two.
    automatic: CommitId,
    /// Why the task could not be merged.
    failure: IntegrationFailure,
}

/// A merge whose files are in the work tree.
#[derive(Debug)]
pub(crate) struct OpenMerge {
    merge: Merge,
    /// The changes in the work tree before the agent began.
    pub(crate) applied: WorktreeChanges,
}

/// The merge that an implement step has to make; `None` if it is an ordinary one. `steps` are those of the task, newest first.
///
/// # Errors
/// If the two commits cannot be merged at all.
pub(crate) fn merge_due(
    run: &RunContext<'_>,
    job: Assignment<'_>,
    steps: &[TaskStep],
) -> Result<Option<Merge>> {
    let RunPart::Task(TaskPart { onto, failure, .. }) = &run.part else { return Ok(None) };
    // After an attempt that has failed, the branch of the run may have gone on.
    let is_due = job.attempt.merge.is_some() || was_complete(steps.iter().map(|step| &step.step.record));
    if job.step.row().goal != Goal::Change || !is_due {
        return Ok(None);
    }
    let head = run.repository.branch()?.commit;
    if run.repository.reaches(head, *onto)? {
        return Ok(None);
    }
    let conflicts = Sides { ours: head, theirs: *onto }.conflicts(&run.git)?;
    let failure = conflicts.or_else(|| failure.clone()).unwrap_or(IntegrationFailure::Unknown);
    let automatic = automatic_merge_of(&run.git, head, *onto)?;
    Ok(Some(Merge { onto: *onto, automatic, failure }))
}

/// Whether a task was complete before, and has not been implemented since. Its steps come newest first.
fn was_complete<'s>(mut steps: impl Iterator<Item = &'s StepRecord>) -> bool {
    let tells = |record: &&StepRecord| {
        record.outcome == Outcome::Pass && (record.step.is_end() || record.step.row().goal == Goal::Change)
    };
    steps.find(tells).is_some_and(|record| record.step.is_end())
}

impl Merge {
    /// What the agent is told.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn facts(&self, run: &RunContext<'_>, leaf: NodeIx) -> Result<MergeFacts> {
        let ours = run.repository.branch()?.commit;
        Sides { ours, theirs: self.onto }.facts(run.merge_place(), leaf, &self.failure)
    }

    /// Gives the work tree the merged files. The step has begun, so they are part of its work.
    ///
    /// # Errors
    /// If git cannot write them, or the journal cannot be written.
    pub(crate) fn apply(self, workspace: &mut Workspace<'_>) -> Result<OpenMerge> {
        workspace.journal.merging = Some(self.onto);
        workspace.write_journal()?;
        let run = workspace.run;
        run.git.read_tree_into_work_tree(&self.automatic)?;
        run.git.fill_submodules(&run.work_tree.common_dir.join("modules"))?;
        Ok(OpenMerge { merge: self, applied: workspace.changes_now()? })
    }
}

impl OpenMerge {
    /// The commit of the branch of the run that is merged.
    pub(crate) fn onto(&self) -> CommitId {
        self.merge.onto
    }

    /// Why the finished task could not be merged, as a clause.
    pub(crate) fn why(&self) -> String {
        self.merge.failure.clause()
    }

    /// Takes a merge out of the work tree whose attempt has failed. What the agent has done is saved.
    ///
    /// # Errors
    /// If it cannot be saved.
    pub(crate) fn take_out(&self, workspace: &mut Workspace<'_>, unit: &WorkUnit) -> Result<()> {
        let run = workspace.run;
        let what = format!("the failed merge of {}", unit.task);
        let interrupted = unit.interrupted_as(what, &workspace.journal.leftovers);
        let rescued = rescue(&run.git, &run.work_tree, &unit.head.commit, &interrupted)?;
        rescued.sentences.iter().for_each(|sentence| run.warn(sentence));
        workspace.journal.merging = None;
        workspace.refresh()
    }
}
