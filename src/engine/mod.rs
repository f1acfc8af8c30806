//! Takes tasks through their steps: the workflow decides, the engine acts.

mod assignment;
mod awaited;
mod baseline;
mod branch_line;
mod branches;
mod budget;
mod called;
mod changed_packages;
mod checks;
mod clock;
mod commit;
mod context;
mod event;
mod evidence;
mod failing_tests;
mod feedback;
mod findings;
mod foreign_commits;
mod gardener;
mod hand_in;
mod handed_out;
mod implement_commits;
mod integrate;
mod integration_failure;
mod jobs;
mod journal;
mod land;
mod landed;
mod lifecycle;
mod limits;
mod merge_facts;
mod objections;
mod parallel;
mod phase_failure;
mod phase_tests;
mod phases;
mod plan;
mod preflight;
mod prompts;
mod proof;
mod prune;
mod read_run;
mod run;
mod scope;
mod settings;
mod steps;
mod task_change;
mod task_diff;
mod test_code;
#[cfg(test)]
mod tests;
mod trace_context;
mod unit;
mod unmarked_landings;
mod workspace;

pub use branches::{
    BRANCH_FOLDER, BranchMode, BranchRule, DefaultBranch, PhaseRun, alike_branches, as_part, branch_of,
    claimants, has_task_branches,
};
pub use budget::{Budget, Reached};
pub use clock::clock;
pub use commit::WrongCommit;
pub use commit::decision::{Decided, Decisions, Statement};
pub use commit::pending::Pending;
pub use commit::plan_file::PlanFileCommit;
pub use commit::refused::{RefusedCommit, check_plan_is_decided, refused_commits};
pub use context::{RunContext, RunPart, Runners, TaskPart};
pub use event::{
    AgentProgress, BaselineRan, BranchBegun, BranchMerged, BranchOf, Event, NotMerged, Observer, SlotPurpose,
    SlotUse, Stalled, StepBegins, StepEnded, StepResult, Wait,
};
pub use feedback::{body_of, feedback_of};
pub use gardener::RunEnd;
pub use hand_in::{DoneWork, commit_of_unit};
pub use handed_out::UnitPlace;
pub use integrate::{
    BuildInputs, Candidate, FailedIntegration, Integration, IntegrationNeed, Merged, NewTip, Trial,
};
pub use integration_failure::IntegrationFailure;
pub use jobs::{Setup, TaskWork, TestJob, WorkerEnd, WorkerReport, Workers, first_to_begin};
pub use journal::{Journal, RunEntry};
pub use land::{
    BranchChange, BuiltBranch, LandInputs, LandPlan, LandRequest, LandStyle, LandTarget, LandTrailers,
    LandedCommit, LeftOut, MessageRules, OriginInputs, run_origin,
};
pub use landed::{LandedTask, LandedTasks, StepsOfTasks};
pub use limits::{Pause, RunGate, TimeLimits, TimeSpan};
pub use plan::{Plan, PlanFile};
pub use preflight::{DirtyTree, check_clean};
pub use prompts::{Prompt, PromptOf, Prompts, ReviewPlace};
pub use proof::{LandedProof, LandedToProve, Provable, TaskToProve};
pub use prune::{KeepReason, PruneInputs, PrunePlan, PruneScope};
pub use read_run::{open_questions, read_run, read_run_to_check};
pub use run::{Engine, TaskEnd};
pub use scope::{OnFailure, RunProgress, RunScope, TaskScope};
pub use settings::{
    Backoff, BriefSettings, CoverageSettings, FirstRefusal, OnBlocked, ReviewSettings, SecretFiles, Settings,
    TaskSettings, TrustSettings,
};
pub use steps::artifact::{Artifact, ArtifactKind, LOG_LIMIT};
pub use trace_context::TraceContext;
pub use unit::{Handover, StoredUnit, WorkUnit};
pub use unmarked_landings::{LandingSearch, UnmarkedLanding};
