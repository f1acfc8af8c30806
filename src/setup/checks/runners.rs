//! Checks which runners are chosen, whether they can start, and which agents are installed.

use std::path::Path;

use crate::agents::{AGENTS, AS_ROOT, CommandCheck, Lookup, Runner, RunnerChain, check_command};
use crate::config::{Config, Environment, Origin, Setting};
use crate::error::Result;
use crate::record::{Role, TaskId};
use crate::report::Diagnosis;
use crate::run::{Plan, policy, task_configs};
use crate::session::Session;
use crate::text::advice;

/// What is diagnosed of the agents that are installed.
pub(crate) const INSTALLED: &str = "agents";

/// The label under which `doctor` lists the runner of a step.
pub(crate) fn role_name(role: Role) -> &'static str {
    match role {
        Role::TestWriter => "test writer",
        Role::Implementer => "runner",
        Role::Reviewer => "reviewer",
    }
}

/// The settings that some tasks share.
pub(crate) struct SharedConfig {
    /// The first of these tasks, if there is a plan.
    first: Option<TaskId>,
    /// The settings.
    pub(crate) config: Config,
}

/// The settings that tasks have, each once; those of the call if there is no valid plan.
pub(crate) fn configs_of_tasks(session: &Session) -> Vec<SharedConfig> {
    // Another check reports what is wrong with the plan.
    match session.plan_file().and_then(Plan::from_file) {
        Ok(plan) => {
            let tasks = task_configs(&session.config, &plan);
            let shared = tasks.first_of_each(plan.tree.order().iter().copied()).into_iter();
            let shared = shared.map(|(leaf, config)| SharedConfig {
                first: Some(plan.tree.node(leaf).id.clone()),
                config: config.clone(),
            });
            shared.collect()
        }
        Err(_) => vec![SharedConfig { first: None, config: session.config.clone() }],
    }
}

impl SharedConfig {
    fn is_reviewed(&self) -> bool {
        self.config.is_on(Setting::Review)
    }

    /// Whether a step of these tasks needs an agent in this role.
    pub(crate) fn asks(&self, role: Role) -> bool {
        policy(&self.config).pipeline.asks(role)
    }

    /// The runners of a step, and for which task the plan chooses them.
    fn choices(&self, role: Role, lookup: &Lookup) -> Vec<ChosenRunner> {
        let origin = self.config.runner_for(role).map(|chosen| chosen.origin);
        let by_plan = matches!(origin, Some(Origin::Plan(_)));
        let task = self.first.as_ref().filter(|_| by_plan).map(TaskId::to_string);
        let choice = |runner| ChosenRunner { role, runner, task: task.clone() };
        match RunnerChain::choose_all(&self.config, lookup, role) {
            Ok(chains) => {
                let runners = chains.iter().flat_map(RunnerChain::iter);
                runners.map(|runner| choice(Ok(runner.clone()))).collect()
            }
            Err(error) => vec![choice(Err(error))],
        }
    }
}

/// A runner that does the steps of one kind.
struct ChosenRunner {
    role: Role,
    runner: Result<Runner>,
    /// The first task for which the plan chooses it.
    task: Option<String>,
}

/// All diagnoses about runners.
pub(crate) fn diagnose(session: &Session, environment: &Environment, lookup: &Lookup) -> Vec<Diagnosis> {
    let shared = configs_of_tasks(session);
    let mut choices: Vec<ChosenRunner> = Vec::new();
    let asking = |role| {
        let asking = shared.iter().filter(move |shared| shared.asks(role));
        asking.flat_map(move |shared| shared.choices(role, lookup))
    };
    for choice in [Role::Implementer, Role::TestWriter, Role::Reviewer].into_iter().flat_map(asking) {
        let is_known = |known: &ChosenRunner| match (&known.runner, &choice.runner) {
            (Err(known), Err(error)) => known == error,
            (Ok(one), Ok(other)) => known.role == choice.role && one.label() == other.label(),
            _ => false,
        };
        if !choices.iter().any(is_known) {
            choices.push(choice);
        }
    }
    let mut diagnoses: Vec<Diagnosis> =
        choices.into_iter().map(|choice| chosen(choice, environment, lookup)).collect();
    if !shared.iter().any(SharedConfig::is_reviewed) {
        let by = if session.config.is_on(Setting::Review) { "in the plan" } else { "(arborist.review)" };
        let words = format!("none: reviews are turned off {by}");
        diagnoses.push(Diagnosis::good(role_name(Role::Reviewer), &words));
    }
    diagnoses.extend(installed(lookup));
    let unknown: Vec<&str> = environment.unknown().collect();
    if !unknown.is_empty() {
        let words = format!("{} in the environment is not a setting and has no effect", unknown.join(", "));
        diagnoses.push(Diagnosis::note("settings", &words, ""));
    }
    diagnoses
}

fn chosen(choice: ChosenRunner, environment: &Environment, lookup: &Lookup) -> Diagnosis {
    let ChosenRunner { role, runner, task } = choice;
    let runner = match (runner, &task) {
        (Ok(runner), _) => runner,
        (Err(error), None) => return Diagnosis::bad(role_name(role), error.what(), error.remedy()),
        (Err(error), Some(task)) => {
            return Diagnosis::bad(role_name(role), &format!("{task}: {}", error.what()), error.remedy());
        }
    };
    let of_plan = task.map(|task| format!(", which the plan chooses for {task}")).unwrap_or_default();
    let words = format!("{} (`{}`){of_plan}", runner.label(), runner.command_line(role));
    if rustix::process::geteuid().is_root() && runner.refuses_root(role) && !environment.has("IS_SANDBOX") {
        let words = format!("{words}: it refuses to run as root");
        return Diagnosis::bad(role_name(role), &words, AS_ROOT);
    }
    let Some(command) = runner.own_command() else { return Diagnosis::good(role_name(role), &words) };
    match check_command(command, environment, lookup) {
        CommandCheck::Found => Diagnosis::good(role_name(role), &words),
        CommandCheck::Unknown => Diagnosis::note(
            role_name(role),
            &words,
            &format!(
                "It is not known whether it can start until it runs; {} tries it.",
                advice::doctor_probe()
            ),
        ),
        CommandCheck::Missing(missing) => {
            let words = format!("{words} cannot start: {missing}");
            Diagnosis::bad(role_name(role), &words, &missing.remedy(runner.name()))
        }
    }
}

/// Which agents are installed; nothing if there is none, which the missing runner says already.
fn installed(lookup: &Lookup) -> Option<Diagnosis> {
    let (mut installed, mut missing) = (Vec::new(), Vec::new());
    for agent in AGENTS {
        match lookup.find(agent.program) {
            Ok(Some(path)) => installed.push(format!("{} ({})", agent.name, folder_of(&path))),
            _ => missing.push(agent.name),
        }
    }
    if installed.is_empty() {
        return None;
    }
    let installed = installed.join(", ");
    let missing =
        if missing.is_empty() { String::new() } else { format!("; not installed: {}", missing.join(", ")) };
    Some(Diagnosis::good(INSTALLED, &format!("installed: {installed}{missing}")))
}

fn folder_of(program: &Path) -> String {
    program.parent().unwrap_or(program).display().to_string()
}
