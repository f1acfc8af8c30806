//! Brings the work of a run to others: lands it on a branch of its own, and takes what only the run needed out of it.

mod land;
mod prune;

pub use land::{
    BuiltBranch, LandInputs, LandPlan, LandRequest, LandStyle, LandTarget, LandTrailers, LandedBranchChange,
    LandedCommit, LeftOut, MessageRules, OriginInputs, run_origin,
};
pub use prune::{KeepReason, PruneInputs, PrunePlan, PruneScope};
