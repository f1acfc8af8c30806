//! Whether all work of a run is on the branch that `land` makes from it.

use crate::error::Result;
use crate::history::{Repository, Run};
use crate::record::{CommitId, CommitKind, Landing, commit_kind};

/// How many commits without a landing, such as that of a formatter, may be on top of the landed ones.
const ON_TOP: usize = 5;

/// The name of the branch that is landed from another one, unless the user gives one.
#[must_use]
pub fn landed_name(branch: &str) -> String {
    format!("{branch}-landed")
}

/// The branch on which the newest step of every task of a run is landed: this one, or the one with the usual name; `None` if there
/// is none.
///
/// # Errors
/// If history cannot be read.
pub fn landed_branch(repository: &Repository, run: &Run) -> Result<Option<String>> {
    let Ok(head) = repository.branch() else { return Ok(None) };
    if run_landed_at(repository, head.commit)?.is_some() {
        return Ok(Some(head.branch_name().to_owned()));
    }
    let name = landed_name(head.branch_name());
    let Some(tip) = repository.tip_of(&name)? else { return Ok(None) };
    let Some(landed) = run_landed_at(repository, tip)? else { return Ok(None) };
    let steps: Vec<CommitId> = run.tasks.values().map(|step| step.id).collect();
    let reached = repository.reached_from(landed, &steps)?;
    Ok(steps.iter().all(|step| reached.contains(step)).then_some(name))
}

/// The tip of the run that the newest landed commit names; `None` if there is none, or if there are steps on top of it.
fn run_landed_at(repository: &Repository, tip: CommitId) -> Result<Option<CommitId>> {
    let mut at = tip;
    for _ in 0..ON_TOP {
        let commit = repository.commit(&at)?;
        if let Some(landing) = Landing::all_in(&commit.message).last() {
            return Ok(Some(landing.tip()));
        }
        if is_step(&commit.message) {
            return Ok(None);
        }
        let Some((parent, merged)) = commit.parents.split_first() else { return Ok(None) };
        for merged in merged {
            // The landed branch was merged into the branch of the run itself.
            if let Some(landed) = run_landed_at(repository, *merged)?
                && ends_with(repository, *parent, landed)?
            {
                return Ok(Some(landed));
            }
        }
        at = *parent;
    }
    Ok(None)
}

/// Whether a line of commits ends with this tip of a run, apart from a few commits that are not steps of tasks.
fn ends_with(repository: &Repository, line: CommitId, tip: CommitId) -> Result<bool> {
    let mut at = line;
    for _ in 0..ON_TOP {
        if at == tip {
            return Ok(true);
        }
        let commit = repository.commit(&at)?;
        match commit.parents.first() {
            // What completes a phase comes after the last step of its tasks, which a landed commit names.
            Some(parent) if !matches!(commit_kind(&commit.message), CommitKind::Task(..)) => at = *parent,
            _ => return Ok(false),
        }
    }
    Ok(false)
}

fn is_step(message: &[u8]) -> bool {
    matches!(commit_kind(message), CommitKind::Task(..) | CommitKind::Phase(..))
}
