//! Tests signals, a second run at the same time, and what they leave behind (rows K10 to K13, C01).

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use crate::support::garden::{Garden, Running, one_task, side_by_side};
use serde_json::json;

/// Signals that are this far apart count as two. git passes Ctrl-C on, so signals that come at the same time count
/// once.
const APART: Duration = Duration::from_secs(1);

/// A garden whose agent writes something in its first attempt and then waits until it is ended; `$ROOT/began` shows
/// that it has begun.
fn waiting() -> Garden {
    let garden = Garden::new(&one_task(&["true"]));
    garden.agent(
        "if ! test -f \"$ROOT/began\"; then
         echo half > half.txt; (sleep 3001; echo late > late.txt) & touch \"$ROOT/began\"; sleep 3002; echo late > late.txt; fi",
    );
    garden
}

/// Starts a run in a process group of its own, as a shell does, and waits until its agent or its test works.
pub(super) fn start(garden: &Garden, mut command: Command) -> Running {
    command.process_group(0);
    let running = garden.start(command);
    garden.wait_for("began");
    running
}

/// Sends a signal to the whole group, as a terminal does.
pub(super) fn signal_group(running: &Running, name: &str) {
    let group = format!("-{}", running.id());
    assert!(Command::new("/bin/kill").args(["-s", name, "--", &group]).status().unwrap().success());
}

#[test]
fn a_stopped_run_ends_its_agent_says_so_and_continues_when_started_again() {
    side_by_side([("INT", 130), ("TERM", 143), ("HUP", 129)], |(signal, status)| {
        let garden = waiting();
        let running = start(&garden, garden.arborist(&["gardener"]));
        signal_group(&running, signal);
        let ended = running.wait();
        garden.check(&ended);
        ended.assert(status, &["Stopped", "git arborist gardener", "git arborist rescue show T001/"]);
        assert!(!ended.stderr.contains("error"), "it is what the user wanted: {}", ended.stderr);
        garden.assert_nothing_runs();
        assert!(!garden.exists("late.txt"), "{signal}");
        assert_eq!(garden.subjects(), [""; 0], "{signal}: no attempt is used up");

        assert_eq!(garden.status(), [""; 0], "{signal}");
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(
            garden.subjects(),
            [
                "task(T001): implement \"Do T001\"",
                "task(T001): tests pass for \"Do T001\"",
                "task(T001): review approved for \"Do T001\"",
                "task(T001): complete \"Do T001\"",
                "phase(p1): complete",
            ],
            "{signal}"
        );
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.implement.0", "T001.review.0"], "{signal}");
        assert_eq!(
            garden.files_of("HEAD~4"),
            ["T001.txt"],
            "{signal}: half work is not taken for the next attempt's"
        );
        let saved = garden.lines(&["for-each-ref", "--format=%(refname)", "refs/arborist/rescue/T001"]);
        assert_eq!(garden.git(&["show", &format!("{}:half.txt", saved[0])]), "half", "{signal}");
    });
}

#[test]
fn sigterm_reaches_the_run_through_gits_dispatch() {
    let garden = waiting();
    let mut command = garden.command("git-arborist");
    command.arg("gardener");
    let running = start(&garden, command);
    running.signal("TERM");
    running.wait().assert(143, &["Stopped"]);
    garden.assert_nothing_runs();
}

#[test]
fn an_agent_that_ignores_the_first_signal_is_killed_after_the_second() {
    let garden = Garden::new(&one_task(&[]));
    garden.agent("trap '' TERM INT HUP; touch \"$ROOT/began\"; while :; do sleep 0.1; done");
    let running = start(&garden, garden.arborist(&["gardener"]));
    running.signal("INT");
    std::thread::sleep(APART);
    running.signal("INT");
    running.wait().assert(130, &["Stopped"]);
    garden.assert_nothing_runs();
}

#[test]
fn a_test_that_is_stopped_is_run_again() {
    let garden =
        Garden::new(&one_task(&["test -f \"$ROOT/began\" || { touch \"$ROOT/began\"; sleep 3003; }"]));
    let running = start(&garden, garden.arborist(&["gardener"]));
    signal_group(&running, "INT");
    running.wait().assert(130, &["Stopped"]);
    garden.assert_nothing_runs();
    assert_eq!(garden.subjects().len(), 1);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.subjects().len(), 5);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
}

#[test]
fn a_second_run_ends_at_once_and_names_the_first() {
    let garden = waiting();
    let running = start(&garden, garden.arborist(&["gardener"]));
    for command in [["gardener", "-v"], ["garden", "T001"]] {
        let ended = garden.finish(garden.arborist(&command));
        ended.assert(5, &["another run is active", &running.id(), "git arborist status"]);
    }
    assert_eq!(garden.asked().len(), 1);
    running.signal("TERM");
    running.wait().assert(143, &[]);
}

#[test]
fn runs_in_two_work_trees_do_not_disturb_each_other() {
    let garden = waiting();
    garden.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    let running = start(&garden, garden.arborist(&["gardener"]));
    let mut other = garden.arborist(&["gardener"]);
    other.current_dir(garden.root().join("linked"));
    garden.finish(other).assert(0, &[]);
    assert_eq!(garden.git(&["log", "-1", "--format=%s", "side"]), "phase(p1): complete");
    assert_eq!(garden.subjects(), [""; 0]);
    running.signal("TERM");
    running.wait().assert(143, &[]);
}

#[test]
fn a_killed_run_leaves_no_agent_behind_and_its_work_is_saved() {
    let garden = waiting();
    let running = start(&garden, garden.arborist(&["gardener"]));
    // Whoever counts it as being at work, all views agree.
    assert_eq!(garden.run(&["status", "--short"]).stdout, "0/1 OK  1 ...  0 FAIL  next T001\n");
    let active = garden.json(&["status", "--active", "--json"]);
    assert_eq!((&active["counts"]["active"], &active["tasks"][0]["id"]), (&json!(1), &json!("T001")));
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("A run was stopped in the middle of a step of T001: the next"), "{status}");
    assert!(!status.contains("Nothing has been done yet"), "{status}");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["rescue"]);
    assert!(!garden.run(&["status"]).stdout.contains("was stopped"));
    garden.assert_nothing_runs();
    assert!(!garden.exists("late.txt") && !garden.exists("half.txt"));
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.implement.0", "T001.review.0"]);
    assert_eq!(garden.subjects().len(), 5);
}

#[test]
fn a_prune_whose_hook_hangs_can_be_stopped_restores_the_files_and_succeeds_later() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener"]).assert(0, &[]);
    let files = garden.lines(&["ls-files"]);
    let hook = garden.top().join(".git/hooks/pre-commit");
    garden.program(&hook, "touch \"$ROOT/began\"; sleep 3003");
    let running = start(&garden, garden.arborist(&["prune"]));
    signal_group(&running, "INT");
    std::thread::sleep(APART);
    signal_group(&running, "INT");
    let ended = running.wait();
    garden.check(&ended);
    ended.assert(130, &["Stopped", "git arborist prune"]);
    garden.assert_nothing_runs();
    assert_eq!((garden.lines(&["ls-files"]), garden.status()), (files, Vec::new()));
    std::fs::remove_file(hook).unwrap();
    garden.run(&["prune"]).assert(0, &[]);
    assert_eq!(garden.lines(&["ls-files"]), ["T001.txt", "task-tree.json"]);
}
