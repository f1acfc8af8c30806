//! What is not certain about a run, while its commits are read.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::graph::Node;
use crate::record::{CommitId, Doubt};

/// What is not certain about a run.
pub(super) struct Doubts {
    pub(super) found: BTreeSet<Doubt>,
    /// The tasks and reverts for which a doubt was recorded.
    pub(super) of_reverts: HashSet<(usize, Node)>,
    /// For each task, the newest landed commit after its last step that is not believed.
    pub(super) of_landings: Vec<Option<Doubt>>,
    /// For each task, the steps that were reverted although a later one counts.
    pub(super) of_earlier_steps: HashMap<usize, Vec<EarlierStep>>,
}

/// A step that was reverted after a later step of its task, which still counts.
#[derive(Clone, Copy)]
pub(super) struct EarlierStep {
    pub(super) step: CommitId,
    pub(super) revert: CommitId,
}
