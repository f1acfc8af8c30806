//! What a run works with: decided before it begins, and unchanged until it ends.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::backoff::Patience;
use super::plan::Plan;
use super::secret_files::SecretFiles;
use crate::agents::Runner;
use crate::git::{Git, WorkTree};
use crate::history::Repository;
use crate::process::{Secrets, Stop, Tag};
use crate::workflow::Policy;

/// How long things may take, and where artifacts go.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the user has decided about the pipeline.
    pub policy: Policy,
    /// How long a runner may take.
    pub runner_timeout: Duration,
    /// How long a test command may take that has no timeout of its own.
    pub test_timeout: Duration,
    /// How long a call of git may take, with the hooks, filters and signing programs that it runs.
    pub hook_timeout: Duration,
    /// How long a program may take to end when it is asked to.
    pub grace: Duration,
    /// How many bytes must be free before a runner is started.
    pub min_free: u64,
    /// The folder of reports, from the top of the work tree.
    pub report_dir: String,
    /// The folder of logs, from the top of the work tree.
    pub log_dir: String,
    /// What a hook that refuses a commit for the first time leads to.
    pub first_refusal: FirstRefusal,
    /// The folder in which Neovim keeps its swap files, if that is known.
    pub swap_folder: Option<PathBuf>,
    /// What becomes of new files that look as if they held a secret.
    pub secret_files: SecretFiles,
    /// How long to wait for a runner that cannot work.
    pub patience: Patience,
}

/// What a hook that refuses the commit of an implement step for the first time leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstRefusal {
    /// The run stops, so that the user can look at it.
    Stop,
    /// The attempt has failed, as it has after the second refusal.
    FailAttempt,
}

/// Who does the work.
#[derive(Clone, Debug)]
pub struct Runners {
    /// Who implements.
    pub implement: Runner,
    /// Who reviews; `None` if reviews are off.
    pub review: Option<Runner>,
}

/// The repository, the plan, and all that was decided before the run.
pub struct RunContext<'a> {
    /// git, called at the top of the work tree, with the time limit of the run.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// What the user has decided.
    pub settings: Settings,
    /// Who does the work.
    pub runners: Runners,
    /// The shell that runs test commands.
    pub shell: PathBuf,
    /// The request to stop.
    pub stop: Stop,
    /// What output must not show.
    pub secrets: Secrets,
    /// By what our processes of this work tree are found again.
    pub tag: Tag,
    /// The locked file, which all that is started here holds open.
    pub lock: Option<Arc<File>>,
    /// Variables that children must not inherit.
    pub local_env: Vec<String>,
}
