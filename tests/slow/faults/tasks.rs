//! Lets each git command of a run with branches of tasks fail, or kills whichever process calls it: the scheduler or a worker.
//! In the end, every task is merged once.

use crate::support::garden::{Garden, plan, side_by_side};
use crate::support::harness::{
    Mode, assert_sound_after, at_every_call, garden as with_agent, git_calls, outcome_of_branches,
    script_before, shimmed, shimmed_at, was_hit,
};

const RUN: [&str; 4] = ["gardener", "--no-review", "--branches", "task"];

/// Three tasks: the first fails its own test once, and the last breaks a test of the phase, so that it cannot be merged at
/// first.
fn three_tasks() -> Garden {
    with_agent(
        &plan(&[
            ("p1", "", &[], &["test ! -e src/T003.txt || grep -q merge src/T003.txt"]),
            ("T001", "p1", &[], &["grep -q implement.1 src/T001.txt"]),
            ("T002", "p1", &["T001"], &["test -f src/T001.txt"]),
            ("T003", "p1", &["T002"], &["test -f src/T002.txt"]),
        ]),
        "",
    )
}

/// A run without faults, and the number of its git commands.
fn without_faults() -> ([Vec<String>; 3], usize) {
    let garden = three_tasks();
    garden.finish(shimmed(&garden, &RUN)).assert(0, &["T003 merge       fail", "T003 merge       pass"]);
    let found = outcome_of_branches(&garden);
    assert_eq!(found[0].len(), 6, "{:#?}", found[0]);
    (found, git_calls(&garden))
}

/// One fault at one call, followed by an ordinary run.
fn one_fault(whole: &[Vec<String>; 3], fault: (Mode, usize)) {
    let garden = three_tasks();
    let ended = garden.start(shimmed_at(&garden, &RUN, fault)).wait();
    assert!(was_hit(&garden), "{fault:?} was not reached: {ended:#?}");
    garden.forget_history();
    let before = garden.lines(&["rev-parse", "main"]).concat();
    let again = garden.start(garden.arborist(&RUN)).wait();
    assert_eq!(again.status, 0, "{fault:?}: {ended:#?}\n{again:#?}");
    garden.forget_history();
    assert_sound_after(&garden, &again);
    assert!(garden.try_git(&["merge-base", "--is-ancestor", &before, "main"]).status.success());
    assert_eq!(outcome_of_branches(&garden), *whole, "{fault:?}: {ended:#?}\n{again:#?}");
    assert_eq!(garden.status(), [""; 0], "{fault:?}: {again:#?}");
    assert_eq!(garden.lines(&["branch", "--list", "arborist/*"]), [""; 0], "{fault:?}: {again:#?}");
    assert_eq!(garden.lines(&["worktree", "list"]).len(), 1, "{fault:?}: {ended:#?}\n{again:#?}");
}

#[test]
fn a_fault_at_some_calls_of_git_changes_nothing_in_the_end_where_tasks_have_branches() {
    let (whole, calls) = without_faults();
    let points: Vec<(Mode, usize)> =
        (0..4).map(|place| (Mode::ALL[(place + 2) % 4], 1 + calls * (2 * place + 1) / 8)).collect();
    side_by_side(points, |fault| one_fault(&whole, fault));
}

#[test]
fn a_call_of_git_that_fails_right_after_a_merge_does_not_take_the_merge_back() {
    let (whole, _) = without_faults();
    for word in ["status", "rev-parse", "worktree"] {
        let garden = three_tasks();
        let fail = "test -e \"$ROOT/failed\" || test -z \"$($real rev-list --merges main)\" || \
                    { touch \"$ROOT/failed\"; echo 'fatal: the shim fails this call.' >&2; exit 128; }";
        let ended = garden.finish(script_before(&garden, &RUN, (word, fail)));
        assert!(garden.root().join("failed").exists(), "{word}: {ended:#?}");
        assert_eq!(garden.lines(&["rev-list", "--merges", "main"]).len(), 1, "{word}: {ended:#?}");
        assert!(!ended.stderr.contains("put back"), "{word}: {ended:#?}");
        garden.run(&RUN).assert(0, &[]);
        assert_eq!(outcome_of_branches(&garden), whole, "{word}: {ended:#?}");
    }
}

#[test]
fn a_worker_that_is_killed_after_it_has_completed_an_attempt_to_merge_does_not_begin_another_one() {
    let (whole, _) = without_faults();
    let garden = three_tasks();
    let kill = "$real \"$@\" || exit
        if test ! -e \"$ROOT/killed\" && $real log -1 --format=%B | grep -q '^Arborist-Merge: ' &&
           $real log -1 --format=%B | grep -q '^Arborist-Step: complete'
        then touch \"$ROOT/killed\"; kill -9 $PPID; fi
        exit 0";
    let ended = garden.finish(script_before(&garden, &RUN, ("commit", kill)));
    assert!(garden.root().join("killed").exists(), "{ended:#?}");
    ended.assert(0, &["it begins again", "T003 merge       pass"]);
    assert_eq!(outcome_of_branches(&garden), whole, "{ended:#?}");
}

#[test]
#[ignore = "takes long: every call of git in every mode"]
fn a_fault_at_any_call_of_git_changes_nothing_in_the_end_where_tasks_have_branches() {
    let (whole, calls) = without_faults();
    at_every_call(calls, |fault| one_fault(&whole, fault));
}
