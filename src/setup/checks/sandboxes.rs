//! Checks the sandboxes of agents and test commands.

use crate::agents::{Cancel, StopSignals};
use crate::config::{Environment, Origin, Setting};
use crate::error::{Kind, Result};
use crate::launch::programs::{Programs, USUAL_SANDBOX};
use crate::report::Diagnosis;
use crate::session::Session;
use crate::session::take_lock::lock;

const WHAT: &str = "sandbox";

/// All diagnoses about sandboxes.
pub(crate) fn diagnose(session: &Session, environment: &Environment) -> Result<Vec<Diagnosis>> {
    let [agents, tests] =
        [Setting::Sandbox, Setting::TestSandbox].map(|setting| session.config.sandbox(setting).is_some());
    let cancel = &Cancel::new();
    let _signals = StopSignals::watch(cancel)?;
    if !agents && !tests {
        let none = "none: agents and tests run with all your rights";
        let could = Programs::new(session, environment, cancel).could_have_sandbox();
        let how = format!(
            "{none}; `{USUAL_SANDBOX}` would work here: `git config arborist.sandbox {USUAL_SANDBOX}` and the same for \
             arborist.test.sandbox"
        );
        return Ok(vec![Diagnosis::good(WHAT, if could { &how } else { none })]);
    }
    // The files that are written to try a sandbox would look like the work of an agent.
    let lock = match lock(session, "doctor") {
        Ok(lock) => lock,
        Err(error) if error.kind() == Kind::Busy => {
            let words = format!("it was not tried: {}", error.what());
            return Ok(vec![Diagnosis::note(WHAT, &words, "Try again when that has ended.")]);
        }
        Err(error) => return Err(error),
    };
    let programs = Programs::new(session, environment, cancel).holding(&lock);
    let of = |setting: Setting, who: &str| {
        if let Some(command) = command_of_repository(session, setting) {
            let words = format!(
                "that of {who} was not tried, because the configuration of this repository names the command: {command}"
            );
            return Diagnosis::note(WHAT, &words, "Every run tries it before anything else.");
        }
        let tried = programs.sandbox(setting);
        Diagnosis::of(
            WHAT,
            tried.map(|sandbox| match sandbox {
                Some(sandbox) => format!(
                    "{who} run in `{}`, which protects the git directory and other folders",
                    sandbox.name()
                ),
                None => format!("{who} run without one"),
            }),
        )
    };
    let mut found = vec![of(Setting::Sandbox, "agents")];
    if agents && !tests {
        let remedy = "Tests run what the agent has written. `git config arborist.test.sandbox bwrap` puts them into one too.";
        found.push(Diagnosis::note(WHAT, "agents run in a sandbox, but test commands do not", remedy));
    } else {
        found.push(of(Setting::TestSandbox, "test commands"));
    }
    Ok(found)
}

/// The command that the configuration of the repository chooses as a sandbox; `None` for a known tool, and if the user has
/// chosen it for all repositories.
fn command_of_repository(session: &Session, setting: Setting) -> Option<String> {
    let value = session.config.value(setting)?;
    let is_known = ["none", "bwrap", "sandbox-exec"].contains(&value.text.trim());
    let is_local = matches!(&value.origin, Origin::Git(scope, _) if scope == "local" || scope == "worktree");
    (is_local && !is_known).then(|| crate::text::one_line(&value.text))
}
