//! Test commands of type teardown run last, whatever happened, also when the run is stopped.

use std::time::Duration;

use serde_json::{Value, json};

use super::signals::{signal_group, start};
use crate::support::garden::{Garden, one_task, side_by_side};

/// A plan of one task with a test and teardowns.
fn with_teardowns(test: &str, teardowns: &[Value]) -> Garden {
    let mut plan = one_task(&[]);
    let mut commands = vec![json!({"type": "unit", "command": test})];
    commands.extend(teardowns.iter().cloned());
    plan["nodes"]["T001"]["test_commands"] = Value::Array(commands);
    Garden::new(&plan)
}

/// A test that goes on until it is ended; `$ROOT/began` says that it runs.
const WAITS: &str = "touch \"$ROOT/began\"; sleep 3004";

#[test]
fn a_teardown_runs_when_the_run_is_stopped_during_a_test() {
    side_by_side([("INT", 130), ("TERM", 143), ("HUP", 129)], |(signal, status)| {
        let teardowns = [
            json!({"type": "teardown", "command": "echo first >> \"$ROOT/down\"; exit 3"}),
            json!({"type": "teardown", "command": "echo second >> \"$ROOT/down\""}),
        ];
        let garden = with_teardowns(WAITS, &teardowns);
        let running = start(&garden, garden.arborist(&["gardener"]));
        signal_group(&running, signal);
        let ended = running.wait();
        garden.check(&ended);
        ended.assert(status, &["Stopped", "teardown", "exit status 3"]);
        garden.assert_nothing_runs();
        let down = std::fs::read_to_string(garden.root().join("down")).unwrap_or_default();
        assert_eq!(down, "first\nsecond\n", "{signal}");
        assert_eq!(garden.subjects().len(), 1, "{signal}: the test step is not committed");
    });
}

#[test]
fn a_teardown_runs_after_ctrl_c_at_a_terminal_where_git_started_the_run() {
    let down = json!({"type": "teardown", "command": "sleep 0.5; echo ended > \"$ROOT/down\""});
    let garden = with_teardowns(WAITS, &[down]);
    let mut command = garden.command("git");
    command.args(["arborist", "gardener"]);
    let running = start(&garden, command);
    // git gets the signal too and hands it on, so that it comes twice.
    signal_group(&running, "INT");
    running.wait();
    garden.assert_nothing_runs();
    assert!(garden.root().join("down").exists());
}

#[test]
fn a_second_signal_ends_a_teardown_and_those_after_it_do_not_run() {
    let teardowns = [
        json!({"type": "teardown", "command": "touch \"$ROOT/tearing\"; trap '' TERM; while :; do sleep 0.1; done"}),
        json!({"type": "teardown", "command": "touch \"$ROOT/next\""}),
    ];
    let garden = with_teardowns(WAITS, &teardowns);
    let running = start(&garden, garden.arborist(&["gardener"]));
    running.signal("INT");
    garden.wait_for("tearing");
    // What comes at the same time counts once.
    std::thread::sleep(Duration::from_secs(1));
    running.signal("INT");
    let ended = running.wait();
    garden.check(&ended);
    ended.assert(130, &["Stopped"]);
    garden.assert_nothing_runs();
    assert!(!garden.root().join("next").exists());
}

#[test]
fn a_teardown_that_hangs_after_a_stop_ends_at_its_own_time_limit() {
    let down = json!({"type": "teardown", "command": "sleep 3005", "timeout": 1});
    let garden = with_teardowns(WAITS, &[down]);
    let running = start(&garden, garden.arborist(&["gardener"]));
    running.signal("INT");
    let ended = running.wait();
    garden.check(&ended);
    ended.assert(130, &["Stopped", "sleep 3005", "timeout"]);
    garden.assert_nothing_runs();
}

#[test]
fn a_signal_during_a_teardown_lets_it_come_to_its_end() {
    let down =
        json!({"type": "teardown", "command": "touch \"$ROOT/began\"; sleep 1; echo ended > \"$ROOT/down\""});
    let garden = with_teardowns("true", &[down]);
    let running = start(&garden, garden.arborist(&["gardener"]));
    running.signal("INT");
    let ended = running.wait();
    garden.check(&ended);
    ended.assert(130, &["Stopped"]);
    assert!(garden.root().join("down").exists());
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn a_teardown_runs_after_a_test_that_timed_out() {
    let mut plan = one_task(&[]);
    plan["nodes"]["T001"]["test_commands"] = json!([
        {"type": "unit", "command": "sleep 3006", "timeout": 1},
        {"type": "teardown", "command": "echo ended > \"$ROOT/down\""},
    ]);
    let garden = Garden::new(&plan);
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    assert!(garden.root().join("down").exists());
}

#[test]
fn a_stop_before_the_first_test_runs_no_teardown() {
    let down = json!({"type": "teardown", "command": "touch \"$ROOT/down\""});
    let garden = with_teardowns("true", &[down]);
    garden.agent("touch \"$ROOT/began\"; sleep 3007");
    let running = start(&garden, garden.arborist(&["gardener"]));
    running.signal("INT");
    running.wait().assert(130, &["Stopped"]);
    assert!(!garden.root().join("down").exists());
}
