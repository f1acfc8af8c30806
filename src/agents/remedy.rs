//! What a person can do about a runner that could not work.

use super::cause::{Cause, Trouble};
use super::runner::Runner;
use crate::text::advice;

/// What to do about an agent that refuses to run as root.
pub const AS_ROOT: &str = "In a container or on a disposable machine, set IS_SANDBOX=1 in the environment; anywhere else, run as \
                           another user.";

impl Runner {
    /// What a person can do so that this runner can work again, as a sentence; `None` if only time helps.
    #[must_use]
    pub fn remedy(&self, cause: Cause) -> Option<String> {
        Some(match cause {
            Cause::Limit { .. } | Cause::Service => return None,
            Cause::NotLoggedIn => {
                let login = match self.agent() {
                    Some(agent) => agent.login.advice,
                    None => "log in to the agent that its command starts",
                };
                format!("To log in, {login}.")
            }
            Cause::NoCredit => {
                "Add credit to its account, or choose another runner with --runner.".to_owned()
            }
            Cause::Refused => "Choose a model that its service offers and that can take the task with --model, or correct its \
                               settings."
                .to_owned(),
            Cause::Environment(Trouble::Machine(shortage)) => shortage.remedy().to_owned(),
            Cause::Environment(Trouble::Denied) => {
                let settings = "Its own settings, or the options of its command, may allow that.";
                match self.agent().is_some_and(|agent| !agent.implement_asked.is_empty()) {
                    true => format!("{settings} `git config arborist.permissions bypass` allows everything."),
                    false => settings.to_owned(),
                }
            }
            Cause::Environment(Trouble::BrokeOff) => {
                format!("{} shows what it did until then.", advice::raw("TASK"))
            }
            Cause::Environment(Trouble::NotStarted) if self.is_command() => {
                "Correct its command in git config.".to_owned()
            }
            Cause::Environment(Trouble::NotStarted) => {
                format!(
                    "Correct its installation; {} checks it, whether it takes our options, and whether it works as this user.",
                    advice::doctor_agents()
                )
            }
        })
    }
}
