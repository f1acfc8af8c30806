//! What our own runs have shown about the change of a task, for its reviewer: read from commits, never from the words of
//! an agent.

mod proof;

use crate::history::{StepValidity, TaskStep};
use crate::record::{
    AwaitedChange, Goal, List, Outcome, Owner, ProofRecord, StepFacts, TrailerKey, seconds, trailer,
};
use crate::text::{listed, one_line};
use crate::workflow::Evidence;

/// The evidence for a change, without the code of tests. `steps` are those of the task, newest first.
pub(crate) fn evidence(steps: &[TaskStep], has_tests: bool) -> Evidence {
    let counted: Vec<&TaskStep> = steps.iter().filter(|step| step.validity == StepValidity::Counts).collect();
    let mut shown = Evidence::default();
    let of_task = |step: &&&TaskStep| {
        let row = step.step.record.step.row();
        row.goal == Goal::TestsPass && row.owner == Owner::Task
    };
    match counted.iter().find(of_task) {
        _ if !has_tests => {
            shown.sentences.push("The task has no test command, so nothing was tested.".to_owned());
        }
        Some(test) => {
            shown.sentences.extend(of_test(test));
            shown.uncovered = uncovered_in(test);
            shown.noticing = List::FailingWithout.recorded_in(&test.message);
            shown.took_out = List::TookOut.recorded_in(&test.message);
        }
        None => {}
    }
    let newest = |key| counted.iter().find_map(|step| trailer(&step.message, key));
    match newest(TrailerKey::Red).as_deref() {
        Some("test") => shown
            .sentences
            .push("The tests for the task were written first, and failed without its code.".to_owned()),
        Some("build") => shown.sentences.push(
            "The tests for the task were written first, and did not build without its code.".to_owned(),
        ),
        _ => {}
    }
    shown
}

fn of_test(test: &TaskStep) -> Vec<String> {
    let StepFacts { tests, duration, .. } = StepFacts::of(&test.message);
    let change = AwaitedChange::recorded_in(&test.message);
    let excused = change.failing();
    let verb = match (test.step.record.outcome, excused) {
        (Outcome::Pass, 0) => "passed",
        _ => "failed",
    };
    let took = duration.map(|took| format!(" in {} s", seconds(took))).unwrap_or_default();
    let counts = match tests {
        Some(tests) => {
            format!(": {} passed, {} failed, {} skipped", tests.passed, tests.failed, tests.skipped)
        }
        None => "; their output does not say how many tests ran".to_owned(),
    };
    let mut shown = vec![format!("The test commands {verb}{took}{counts}.")];
    if excused > 0 && test.step.record.outcome == Outcome::Pass {
        shown.push("The task is tested all the same, because every test that fails is awaited.".to_owned());
    }
    let AwaitedChange { awaited, passed, still } = change;
    for (about, names) in [
        ("These tests of the task fail, and a later task writes the code that they test", awaited),
        ("These tests were awaited from earlier tasks and pass now", passed),
        ("These tests of earlier tasks still fail, and another open task can make them pass", still),
    ] {
        if !names.is_empty() {
            shown.push(format!("{about}: {}.", listed(&names.into_iter().collect::<Vec<_>>())));
        }
    }
    let proof = trailer(&test.message, TrailerKey::Proof).and_then(|words| ProofRecord::parse(&words));
    shown.extend(proof.iter().flat_map(|record| proof::sentences(record, excused > 0)));
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

/// The changed lines that no test runs, as a test step names them.
fn uncovered_in(test: &TaskStep) -> String {
    let lines: Vec<String> =
        List::NotCovered.recorded_in(&test.message).iter().map(|line| one_line(line)).collect();
    listed(&lines)
}
