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

/// Two phases: the tests of the first need the file `glue`; of the second, one task depends on the first phase. Where a task has one
/// attempt only, the run opens none again (`reopened`).
fn two_phases() -> Garden {
    Garden::new(&plan(&[
        ("p1", "", &[], &["echo 'the parts of T001.txt do not fit'; test -f glue"]),
        ("T001", "p1", &[], &[]),
        ("T002", "p1", &[], &[]),
        ("p2", "", &[], &[]),
        ("T003", "p2", &["p1"], &[]),
        ("T004", "p2", &[], &[]),
    ]))
}

#[test]
fn two_phases_that_stay_red_end_the_run() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &["test -f glue"]),
        ("T001", "p1", &[], &[]),
        ("p2", "", &[], &["test -f paint"]),
        ("T002", "p2", &[], &[]),
    ]));
    for options in [&["gardener", "--no-review"][..], &["gardener", "--no-review", "-j", "2"]] {
        garden.run(options).assert(1, &["the tests of p1, p2 failed"]);
        let subjects = garden.subjects();
        let failed = subjects.iter().filter(|subject| subject.ends_with("tests fail")).count();
        // Each of them once more after its task was done again, and after the other one was.
        assert!(failed <= 8, "{subjects:#?}");
    }
}

#[test]
fn failed_phase_tests_are_a_step_and_run_again_when_something_has_changed() {
    let garden = two_phases();
    garden
        .run(&["gardener", "--no-review", "--max-attempts", "1", "--stop-on-failure"])
        .assert(1, &["p1", "exit status 1", "show p1`"]);
    assert_eq!(garden.subjects().last().unwrap(), "phase(p1): tests fail");
    let message = garden.git(&["log", "-1", "--format=%B"]);
    assert!(message.contains("the parts of T001.txt do not fit"), "{message}");
    assert!(message.contains("Arborist-Test-Log: spec/logs/p1_test_"), "{message}");
    // Nothing has changed, so nothing runs.
    garden
        .run(&["gardener", "--no-review", "--max-attempts", "1", "--stop-on-failure"])
        .assert(1, &["the tests of p1 failed", "`git arborist gardener` runs them again"]);
    assert_eq!(garden.subjects().len(), 6 + 1);
    garden
        .run(&["gardener", "--no-review", "--max-attempts", "1", "--stop-on-failure", "--failed"])
        .assert(1, &["p1"]);
    assert_eq!(garden.subjects().len(), 6 + 2, "asked to, it runs them again");
    garden.run(&["gardener", "--no-review", "--max-attempts", "1"]).assert(1, &["p1"]);
    assert_eq!(
        garden.asked(),
        ["T001.implement.0", "T002.implement.0", "T004.implement.0"],
        "T004 depends on neither"
    );
    garden.write("glue", "");
    garden.commit("Make the parts fit");
    garden.run(&["gardener", "--no-review", "--max-attempts", "1"]).assert(0, &[]);
    let subjects = garden.subjects();
    assert!(subjects.contains(&"phase(p1): complete".to_owned()), "{subjects:?}");
    assert_eq!(subjects.last().unwrap(), "phase(p2): complete");
    garden.run(&["gardener", "--no-review", "--max-attempts", "1"]).assert(0, &[]);
    assert_eq!(garden.subjects(), subjects, "a phase is marked once");
    garden.git(&["config", "arborist.review", "false"]);
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn every_view_says_that_the_tests_of_a_phase_fail_and_nothing_that_depends_on_it_begins() {
    let garden = two_phases();
    garden.run(&["gardener", "--no-review", "--max-attempts", "1", "--stop-on-failure"]).assert(1, &[]);
    let status = garden.run(&["status"]).stdout;
    for words in ["FAIL p1", "its tests fail", "`git arborist show p1`"] {
        assert!(status.contains(words), "{status}");
    }
    let json: serde_json::Value = serde_json::from_str(&garden.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(json["phases"][0]["marked"], false);
    assert_eq!(json["phases"][0]["failed_tests"]["commit"], garden.head());
    let page = garden.run(&["show", "p1"]).stdout;
    assert!(page.contains("its tests fail") && page.contains("the parts of T001.txt do not fit"), "{page}");
    garden.run(&["show", "T001"]).assert(0, &[]);
    // `garden` and `next` begin nothing that the failed phase was to prepare, and say why.
    assert!(garden.run(&["next"]).stdout.starts_with("T004"), "T004 does not depend on the phase");
    for command in ["garden", "next"] {
        let ended = garden.run(&[command, "T003"]);
        ended.assert(1, &["T003 is not ready", "the tests of p1 fail", "show p1`"]);
    }
    garden.run(&["garden", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.asked().last().unwrap(), "T004.implement.0");
    for command in ["garden", "next"] {
        garden.run(&[command]).assert(1, &["the tests of p1 failed", "show p1`"]);
    }
}

#[test]
fn a_reopened_task_learns_what_the_tests_of_its_phase_have_printed() {
    let garden = two_phases();
    let ended = garden.run(&["gardener", "--no-review", "--max-attempts", "1"]);
    // The output names a file of this task.
    let advice = "git arborist mark reopen T001 -m WHY";
    ended.assert(1, &[advice]);
    assert!(!ended.stderr.contains("reopen T002"), "{}", ended.stderr);
    // Whoever looks later reads the same.
    for later in [&["status"][..], &["next"], &["garden"], &["gardener", "--dry-run", "--max-attempts", "1"]]
    {
        let ended = garden.run(later);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains(advice) && !said.contains("reopen TASK"), "{later:?}: {said}");
    }
    // With another attempt, the run would open that task again by itself.
    let foretold = garden.run(&["gardener", "--dry-run", "--no-review"]).stdout;

    assert!(foretold.contains("T001 Do T001: implement") && foretold.contains("T003 Do T003"), "{foretold}");
    let words: Vec<&str> = advice.split(' ').skip(2).collect();
    garden.run(&words).assert(0, &[]);
    garden.agent("test \"$ARBORIST_TASK.$ARBORIST_ATTEMPT\" = T001.0 && touch glue");
    garden.run(&["gardener", "--no-review", "--max-attempts", "1"]).assert(0, &[]);
    let prompts = garden.prompts();
    let (_, prompt) = prompts.iter().rfind(|(work, _)| work == "T001.implement.0").unwrap();
    assert!(prompt.contains("The tests of the whole phase fail"), "{prompt}");
    assert!(prompt.contains("the parts of T001.txt do not fit"), "{prompt}");
    // The phase is complete, so this no longer concerns anybody.
    garden.run(&["mark", "reopen", "T002", "-m", "Once more"]).assert(0, &[]);
    assert!(!garden.run(&["next", "--prompt", "T002"]).stdout.contains("do not fit"));
}

#[test]
fn garden_runs_the_tests_of_a_phase_that_is_still_open_before_a_task_that_depends_on_it() {
    let garden = two_phases();
    garden.run(&["garden", "T001", "--no-review"]).assert(0, &[]);
    garden.run(&["garden", "T002", "--no-review"]).assert(1, &["p1"]);
    // As if the run had ended between the last task of the phase and its tests.
    garden.git(&["revert", "--no-edit", "HEAD"]);
    assert!(!garden.run(&["status"]).stdout.contains("tests fail"));
    garden.run(&["garden", "T003", "--no-review"]).assert(1, &["the tests of p1 failed"]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T002.implement.0"]);
    assert_eq!(garden.subjects().last().unwrap(), "phase(p1): tests fail");
}

#[test]
fn the_output_of_a_failed_suite_is_recorded_and_told_to_the_next_attempt() {
    let garden = Garden::new(&plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &[])]));
    garden.git(&["config", "arborist.suite", "echo 'the whole is less than its parts'; test -f glue"]);
    garden.git(&["config", "arborist.trust.suite", "require"]);
    garden.agent("test \"$ARBORIST_ATTEMPT\" = 1 && touch glue");
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    let failed = garden.git(&["log", "-1", "--format=%B", "--grep", "tests fail for"]);
    assert!(failed.contains("the whole is less than its parts"), "{failed}");
    let prompts = garden.prompts();
    assert!(prompts[1].1.contains("the whole is less than its parts"), "{}", prompts[1].1);
}

#[test]
fn a_marker_of_a_phase_with_open_tasks_counts_for_nothing() {
    let garden = two_phases();
    let message = "phase(p1): complete\n\nArborist-Step: phase-complete\n";
    garden.git(&["commit", "-q", "--allow-empty", "-m", message]);
    let json: serde_json::Value = serde_json::from_str(&garden.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(json["phases"][0]["marked"], false);
    let page: serde_json::Value =
        serde_json::from_str(&garden.run(&["show", "p1", "--json"]).stdout).unwrap();
    assert_eq!(page["marked"], false);
    garden.write("glue", "");
    garden.commit("Make the parts fit");
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.subjects().iter().filter(|subject| *subject == "phase(p1): complete").count(), 2);
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
