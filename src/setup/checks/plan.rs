//! Checks the plan: whether it can be read, and whether its tasks have tests.

use std::time::Duration;

use crate::agents::{CommandCheck, Lookup, Missing, check_command};
use crate::config::Environment;
use crate::import::source_changes::SourceChanges;
use crate::launch::doubts::doubts_in;
use crate::report::Diagnosis;
use crate::run::{Plan, cost_of_a_task, read_run};
use crate::session::Session;
use crate::text::counted;

/// How many test commands with a missing program are named.
const FEW: usize = 5;

/// All diagnoses about the plan. `took` is how long the command that runs all tests took if it was tried.
pub(crate) fn diagnose(
    session: &Session,
    environment: &Environment,
    lookup: &Lookup,
    took: Option<Duration>,
) -> Vec<Diagnosis> {
    match session.plan() {
        Err(error) => vec![Diagnosis::bad("plan", error.what(), error.remedy())],
        Ok(plan) => {
            let tasks = plan.tree.order().len();
            let words = format!("{} with {}", plan.shown, counted(tasks, "task"));
            let cost = Diagnosis::good("cost", &cost_of_a_task(&session.config, took));
            let mut diagnoses = vec![Diagnosis::good("plan", &words), tests(&plan), cost];
            diagnoses.extend(doubts(session));
            // What cannot be read of the history is told elsewhere.
            let run = read_run(&session.repository, &plan, &session.work_tree).ok();
            diagnoses.extend(SourceChanges::of(session, &plan, run.as_ref()).map(|changes| {
                let (what, remedy) = changes.words();
                Diagnosis::note("plan", &what, &remedy)
            }));
            diagnoses.extend(missing_programs(&plan, environment, lookup));
            diagnoses
        }
    }
}

fn tests(plan: &Plan) -> Diagnosis {
    let tasks = plan.tree.order();
    let without: Vec<&str> = tasks
        .iter()
        .map(|leaf| plan.tree.node(*leaf))
        .filter(|node| node.test_commands.is_empty())
        .map(|node| node.id.as_str())
        .collect();
    let remedy = "`test_commands` in the plan say how it is tested; without them, only the review decides.";
    match without.as_slice() {
        [] => Diagnosis::good("tests", "every task has test commands"),
        all if all.len() == tasks.len() => Diagnosis::note("tests", "no task has test commands", remedy),
        [only] => Diagnosis::note("tests", &format!("{only} has no test commands"), remedy),
        some => {
            let (count, all, first) = (some.len(), tasks.len(), some[0]);
            let words = format!("{count} of {all} tasks have no test commands, {first} among them");
            Diagnosis::note("tests", &words, remedy)
        }
    }
}

/// What is doubtful in the plan.
fn doubts(session: &Session) -> Vec<Diagnosis> {
    let Ok(file) = session.plan_file() else { return Vec::new() };
    let found = doubts_in(file.bytes(), &session.work_tree.top);
    found.iter().map(|doubt| Diagnosis::note("plan", &doubt.in_file(file.shown()), &doubt.help)).collect()
}

/// Test commands whose program is not installed. Missing scripts do not count, because a task may be meant to write
/// them.
fn missing_programs(plan: &Plan, environment: &Environment, lookup: &Lookup) -> Vec<Diagnosis> {
    let mut missing: Vec<(String, &str)> = Vec::new();
    for (_, node) in plan.tree.nodes() {
        for test in &node.test_commands {
            if let CommandCheck::Missing(Missing::NotOnPath(name)) =
                check_command(&test.command, environment, lookup)
                && missing.iter().all(|(known, _)| *known != name)
            {
                missing.push((name, node.id.as_str()));
            }
        }
    }
    let named = missing.iter().take(FEW).map(|(name, task)| {
        let words = format!("the tests of {task} need the program {name}, which is not on PATH");
        Diagnosis::note("tests", &words, "Install it, or add a `setup` command to the plan that installs it.")
    });
    named.collect()
}
