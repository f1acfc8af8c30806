//! The repository, plan, settings and services of a run. They are chosen before it begins and do not change until it
//! ends.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::plan::Plan;
use super::settings::Settings;
use crate::agents::{EnvChange, Job, Runner};
use crate::git::{Git, WorkTree};
use crate::history::Repository;
use crate::process::{Cancel, Secrets, Tag};

/// The runners that do the work.
#[derive(Clone, Debug)]
pub struct Runners {
    /// The runner that implements.
    pub implement: Runner,
    /// The runner that reviews; `None` if reviews are off.
    pub review: Option<Runner>,
}

/// The repository, the plan, and everything that was decided before the run.
pub struct RunContext<'a> {
    /// git, called at the top of the work tree, with the time limit of the run.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// The user's settings.
    pub settings: Settings,
    /// The runners that do the work.
    pub runners: Runners,
    /// The shell that runs test commands.
    pub shell: PathBuf,
    /// The request to stop.
    pub cancel: Cancel,
    /// The secrets that output must not show.
    pub secrets: Secrets,
    /// The mark by which our processes in this work tree are recognised later.
    pub tag: Tag,
    /// The locked file. All programs that are started here hold it open.
    pub lock: Option<Arc<File>>,
    /// Variables that children must not inherit.
    pub local_env: Vec<String>,
}

impl RunContext<'_> {
    /// A job in the work tree, with the settings that agents and tests share.
    pub(super) fn job(&self, program: impl Into<PathBuf>, timeout: Duration) -> Job {
        Job::new(program, &self.work_tree.top, self.tag, timeout)
            .env(self.local_env.iter().map(|name| EnvChange::Remove(name.into())))
            .grace(self.settings.grace)
            .cancel_with(&self.cancel)
            .secrets(&self.secrets)
            .holding(self.lock.clone())
    }
}
