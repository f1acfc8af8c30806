//! What distinguishes the claims of a worker from those of other workers with the same name: random numbers and texts.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::holder::LastClaim;
use crate::record::CommitId;

/// Makes random numbers and texts.
pub(super) struct Nonces {
    random: RandomState,
    count: u64,
}

impl Nonces {
    /// Those of this process.
    pub(super) fn new() -> Self {
        Self { random: RandomState::new(), count: 0 }
    }

    /// A random number.
    pub(super) fn number(&mut self) -> u64 {
        self.count += 1;
        self.random.hash_one(self.count)
    }

    /// A random text for a claim.
    pub(super) fn text(&mut self) -> String {
        format!("{:016x}{:016x}", self.number(), self.number())
    }

    /// A text that no other process of this machine has now.
    pub(super) fn of_process(&mut self) -> String {
        format!("{:016x}{:08x}", self.number(), std::process::id())
    }
}

/// The claims of a worker.
pub(super) struct OwnClaims {
    pub(super) nonces: Nonces,
    /// Those that it has made. One that it does not hold was left behind by a call that was not answered.
    pub(super) made: HashSet<CommitId>,
}

impl OwnClaims {
    /// Whether the worker has made a claim on which it does not work: the answer to the claim was lost, or somebody has
    /// moved the branch back since.
    pub(super) fn has_left_behind(&self, last: &LastClaim) -> bool {
        last.commit.is_some_and(|commit| self.made.contains(&commit))
    }
}
