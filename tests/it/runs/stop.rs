//! Tests `git arborist stop`, which ends the active run after the current task or step.

use std::fs;

use crate::support::garden::{Garden, plan};

/// Three tasks, and an agent that waits in the first implement step until `$ROOT/go` exists.
fn waiting() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
        ("T003", "p1", &[], &["true"]),
    ]));
    garden.config("arborist.review", "false");
    garden.agent(
        "[ $work = T001.implement.0 ] && { : > $ROOT/began; until test -e $ROOT/go; do /bin/sleep 0.05; done; }",
    );
    garden
}

fn request(garden: &Garden) -> std::path::PathBuf {
    garden.top().join(".git/arborist/stop")
}

/// Starts a run, asks it to stop while its first step is at work, and lets it go on.
fn stopped(garden: &Garden, run: &[&str], stop: &[&str], said: &str) -> crate::support::garden::Ended {
    let running = garden.start(garden.arborist(run));
    garden.wait_for("began");
    let stop = garden.start(garden.arborist(stop)).wait();
    assert_eq!(stop.status, 0, "{stop:#?}");
    assert!(stop.stdout.contains(said) && stop.stdout.contains("(process"), "{stop:#?}");
    fs::write(garden.root().join("go"), "").unwrap();
    let ended = running.wait();
    garden.check(&ended);
    assert!(!request(garden).exists(), "the run has removed the request");
    ended
}

#[test]
fn a_run_that_is_asked_to_stop_ends_after_the_current_task_and_says_how_to_continue() {
    let garden = waiting();
    let ended = stopped(&garden, &["gardener", "p1"], &["stop"], "ends after T001");
    let words = "The run ended because of `git arborist stop`. 2 tasks are still open (T002, T003).";
    ended.assert(1, &[words, "`git arborist gardener p1` continues from there."]);
    assert_eq!(ended.stdout, "1/3 complete\n");
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn a_run_that_is_asked_to_stop_now_ends_after_the_current_step() {
    let garden = waiting();
    let ended = stopped(
        &garden,
        &["gardener", "--json"],
        &["stop", "--now"],
        "ends after the implement step of T001",
    );
    assert_eq!(ended.status, 1);
    assert!(ended.stdout.lines().last().unwrap().contains(r#""reason":"stop""#), "{ended:#?}");
    assert_eq!(garden.steps().len(), 1, "{:?}", garden.steps());
    assert_eq!(garden.status(), [""; 0]);
    let garden = waiting();
    let ended = stopped(&garden, &["garden", "T001"], &["stop", "--now"], "implement step");
    ended.assert(1, &["`git arborist stop`", "`git arborist garden T001` continues"]);
    let garden = waiting();
    stopped(&garden, &["garden", "T001"], &["stop"], "ends after T001").assert(0, &[]);
}

#[test]
fn a_run_that_waits_for_a_usage_limit_stops_at_once_if_it_is_asked_to_stop_now() {
    let garden = waiting();
    garden.agent("echo \"ERROR: You've hit your usage limit. Try again later.\" >&2; exit 1");
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_until("it does not wait", || running.said().contains("waits"));
    garden.run(&["stop", "--now"]).assert(0, &[]);
    running.wait().assert(1, &["`git arborist stop`, while it waited for a runner", "no attempt is used up"]);
    assert!(garden.steps().is_empty());
}

#[test]
fn without_an_active_run_there_is_nothing_to_stop() {
    let garden = waiting();
    for args in [&["stop"][..], &["stop", "--now"]] {
        garden.run(args).assert(1, &["no run is active in this work tree"]);
        assert!(!request(&garden).exists());
    }
}

#[test]
fn a_request_for_an_earlier_run_does_not_stop_a_later_one() {
    let garden = waiting();
    fs::write(garden.root().join("go"), "").unwrap();
    garden.run(&["garden", "T001"]).assert(0, &[]);
    fs::write(request(&garden), r#"{"run":{"pid":1,"start":1},"after":"step"}"#).unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(!request(&garden).exists(), "it is removed");
}

#[test]
fn a_run_in_another_work_tree_is_not_stopped_but_named() {
    let garden = waiting();
    let other = garden.root().join("other");
    garden.git(&["worktree", "add", "-q", "-b", "side", other.to_str().unwrap()]);
    let running = garden.start(garden.arborist(&["garden", "T001"]));
    garden.wait_for("began");
    let mut command = garden.arborist(&["stop"]);
    command.current_dir(&other);
    let stop = garden.start(command).wait();
    stop.assert(1, &["no run is active in this work tree", "arborist stop` stops it", "garden (process"]);
    fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
}
