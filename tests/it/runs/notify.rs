//! Tests `arborist.notify.command`: whom it tells what, and that it cannot harm a run.

use std::fs;

use serde_json::Value;

use crate::support::garden::{Garden, one_task, plan};

/// Works on the task, and approves.
const WORKS: &str =
    "cat > /dev/null; [ $ARBORIST_STEP = review ] && echo APPROVED && exit; echo x >> T001.txt";

fn with_notifications(test: &str, agent: &str) -> Garden {
    notified(Garden::new(&one_task(&[test])), agent)
}

fn notified(garden: Garden, agent: &str) -> Garden {
    let file = garden.root().join("script.sh");
    garden.program(&file, agent);
    garden.config("arborist.runner.script.command", &file.display().to_string());
    garden.config("arborist.runner", "script");
    garden.config("arborist.notify.command", "cat >> \"$ROOT/told\"");
    garden
}

fn told(garden: &Garden) -> Vec<Value> {
    let text = fs::read_to_string(garden.root().join("told")).unwrap_or_default();
    let told: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    told.iter().for_each(|one| crate::support::schemas::fits("notification", one));
    told
}

#[test]
fn a_command_is_told_that_a_run_is_done() {
    let garden = with_notifications("test -s T001.txt", WORKS);
    garden.run(&["gardener"]).assert(0, &[]);
    let told = told(&garden);
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!(told[0]["event"], "done");
    assert_eq!((&told[0]["complete"], &told[0]["total"]), (&1.into(), &1.into()));
}

#[test]
fn a_command_is_told_of_a_failed_task_once() {
    let garden = with_notifications("false", WORKS);
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    let told = told(&garden);
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!((&told[0]["event"], &told[0]["task"]), (&"failed".into(), &"T001".into()));
    assert_eq!(told[0]["message"], "T001 failed after 1 attempt.");
    assert!(told[0]["remedy"].as_str().unwrap().contains("git arborist show T001"));
}

#[test]
fn a_command_is_told_when_a_run_needs_a_person() {
    let garden = with_notifications(
        "test -s T001.txt",
        "cat > /dev/null; echo 'Not logged in · Please run /login'; exit 1",
    );
    garden.config("arborist.runner.script.protocol", "claude");
    garden.run(&["gardener"]).assert(4, &[]);
    assert_eq!(told(&garden)[0]["event"], "needs-you");
}

#[test]
fn a_command_is_told_what_is_complete_and_not_that_everything_is() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -s T001.txt"]),
        ("T002", "p1", &[], &["test -s T002.txt"]),
    ]));
    let garden = notified(garden, WORKS);
    garden.run(&["garden", "T001"]).assert(0, &[]);
    assert_eq!(told(&garden)[0]["message"], "The run has ended: 1/2 complete.");
}

#[test]
fn a_command_that_fails_or_hangs_is_a_warning_and_changes_nothing_else() {
    let garden = with_notifications("test -s T001.txt", WORKS);
    garden.config("arborist.notify.command", "cat > /dev/null; echo no bell >&2; exit 3");
    garden.run(&["gardener"]).assert(0, &["arborist.notify.command failed", "exit status: 3", "no bell"]);
    let garden = with_notifications("test -s T001.txt", WORKS);
    garden.config("arborist.notify.command", "sleep 300");
    garden.run(&["gardener"]).assert(0, &["arborist.notify.command failed: it did not end within 5 s"]);
    garden.assert_nothing_runs();
}

#[test]
fn only_git_config_may_set_the_command() {
    let garden = with_notifications("test -s T001.txt", WORKS);
    garden.git(&["config", "--unset", "arborist.notify.command"]);
    let mut command = garden.arborist(&["gardener"]);
    command.env("ARBORIST_NOTIFY_COMMAND", "cat >> \"$ROOT/told\"");
    garden.finish(command).assert(2, &["ARBORIST_NOTIFY_COMMAND", "git config arborist.notify.command"]);
    garden.write(".arborist/config.json", r#"{"notify": {"command": "cat >> \"$ROOT/told\""}}"#);
    garden.commit("Add settings");
    garden.run(&["gardener"]).assert(2, &["notify.command", "a committed file must not do"]);
    assert!(told(&garden).is_empty());
}
