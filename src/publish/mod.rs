//! Brings the work of a run to others: lands it on a new branch, and removes what only the run needed.

mod land;
mod prune;

pub use land::{
    BuiltBranch, CONVENTIONAL, CopiedOthers, FinishMessage, LandBase, LandInputs, LandPlan, LandRequest,
    LandStyle, LandTarget, LandedBranchChange, LandedCommit, LeftOut, MessageRules, OthersCommits,
    run_origin,
};
pub use prune::{KeepReason, PruneInputs, PrunePlan, PruneScope};
