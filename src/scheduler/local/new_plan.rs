//! What happens when the plan is changed on the branch of the run while tasks have branches that began before.

use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Kind, Result};
use crate::git::{Head, NewCommit, PathEntry};
use crate::plan::TaskBranch;
use crate::run::Plan;
use crate::text::one_line;

/// Commits the plan of the branch of the run on the branch of a task, if the plan was changed only there since the two parted.
/// So the work on the task goes on under the new plan, as it does in a run without branches, and a merge of the two does not
/// look as if its step changed the plan. Returns the branch as it is then.
///
/// # Errors
/// If commits cannot be read or written.
pub(super) fn take_over_plan(run: &RunContext<'_>, branch: TaskBranch, head: &Head) -> Result<TaskBranch> {
    let RunContext { git, plan, work_tree, .. } = run;
    if branch.tip == head.commit {
        return Ok(branch);
    }
    let (own, new) = (git.entries(&branch.tip, plan.files())?, git.entries(&head.commit, plan.files())?);
    if own == new {
        return Ok(branch);
    }
    let Some(base) = git.merge_base(&branch.tip, &head.commit)? else { return Ok(branch) };
    if git.entries(&base, plan.files())? != own {
        return Ok(branch);
    }
    let of = |path: &Vec<u8>| PathEntry { path: path.clone(), entry: new.get(path).cloned() };
    let entries: Vec<PathEntry> = plan.files().iter().map(of).collect();
    let (shown, from) = (one_line(&plan.shown), one_line(head.branch_name()));
    let message = format!(
        "Take over {shown} from {from}\n\nThe plan was changed there after this branch had begun. The work on the task goes on under \
         the new plan.\n"
    );
    let commit = git.new_commit(&NewCommit {
        tree: git.tree_with(&work_tree.git_dir, &branch.tip, &entries)?,
        parents: vec![branch.tip],
        message: message.into_bytes(),
        author: None,
        date: None,
        signed: git.signs_commits()?,
    })?;
    git.advance_branch(&branch.name, &branch.tip, &commit)?;
    Ok(TaskBranch { tip: commit, ..branch })
}

/// Says that the plan is not the one any more with which the run began.
pub(super) fn changed_plan(plan: &Plan) -> Error {
    Error::new(
        Kind::Repository,
        format!("the plan {} was changed during the run", plan.shown),
        "Every finished step is committed. Run the same command again, which reads the plan anew.",
    )
}
