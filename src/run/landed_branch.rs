//! Whether all work of a run is on the branch that `land` makes from it.

use crate::error::Result;
use crate::history::{Repository, Run};
use crate::record::{By, CommitId, CommitKind, Landing, Step, commit_kind};

/// How many commits without a landing, such as that of a formatter, may be on top of the landed ones.
const ON_TOP: usize = 5;
/// How many commits of people may be between two landed ones.
const BETWEEN: usize = 100;

/// The name of the branch that is landed from another one, unless the user gives one.
#[must_use]
pub fn landed_name(branch: &str) -> String {
    format!("{branch}-landed")
}

/// The branch from which one with this name is landed, unless the user gave it.
#[must_use]
pub fn run_of_landed(landed: &str) -> Option<&str> {
    landed.strip_suffix("-landed")
}

/// The branch on which the newest step of every task of a run is landed: this one, or the one with the usual name; `None` if there
/// is none.
///
/// # Errors
/// If history cannot be read.
pub fn landed_branch(repository: &Repository, run: &Run) -> Result<Option<String>> {
    let Ok(head) = repository.branch() else { return Ok(None) };
    if !tips_landed_at(repository, head.commit)?.is_empty() {
        return Ok(Some(head.branch_name().to_owned()));
    }
    let name = landed_name(head.branch_name());
    let Some(tip) = repository.tip_of(&name)? else { return Ok(None) };
    let landed = tips_landed_at(repository, tip)?;
    let mut left: Vec<CommitId> = run.tasks.values().map(|step| step.id).collect();
    for tip in &landed {
        let reached = repository.reached_from(*tip, &left)?;
        left.retain(|step| !reached.contains(step));
    }
    Ok((!landed.is_empty() && left.is_empty()).then_some(name))
}

/// The tips of the run that the landed commits of a branch name, newest first; none if there are no landed commits, or if there are
/// steps on top of them. Tasks that were worked on side by side have tips of which none reaches the others.
///
/// # Errors
/// If history cannot be read.
pub fn tips_landed_at(repository: &Repository, tip: CommitId) -> Result<Vec<CommitId>> {
    let mut at = tip;
    for _ in 0..ON_TOP {
        let commit = repository.commit(&at)?;
        if let Some(landing) = Landing::all_in(&commit.message).last() {
            return tips_of_run(repository, at, landing.base);
        }
        if is_step(&commit.message) {
            break;
        }
        let Some((parent, merged)) = commit.parents.split_first() else { break };
        for merged in merged {
            // The landed branch was merged, into the branch of the run itself or into another one.
            let landed = tips_landed_at(repository, *merged)?;
            if !landed.is_empty() && has_no_other_step(repository, *parent, &landed)? {
                return Ok(landed);
            }
        }
        at = *parent;
    }
    Ok(Vec::new())
}

/// The tips of the run from `base` that are named along first parents.
fn tips_of_run(repository: &Repository, from: CommitId, base: CommitId) -> Result<Vec<CommitId>> {
    let (mut tips, mut at, mut without) = (Vec::new(), Some(from), 0);
    while let Some(id) = at.filter(|id| *id != base && without < BETWEEN) {
        let commit = repository.commit(&id)?;
        let landings = Landing::all_in(&commit.message);
        let before = tips.len();
        tips.extend(landings.iter().filter(|landing| landing.base == base).map(|landing| landing.tip));
        without = if tips.len() > before { 0 } else { without + 1 };
        at = commit.parents.first().copied();
    }
    Ok(tips)
}

/// Whether the newest commits of a line have no step of a task that the landed commits do not contain. What a person vouches for needs
/// no commit of its own.
fn has_no_other_step(repository: &Repository, line: CommitId, landed: &[CommitId]) -> Result<bool> {
    let mut at = Some(line);
    for _ in 0..BETWEEN {
        let Some(id) = at else { return Ok(true) };
        let commit = repository.commit(&id)?;
        if let CommitKind::Task(_, record) = commit_kind(&commit.message)
            && !(record.by == By::User && record.step == Step::COMPLETE)
        {
            // Steps that came before it are in the same line.
            return Ok(landed.iter().any(|tip| repository.reaches(*tip, id).unwrap_or(false)));
        }
        at = commit.parents.first().copied();
    }
    Ok(true)
}

fn is_step(message: &[u8]) -> bool {
    matches!(commit_kind(message), CommitKind::Task(..) | CommitKind::Phase(..))
}
