//! What our own runs have shown about the change of a task, for its reviewer: read from commits, never from the words of
//! an agent.

mod proof;

use crate::history::{StepValidity, TaskStep};
use crate::record::{AwaitedChange, Goal, Outcome, Owner, RedKind, StepFacts, seconds};
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
            let facts = StepFacts::of(&test.message);
            shown.sentences.extend(of_test(test.step.record.outcome, &facts));
            let lines: Vec<String> = facts.not_covered.iter().map(|line| one_line(line)).collect();
            shown.uncovered = listed(&lines);
            shown.noticing = facts.noticing;
            shown.took_out = facts.took_out;
        }
        None => {}
    }
    match counted.iter().find_map(|step| StepFacts::of(&step.message).red) {
        Some(RedKind::Test) => shown
            .sentences
            .push("The tests for the task were written first, and failed without its code.".to_owned()),
        Some(RedKind::Build) => shown.sentences.push(
            "The tests for the task were written first, and did not build without its code.".to_owned(),
        ),
        None => {}
    }
    shown
}

fn of_test(outcome: Outcome, facts: &StepFacts) -> Vec<String> {
    let excused = facts.awaited.failing();
    let verb = match (outcome, excused) {
        (Outcome::Pass, 0) => "passed",
        _ => "failed",
    };
    let took = facts.took().map(|took| format!(" in {} s", seconds(took))).unwrap_or_default();
    let counts = match facts.tests {
        Some(tests) => {
            format!(": {} passed, {} failed, {} skipped", tests.passed, tests.failed, tests.skipped)
        }
        None => "; their output does not say how many tests ran".to_owned(),
    };
    let mut shown = vec![format!("The test commands {verb}{took}{counts}.")];
    if excused > 0 && outcome == Outcome::Pass {
        shown.push("The task is tested all the same, because every test that fails is awaited.".to_owned());
    }
    let AwaitedChange { awaited, passed, still } = &facts.awaited;
    for (about, names) in [
        ("These tests of the task fail, and a later task writes the code that they test", awaited),
        ("These tests were awaited from earlier tasks and pass now", passed),
        ("These tests of earlier tasks still fail, and another open task can make them pass", still),
    ] {
        if !names.is_empty() {
            shown.push(format!("{about}: {}.", listed(&names.iter().cloned().collect::<Vec<_>>())));
        }
    }
    shown.extend(facts.proof.iter().flat_map(|record| proof::sentences(record, excused > 0)));
    if let Some(coverage) = &facts.coverage {
        shown.push(format!("Coverage of all the code, in percent: {coverage}."));
    }
    if let Some((covered, all)) = facts.changed_coverage.as_deref().and_then(|both| both.split_once('/')) {
        shown.push(format!("The tests run {covered} of the {all} changed lines that can be run."));
    }
    shown
}
