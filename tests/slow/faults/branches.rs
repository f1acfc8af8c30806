//! Lets each git command of a run with branches of phases fail, or kills the gardener at it. In the end, every task is
//! complete once and every phase merged once.

use crate::support::garden::{Garden, plan, side_by_side};
use crate::support::harness::{
    Mode, assert_sound_after, at_every_call, garden as with_agent, git_calls, outcome_of_branches, shimmed,
    shimmed_at, was_hit,
};

const RUN: [&str; 4] = ["gardener", "--no-review", "--branches", "phase"];

/// Two phases of which the second depends on the first, and a task that is a phase of its own.
fn three_phases() -> Garden {
    with_agent(
        &plan(&[
            ("p1", "", &[], &["test -f src/T001.txt"]),
            ("T001", "p1", &[], &["grep -q implement.1 src/T001.txt"]),
            ("p2", "", &[], &["true"]),
            ("T002", "p2", &["T001"], &["test -f src/T001.txt"]),
            ("T003", "", &["p2"], &["test -f src/T002.txt"]),
        ]),
        "",
    )
}

/// A run without faults, and the number of its git commands.
fn without_faults() -> ([Vec<String>; 3], usize) {
    let garden = three_phases();
    garden.finish(shimmed(&garden, &RUN)).assert(0, &["p1 merged into main", "T003 merged into main"]);
    let found = outcome_of_branches(&garden);
    assert_eq!(found[0].len(), 5, "{:#?}", found[0]);
    (found, git_calls(&garden))
}

/// One fault at one call, followed by ordinary runs, which begin on whichever branch is checked out or, if `elsewhere` is
/// true and nothing is in the way, on the base branch.
fn one_fault(whole: &[Vec<String>; 3], fault: (Mode, usize), elsewhere: bool) {
    let garden = three_phases();
    let ended = garden.start(shimmed_at(&garden, &RUN, fault)).wait();
    assert!(was_hit(&garden), "{fault:?} was not reached: {ended:#?}");
    garden.forget_history();
    let journal =
        std::fs::read_to_string(garden.top().join(".git/arborist/journal.json")).unwrap_or_default();
    let at_rest =
        ["unit", "pending", "unread"].iter().all(|key| journal.contains(&format!("\"{key}\":null")));
    if elsewhere && at_rest && garden.status().is_empty() {
        garden.git(&["switch", "-q", "main"]);
    }
    let before = garden.lines(&["rev-parse", "main"]).concat();
    let again = garden.start(garden.arborist(&RUN)).wait();
    assert_eq!(again.status, 0, "{fault:?}: {ended:#?}\n{again:#?}");
    garden.forget_history();
    assert_sound_after(&garden, &again);
    assert_eq!(garden.git(&["symbolic-ref", "--short", "HEAD"]), "main", "{fault:?}");
    assert!(garden.try_git(&["merge-base", "--is-ancestor", &before, "main"]).status.success());
    assert_eq!(outcome_of_branches(&garden), *whole, "{fault:?}: {ended:#?}\n{again:#?}");
    assert_eq!(garden.status(), [""; 0], "{fault:?}: {again:#?}");
}

#[test]
fn a_fault_at_some_calls_of_git_changes_nothing_in_the_end_where_phases_have_branches() {
    let (whole, calls) = without_faults();
    let points: Vec<(Mode, usize)> =
        (0..4).map(|place| (Mode::ALL[(place + 2) % 4], 1 + calls * (2 * place + 1) / 8)).collect();
    side_by_side(points, |fault| one_fault(&whole, fault, fault.1 % 2 == 0));
}

#[test]
#[ignore = "takes long: every call of git in every mode"]
fn a_fault_at_any_call_of_git_changes_nothing_in_the_end_where_phases_have_branches() {
    let (whole, calls) = without_faults();
    at_every_call(calls, |fault| one_fault(&whole, fault, fault.1 % 2 == 0));
}
