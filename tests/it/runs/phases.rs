//! Tests the test commands of a phase, and the marker that says it is complete.

use crate::support::garden::{Garden, one_task, plan};

#[test]
fn the_tests_of_a_phase_run_innermost_first_after_its_last_task() {
    let note = |name: &str| format!("echo {name} >> \"$ROOT/order\"");
    let (task, inner, deeper, outer) = (note("task"), note("inner"), note("deeper"), note("outer"));
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[&outer]),
        ("m1", "p1", &[], &[&inner]),
        ("m2", "m1", &[], &[&deeper]),
        ("T001", "m2", &[], &[&task]),
        ("T002", "p1", &[], &[&task]),
    ]));
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    let order = std::fs::read_to_string(garden.root().join("order")).unwrap();
    assert_eq!(order, "task\ntask\ndeeper\ninner\nouter\n");
    assert_eq!(garden.subjects().last().unwrap(), "phase(p1): complete");
}

#[test]
fn failing_phase_tests_fail_every_run_until_they_pass() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &["echo 'the parts do not fit'; test -f glue"]),
        ("T001", "p1", &[], &[]),
        ("p2", "", &[], &[]),
        ("T002", "p2", &["T001"], &[]),
    ]));
    for _ in 0..3 {
        let ended = garden.run(&["gardener", "--no-review"]);
        ended.assert(1, &["p1", "exit status 1"]);
        assert_eq!(ended.stdout, "1/2 complete\n");
    }
    assert_eq!(garden.asked(), ["T001.implement.0"]);
    garden.run(&["gardener", "--no-review", "--keep-going"]).assert(1, &["p1"]);
    assert_eq!(garden.subjects().last().unwrap(), "phase(p2): complete", "the other phase is done");
    garden.write("glue", "");
    garden.commit("Make the parts fit");
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.subjects().last().unwrap(), "phase(p1): complete");
    let count = garden.subjects().len();
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.subjects().len(), count, "a phase is marked once");
}

#[test]
fn garden_marks_the_phase_that_its_task_completes() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &["test -f glue"]),
        ("T001", "p1", &[], &[]),
        ("T002", "p1", &[], &[]),
    ]));
    garden.run(&["garden", "T001", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.subjects().last().unwrap(), "task(T001): complete \"Do T001\"");
    garden.run(&["garden", "T002", "--no-review"]).assert(1, &["p1"]);
}

#[test]
fn a_root_without_children_is_a_task_and_its_own_phase() {
    let garden = Garden::new(&plan(&[("T001", "", &[], &["true"])]));
    garden.run(&["gardener"]).assert(0, &[]);
    let subjects = garden.subjects();
    assert_eq!(subjects.len(), 5, "{subjects:?}");
    assert_eq!(garden.run(&["gardener"]).stdout, "1/1 complete\n");
    assert_eq!(garden.subjects().len(), 5);
}

#[test]
fn a_reverted_task_is_done_again_and_its_phase_is_marked_again() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    let complete = garden.lines(&["log", "--format=%H", "--grep=^task(T001): complete"]).concat();
    garden.git(&["revert", "--no-edit", &complete]);
    let ended = garden.run(&["gardener", "--no-review"]);
    ended.assert(0, &[]);
    assert_eq!(
        garden.steps()[5..],
        [
            "task(T001): complete \"Do T001\" | complete pass   ",
            "phase(p1): complete | phase-complete pass   "
        ]
    );
    assert_eq!(garden.run(&["gardener", "--no-review"]).stdout, "1/1 complete\n");
    assert_eq!(garden.subjects().len(), 7);
}

#[test]
fn reverting_the_marker_of_a_phase_alone_runs_its_tests_again() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    // git stops where a commit changed no file, and has the message ready.
    assert!(!garden.try_git(&["revert", "--no-edit", &garden.head()]).status.success());
    garden.git(&["commit", "-q", "--allow-empty", "--no-edit"]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.subjects().last().unwrap(), "phase(p1): complete");
    assert_eq!(garden.asked().len(), 1);
}
