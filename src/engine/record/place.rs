//! Where a person's decision about a task, or a person's work on it, is committed.

use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::history::{Repository, Run};
use crate::plan::{NodeIx, TaskBranch};
use crate::run::branches::names::task_of;
use crate::run::{Plan, branch_of};
use crate::text::shell_word;

/// Refuses a commit about a task on a branch other than that on which its phase is worked on. Side by side with the steps
/// there, it would not follow them.
///
/// # Errors
/// [`Kind::Repository`], naming the branch.
pub(crate) fn check_place(repository: &Repository, plan: &Plan, run: &Run, leaf: NodeIx) -> Result<()> {
    check_place_of_task(repository, plan, run, leaf)?;
    let Some(base) = &run.branches.base else { return Ok(()) };
    let phase = plan.tree.phase_of(leaf);
    let (id, own) = (&plan.tree.node(leaf).id, branch_of(plan, phase));
    let head = repository.branch()?;
    let here = head.branch_name();
    let is_open = run.branches.phases.contains_key(&plan.tree.node(phase).id);
    let wanted = if is_open { &own } else { base };
    if here == wanted || here == own {
        return Ok(());
    }
    let what = match is_open {
        true => format!("the work on {id} is on the branch {wanted}, which is not merged yet"),
        false => format!("{id} does not belong to the phase of the branch {here}"),
    };
    let remedy = format!("Run `git switch {}`, then run the same command again.", shell_word(wanted));
    Err(Error::new(Kind::Repository, what, remedy))
}

/// The same where each task has its own branch.
fn check_place_of_task(repository: &Repository, plan: &Plan, run: &Run, leaf: NodeIx) -> Result<()> {
    let id = &plan.tree.node(leaf).id;
    let head = repository.branch()?;
    let here = head.branch_name();
    if here == branch_of(plan, leaf) {
        return Ok(());
    }
    if let Some(branch) = run.branches.tasks.get(id) {
        let what = format!("the work on {id} is on the branch {}, which is not merged yet", branch.name);
        let remedy =
            format!("Run `git switch {}`, then run the same command again.", shell_word(&branch.name));
        return Err(Error::new(Kind::Repository, what, remedy));
    }
    let is_of_another = run.branches.phases.is_empty() && task_of(plan, here).is_some_and(|of| of != leaf);
    if is_of_another && plan.tree.node(leaf).parent.is_some() {
        let what = format!("the branch {here}, which is checked out, belongs to another task than {id}");
        let remedy = "Switch to the branch of the run, then run the same command again.";
        return Err(Error::new(Kind::Repository, what, remedy));
    }
    Ok(())
}

/// The branch of a task on which a person's decision about it is committed while another branch is checked out. The decision
/// changes no file, so nobody has to switch. `None` if it is committed where everything else is.
///
/// # Errors
/// [`Kind::Repository`] if a work tree has checked out the branch.
pub(crate) fn branch_beside(git: &Git, plan: &Plan, run: &Run, leaf: NodeIx) -> Result<Option<TaskBranch>> {
    let id = &plan.tree.node(leaf).id;
    let Some(branch) = run.branches.tasks.get(id) else { return Ok(None) };
    match git.work_tree_of_branch(&branch.name)? {
        None => Ok(Some(branch.clone())),
        Some(folder) => Err(Error::new(
            Kind::Repository,
            format!("the branch {} of {id} is checked out in {}", branch.name, folder.display()),
            format!(
                "If a run is at work there, wait until it has ended; otherwise run the same command there: `cd {}`.",
                shell_word(&folder.to_string_lossy())
            ),
        )),
    }
}
