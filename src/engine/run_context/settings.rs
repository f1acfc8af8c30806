//! The settings of a run: what the user has decided before it begins.

use std::path::PathBuf;
use std::time::Duration;

use super::budget::Budget;
use crate::agents::Patience;
use crate::config::{CheckLevel, OnBlocked, SecretFiles};
use crate::plan::{PathPattern, PerTask};
use crate::record::SubjectForm;
use crate::run::BriefSettings;
use crate::workflow::Policy;

/// The settings of one task, which the plan may choose.
#[derive(Clone, Copy, Debug)]
pub struct TaskSettings {
    /// The settings of the pipeline.
    pub policy: Policy,
    /// How long a runner may take.
    pub runner_timeout: Duration,
    /// What its steps may use.
    pub budget: Budget,
}

/// How long things may take, and where artifacts go.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The settings of each task.
    pub tasks: PerTask<TaskSettings>,
    /// How runners are called.
    pub runner: RunnerSettings,
    /// How tests run.
    pub tests: TestSettings,
    /// What the checks of the work do.
    pub trust: TrustSettings,
    /// What commits say, and what happens to those that git refuses.
    pub commit: CommitSettings,
    /// What happens to new files that look like a secret.
    pub secret_files: SecretFiles,
    /// What agents are told.
    pub brief: BriefSettings,
    /// The folder of reports, from the top of the work tree.
    pub report_dir: String,
    /// The folder of logs, from the top of the work tree.
    pub log_dir: String,
    /// The folder of slots; `None` for the usual one.
    pub slot_folder: Option<PathBuf>,
    /// The file of attributes that git reads for this user unless a setting names another, if it is known.
    pub user_attributes: Option<PathBuf>,
}

/// How runners are called, and what happens if they cannot work.
#[derive(Clone, Debug)]
pub struct RunnerSettings {
    /// How long to wait in a row for one that cannot work now; zero for not at all.
    pub max_wait: Duration,
    /// For how long an agent may make no progress: until it is ended, or the user is told.
    pub patience: Patience,
    /// What happens when an agent says that it is blocked.
    pub on_blocked: OnBlocked,
}

/// How tests run, and what they must reach.
#[derive(Clone, Debug)]
pub struct TestSettings {
    /// How long a test command may take that has no timeout of its own.
    pub timeout: Duration,
    /// How often a failed test command is run again before it counts as failed.
    pub confirm: u32,
    /// The command that runs the whole suite.
    pub suite: Option<String>,
    /// How much the tests must cover.
    pub coverage: CoverageSettings,
}

/// What commits say, and what happens to those that git refuses.
#[derive(Clone, Debug)]
pub struct CommitSettings {
    /// How long a git command may take, including the hooks, filters and signing programs that it runs.
    pub hook_timeout: Duration,
    /// The form of the subjects of commits.
    pub subject: SubjectForm,
}

/// What the checks of the work do.
#[derive(Clone, Debug)]
pub struct TrustSettings {
    /// For the number of tests.
    pub counts: CheckLevel,
    /// For tests from before a task that fail with its change, and for instructions for agents.
    pub protect: CheckLevel,
    /// Further files that judge the work.
    pub protected: Vec<PathPattern>,
    /// For tasks that cannot be proven.
    pub prove: CheckLevel,
    /// How long the proof of a task may take.
    pub prove_time: Duration,
    /// For the whole suite.
    pub suite: CheckLevel,
}

/// How much the tests must cover, in per cent; `None` where nothing is demanded.
#[derive(Clone, Copy, Debug)]
pub struct CoverageSettings {
    /// What happens if they cover less.
    pub level: CheckLevel,
    /// Of all lines.
    pub lines: Option<f64>,
    /// Of all branches.
    pub branches: Option<f64>,
    /// Of all functions.
    pub functions: Option<f64>,
    /// Of all statements.
    pub statements: Option<f64>,
    /// Of the lines that the task has changed.
    pub diff: Option<f64>,
}
