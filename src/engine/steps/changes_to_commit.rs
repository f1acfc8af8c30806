//! Decides what of the changes in the work tree goes into the commit of an implement step: only what its worker has changed,
//! without files of the user, without conflicts and without secrets.

use super::merging::OpenMerge;
use crate::engine::checks::adopted::check_adopted;
use crate::engine::checks::conflicts::hold_back_conflicts;
use crate::engine::checks::secret_files::hold_back_secrets;
use crate::engine::tree::unit::WorkUnit;
use crate::engine::tree::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::text::stash_command;
use crate::worktree::branch_watch::BranchChange;
use crate::worktree::changes::WorktreeChanges;
use crate::worktree::obstacle::StepChanges;
use crate::worktree::suspects::Suspect;

/// What a worker has changed.
pub(super) struct StepChange {
    /// The paths to commit, and the obstacles.
    pub(super) changed: StepChanges,
    /// What of that the worker has done, if the step also merges the branch of the run.
    pub(super) own: Option<StepChanges>,
    /// The files that may contain a secret and are committed anyway.
    pub(super) suspects: Vec<Suspect>,
    /// Whether the step changed anything, even if it is not committed.
    pub(super) touched: bool,
    /// The files without a commit that were there before it and are not any more.
    pub(super) gone: Vec<String>,
}

/// Compares the work tree with its state when a step began, and separates what must not be committed. `open_merge` is the
/// merge that the step makes, if it makes one; `after` is what somebody has already seen in the work tree.
///
/// # Errors
/// [`Kind::Unsafe`] if changes of the user cannot be told from those of the step. If git fails.
pub(super) fn changes_to_commit(
    workspace: &mut Workspace<'_>,
    open_merge: Option<&OpenMerge>,
    unit: &WorkUnit,
    watched: &BranchChange,
    after: Option<WorktreeChanges>,
) -> Result<StepChange> {
    let WorkUnit { head, opened, .. } = unit;
    let run = workspace.run;
    workspace.refuse_users_files(unit, watched)?;
    let after = after.map_or_else(|| workspace.changes_of_step(&opened.ignored), Ok)?;
    let mut changed = after.changed_since(&opened.tree_changes, &workspace.foreign, &run.work_tree.top);
    workspace.tree_changes = after;
    refuse_entangled(&changed)?;
    hold_back_conflicts(workspace, &mut changed, &watched.head.commit)?;
    let mut suspects = check_adopted(run, watched, &head.commit)?;
    // What the branch of the run brings in was judged there.
    let mut own = open_merge.map(|merge| {
        let own = workspace.tree_changes.except(&merge.applied.path_states());
        own.changed_since(&merge.applied, &workspace.foreign, &run.work_tree.top)
    });
    let judged = own.as_mut().unwrap_or(&mut changed);
    suspects.extend(hold_back_secrets(workspace, judged, &watched.head.commit)?);
    if let Some(own) = &own {
        changed.obstacles.extend(own.obstacles.iter().cloned());
    }
    // A commit would change nothing at paths at which only the index differs from HEAD.
    let doubtful = workspace.tree_changes.doubtful(&changed.selection);
    let unchanged = run.git.without_change(&run.work_tree.git_dir, &watched.head.commit, &doubtful)?;
    changed.set_apart(&unchanged);
    let touched = !watched.adopted.is_empty()
        || workspace.tree_changes.clone().without(&changed.index_only)
            != opened.tree_changes.clone().without(&changed.index_only);
    let touched = own.as_ref().map_or(touched, |own| !watched.adopted.is_empty() || !own.is_empty());
    let gone = opened.tree_changes.shown();
    let left = workspace.tree_changes.shown();
    let gone = gone.into_iter().filter(|path| !left.contains(path)).collect();
    Ok(StepChange { changed, own, suspects, touched, gone })
}

/// The error for files that both the user and the runner changed. A commit with them would contain changes of the user,
/// and a commit without them would lack changes of the runner.
fn refuse_entangled(changed: &StepChanges) -> Result<()> {
    if changed.entangled.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::Unsafe,
        format!(
            "the runner modified files that had uncommitted changes of yours: {}",
            changed.entangled.join(", ")
        ),
        format!(
            "The step was not committed; both changes are in the work tree. Commit your own part, or set the files aside with {}, \
             then run the same command again.",
            stash_command(changed.entangled.iter().map(String::as_bytes))
        ),
    ))
}
