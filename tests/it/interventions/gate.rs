//! Tests gates: tasks that a person must approve before they are complete.

use serde_json::{Value, json};

use super::{check_run, says, states};
use crate::support::garden::{Garden, plan};

/// A task with a gate, a task that depends on it, and one that does not.
fn with_gate() -> Garden {
    let mut plan = plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -f T001.txt"]),
        ("T002", "p1", &["T001"], &["test -f T002.txt"]),
        ("T003", "p1", &[], &["test -f T003.txt"]),
    ]);
    plan["nodes"]["T001"]["gate"] = json!(true);
    Garden::new(&plan)
}

#[test]
fn a_run_does_everything_else_and_waits_at_the_gate_until_a_person_approves() {
    let garden = with_gate();
    let foretold = |garden: &Garden| garden.run(&["gardener", "--dry-run"]).stdout;
    let dry = foretold(&garden);
    assert!(dry.contains("2. T003 Do T003: ") && !dry.contains("T002"), "{dry}");
    says(
        &garden,
        &["gardener"],
        1,
        &["1/3 complete", "T001 waits for your approval.", "git arborist mark approve T001"],
    );
    assert_eq!(states(&garden), ["reviewing", "pending", "complete"]);
    says(&garden, &["status"], 0, &["T001 Do T001 (last step ", "waits for your approval"]);
    says(&garden, &["next"], 1, &["no task is ready: T001 waits for your approval"]);
    says(&garden, &["garden", "T001"], 1, &["T001 waits for your approval"]);
    assert!(foretold(&garden).starts_with("nothing to do\nT001 waits for your approval. "));
    let prompts = garden.prompts().len();
    let head = garden.head();
    says(&garden, &["gardener"], 1, &["T001 waits for your approval"]);
    assert_eq!((garden.prompts().len(), garden.head()), (prompts, head), "nothing is done twice");
    assert_eq!(garden.json(&["status", "--json"])["tasks"][0]["ready"], false);

    says(&garden, &["mark", "approve", "T001"], 0, &[]);
    assert!(foretold(&garden).contains("2. T002 Do T002: "));
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    check_run(&garden);
    // The approval is no attempt of its own.
    assert_eq!(garden.json(&["status", "--json"])["tasks"][0]["attempt_count"], 1);
    let shown = garden.run(&["show", "T001"]).stdout;
    assert_eq!(shown.matches("Attempt 1").count(), 1, "{shown}");
}

#[test]
fn a_gate_is_announced_beside_a_failed_task_wherever_people_look() {
    let mut plan = plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -f T001.txt"]),
        ("T002", "p1", &[], &["false"]),
    ]);
    plan["nodes"]["T001"]["gate"] = json!(true);
    let garden = Garden::new(&plan);
    garden.config("arborist.maxAttempts", "1");
    let approve = "git arborist mark approve T001";
    says(&garden, &["gardener"], 1, &["T002 failed", approve]);
    says(&garden, &["status"], 0, &["T002 has failed", approve]);
    says(&garden, &["next"], 1, &["T002 failed", approve]);
    says(
        &garden,
        &["report"],
        0,
        &["**Approval** T001: It waits for your approval.", approve, "(waits for your approval)"],
    );
    assert_eq!(garden.json(&["status", "--json"])["tasks"][0]["awaits_approval"], true);
}

#[test]
fn at_a_gate_a_rejection_goes_back_to_the_agent_and_the_next_attempt_waits_again() {
    let garden = with_gate();
    says(&garden, &["garden", "T001"], 1, &["T001 waits for your approval"]);
    says(&garden, &["mark", "reject", "T001", "-m", "Not like this."], 0, &[]);
    says(&garden, &["garden", "T001"], 1, &["T001 waits for your approval"]);
    assert!(garden.prompt("T001.implement.1").contains("Not like this."));
    says(&garden, &["mark", "approve", "T001"], 0, &[]);
    says(&garden, &["garden", "T001"], 0, &["1/3 complete"]);
    check_run(&garden);
}

#[test]
fn without_reviews_the_gate_comes_after_the_tests() {
    let garden = with_gate();
    says(&garden, &["garden", "T001", "--no-review"], 1, &["T001 waits for your approval"]);
    assert_eq!(states(&garden)[0], "testing");
    garden.config("arborist.review", "false");
    says(&garden, &["mark", "approve", "T001"], 0, &[]);
    says(&garden, &["garden", "T001"], 0, &["1/3 complete"]);
    check_run(&garden);
}

#[test]
fn a_setting_closes_the_gate_of_every_task_and_a_task_can_open_its_own() {
    let garden = with_gate();
    garden.config("arborist.approval", "true");
    says(&garden, &["gardener"], 1, &["T001, T003 wait for your approval."]);
    says(&garden, &["mark", "approve", "T001", "T003"], 0, &[]);
    says(&garden, &["gardener"], 1, &["2/3 complete", "T002 waits for your approval."]);
}

#[test]
fn a_task_at_the_gate_can_be_skipped_vouched_for_or_reopened() {
    let garden = with_gate();
    says(&garden, &["garden", "T001"], 1, &[]);
    says(&garden, &["mark", "complete", "T001", "-m", "it is fine"], 0, &[]);
    assert_eq!(states(&garden)[0], "complete");
    says(&garden, &["mark", "reopen", "T001"], 0, &[]);
    says(&garden, &["mark", "skip", "T001", "-m", "no need"], 0, &[]);
    says(&garden, &["gardener"], 0, &["2/3 complete, 1 skipped"]);
    check_run(&garden);
}

#[test]
fn the_stream_of_events_says_that_the_run_waits_for_a_person() {
    let garden = with_gate();
    let run = garden.run(&["gardener", "--json"]);
    assert_eq!(run.status, 1);
    let end: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&end["event"], &end["reason"]), (&json!("end"), &json!("approval")), "{end:#}");
}
