//! Test commands are tried before the first task that uses them, so that an agent is not paid for work that nobody can judge.

use super::run_without_proofs;
use crate::support::garden::{Ended, Garden, one_task, plan};
use crate::support::proofs::with_default_checks;

/// Runs the program with the defaults of all checks.
pub(super) fn run(garden: &Garden, args: &[&str]) -> Ended {
    let mut command = garden.arborist(args);
    with_default_checks(&mut command);
    garden.finish(command)
}

/// How often a command has run that writes a line into this file.
fn runs(garden: &Garden) -> usize {
    std::fs::read_to_string(garden.root().join("runs")).unwrap().lines().count()
}

#[test]
fn a_command_is_tried_once_in_a_run_and_every_task_is_told_what_it_showed_last() {
    let count = "echo run >> \"$ROOT/runs\"; ls T*.txt";
    let garden = Garden::new(&plan(&[("T001", "", &[], &[count]), ("T002", "", &[], &[count])]));
    let ended = run(&garden, &["gardener", "--verbose", "--no-review"]);
    ended.assert(0, &["T001 trial       fail"]);
    assert_eq!(ended.stderr.matches(" trial ").count(), 1, "{}", ended.stderr);
    let told = |task: &str| garden.prompt(&format!("{task}.implement.0"));
    assert!(told("T001").contains("\nBefore this task, its tests failed: `echo run"), "{}", told("T001"));
    assert!(told("T002").contains("\nBefore this task, its tests passed"), "{}", told("T002"));
    run(&garden, &["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_run_that_goes_on_after_a_kill_tries_its_commands_again() {
    let garden = Garden::new(&one_task(&["echo run >> \"$ROOT/runs\"; test -e T001.txt"]));
    garden.agent("test -e \"$ROOT/again\" || { echo $$ > \"$ROOT/pid\"; sleep 60; }");
    let mut command = garden.arborist(&["gardener", "--no-review"]);
    with_default_checks(&mut command);
    let running = garden.start(command);
    garden.wait_for("pid");
    assert_eq!(runs(&garden), 1);
    garden.kill_with_agent(running);
    std::fs::write(garden.root().join("again"), "").unwrap();
    run(&garden, &["gardener", "--verbose", "--no-review"]).assert(0, &["T001 trial       fail"]);
}

#[test]
fn nothing_is_tried_without_proofs() {
    let garden = Garden::new(&one_task(&["echo run >> \"$ROOT/runs\""]));
    for check in ["prove", "counts"] {
        garden.config(&format!("arborist.trust.{check}"), "off");
    }
    run(&garden, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(runs(&garden), 1);
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
    run(&garden, &["gardener", "--verbose", "--no-review"]).assert(0, &["trial       pass"]);
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
    // The agent is told, and may set it up; nothing of its work is lost, and no attempt is used up.
    for asked in [1, 1] {
        run(&garden, &["gardener", "--no-review"]).assert(4, &[said, "\"expect\": \"config\""]);
        assert_eq!(garden.asked().len(), asked);
        assert_eq!(garden.trailers("Arborist-Step"), ["implement"]);
    }
    assert!(garden.prompt("T001.implement.0").contains("the program `arborist-no-such-program`"));
    let mut tree = one_task(&[missing]);
    tree["nodes"]["T001"]["expect"] = "config".into();
    let garden = Garden::new(&tree);
    run(&garden, &["gardener", "--verbose", "--no-review", "--max-attempts", "1"])
        .assert(1, &["trial       fail"]);
    assert_eq!(garden.asked(), ["T001.implement.0"]);
    // A file of the repository, and what a script calls, may be what the task is about.
    for (command, status) in [("./check.sh", 0), ("sh call.sh", 1)] {
        let garden = Garden::new(&one_task(&[command]));
        garden.write("call.sh", "arborist-no-such-program\n");
        garden.commit("Add a script");
        garden.agent("printf '#!/bin/sh\\ntrue\\n' > check.sh; chmod +x check.sh");
        run(&garden, &["gardener", "--verbose", "--no-review", "--max-attempts", "1"])
            .assert(status, &["trial       fail"]);
        assert_eq!(garden.asked(), ["T001.implement.0"], "{command}");
    }
}

#[test]
fn a_loop_over_scripts_that_forgets_a_failure_ends_the_run_before_an_agent_begins() {
    for (command, status, asked) in [
        ("for t in tests/*.sh; do sh $t; done", 2, 0),
        ("sh run.sh", 2, 0),
        ("for t in tests/*.sh; do sh $t || exit 1; done", 0, 1),
    ] {
        let garden = Garden::new(&one_task(&[command]));
        garden.write("tests/z.sh", "true\n");
        garden.write("run.sh", "for t in tests/*.sh; do\n    sh \"$t\"\ndone\n");
        garden.commit("Add tests");
        let said = "exit status 0 although a test that was added to tests/arborist_canary.sh fails";
        let said = if status == 2 { &[said][..] } else { &[] };
        run(&garden, &["gardener", "--no-review"]).assert(status, said);
        assert_eq!(garden.asked().len(), asked, "{command}");
    }
}

#[test]
fn agents_in_slots_are_told_what_the_run_knows() {
    let garden = |command: &str| Garden::new(&plan(&[("T001", "", &[], &[command]), ("T002", "", &[], &[])]));
    let known = garden("ls T*.txt");
    run(&known, &["gardener", "--jobs", "2", "--no-review"]).assert(0, &[]);
    let told = known.prompt("T001.implement.0");
    assert!(told.contains("\nBefore this task, its tests failed: `ls T*.txt`"), "{told}");
    let missing = garden("arborist-no-such-program --all");
    run(&missing, &["gardener", "--jobs", "2", "--no-review"]).assert(4, &["there is no program"]);
    let told = missing.prompt("T001.implement.0");
    assert!(told.contains("the program `arborist-no-such-program`"), "{told}");
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
    run_without_proofs(&counted, &["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(counted.trailers("Arborist-Findings"), Vec::<String>::new(), "a linter beside tests");
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
