//! Rows X: test commands that hang, leave processes, print without end, change files or judge wrongly.

use crate::support::garden::{Ended, Garden, one_task as plan_of};
use crate::support::harness::{assert_sound_after, garden};
use crate::support::skip::has_proc;

/// A garden whose one task is judged by these commands, with one attempt.
fn judged_by(tests: &[&str]) -> Garden {
    let garden = garden(&plan_of(tests), "");
    garden.config("arborist.maxAttempts", "1");
    // A test that ends by itself must not run into this on a busy machine.
    garden.config("arborist.testTimeout", "60");
    garden
}

fn run(garden: &Garden, status: i32) -> Ended {
    let ended = garden.run(&["gardener"]);
    ended.assert(status, &[]);
    assert_sound_after(garden, &ended);
    ended
}

/// The body of the one test commit.
fn test_commit(garden: &Garden) -> String {
    garden.git(&["log", "--format=%B", "--grep", "Arborist-Step: test"])
}

#[test]
fn x01_a_test_that_hangs_and_ignores_all_signals_fails_at_its_timeout() {
    let garden = judged_by(&["trap '' TERM INT HUP; while :; do sleep 0.1; done"]);
    garden.config("arborist.testTimeout", "1");
    run(&garden, 1);
    let body = test_commit(&garden);
    assert!(
        body.contains("ended after its timeout of 1 s") && body.contains("Arborist-Test: fail"),
        "{body}"
    );
}

#[test]
fn x02_a_server_that_a_passed_test_leaves_running_is_ended_and_named() {
    if !has_proc() {
        return;
    }
    let garden = judged_by(&["setsid sh -c 'trap \"\" HUP; sleep 300' & exit 0"]);
    let ended = run(&garden, 0);
    ended.assert(0, &["left", "running; it has been ended"]);
    assert!(test_commit(&garden).contains("Arborist-Test: pass"));
}

#[test]
fn x03_a_test_that_reads_from_a_terminal_or_its_input_finds_neither() {
    let garden = judged_by(&["test -z \"$(cat)\" && ! (exec < /dev/tty) 2> /dev/null"]);
    run(&garden, 0);
}

#[test]
fn x04_files_that_tests_change_are_named_and_stay_uncommitted() {
    let garden = judged_by(&["echo changed >> shared.txt; echo junk > junk.txt"]);
    let ended = run(&garden, 0);
    ended.assert(0, &["left changes, which stay uncommitted: junk.txt, shared.txt"]);
    assert_eq!(garden.status(), [" M shared.txt", "?? junk.txt"]);
    assert!(!garden.lines(&["ls-files"]).contains(&"junk.txt".to_owned()));
    let again = run(&garden, 0);
    assert_eq!(again.stdout, "1/1 complete\n");
}

#[test]
fn x05_a_command_that_is_empty_is_refused_and_one_that_does_not_exist_is_named() {
    let garden = judged_by(&["exit 0"]);
    let mut plan = plan_of(&["exit 0"]);
    plan["nodes"]["T001"]["test_commands"][0]["command"] = "  ".into();
    garden.write("task-tree.json", &plan.to_string());
    garden.commit("Empty");
    garden.run(&["gardener"]).assert(2, &["T001", "command"]);

    let garden = judged_by(&["no-such-command --flag"]);
    garden.run(&["gardener"]).assert(4, &["there is no program `no-such-command`", "Install it"]);

    let garden = judged_by(&["exit 3 || true"]);
    run(&garden, 1);
}

#[test]
fn x06_a_test_that_commits_or_resets_ends_the_run_and_nothing_is_lost() {
    for (command, words) in [
        (
            "git commit -q --allow-empty -m 'By a test'",
            ["1 commit was made while a test command was at work", "git reset --keep"],
        ),
        (
            "git reset -q --hard HEAD~1",
            ["rewrote the branch main while a test command was at work", "refs/arborist/rescue"],
        ),
    ] {
        let garden = judged_by(&[command]);
        let ended = garden.start(garden.arborist(&["gardener"])).wait();
        ended.assert(6, &words);
        garden.forget_history();
        assert_sound_after(&garden, &ended);
    }
}

#[test]
fn x07_a_test_that_prints_without_end_is_ended() {
    let garden = judged_by(&["cat /dev/zero"]);
    garden.config("arborist.testTimeout", "1");
    run(&garden, 1);
    let body = test_commit(&garden);
    assert!(body.contains("Failed:\n- ") && body.len() < 4000, "{body}");
}

#[test]
fn x08_a_test_passes_if_its_exit_status_says_so_and_its_output_counts_no_failure() {
    let garden = judged_by(&["echo '1 passed in 0.1s'; exit 1"]);
    run(&garden, 1);
    let garden = judged_by(&["echo '3 failed, 1 passed in 0.1s'; exit 0"]);
    run(&garden, 1);
    let garden = judged_by(&["echo 'all 3 cases failed to be wrong'; exit 0"]);
    run(&garden, 0);
}

#[test]
fn x09_all_commands_are_recorded_when_the_second_one_fails() {
    let garden = judged_by(&["echo one", "echo two; exit 2", "echo three"]);
    run(&garden, 1);
    let body = test_commit(&garden);
    for word in ["one", "two", "three", "exit status 2", "Arborist-Test: fail"] {
        assert!(body.contains(word), "{word}: {body}");
    }
    let log = garden.lines(&["ls-files", "spec/logs"]).join("");
    for word in ["one", "two", "three", "exit status 0", "exit status 2"] {
        assert!(garden.read(&log).contains(word), "{word}");
    }
}
