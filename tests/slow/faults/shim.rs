//! Lets each git command fail, or kills the gardener at it, and checks that the run then continues as if nothing had
//! happened.

use crate::support::garden::{Garden, side_by_side};
use crate::support::harness::{
    Mode, assert_sound_after, at_every_call, git_calls, outcome, shimmed, shimmed_at, tests_first,
    three_tasks, was_hit,
};

/// A run without faults.
struct Whole {
    garden: fn() -> Garden,
    outcome: (Vec<String>, Vec<String>),
    /// The number of its git commands.
    calls: usize,
}

fn without_faults(make: fn() -> Garden) -> Whole {
    let garden = make();
    let ended = garden.finish(shimmed(&garden, &["gardener"]));
    ended.assert(0, &[]);
    assert!(garden.steps().len() >= 16, "{:#?}", garden.steps());
    Whole { garden: make, outcome: outcome(&garden), calls: git_calls(&garden) }
}

/// One fault at one call, followed by an ordinary second run.
fn one_fault(whole: &Whole, fault: (Mode, usize)) {
    let garden = (whole.garden)();
    let ended = garden.start(shimmed_at(&garden, &["gardener"], fault)).wait();
    assert!(was_hit(&garden), "{fault:?} was not reached: {ended:#?}");
    match fault.0 {
        Mode::KillBefore | Mode::KillAfter => assert_eq!(ended.status, 137, "{fault:?}: {ended:#?}"),
        Mode::FailBefore | Mode::FailAfter => garden.check(&ended),
    }
    garden.check_repository();
    let again = garden.run(&["gardener"]);
    assert_eq!(again.status, 0, "{fault:?}: {ended:#?}\n{again:#?}\n{:#?}", garden.steps());
    assert_eq!(outcome(&garden), whole.outcome, "{fault:?}: {ended:#?}\n{again:#?}");
    assert_eq!(garden.status(), [""; 0], "{fault:?}: {again:#?}");
    assert_sound_after(&garden, &again);
}

/// Some faults, spread over a run.
fn some_faults(make: fn() -> Garden) {
    let whole = without_faults(make);
    side_by_side(Mode::ALL.into_iter().enumerate(), |(place, mode)| {
        one_fault(&whole, (mode, whole.calls * (place + 1) / 5 + place));
    });
}

#[test]
fn a_fault_at_some_calls_of_git_changes_nothing_in_the_end() {
    some_faults(three_tasks);
}

#[test]
fn a_fault_at_some_calls_of_git_changes_nothing_where_tests_are_written_first() {
    some_faults(tests_first);
}

#[test]
#[ignore = "takes long: every call of git in every mode"]
fn a_fault_at_any_call_of_git_changes_nothing_in_the_end() {
    every_fault(three_tasks);
}

#[test]
#[ignore = "takes long: every call of git in every mode"]
fn a_fault_at_any_call_of_git_changes_nothing_where_tests_are_written_first() {
    every_fault(tests_first);
}

fn every_fault(make: fn() -> Garden) {
    let whole = without_faults(make);
    at_every_call(whole.calls, |fault| one_fault(&whole, fault));
}
