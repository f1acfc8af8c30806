//! What a job file is made from.

use super::tasks::OpenTasks;

/// What a job file is made from.
#[derive(Clone, Debug)]
pub(crate) struct JobFile<'a> {
    /// The name of the plan.
    pub(crate) plan: &'a str,
    /// The name of the plan as a part of other names: ASCII letters, digits, `.`, `_` and `-`.
    pub(crate) slug: &'a str,
    /// The remote repository: its address, or its name in the work tree in which the job begins.
    pub(crate) remote: &'a str,
    /// The branch of the run.
    pub(crate) branch: &'a str,
    /// The newest commit of the branch.
    pub(crate) commit: &'a str,
    /// The variables with which each worker begins: the settings that a clone does not have.
    pub(crate) variables: &'a [JobVariable],
    /// The runners that a worker needs.
    pub(crate) runners: &'a [JobRunner],
    /// Who commits: the name and the address of the person who exports the file.
    pub(crate) author: Option<&'a JobAuthor>,
    /// The command that prepares a work tree.
    pub(crate) setup: Option<&'a str>,
    /// The version of this program.
    pub(crate) version: &'a str,
}

impl JobFile<'_> {
    /// The variables that log the runners in, each once.
    pub(super) fn secrets(&self) -> Vec<&'static str> {
        let mut secrets = Vec::new();
        for secret in self.runners.iter().filter_map(|runner| runner.secret) {
            if !secrets.contains(&secret) {
                secrets.push(secret);
            }
        }
        secrets
    }

    /// The commands that install the runners.
    pub(super) fn installs(&self) -> impl Iterator<Item = &'static str> {
        self.runners.iter().filter_map(|runner| runner.install)
    }
}

/// The author of commits in jobs in which git knows no other identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobAuthor {
    pub(crate) name: String,
    /// The address.
    pub(crate) email: String,
}

/// A runner of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobRunner {
    pub(crate) name: String,
    /// The command that installs it, if it is a known agent.
    pub(crate) install: Option<&'static str>,
    /// The variable that logs it in, if it is a known agent.
    pub(crate) secret: Option<&'static str>,
}

/// A variable of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobVariable {
    pub(crate) name: String,
    /// Its value, without control characters.
    pub(crate) value: String,
}

/// What the jobs are.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// So many equal workers, which take whatever task is ready.
    Equal(u32),
    /// A job for each open task.
    PerTask(OpenTasks),
}

impl Form {
    /// Whether each task has a job of its own.
    pub(crate) fn is_per_task(&self) -> bool {
        matches!(self, Self::PerTask(_))
    }
}
