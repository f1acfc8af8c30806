//! Takes tasks through their steps: the workflow decides, the engine acts.

pub(crate) mod branches;
pub(crate) mod checks;
pub(crate) mod commit;
mod event;
mod integrate;
mod integration_failure;
mod jobs;
mod land;
mod parallel;
mod prune;
pub(crate) mod record;
pub(crate) mod run_loop;
pub(crate) mod step;
pub(crate) mod steps;
#[cfg(test)]
mod tests;
pub(crate) mod tree;

pub use event::{
    AgentProgress, BaselineRan, BranchBegun, BranchMerged, BranchOf, Event, NotMerged, Observer, SlotPurpose,
    SlotUse, Stalled, StepBegins, StepEnded, StepResult, Wait,
};
pub use integrate::{
    BuildInputs, Candidate, FailedIntegration, Integration, IntegrationNeed, Merged, NewTip, Trial,
};
pub use integration_failure::IntegrationFailure;
pub use jobs::{Setup, TaskWork, TestJob, WorkerEnd, WorkerReport, Workers, first_to_begin};
pub use land::{
    BranchChange, BuiltBranch, LandInputs, LandPlan, LandRequest, LandStyle, LandTarget, LandTrailers,
    LandedCommit, LeftOut, MessageRules, OriginInputs, run_origin,
};
pub use parallel::ParallelRun;
pub use prune::{KeepReason, PruneInputs, PrunePlan, PruneScope};
pub use record::decision::{Decided, Decisions, Statement};
pub use record::plan_file::PlanFileCommit;
pub use run_loop::gardener::RunEnd;
pub use run_loop::hand_in::{DoneWork, commit_of_unit};
pub use run_loop::run::{Engine, TaskEnd};
pub use run_loop::scope::{OnFailure, RunProgress, RunScope};
pub use step::budget::{Budget, Reached};
pub use step::clock::clock;
pub use step::context::{RunContext, RunPart, Runners, TaskPart};
pub use step::limits::{Pause, RunGate, TimeLimits, TimeSpan};
pub use step::settings::{
    Backoff, CoverageSettings, FirstRefusal, OnBlocked, ReviewSettings, SecretFiles, Settings, TaskSettings,
    TrustSettings,
};
pub use step::trace_context::TraceContext;
pub use tree::artifact::{Artifact, ArtifactKind, LOG_LIMIT};
pub use tree::handover::Handover;
pub use tree::journal::Journal;
pub use tree::pending::Pending;
pub use tree::preflight::{DirtyTree, check_clean};
pub use tree::unit::{StoredUnit, WorkUnit};
