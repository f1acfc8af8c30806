//! Reads the state of a run: the plan, the steps in the history, the branches, and what follows from them. Nothing here
//! commits, changes the work tree or starts an agent.

mod answerable;
pub(crate) mod awaited;
pub(crate) mod branches;
pub(crate) mod briefs;
pub(crate) mod change;
mod cost;
mod handed_out;
pub(crate) mod journal;
mod landed;
mod phase_ends;
pub(crate) mod plan;
mod proof;
pub(crate) mod read_run;
mod refused;
mod scope;
pub(crate) mod steps;
mod task_configs;
pub(crate) mod undecided;

pub use answerable::{Answerable, tasks_of};
pub use branches::base::DefaultBranch;
pub use branches::names::{alike_branches, as_part, branch_of, folder as branch_folder};
pub use branches::phase_run::PhaseRun;
pub use branches::tasks::{claimants, has_task_branches};
pub use briefs::{BriefSettings, Prompt, PromptOf, Prompts, ReviewPlace};
pub use cost::cost_of_a_task;
pub use handed_out::unit_digest;
pub use journal::{JournalView, LeftAlone, StepInProgress, WaitingRun};
pub use landed::{
    LandedTask, LandedTasks, StepsOfTasks, landed_branch, landed_name, run_of_landed, tips_landed_at,
};
pub use phase_ends::phase_ends;
pub use plan::Plan;
pub use plan::file::{BRANCH_FOLDER, BranchMode, BranchRule, INTEGRATION_BRANCH, MERGED_BRANCH, PlanFile};
pub(crate) use plan::found::{FoundPlan, PlanSearch, entries_of, plans_in, trees_in};
pub use proof::{LandedProof, LandedToProve, Provable, TaskToProve};
pub use read_run::{open_questions, read_run, read_run_to_check};
pub use refused::{check_plan_is_decided, refused_commits};
pub use scope::TaskScope;
pub use steps::earlier_tests::KnownBefore;
pub use steps::feedback::{body_of, feedback_of};
pub use steps::merge_facts::{
    FailedIntegration, IntegrationFailure, MergePlace, MergingBranch, StepMerge, step_merge,
};
pub use task_configs::{policy, task_configs};
