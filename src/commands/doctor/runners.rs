//! Checks which runners are chosen, whether they can start, and which agents are installed.

use std::path::Path;

use crate::agents::{AGENTS, Cause, CommandCheck, Lookup, Runner, check_command};
use crate::commands::Session;
use crate::config::{Environment, Setting};
use crate::error::Result;
use crate::record::Role;
use crate::report::Diagnosis;

/// The label under which `doctor` lists the runner of a step.
pub(super) fn role_name(role: Role) -> &'static str {
    if role == Role::Reviewer { "reviewer" } else { "runner" }
}

/// All diagnoses about runners.
pub(super) fn diagnose(session: &Session, environment: &Environment, lookup: &Lookup) -> Vec<Diagnosis> {
    let choose = |role| Runner::choose(&session.config, lookup, role);
    let (runner, reviewer) = (choose(Role::Implementer), choose(Role::Reviewer));
    let same_error = runner.is_err() && runner.as_ref().err() == reviewer.as_ref().err();
    let mut diagnoses = vec![chosen(runner, Role::Implementer, environment, lookup)];
    if !session.config.is_on(Setting::Review) {
        diagnoses.push(Diagnosis::good(
            role_name(Role::Reviewer),
            "none: reviews are turned off (arborist.review)",
        ));
    } else if !same_error {
        diagnoses.push(chosen(reviewer, Role::Reviewer, environment, lookup));
    }
    diagnoses.push(installed(lookup));
    let unknown: Vec<&str> = environment.unknown().collect();
    if !unknown.is_empty() {
        let words = format!("{} in the environment is not a setting and has no effect", unknown.join(", "));
        diagnoses.push(Diagnosis::note("settings", &words, ""));
    }
    diagnoses
}

fn chosen(runner: Result<Runner>, role: Role, environment: &Environment, lookup: &Lookup) -> Diagnosis {
    let runner = match runner {
        Ok(runner) => runner,
        Err(error) => return Diagnosis::bad(role_name(role), error.what(), error.remedy()),
    };
    let words = format!("{} (`{}`)", runner.label(), runner.command_line(role));
    if rustix::process::geteuid().is_root() && runner.refuses_root(role) && !environment.has("IS_SANDBOX") {
        let words = format!("{words}: it refuses to run as root");
        return Diagnosis::bad(role_name(role), &words, &runner.remedy(Cause::NotAsRoot).unwrap_or_default());
    }
    let Some(command) = runner.own_command() else { return Diagnosis::good(role_name(role), &words) };
    match check_command(command, environment, lookup) {
        CommandCheck::Found => Diagnosis::good(role_name(role), &words),
        CommandCheck::Unknown => Diagnosis::note(
            role_name(role),
            &words,
            "It is not known whether it can start until it runs; `git arborist doctor --probe` tries it.",
        ),
        CommandCheck::Missing(missing) => {
            let words = format!("{words} cannot start: {missing}");
            Diagnosis::bad(role_name(role), &words, &missing.remedy(runner.name()))
        }
    }
}

fn installed(lookup: &Lookup) -> Diagnosis {
    let state = |name: &str| match lookup.find(name) {
        Ok(Some(path)) => format!("{name} installed ({})", folder_of(&path)),
        _ => format!("{name} not installed"),
    };
    let known: Vec<String> = AGENTS.iter().map(|agent| state(agent.name)).collect();
    Diagnosis::good("agents", &known.join(", "))
}

fn folder_of(program: &Path) -> String {
    program.parent().unwrap_or(program).display().to_string()
}
