//! What a row of the table of engines says.

use super::job::JobFile;
use super::tasks::OpenTasks;

/// An engine that can run workers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobEngine {
    /// The word for it on the command line.
    pub(crate) word: &'static str,
    /// Its name for people.
    pub(crate) name: &'static str,
    /// How many equal workers a file can start, and why not more.
    pub(crate) most_jobs: MostJobs,
    /// Where its jobs find the repository.
    pub(crate) place: Place,
    /// Whether it limits how often is pushed, so that workers push only when the work on a task ends.
    pub(crate) limits_pushes: bool,
    /// Whether its jobs run on other machines.
    pub(crate) is_elsewhere: bool,
    /// What its users have to provide, as whole sentences; LOGIN stands for the login of the agent.
    pub(super) logins: &'static [&'static str],
    /// How many bytes a file may have, if that is limited.
    pub(crate) most_bytes: Option<usize>,
    /// How a file with equal workers is handed to it, with `FILE` for the file.
    pub(super) start: &'static str,
    /// Writes a file with so many equal workers, below a head.
    pub(super) equal: fn(&JobFile<'_>, &str, u32) -> String,
    /// Files with a job for each task; `None` if the engine knows no dependencies between jobs.
    pub(crate) per_task: Option<TaskJobs>,
}

/// What an engine does with a job for each task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskJobs {
    /// How many jobs a job may depend on, if that is limited by default.
    pub(crate) most_needs: Option<usize>,
    /// Its limits, as whole sentences.
    pub(super) limits: &'static [&'static str],
    /// How a file is handed to it, with `FILE` for the file.
    pub(super) start: &'static str,
    /// Writes a file for these tasks, below a head.
    pub(super) write: fn(&JobFile<'_>, &str, &OpenTasks) -> String,
}

/// How many equal workers a file can start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MostJobs {
    /// The number.
    pub(crate) count: u32,
    /// Why not more, as a clause.
    pub(crate) why: &'static str,
}

/// Where the jobs of an engine find the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The engine checks it out before the job begins, with a login that can push to `origin`.
    Checkout,
    /// Every worker fetches it from an address.
    Address,
}

/// What tells a job from all others, in words of the shell in which it runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobIdentity {
    /// The job; it stays the same if the engine starts the job again.
    pub(crate) claimant: &'static str,
    /// A number that grows each time the engine starts the job again.
    pub(crate) attempt: &'static str,
}
