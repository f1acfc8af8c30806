//! What is believed of landed commits.

use std::collections::HashMap;

use super::graph::Node;
use crate::record::{CommitId, Disbelief};

/// The verdict on each claim of a landed commit.
pub(super) type Verdicts = HashMap<Node, Vec<LandingVerdict>>;

/// The verdict on a claim of a landed commit.
#[derive(Clone, Debug)]
pub(super) enum LandingVerdict {
    /// It is believed.
    Believed,
    /// It is believed of these tasks, which the run that it names has completed or, if it says so, skipped. These are their steps there.
    Shown(HashMap<String, Vec<CommitId>>),
    /// It is not believed.
    Disbelieved,
}

impl LandingVerdict {
    /// Whether the claim counts for a task.
    pub(super) fn on(&self, task: &str) -> std::result::Result<(), Disbelief> {
        match self {
            Self::Believed => Ok(()),
            Self::Shown(steps) if steps.contains_key(task) => Ok(()),
            Self::Shown(_) => Err(Disbelief::NotComplete),
            Self::Disbelieved => Err(Disbelief::OtherHistory),
        }
    }
}
