//! What a person can do about a runner that could not work.

use super::program::Program;
use super::runner::Runner;
use super::unavailable::Cause;
use crate::record::Role;
use crate::text::advice;

/// What to do about an agent that refuses to run as root.
pub const AS_ROOT: &str = "In a container or on a disposable machine, set IS_SANDBOX=1 in the environment; anywhere else, run as \
                           another user.";

impl Runner {
    /// What a person can do so that this runner can work again, as a sentence; `None` if only time helps.
    #[must_use]
    pub fn remedy(&self, cause: Cause) -> Option<String> {
        Some(match cause {
            Cause::NotLoggedIn => {
                let login = match &self.program {
                    Program::Agent(agent, _) => agent.login.advice,
                    Program::Command { .. } => "log in to the agent that its command starts",
                };
                format!("To log in, {login}.")
            }
            Cause::NotAsRoot => AS_ROOT.to_owned(),
            Cause::NoCredit => {
                "Add credit to its account, or choose another runner with --runner.".to_owned()
            }
            Cause::ShortMachine => {
                "End other programs, raise the limit (`ulimit -u`), or work on fewer tasks at the same time (--jobs).".to_owned()
            }
            Cause::DiskFull => "Free some space on the disk that it writes to.".to_owned(),
            Cause::Refused => {
                "Choose a model that its service offers with --model, or correct its settings.".to_owned()
            }
            Cause::Silent => format!(
                "Try it by hand (`{}`), or give it more time (--runner-timeout, arborist.silence).",
                self.command_line(Role::Implementer)
            ),
            Cause::NoTurn => {
                format!("{} checks whether this version of it takes our options.", advice::doctor_agents())
            }
            Cause::ContextTooLong => "Divide the task, or choose another model with --model.".to_owned(),
            Cause::Killed => "If memory was short, free some, or let fewer agents work (--jobs).".to_owned(),
            Cause::Crashed | Cause::Unreadable | Cause::NoAnswer => {
                format!("{} shows what it did until then.", advice::raw("TASK"))
            }
            Cause::NoReview => "Ask it again, or choose another with --review-runner.".to_owned(),
            Cause::NotStarted => format!(
                "Correct {}.",
                if self.is_command() { "its command in git config" } else { "its installation" }
            ),
            Cause::UsageLimit { .. } | Cause::Unreachable | Cause::Hangs => {
                return None;
            }
        })
    }
}
