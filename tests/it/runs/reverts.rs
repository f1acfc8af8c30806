//! Tests how the commands show reverts and merges of step commits.

use crate::support::garden::{Garden, one_task, plan};
use serde_json::Value;

/// The newest commit with this title.
fn titled(garden: &Garden, title: &str) -> String {
    let log = garden.lines(&["log", "--all", "--format=%H %s"]);
    log.iter().find(|line| line.ends_with(title)).unwrap()[..40].to_owned()
}

fn short(garden: &Garden) -> String {
    garden.run(&["status", "--short"]).stdout
}

#[test]
fn the_tasks_of_a_reverted_merge_are_done_again() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.git(&["switch", "-q", "-c", "side"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    garden.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    garden.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    assert!(!garden.exists("T001.txt"));
    assert_eq!(short(&garden), "0/1 OK  0 ...  0 FAIL  next T001\n");
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.exists("T001.txt"));
    assert_eq!(short(&garden), "1/1 OK  0 ...  0 FAIL  complete\n");
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn the_revert_of_an_earlier_step_alone_is_named_by_status_by_check_and_by_the_next_run() {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
    ]));
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let implement = titled(&garden, "task(T001): implement \"Do T001\"");
    garden.commit(&format!("Undo it\n\nThis reverts commit {implement}."));
    let revert = garden.head();
    let what = format!("{} reverts {}, but", &revert[..7], &implement[..7]);
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains(&format!("\nIn doubt: {what}")), "{status}");
    let json: Value = serde_json::from_str(&garden.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(json["doubts"][0]["task"], "T001");
    assert_eq!(json["doubts"][0]["commit"], revert);
    let check = garden.run(&["check", "--run", "--format", "short"]);
    assert_eq!(check.status, 0, "{check:#?}");
    assert!(check.stdout.contains("H208") && check.stdout.contains(&what), "{check:#?}");
    assert_eq!(garden.run(&["check", "--run", "--strict"]).status, 1);
    garden.run(&["gardener"]).assert(0, &[&what]);
}

#[test]
fn two_branches_of_one_task_that_were_merged_are_named_by_status_and_check() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.git(&["switch", "-q", "-c", "side"]);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    garden.agent("case $ARBORIST_STEP in implement) exit 3;; esac");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    garden.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    let others = [
        titled(&garden, "task(T001): complete \"Do T001\""),
        titled(&garden, "task(T001): failed \"Do T001\" after 1 retries"),
    ];
    let status = garden.run(&["status"]).stdout;
    assert!(
        status.contains("In doubt: T001 has steps on branches that were merged side by side"),
        "{status}"
    );
    assert!(others.iter().all(|id| status.contains(&id[..7])), "{status}");
    let check = garden.run(&["check", "--run", "--format", "short"]).stdout;
    assert!(check.contains("H207"), "{check}");
}

#[test]
fn an_agent_that_reverts_a_step_in_any_form_is_stopped() {
    let tree =
        plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &["true"]), ("T002", "p1", &["T001"], &["true"])]);
    let done = Garden::new(&tree);
    done.run(&["garden", "T001"]).assert(0, &[]);
    let complete = titled(&done, "task(T001): complete \"Do T001\"");
    for how in [
        format!("git revert --no-edit {complete}"),
        format!("git -c revert.reference=true revert --no-edit {complete}"),
        "git commit -q --allow-empty -m 'Revert \"task(T001): complete \"Do T001\"\"'".to_owned(),
    ] {
        let garden = done.copy();
        garden.agent(&format!("case $work in T002.implement.0) {how};; esac"));
        garden.run(&["gardener"]).assert(6, &["which reverts a step"]);
    }
    let merged = Garden::new(&tree);
    merged.git(&["switch", "-q", "-c", "side"]);
    merged.run(&["garden", "T001"]).assert(0, &[]);
    merged.git(&["switch", "-q", "main"]);
    merged.forget_history();
    merged.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    merged.agent("case $work in T002.implement.0) git revert --no-edit -m 1 HEAD;; esac");
    merged.run(&["gardener"]).assert(6, &["which reverts a step"]);
}
