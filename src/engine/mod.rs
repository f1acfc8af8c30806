//! Takes tasks through their steps: the workflow decides, the engine acts.

pub(crate) mod branches;
pub(crate) mod checks;
pub(crate) mod commit;
pub(crate) mod event;
pub(crate) mod record;
pub(crate) mod run_context;
pub(crate) mod run_loop;
pub(crate) mod steps;
#[cfg(test)]
mod tests;
pub(crate) mod tree;

pub use crate::run::{FailedIntegration, IntegrationFailure};
pub(crate) use checks::conflicts::has_markers;
pub use commit::trial::{refusal_of_steps, try_messages};
pub use event::{
    AgentProgress, BranchMerged, BranchOf, Event, EventLine, Fallback, NoTests, Observer, SlotPurpose,
    SlotUse, StepBegins, StepEnded, StepResult, StreamEnd, Wait,
};
pub use record::decision::{Decided, Decisions, FromRequest, StatedDecision};
pub use record::plan_file::PlanFileCommit;
pub use run_context::budget::{Budget, Reached};
pub use run_context::context::{RunContext, RunPart, RunPrograms, Runners, TaskPart};
pub use run_context::limits::{Pause, RunGate, RunLimits, TimeLimits, TimeSpan, clock};
pub use run_context::settings::{
    CommitSettings, CoverageSettings, RunnerSettings, Settings, TaskSettings, TestSettings, TrustSettings,
};
pub use run_loop::all_tasks::RunEnd;
pub use run_loop::one_task::{Engine, TaskEnd};
pub use run_loop::{OnFailure, RunProgress, RunScope};
pub use tree::artifact::{Artifact, ArtifactKind, LOG_LIMIT};
pub use tree::journal::{Journal, put_back_owed_by_runs};
pub use tree::pending::Pending;
pub use tree::preflight::{DirtyTree, check_clean, uncommitted};
pub use tree::unit::{StoredUnit, WorkUnit};
