//! What an agent has answered at the end of its work.

use crate::engine::tree::handover::Handover;
use crate::record::Finding;
use crate::workflow::Asked;
use crate::worktree::branch_watch::BranchChange;

/// What an agent asks, and whether a reviewer answers.
pub(super) struct AgentsQuestion {
    pub(super) asked: Asked,
    /// Whether it is about the tests, which a reviewer judges.
    pub(super) is_claim: bool,
}

/// What follows from the answer of an agent.
pub(super) enum Answered {
    /// It has worked; with what a person should know of its answer.
    Worked(Option<Finding>),
    /// It has failed for this reason, a clause.
    Failed(String),
    /// It asks.
    Asks(AgentsQuestion),
}

/// What an agent has done that asks.
pub(super) struct Interrupted<'a> {
    pub(super) handover: &'a Handover,
    pub(super) watched: &'a BranchChange,
    pub(super) question: &'a AgentsQuestion,
}
