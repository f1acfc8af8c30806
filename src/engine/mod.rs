//! Takes tasks through their steps: the workflow decides, the engine acts.

mod assignment;
mod branches;
mod budget;
mod called;
mod changed_packages;
mod checks;
mod clock;
mod commit;
mod context;
mod event;
mod gardener;
mod hand_in;
mod integrate;
mod integration_failure;
mod jobs;
mod journal;
mod land;
mod lifecycle;
mod limits;
mod merge_facts;
mod parallel;
mod phases;
mod plan_on_disk;
mod preflight;
mod prune;
mod run;
mod scope;
mod settings;
mod steps;
#[cfg(test)]
mod tests;
mod trace_context;
mod unit;
mod workspace;

pub use budget::{Budget, Reached};
pub use clock::clock;
pub use commit::decision::{Decided, Decisions, Statement};
pub use commit::pending::Pending;
pub use commit::plan_file::PlanFileCommit;
pub use context::{RunContext, RunPart, Runners, TaskPart};
pub use event::{
    AgentProgress, BaselineRan, BranchBegun, BranchMerged, BranchOf, Event, NotMerged, Observer, SlotPurpose,
    SlotUse, Stalled, StepBegins, StepEnded, StepResult, Wait,
};
pub use gardener::RunEnd;
pub use hand_in::{DoneWork, commit_of_unit};
pub use integrate::{
    BuildInputs, Candidate, FailedIntegration, Integration, IntegrationNeed, Merged, NewTip, Trial,
};
pub use integration_failure::IntegrationFailure;
pub use jobs::{Setup, TaskWork, TestJob, WorkerEnd, WorkerReport, Workers, first_to_begin};
pub use journal::Journal;
pub use land::{
    BranchChange, BuiltBranch, LandInputs, LandPlan, LandRequest, LandStyle, LandTarget, LandTrailers,
    LandedCommit, LeftOut, MessageRules, OriginInputs, run_origin,
};
pub use limits::{Pause, RunGate, TimeLimits, TimeSpan};
pub use preflight::{DirtyTree, check_clean};
pub use prune::{KeepReason, PruneInputs, PrunePlan, PruneScope};
pub use run::{Engine, TaskEnd};
pub use scope::{OnFailure, RunProgress, RunScope};
pub use settings::{
    Backoff, CoverageSettings, FirstRefusal, OnBlocked, ReviewSettings, SecretFiles, Settings, TaskSettings,
    TrustSettings,
};
pub use steps::artifact::{Artifact, ArtifactKind, LOG_LIMIT};
pub use trace_context::TraceContext;
pub use unit::{Handover, StoredUnit, WorkUnit};
