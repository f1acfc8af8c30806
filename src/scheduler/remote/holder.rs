//! Finds out who holds a branch of a task.

use crate::error::Result;
use crate::history::Repository;
use crate::record::{Claimant, CommitId, CommitKind, Step, StepFacts, commit_kind};

/// How many commits of a branch are looked at to find its last claim.
const LONGEST: usize = 2_000;

/// The claim of the integration that a worker holds.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    /// The branch of the claim.
    pub(super) branch: String,
    pub(super) on: CommitId,
}

/// The last claim on a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LastClaim {
    /// Who made it.
    pub(super) claimant: Option<Claimant>,
    pub(super) commit: Option<CommitId>,
    /// Whether it is the newest commit, so that nothing was done since.
    pub(super) is_newest: bool,
    /// Whether the branch has nothing but claims that `base` does not contain.
    pub(super) is_bare: bool,
}

/// Reads the last claim on a branch with this tip, as far as `base` does not contain it; without `base`, however old it is.
///
/// # Errors
/// If a commit cannot be read.
pub(super) fn last_claim(
    repository: &Repository,
    tip: CommitId,
    base: Option<CommitId>,
) -> Result<LastClaim> {
    let mut found = LastClaim { is_bare: true, ..LastClaim::default() };
    let mut at = tip;
    for nth in 0..LONGEST {
        if let Some(base) = base
            && repository.reaches(base, at)?
        {
            break;
        }
        let commit = repository.commit(&at)?;
        match claimant_in(&commit.message) {
            Some(claimant) if found.claimant.is_none() => {
                (found.claimant, found.commit) = (Some(claimant), Some(at));
                found.is_newest = nth == 0;
            }
            Some(_) => {}
            None => found.is_bare = false,
        }
        if found.claimant.is_some() && !found.is_bare {
            break;
        }
        match commit.parents.first() {
            Some(parent) => at = *parent,
            None => break,
        }
    }
    Ok(found)
}

fn claimant_in(message: &[u8]) -> Option<Claimant> {
    let is_claim = matches!(commit_kind(message), CommitKind::Task(_, record) if record.step == Step::CLAIM);
    StepFacts::of(message)
        .claimant
        .filter(|_| is_claim)
        .and_then(|text| Claimant::read(&text).ok())
        .or_else(|| Claimant::of_integration(message))
}
