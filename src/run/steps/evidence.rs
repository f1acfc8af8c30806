//! What our own runs have shown about the change of a task, for its reviewer: read from commits, never from the words of
//! an agent.

use crate::history::{TaskStep, counted};
use crate::record::{
    AwaitedChange, Goal, Outcome, Owner, ProofEvidence, ProofRecord, ProofRun, ProofWord, RedKind, RunWord,
    StepFacts, seconds,
};
use crate::text::{listed, one_line};
use crate::workflow::Evidence;

/// The evidence for a change, without the code of tests. `steps` are those of the task, newest first.
pub(crate) fn evidence(steps: &[TaskStep], has_tests: bool) -> Evidence {
    let counted: Vec<&TaskStep> = counted(steps).collect();
    let mut shown = Evidence::default();
    let of_task = |step: &&&TaskStep| {
        let row = step.record().step.row();
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
    shown.extend(facts.proof.iter().flat_map(|record| proof_sentences(record, excused > 0)));
    if let Some(coverage) = &facts.coverage {
        shown.push(format!("Coverage of all the code, in percent: {coverage}."));
    }
    if let Some((covered, all)) = facts.changed_coverage.as_deref().and_then(|both| both.split_once('/')) {
        shown.push(format!("The tests run {covered} of the {all} changed lines that can be run."));
    }
    shown
}

/// The sentences for the record of a proof. `some_fail` says that awaited tests fail.
fn proof_sentences(record: &ProofRecord, some_fail: bool) -> Vec<String> {
    use {ProofRun as Run, RunWord as Word};
    let tests = |count: u32, when: &str| match count {
        1 => format!("One test fails {when} and passes with it."),
        count => format!("{count} tests fail {when} and pass with it."),
    };
    let red = match record.evidence {
        Some(ProofEvidence::Red(count)) => tests(count, "without the change"),
        Some(ProofEvidence::Hollow(count)) => {
            tests(count, "with empty values in the place of what the change adds")
        }
        None => "The test commands fail without the change and pass with it.".to_owned(),
    };
    let sentence = |(run, word): &(Run, Word)| {
        Some(match (run, word) {
            (Run::Clean, Word::Pass) if some_fail => {
                "On a clean checkout of the commit, the test commands fail as well, only because of awaited tests."
            }
            (Run::Clean, Word::Pass) => "On a clean checkout of the commit, the test commands pass.",
            (Run::Clean, Word::Fail) => "On a clean checkout of the commit, the test commands fail.",
            (Run::Clean, Word::NotApplicable | Word::Skip) => {
                "The test commands were not run on a clean checkout of the commit."
            }
            (Run::Old, Word::Pass) => {
                "With the tests and the other files that judge as they were before the task, each test that passed before still passes."
            }
            (Run::Old, Word::Fail) => {
                "With the tests and the other files that judge as they were before the task, tests fail that passed before."
            }
            (Run::Old, Word::None) => "No run with the tests from before the task was needed.",
            (Run::Old, Word::NotApplicable | Word::Skip) => {
                "It is not known whether the tests from before the task still pass as they were."
            }
            (Run::Red, Word::Pass) => &red,
            (Run::Red, Word::Fail) => "No test is known to fail without the change.",
            (Run::Red, Word::None) => "No test run without the change was needed.",
            (Run::Red, Word::NotApplicable | Word::Skip) => "The tests were not run without the change.",
            (Run::Literals, Word::Pass) => "A test fails if a value that it expects is changed.",
            (Run::Literals, Word::Fail) => {
                "No test failed when some of the values were changed that the tests expect."
            }
            (Run::Canary, Word::Pass) => {
                "A test that must fail was added for a moment, and the commands noticed it."
            }
            (Run::Canary, Word::Fail) => {
                "A test that must fail was added for a moment, and the commands did not notice it."
            }
            (Run::Canary, Word::NotApplicable | Word::Skip) => {
                "It was not tried whether the commands notice a test that fails."
            }
            (Run::Clean | Run::Canary, Word::None)
            | (Run::Literals, Word::None | Word::NotApplicable | Word::Skip) => return None,
        })
    };
    let all = match record.is {
        ProofWord::Proven => "All in all, the change is proven by its tests.",
        ProofWord::Equal => "All in all, the same tests pass with and without the change.",
        ProofWord::Tested => "All in all, the change is tested.",
        ProofWord::Unproven => {
            "All in all, the change is tested but not proven: no test is known to notice it."
        }
        ProofWord::Untested => "All in all, the change is not tested.",
    };
    record.runs.iter().filter_map(sentence).chain([all]).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(words: &str) -> Vec<String> {
        proof_sentences(&ProofRecord::parse(words).unwrap(), false)
    }

    #[test]
    fn every_word_of_a_proof_becomes_a_sentence() {
        let proven = "clean=pass old=pass red=pass literals=pass canary=pass evidence=3 is=proven";
        assert_eq!(
            sentences(proven),
            [
                "On a clean checkout of the commit, the test commands pass.",
                "With the tests and the other files that judge as they were before the task, each test that passed before still passes.",
                "3 tests fail without the change and pass with it.",
                "A test fails if a value that it expects is changed.",
                "A test that must fail was added for a moment, and the commands noticed it.",
                "All in all, the change is proven by its tests.",
            ]
        );
        let unproven = sentences("clean=pass old=none red=fail canary=na evidence=0 is=unproven");
        assert_eq!(unproven.len(), 5, "{unproven:?}");
        for (words, expected) in [
            ("red=pass evidence=1 is=proven", "One test fails without the change and passes with it."),
            (
                "red=pass hollow=2 is=proven",
                "2 tests fail with empty values in the place of what the change adds and pass with it.",
            ),
        ] {
            assert!(sentences(words).contains(&expected.to_owned()));
        }
    }
}
