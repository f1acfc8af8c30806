//! The shell script of a worker, which is the same for all engines but for the words that tell its jobs apart.

use super::engine::Identity;
use super::job::JobFile;
use crate::text::shell_word;

/// How long an equal worker waits for a task that it could take.
const IDLE: &str = "10m";

/// A worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worker<'a> {
    pub(super) job: &'a JobFile<'a>,
    pub(super) identity: Identity,
    /// The word of the shell that is its task; `None` if it takes whatever is ready.
    pub(super) task: Option<&'a str>,
}

impl Worker<'_> {
    /// The script. It ends by becoming the worker.
    pub(super) fn script(&self) -> String {
        format!("{}exec {}\n", self.exports(), self.command())
    }

    /// The lines that set variables.
    pub(super) fn exports(&self) -> String {
        let line = |variable: &super::job::Variable| {
            format!("export {}={}\n", variable.name, shell_word(&variable.value))
        };
        self.job.variables.iter().map(line).collect()
    }

    /// The command.
    pub(super) fn command(&self) -> String {
        let Self { job, identity, task } = self;
        let task = task.map(|task| format!(" {task}")).unwrap_or_default();
        format!(
            "git arborist work{task} --remote {} \\\n  --branch {} --claimant \"{}\" \\\n  --attempt \"{}\" --until-idle {IDLE}",
            shell_word(job.remote),
            shell_word(job.branch),
            identity.claimant,
            identity.attempt,
        )
    }
}
