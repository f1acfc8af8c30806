//! Tests run before the first attempt at a task, so that later results can be compared with theirs.

use crate::support::garden::{Ended, Garden, one_task, plan};

/// Runs the program with the defaults of all checks.
pub(super) fn run(garden: &Garden, args: &[&str]) -> Ended {
    let mut command = garden.arborist(args);
    command.env_remove("ARBORIST_TRUST_BASELINE").env_remove("ARBORIST_TRUST_COUNTS");
    // It runs the tests several times more.
    command.env("ARBORIST_TRUST_PROVE", "off");
    garden.finish(command)
}

#[test]
fn the_first_step_of_a_task_says_how_its_tests_ended_before() {
    let garden = Garden::new(&one_task(&["echo run >> \"$ROOT/runs\"; test -e T001.txt"]));
    run(&garden, &["gardener", "--verbose"]).assert(0, &["baseline    fail"]);
    assert_eq!(garden.trailers("Arborist-Baseline"), ["fail"]);
    let implement = garden.message("task(T001): implement");
    assert!(implement.contains("\nFailing before this task:\n- `echo run"), "{implement}");
    assert!(garden.prompt("T001.implement.0").contains("\nBefore this task, its tests failed: `echo run"));
    assert_eq!(std::fs::read_to_string(garden.root().join("runs")).unwrap(), "run\nrun\n");
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn tests_that_pass_before_the_task_are_told_to_the_reviewer() {
    let garden = Garden::new(&one_task(&["true"]));
    run(&garden, &["gardener", "--verbose"]).assert(0, &["baseline    pass"]);
    assert_eq!(garden.trailers("Arborist-Baseline"), ["pass"]);
    assert!(garden.prompt("T001.review.0").contains("\nBefore this task, its tests passed"));
    assert_eq!(garden.trailers("Arborist-Findings"), ["counts-unknown"; 3]);
}

#[test]
fn a_result_that_was_lost_with_a_killed_run_is_measured_again() {
    let garden = Garden::new(&one_task(&["echo run >> \"$ROOT/runs\"; test -e T001.txt"]));
    garden.agent("test -e \"$ROOT/again\" || { echo $$ > \"$ROOT/pid\"; sleep 60; }");
    let mut command = garden.arborist(&["gardener", "--no-review"]);
    command.env_remove("ARBORIST_TRUST_BASELINE").env("ARBORIST_TRUST_PROVE", "off");
    let running = garden.start(command);
    garden.wait_for("pid");
    garden.kill_with_agent(running);
    std::fs::write(garden.root().join("again"), "").unwrap();
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(std::fs::read_to_string(garden.root().join("runs")).unwrap(), "run\nrun\nrun\n");
    assert_eq!(garden.trailers("Arborist-Baseline"), ["fail"]);
}

/// A command that prints a summary as pytest would, and ends with this status.
fn printing(summary: &str, status: u8) -> String {
    format!("echo '===== {summary} in 0.10s ====='; exit {status}")
}

#[test]
fn programs_are_asked_for_all_names_without_losing_what_the_user_asks_of_them() {
    let command = "test \"$PYTEST_ADDOPTS|$GOFLAGS\" = '-x -rpsxXEf --continue-on-collection-errors|-race -v' && echo \"$0\"";
    let garden = Garden::new(&one_task(&[command]));
    let mut begun = garden.arborist(&["gardener", "--no-review"]);
    begun.env("PYTEST_ADDOPTS", "-x").env("GOFLAGS", "-race").env("ARBORIST_TRUST_PROVE", "off");
    garden.finish(begun).assert(0, &[]);
    let garden =
        Garden::new(&one_task(&["test \"$PYTEST_ADDOPTS\" = '-rpsxXEf --continue-on-collection-errors'"]));
    run(&garden, &["gardener", "--verbose", "--no-review"]).assert(0, &["baseline    pass"]);
}

#[test]
fn go_is_asked_for_its_settings_only_where_it_has_a_file_of_them() {
    let garden = Garden::new(&one_task(&["echo \"$GOFLAGS\" > \"$ROOT/flags\""]));
    garden.program(&garden.root().join("bin/go"), "echo asked >> \"$ROOT/asked\"; echo -race");
    let run_with_go = || {
        let mut begun = garden.arborist(&["gardener", "--no-review"]);
        begun.env("PATH", garden.path_with(&garden.root().join("bin"))).env_remove("GOFLAGS");
        garden.finish(begun).assert(0, &[]);
        std::fs::read_to_string(garden.root().join("flags")).unwrap()
    };
    let start = garden.head();
    assert_eq!(run_with_go(), "-v\n");
    assert!(!garden.root().join("asked").exists());
    garden.git(&["reset", "-q", "--hard", &start]);
    garden.forget_history();
    let file = garden.root().join("home/.config/go/env");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "GOFLAGS=-race\n").unwrap();
    assert_eq!(run_with_go(), "-race -v\n");
}

#[test]
fn the_trailer_has_the_counts_of_the_baseline() {
    let garden = Garden::new(&one_task(&[
        "test -e T001.txt && n=0 f='1 passed, ' || n=1 f='1 failed, '; echo \"==== ${f}4 passed in 0.10s ====\"; exit $n",
    ]));
    run(&garden, &["gardener", "--verbose"]).assert(0, &["baseline    fail", "4 passed, 1 failed"]);
    assert_eq!(garden.trailers("Arborist-Baseline"), ["fail passed=4 failed=1 skipped=0"]);
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_forged_file_with_a_baseline_has_no_effect() {
    let command = printing("1 passed", 0);
    let garden = Garden::new(&one_task(&[&command]));
    let tree = garden.git(&["rev-parse", "HEAD^{tree}"]);
    let digest = sha1_smol::Sha1::from(format!("unit {command}")).digest().to_string();
    let folder = garden.top().join(".git/arborist/baselines");
    std::fs::create_dir_all(&folder).unwrap();
    let forged = serde_json::json!({
        "commands": [format!("unit {command}")],
        "baseline": {"passed": false, "counts": {"passed": 0, "failed": 9, "skipped": 0}, "failing": ["forged"]},
    });
    let file = folder.join(format!("{}-{}.json", tree.trim(), &digest[..12]));
    std::fs::write(file, forged.to_string()).unwrap();
    run(&garden, &["gardener", "--verbose", "--no-review"]).assert(0, &["baseline    pass"]);
    assert_eq!(garden.trailers("Arborist-Baseline"), ["pass passed=1 failed=0 skipped=0"]);
}

#[test]
fn a_command_that_hides_failures_ends_the_run_before_an_agent_begins() {
    for (command, remedy) in [
        ("cat out | cat", "Drop the pipe"),
        ("cat out || true", "Remove what follows `||`"),
        ("sh ./check.sh", "Let it end with the exit status of its tests"),
    ] {
        let garden = Garden::new(&one_task(&[command]));
        garden.write("out", "===== 4 failed, 1 passed in 0.10s =====\n");
        garden.write("check.sh", "cat out\n");
        garden.commit("Add tests");
        let said = format!("`{command}` hides failures: it printed 4 failed and ended with 0");
        run(&garden, &["gardener"]).assert(2, &[&said, remedy, "No agent was started"]);
        assert!(garden.asked().is_empty() && garden.trailers("Arborist-Step").is_empty());
    }
}

#[test]
fn a_program_that_is_not_there_ends_the_run_unless_a_task_may_install_it() {
    let missing = "arborist-no-such-program --all";
    let garden = Garden::new(&one_task(&[missing]));
    let said = "the tests of T001 cannot run: there is no program `arborist-no-such-program`";
    run(&garden, &["gardener"]).assert(4, &[said, "\"expect\": \"config\""]);
    assert!(garden.asked().is_empty() && garden.steps().is_empty());
    let mut tree = one_task(&[missing]);
    tree["nodes"]["T001"]["expect"] = "config".into();
    let garden = Garden::new(&tree);
    run(&garden, &["gardener", "--verbose", "--no-review", "--max-attempts", "1"])
        .assert(1, &["baseline    fail"]);
    assert_eq!(garden.asked(), ["T001.implement.0"]);
    // A file of the repository, and what a script calls, may be what the task is about.
    for (command, status) in [("./check.sh", 0), ("sh call.sh", 1)] {
        let garden = Garden::new(&one_task(&[command]));
        garden.write("call.sh", "arborist-no-such-program\n");
        garden.commit("Add a script");
        garden.agent("printf '#!/bin/sh\\ntrue\\n' > check.sh; chmod +x check.sh");
        run(&garden, &["gardener", "--verbose", "--no-review", "--max-attempts", "1"])
            .assert(status, &["baseline    fail"]);
        assert_eq!(garden.asked(), ["T001.implement.0"], "{command}");
    }
}

#[test]
fn commands_that_count_nothing_are_named_once_in_a_run() {
    let garden = Garden::new(&plan(&[("T001", "", &[], &["true"]), ("T002", "", &[], &["test 1"])]));
    let ended = run(&garden, &["gardener", "--no-review"]);
    ended.assert(0, &["it is not known how many tests `true` runs"]);
    assert_eq!(ended.stderr.matches("counts-unknown").count(), 1, "{}", ended.stderr);
    let test = garden.message("task(T002): tests pass");
    let said = "warning[counts-unknown]: It is not known how many tests ran, because the output of the commands does not say:\n- `test 1`\n";
    assert!(test.contains(said), "{test}");
    let counted = Garden::new(&one_task(&["true", &printing("2 passed", 0)]));
    run(&counted, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(counted.trailers("Arborist-Findings"), Vec::<String>::new(), "a linter beside tests");
}

#[test]
fn tests_are_not_run_before_a_task_if_the_user_does_not_want_that() {
    let garden = Garden::new(&one_task(&["echo run >> \"$ROOT/runs\""]));
    garden.config("arborist.trust.baseline", "off");
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.trailers("Arborist-Baseline"), Vec::<String>::new());
    assert_eq!(std::fs::read_to_string(garden.root().join("runs")).unwrap(), "run\n");
}

#[test]
fn a_task_whose_tests_pass_before_it_fails_without_an_attempt_if_that_is_required_and_others_go_on() {
    let garden =
        Garden::new(&plan(&[("T001", "", &[], &["true"]), ("T002", "", &[], &["test -e T002.txt"])]));
    garden.config("arborist.trust.baseline", "require");
    run(&garden, &["gardener", "--no-review"]).assert(1, &["T001 failed"]);
    assert_eq!(garden.asked(), ["T002.implement.0"]);
    let failed = garden.message("task(T001): failed");
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
fn a_task_without_tests_says_so_everywhere() {
    let garden = Garden::new(&plan(&[("T001", "", &[], &[])]));
    assert!(run(&garden, &["status"]).stdout.contains("(pending, next, untested)"));
    let dry = run(&garden, &["gardener", "--dry-run"]).stdout;
    assert!(dry.contains("(untested)"), "{dry}");
    let ended = run(&garden, &["gardener"]);
    ended.assert(0, &["T001 test        untested"]);
    assert!(!ended.stderr.contains("T001 test        pass"), "{}", ended.stderr);
    assert!(run(&garden, &["show", "T001"]).stdout.contains("test       untested"));
    let test = garden.message("task(T001): tests pass");
    assert!(test.contains("warning[tests]: The task has no test command"), "{test}");
    assert!(!test.contains("Arborist-Test-Passed"), "{test}");
    assert!(garden.prompt("T001.review.0").contains("The task has no test command"));
    let complete = garden.message("task(T001): complete");
    assert!(complete.contains("Arborist-Findings: tests"), "{complete}");
}

#[test]
fn a_test_that_passes_only_when_it_is_repeated_passes_with_a_label() {
    let garden = Garden::new(&one_task(&["test -e \"$ROOT/second\" || { : > \"$ROOT/second\"; exit 1; }"]));
    let mut command = garden.arborist(&["gardener"]);
    command.env("ARBORIST_CONFIRM", "2");
    garden.finish(command).assert(0, &[]);
    let test = garden.message("task(T001): tests pass");
    assert!(test.contains("warning[flaky]: This command failed once before it passed"), "{test}");
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}
