//! Tests run before the first attempt at a task, so that later results can be compared with theirs.

use crate::support::garden::{Ended, Garden, one_task, plan};

/// Runs the program with the defaults of all checks.
pub(super) fn run(garden: &Garden, args: &[&str]) -> Ended {
    let mut command = garden.arborist(args);
    command.env_remove("ARBORIST_TRUST_BASELINE");
    garden.finish(command)
}

/// The message of the newest commit whose subject begins so.
pub(super) fn message(garden: &Garden, subject: &str) -> String {
    let pattern = format!("--grep=^{}", subject.replace('(', "\\(").replace(')', "\\)"));
    garden.git(&["log", "-1", "--format=%B", &pattern, "-E"])
}

/// The values of a trailer in the whole history, oldest first.
pub(super) fn trailers(garden: &Garden, key: &str) -> Vec<String> {
    let format = format!("--format=%(trailers:key={key},valueonly,separator=%x2C)");
    garden.lines(&["log", "--reverse", &format]).into_iter().filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_first_step_of_a_task_says_how_its_tests_ended_before() {
    let garden = Garden::new(&one_task(&["echo run >> \"$ROOT/runs\"; test -e T001.txt"]));
    run(&garden, &["gardener"]).assert(0, &["baseline    fail"]);
    assert_eq!(trailers(&garden, "Arborist-Baseline"), ["fail"]);
    let implement = message(&garden, "task(T001): implement");
    assert!(implement.contains("\nBefore this task, its tests failed: `echo run"), "{implement}");
    assert!(garden.prompt("T001.implement.0").contains("\nBefore this task, its tests failed: `echo run"));
    assert_eq!(std::fs::read_to_string(garden.root().join("runs")).unwrap(), "run\nrun\n");
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn tests_that_pass_before_the_task_are_told_to_the_reviewer() {
    let garden = Garden::new(&one_task(&["true"]));
    run(&garden, &["gardener"]).assert(0, &["baseline    pass"]);
    assert_eq!(trailers(&garden, "Arborist-Baseline"), ["pass"]);
    assert!(garden.prompt("T001.review.0").contains("\nBefore this task, its tests passed"));
    assert_eq!(trailers(&garden, "Arborist-Findings"), Vec::<String>::new());
}

#[test]
fn a_result_is_used_again_for_the_same_files_and_commands_even_after_a_kill() {
    let garden = Garden::new(&one_task(&["echo run >> \"$ROOT/runs\"; test -e T001.txt"]));
    garden.agent("test -e \"$ROOT/again\" || { echo $$ > \"$ROOT/pid\"; sleep 60; }");
    let mut command = garden.arborist(&["gardener", "--no-review"]);
    command.env_remove("ARBORIST_TRUST_BASELINE");
    let running = garden.start(command);
    garden.wait_for("pid");
    garden.kill_with_agent(running);
    std::fs::write(garden.root().join("again"), "").unwrap();
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(std::fs::read_to_string(garden.root().join("runs")).unwrap(), "run\nrun\n");
    assert_eq!(trailers(&garden, "Arborist-Baseline"), ["fail"]);
}

#[test]
fn tests_are_not_run_before_a_task_if_the_user_does_not_want_that() {
    let garden = Garden::new(&one_task(&["echo run >> \"$ROOT/runs\""]));
    garden.config("arborist.trust.baseline", "off");
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(trailers(&garden, "Arborist-Baseline"), Vec::<String>::new());
    assert_eq!(std::fs::read_to_string(garden.root().join("runs")).unwrap(), "run\n");
}

#[test]
fn a_task_whose_tests_pass_before_it_fails_without_an_attempt_if_that_is_required_and_others_go_on() {
    let garden =
        Garden::new(&plan(&[("T001", "", &[], &["true"]), ("T002", "", &[], &["test -e T002.txt"])]));
    garden.config("arborist.trust.baseline", "require");
    run(&garden, &["gardener", "--no-review", "--keep-going"]).assert(1, &["T001 failed"]);
    assert_eq!(garden.asked(), ["T002.implement.0"]);
    let failed = message(&garden, "task(T001): failed");
    assert!(
        failed.contains("\nerror[baseline]: The tests pass before anybody has worked on the task"),
        "{failed}"
    );
    let shown = run(&garden, &["show", "T001"]).stdout;
    assert!(shown.contains("error[baseline]: The tests pass"), "{shown}");
}

#[test]
fn what_the_tests_leave_behind_before_a_task_is_not_committed_with_it() {
    let garden = Garden::new(&one_task(&["echo x > left.txt"]));
    run(&garden, &["gardener", "--no-review"]).assert(0, &["the tests of T001 left changes"]);
    assert!(garden.git(&["ls-files", "left.txt"]).is_empty());
}

#[test]
fn a_task_without_tests_says_so_everywhere_and_is_refused_if_tests_are_required() {
    let garden = Garden::new(&plan(&[("T001", "", &[], &[])]));
    assert!(run(&garden, &["status"]).stdout.contains("(pending, next, no tests)"));
    let dry = run(&garden, &["gardener", "--dry-run"]).stdout;
    assert!(dry.contains("(no tests)"), "{dry}");
    let mut command = garden.arborist(&["gardener"]);
    command.env("ARBORIST_TRUST_TESTS", "require");
    garden.finish(command).assert(2, &["T001 has no test command", "arborist.trust.tests"]);
    assert!(garden.steps().is_empty());
    run(&garden, &["gardener"]).assert(0, &[]);
    let test = message(&garden, "task(T001): tests pass");
    assert!(test.contains("warning[tests]: The task has no test command"), "{test}");
    assert!(!test.contains("Arborist-Test-Passed"), "{test}");
    assert!(garden.prompt("T001.review.0").contains("The task has no test command"));
    let complete = message(&garden, "task(T001): complete");
    assert!(complete.contains("Arborist-Findings: tests"), "{complete}");
}

#[test]
fn a_test_that_passes_only_when_it_is_repeated_passes_with_a_label() {
    let garden = Garden::new(&one_task(&["test -e \"$ROOT/second\" || { : > \"$ROOT/second\"; exit 1; }"]));
    let mut command = garden.arborist(&["gardener"]);
    command.env("ARBORIST_CONFIRM", "2");
    garden.finish(command).assert(0, &[]);
    assert_eq!(trailers(&garden, "Arborist-Test-Flaky"), ["1"]);
    let test = message(&garden, "task(T001): tests pass");
    assert!(test.contains("warning[flaky]: This command failed once before it passed"), "{test}");
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}
