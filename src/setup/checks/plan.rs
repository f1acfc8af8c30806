//! Checks the plan: whether it can be read, what it costs, and what is doubtful in it.

use std::time::Duration;

use crate::config::Environment;
use crate::import::source_changes::SourceChanges;
use crate::launch::doubts::doubts_in;
use crate::report::Diagnosis;
use crate::run::{cost_of_a_task, read_run};
use crate::session::Session;
use crate::text::counted;

/// All diagnoses about the plan. `took` is how long the command that runs all tests took if it was tried.
pub(crate) fn diagnose(
    session: &Session,
    environment: &Environment,
    took: Option<Duration>,
) -> Vec<Diagnosis> {
    match session.plan() {
        Err(error) => vec![Diagnosis::bad("plan", error.what(), error.remedy())],
        Ok(plan) => {
            let tasks = plan.tree.order().len();
            let words = format!("{} with {}", plan.shown, counted(tasks, "task"));
            let cost = Diagnosis::good("cost", &cost_of_a_task(&session.config, took));
            let mut diagnoses = vec![Diagnosis::good("plan", &words), cost];
            for doubt in doubts_in(plan.bytes(), session, environment) {
                diagnoses.push(Diagnosis::note(
                    "plan",
                    &format!("{}: {}", doubt.place_in(&plan.shown), doubt.what),
                    &doubt.remedy,
                ));
            }
            // What cannot be read of the history is told elsewhere.
            let run = read_run(&session.repository, &plan, &session.work_tree).ok();
            diagnoses.extend(SourceChanges::of(session, &plan, run.as_ref()).map(|changes| {
                let (what, remedy) = changes.words();
                Diagnosis::note("plan", &what, &remedy)
            }));
            diagnoses
        }
    }
}
