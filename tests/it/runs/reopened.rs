//! Tests which tasks a run opens again after the tests of their phase have failed, and that it never does so without end.

use crate::support::garden::{Garden, plan};

/// A phase with these tests and three tasks, of which each writes a file with its name, and a phase after it with one task that
/// depends on it and one that does not.
fn phase(tests: &[&str]) -> Garden {
    Garden::new(&plan(&[
        ("p1", "", &[], tests),
        ("T001", "p1", &[], &[]),
        ("T002", "p1", &[], &[]),
        ("T003", "p1", &[], &[]),
        ("p2", "", &[], &[]),
        ("T004", "p2", &["p1"], &[]),
        ("T005", "p2", &[], &[]),
    ]))
}

/// The tasks that the run has opened again, with the number of the attempt after which they go on.
fn reopened(garden: &Garden) -> Vec<String> {
    let steps = garden.steps();
    let reopened = steps.iter().filter_map(|step| step.strip_prefix("task(")?.split_once("): reopened "));
    reopened.map(|(task, rest)| format!("{task} {}", rest.rsplit(' ').next().unwrap())).collect()
}

fn implemented(garden: &Garden) -> Vec<String> {
    garden.asked().into_iter().filter(|work| work.contains(".implement.")).collect()
}

#[test]
fn the_failure_points_to_the_tasks_that_are_opened_again() {
    // What the tests print, what is in place, and who is opened again.
    let cases: [(&str, &[&str]); 6] = [
        ("echo 'T002.txt: bad'; test -f glue", &["T002 0"]),
        ("echo 'T001.txt, T003.txt'; test -f glue", &["T001 0", "T003 0"]),
        ("echo 'T001.txt, T002.txt and T003.txt' >&2; test -f glue", &["T002 0", "T003 0"]),
        // Nothing is named, so it is the last task; a file in the command is no output.
        ("echo bad; test -f glue || cat T001.txt >/dev/null && test -f glue", &["T003 0"]),
        ("echo xT001.txt; test -f glue", &["T003 0"]),
        // The file of the failing test was changed by this task last.
        (
            "test -f glue || { printf 'TAP version 13\\nnot ok 1 - adds two numbers\\n1..1\\n'; exit 1; }",
            &["T002 0"],
        ),
    ];
    for (tests, expected) in cases {
        let garden = phase(&[tests]);
        garden.agent(
            "if test \"$ARBORIST_TASK.$ARBORIST_STEP\" = T002.implement; then mkdir -p tests; echo \"test('adds two numbers')\" > tests/sum.test.js; fi
            if test \"$ARBORIST_ATTEMPT\" = 1; then touch glue; fi",
        );
        garden.run(&["gardener", "--no-review"]).assert(0, &[]);
        assert_eq!(reopened(&garden), expected, "{tests}");
        let first = expected[0].split(' ').next().unwrap();
        let prompt = garden.prompt(&format!("{first}.implement.1"));
        assert!(prompt.contains("The tests of the whole phase fail"), "{prompt}");
        // What depends on the phase or on a reopened task has waited.
        let work = implemented(&garden);
        let place = |work_of: &str| work.iter().position(|work| work.starts_with(work_of)).unwrap();
        assert!(place("T004") > place(&format!("{first}.implement.1")), "{work:?}");
        garden.git(&["config", "arborist.review", "false"]);
        garden.run(&["check", "--run"]).assert(0, &[]);
    }
}

#[test]
fn a_phase_that_stays_red_ends_the_run_after_two_tasks_and_no_later_run_pays_again() {
    // In each round, the tests name another task.
    let garden = phase(&["ls T00?.txt | sed -n \"$(cat \"$ROOT/round\")p\"; test -f glue"]);
    garden.program(
        &garden.root().join("next"),
        "expr $(cat \"$ROOT/round\") + 1 > \"$ROOT/more\"; mv \"$ROOT/more\" \"$ROOT/round\"",
    );
    std::fs::write(garden.root().join("round"), "1").unwrap();
    garden.agent("if test \"$ARBORIST_ATTEMPT\" = 1; then \"$ROOT/next\"; fi");
    let ended = garden.run(&["gardener", "--no-review"]);
    ended.assert(1, &["the tests of p1 failed", "git arborist show p1`", "mark reopen T003 -m WHY`"]);
    assert_eq!(reopened(&garden), ["T001 0", "T002 0"]);
    let paid = implemented(&garden);
    assert!(paid.contains(&"T005.implement.0".to_owned()), "the rest goes on: {paid:?}");
    assert!(!paid.iter().any(|work| work.starts_with("T004")), "{paid:?}");
    for options in [&["gardener", "--no-review"][..], &["gardener", "--no-review", "--failed"]] {
        garden.run(options).assert(1, &["the tests of p1 failed"]);
        assert_eq!(implemented(&garden), paid, "{options:?}");
    }
    // A person acts, so the bound begins anew: all attempts for this task, and further ones for others.
    garden.run(&["mark", "reopen", "T003", "-m", "Try again"]).assert(0, &[]);
    garden.run(&["gardener", "--no-review"]).assert(1, &["the tests of p1 failed"]);
    let more = &implemented(&garden)[paid.len()..];
    assert_eq!(more, ["T003.implement.0", "T003.implement.1"]);
    // Another plan, as well.
    garden.write("task-tree.json", &garden.read("task-tree.json").replace("Do T005", "Make T005"));
    garden.commit("Say it differently");
    garden.run(&["gardener", "--no-review"]).assert(1, &[]);
    let reopened = reopened(&garden);
    assert_eq!(reopened.last().unwrap(), "T003 1", "{reopened:?}");
    garden.git(&["config", "arborist.review", "false"]);
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_task_without_an_attempt_left_is_not_opened_again() {
    let garden = phase(&["echo T001.txt; test -f glue"]);
    // T001 needs its last attempt.
    garden.agent("if test \"$ARBORIST_TASK.$ARBORIST_ATTEMPT\" = T001.0; then exit 1; fi");
    garden.run(&["gardener", "--no-review", "--max-attempts", "2"]).assert(1, &["the tests of p1 failed"]);
    assert_eq!(reopened(&garden), [""; 0]);
    // With more of them, it is.
    garden.run(&["gardener", "--no-review", "--max-attempts", "3"]).assert(1, &["the tests of p1 failed"]);
    assert_eq!(reopened(&garden), ["T001 1"]);
    assert!(implemented(&garden).contains(&"T001.implement.2".to_owned()));
    // A reopened task whose last attempt is taken away has failed.
    let garden = phase(&["echo T001.txt; test -f glue"]);
    garden.run(&["gardener", "--no-review", "--max-tasks", "3"]);
    assert_eq!(reopened(&garden), ["T001 0"]);
    garden.run(&["gardener", "--no-review", "--max-attempts", "1"]).assert(1, &["T001 failed"]);
    assert!(!implemented(&garden).contains(&"T001.implement.1".to_owned()));
    garden.git(&["config", "arborist.review", "false"]);
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn work_and_decisions_of_a_person_are_not_opened_again_by_the_run() {
    let garden = phase(&["echo T001.txt; test -f glue"]);
    garden.run(&["mark", "complete", "T001", "-m", "I did it"]).assert(0, &[]);
    garden.run(&["mark", "skip", "T003", "-m", "Not now"]).assert(0, &[]);
    garden.run(&["gardener", "--no-review"]).assert(1, &["the tests of p1 failed"]);
    // T001 has no file of its own in the history, so the last task that an agent has done is tried.
    assert_eq!(reopened(&garden), ["T002 0"]);
}

#[test]
fn garden_works_on_its_task_only_and_the_next_run_opens_tasks_again() {
    let garden = phase(&["echo T001.txt; test -f glue"]);
    for task in ["T001", "T002"] {
        garden.run(&["garden", task, "--no-review"]).assert(0, &[]);
    }
    garden.run(&["garden", "T003", "--no-review"]).assert(1, &["the tests of p1 failed"]);
    assert_eq!(reopened(&garden), [""; 0]);
    // This run may not work on the task.
    garden.run(&["gardener", "T004", "--no-review"]);
    assert_eq!(reopened(&garden), [""; 0]);
    garden.agent("if test \"$ARBORIST_ATTEMPT\" = 1; then touch glue; fi");
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(reopened(&garden), ["T001 0"]);
    let tests =
        garden.subjects().iter().filter(|subject| subject.starts_with("phase(p1): tests fail")).count();
    assert_eq!(tests, 1, "nothing had changed, so the tests did not run again before");
}

#[test]
fn tasks_are_opened_again_on_branches_of_phases_and_beside_others() {
    for options in [&["--branches", "phase"][..], &["--jobs", "2"]] {
        let garden = phase(&["echo T002.txt; test -f glue"]);
        garden.agent("if test \"$ARBORIST_ATTEMPT\" = 1; then touch glue; fi");
        garden.run(&[&["gardener", "--no-review"], options].concat()).assert(0, &[]);
        assert_eq!(reopened(&garden), ["T002 0"], "{options:?}");
        assert_eq!(garden.json(&["status", "--json"])["counts"]["complete"], 5, "{options:?}");
        let subjects = garden.subjects();
        assert!(subjects.contains(&"phase(p1): complete".to_owned()), "{options:?}: {subjects:?}");
        garden.git(&["config", "arborist.review", "false"]);
        garden.run(&["check", "--run"]).assert(0, &[]);
    }
}

#[test]
fn a_task_whose_tests_were_written_first_goes_on_with_the_code() {
    let garden = phase(&["echo T002.txt; test -f glue"]);
    garden.git(&["config", "arborist.testFirst", "true"]);
    let tree = garden.read("task-tree.json").replace("\"test_commands\": []", "\"test_commands\": [{\"type\": \"unit\", \"command\": \"for t in tests/*.sh; do sh $t || exit 1; done\"}]");
    garden.write("task-tree.json", &tree);
    garden.commit("Add tests");
    garden.agent(
        "case $ARBORIST_STEP in
        red) mkdir -p tests; echo \"test -f $ARBORIST_TASK.txt\" > tests/test_$ARBORIST_TASK.sh; exit 0;;
        esac
        if test \"$ARBORIST_ATTEMPT\" = 1; then touch glue; fi",
    );
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(reopened(&garden), ["T002 0"]);
    let of_task: Vec<String> = garden.asked().into_iter().filter(|work| work.starts_with("T002")).collect();
    assert_eq!(of_task, ["T002.red.0", "T002.implement.0", "T002.implement.1"]);
}
