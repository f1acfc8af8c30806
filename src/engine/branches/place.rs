//! Where a person's decision about a task, or a person's work on it, is committed.

use super::names::branch_of;
use crate::engine::plan::Plan;
use crate::error::{Error, Kind, Result};
use crate::history::{Repository, Run};
use crate::plan::NodeIx;
use crate::text::shell_word;

/// Refuses a commit about a task on a branch other than that on which its phase is worked on. Side by side with the steps
/// there, it would not follow them.
///
/// # Errors
/// [`Kind::Repository`], naming the branch.
pub(in crate::engine) fn check_place(
    repository: &Repository,
    plan: &Plan,
    run: &Run,
    leaf: NodeIx,
) -> Result<()> {
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
        true => format!("{id} is worked on on the branch {wanted}, which is not merged yet"),
        false => format!("{id} does not belong to the phase of the branch {here}"),
    };
    let remedy = format!("Run `git switch {}`, then run the same command again.", shell_word(wanted));
    Err(Error::new(Kind::Repository, what, remedy))
}
