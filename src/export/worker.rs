//! The shell script of a worker, which is the same for all engines but for the words that tell its jobs apart.

use super::engine::JobIdentity;
use super::job::JobFile;
use crate::text::shell_word;

/// For how long the workers of a file begin one after the other, so that they do not all clone at once.
const SPREAD: &str = "10s";

/// The lines of a shell that read the agent's login on a node.
pub(super) const LOGIN_FILE: &str = r#"# The login of the agent: lines such as ANTHROPIC_API_KEY=..., in a file that only you can read.
login=${ARBORIST_LOGIN:-$HOME/.config/git-arborist/login}
# shellcheck source=/dev/null
if test -r "$login"; then set -a; . "$login"; set +a; fi
"#;

/// A worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worker<'a> {
    pub(super) job: &'a JobFile<'a>,
    pub(super) identity: JobIdentity,
    /// What comes before the worker: lines of the shell.
    pub(super) before: &'a str,
    /// The options of git that tell the worker alone how it logs in.
    pub(super) login: &'a str,
    /// The word of the shell that is its task; `None` if it takes whatever is ready.
    pub(super) task: Option<&'a str>,
}

impl Worker<'_> {
    /// The script. It ends by becoming the worker.
    pub(super) fn script(&self) -> String {
        format!("{}{}exec {}\n", self.exports(), self.before, self.command())
    }

    /// The lines that set variables.
    fn exports(&self) -> String {
        let line = |variable: &super::job::JobVariable| {
            format!("export {}={}\n", variable.name, shell_word(&variable.value))
        };
        self.job.variables.iter().map(line).collect()
    }

    fn command(&self) -> String {
        let Self { job, identity, task, login, .. } = self;
        let login = if login.is_empty() { " ".to_owned() } else { format!("{login} \\\n  ") };
        let task = task.map(|task| format!(" {task}")).unwrap_or_default();
        format!(
            "git{login}arborist work{task} --remote {} \\\n  --branch {} --claimant \"{}\" \\\n  --attempt \"{}\" --until-done --spread {SPREAD}",
            shell_word(job.remote),
            shell_word(job.branch),
            identity.claimant,
            identity.attempt,
        )
    }
}
