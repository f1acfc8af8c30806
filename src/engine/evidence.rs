//! What our own runs have shown about the change of a task, for its reviewer: read from commits, never from the words of
//! an agent.

use crate::history::{StepValidity, TaskStep};
use crate::record::{Goal, Outcome, Owner, StepFacts, TrailerKey, seconds, trailer};

/// The evidence for a change, as sentences. `steps` are those of the task, newest first.
pub(super) fn evidence(steps: &[TaskStep], has_tests: bool) -> Vec<String> {
    let counted: Vec<&TaskStep> = steps.iter().filter(|step| step.validity == StepValidity::Counts).collect();
    let mut shown = Vec::new();
    let of_task = |step: &&&TaskStep| {
        let row = step.step.record.step.row();
        row.goal == Goal::TestsPass && row.owner == Owner::Task
    };
    match counted.iter().find(of_task) {
        _ if !has_tests => shown.push("The task has no test command, so nothing was tested.".to_owned()),
        Some(test) => shown.extend(of_test(test)),
        None => {}
    }
    let newest = |key| counted.iter().find_map(|step| trailer(&step.message, key));
    match newest(TrailerKey::Red).as_deref() {
        Some("test") => {
            shown.push("The tests for the task were written first, and failed without its code.".to_owned());
        }
        Some("build") => {
            shown.push(
                "The tests for the task were written first, and did not build without its code.".to_owned(),
            );
        }
        _ => {}
    }
    shown
}

fn of_test(test: &TaskStep) -> Vec<String> {
    let StepFacts { tests, duration, .. } = StepFacts::of(&test.message);
    let verb = if test.step.record.outcome == Outcome::Pass { "passed" } else { "failed" };
    let took = duration.map(|took| format!(" in {} s", seconds(took))).unwrap_or_default();
    let counts = match tests {
        Some(tests) => {
            format!(": {} passed, {} failed, {} skipped", tests.passed, tests.failed, tests.skipped)
        }
        None => "; their output does not say how many tests ran".to_owned(),
    };
    let mut shown = vec![format!("The test commands {verb}{took}{counts}.")];
    if let Some(runs) = trailer(&test.message, TrailerKey::TestFlaky) {
        shown.push(format!("A test command failed and then passed without a change; failed runs: {runs}."));
    }
    if let Some(coverage) = trailer(&test.message, TrailerKey::Coverage) {
        shown.push(format!("Coverage of all the code, in percent: {coverage}."));
    }
    if let Some((covered, all)) =
        trailer(&test.message, TrailerKey::DiffCoverage).as_deref().and_then(|both| both.split_once('/'))
    {
        shown.push(format!("The tests run {covered} of the {all} changed lines that can be run."));
    }
    shown
}
