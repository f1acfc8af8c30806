//! Tests what `next`, `prune`, `rescue` and `gardener --dry-run` do while tasks have branches that are not merged.

use serde_json::Value;

use super::status::in_pieces;
use super::three_tasks;
use crate::support::garden::{Garden, plan};
use crate::support::schemas::fits;

#[test]
fn next_says_on_which_branch_a_step_is_and_names_it_so_that_it_can_be_handed_in_there() {
    let garden = in_pieces();
    let said = garden.run(&["next"]).stdout;
    assert!(
        said.starts_with("T003 Do T003: test") && said.contains("(on the branch arborist/trial/T003)"),
        "{said}"
    );
    let unit = |garden: &Garden| {
        let unit: Value = serde_json::from_str(&garden.run(&["next", "T003", "--json"]).stdout).unwrap();
        fits("next", &unit);
        unit
    };
    let here = unit(&garden);
    assert_eq!(here["branch"], "arborist/trial/T003");
    let all: Value = serde_json::from_str(&garden.run(&["next", "--all", "--json"]).stdout).unwrap();
    fits("next-all", &all);
    // What is complete and only has to be merged has no next step, and nothing has to be reverted.
    let ended = garden.run(&["next", "T002"]);
    ended.assert(1, &["nothing left to do for T002", "T002 is complete on its branch arborist/trial/T002"]);
    assert!(!ended.stderr.contains("revert"), "{ended:?}");
    garden.git(&["switch", "-q", "arborist/trial/T003"]);
    garden.forget_history();
    assert_eq!(unit(&garden)["unit"], here["unit"]);
    assert_eq!(unit(&garden)["branch"], Value::Null);
}

#[test]
fn next_does_not_call_a_plan_complete_whose_last_task_is_not_merged() {
    let garden = in_pieces();
    garden.git(&["branch", "-q", "-D", "arborist/trial/T003"]);
    garden.run(&["mark", "skip", "T003", "-m", "not needed"]).assert(0, &[]);
    garden.run(&["next"]).assert(1, &["T002 is complete on its branch", "gardener` merges what is complete"]);
}

#[test]
fn prune_removes_what_is_merged_and_names_the_tasks_that_are_not() {
    let garden = in_pieces();
    let reports = |garden: &Garden| garden.lines(&["ls-files", "spec/reports"]).len();
    assert_eq!(reports(&garden), 1);
    let ended = garden.run(&["prune"]);
    ended.assert(
        0,
        &["the generated files of T002, T003 can be removed only with another `git arborist prune`"],
    );
    assert_eq!(reports(&garden), 0);
    garden.forget_history();
    // What the merges bring is neither lost nor in the way.
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    assert_eq!(reports(&garden), 2);
    garden.forget_history();
    let ended = garden.run(&["prune"]);
    ended.assert(0, &[]);
    assert!(!ended.stderr.contains("can be removed only"), "{ended:?}");
    assert_eq!(reports(&garden), 0);
}

#[test]
fn rescue_says_when_saved_work_was_done_on_a_branch_that_is_not_checked_out() {
    let garden = in_pieces();
    garden.git(&["switch", "-q", "arborist/trial/T003"]);
    garden.write("T003.txt", "saved\n");
    let tree = garden.git(&["stash", "create"]);
    let tree = garden.git(&["rev-parse", &format!("{tree}^{{tree}}")]);
    let saved = garden.git(&["commit-tree", "-p", "HEAD", "-m", "rescue(T003): half", &tree]);
    garden.git(&["update-ref", "refs/arborist/rescue/T003/20260101T000000", &saved]);
    garden.git(&["reset", "-q", "--hard"]);
    garden.forget_history();
    let apply = || garden.run(&["rescue", "apply"]);
    let here = apply();
    here.assert(0, &[]);
    assert!(!here.stderr.contains("it was done on"), "{here:?}");
    garden.git(&["reset", "-q", "--hard"]);
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    apply().assert(0, &["it was done on arborist/trial/T003"]);
    assert_eq!(garden.read("T003.txt"), "saved\n");
}

#[test]
fn a_dry_run_tells_which_tasks_begin_at_once_and_on_which_branches() {
    let mut tree = plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
        ("T003", "p1", &["T001"], &["true"]),
        ("T004", "p1", &[], &["true"]),
    ]);
    for task in ["T001", "T002"] {
        tree["nodes"][task]["touches"] = serde_json::json!(["src/*.rs"]);
    }
    let garden = Garden::new(&tree);
    garden.config("arborist.review", "false");
    let before = garden.git(&["for-each-ref"]);
    let said = garden.run(&["gardener", "--jobs", "3", "--dry-run"]);
    said.assert(0, &[]);
    for words in [
        "Up to 3 tasks are worked on at the same time, each in a work tree and on a branch of its own: \
         T001 begins on arborist/trial/T001, T004 begins on arborist/trial/T004.",
        "The others begin when",
        "Each is merged into main",
    ] {
        assert!(said.stdout.contains(words), "{words}: {said:?}");
    }
    let document: Value =
        serde_json::from_str(&garden.run(&["gardener", "--jobs", "3", "--dry-run", "--json"]).stdout)
            .unwrap();
    fits("dry-run", &document);
    assert_eq!(garden.git(&["for-each-ref"]), before);
    // Without branches of tasks, it says nothing of the kind; and what a run refuses, a dry run refuses too.
    assert!(!garden.run(&["gardener", "--dry-run"]).stdout.contains("work tree"));
    garden
        .run(&["gardener", "--jobs", "2", "--branches", "none", "--dry-run"])
        .assert(2, &["--jobs 2 needs"]);
    // A run that has such branches goes on with them.
    let garden = in_pieces();
    let said = garden.run(&["gardener", "--dry-run"]).stdout;
    for words in [
        "T002 is complete, and merged into main first, after tests.",
        "One task at a time is worked on, each in a work tree and on a branch of its own: T003 continues on arborist/trial/T003.",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn after_a_failure_the_advice_has_the_options_of_the_run() {
    let garden = three_tasks();
    garden.agent("test $ARBORIST_TASK = T002 && exit 1");
    let ended = garden.run(&["gardener", "--jobs", "2", "--branches", "task", "--max-attempts", "1"]);
    ended.assert(1, &["`git arborist gardener --jobs 2 --branches task --failed` tries it again"]);
    garden.forget_history();
    garden.agent("");
    garden.run(&["gardener", "--jobs", "2", "--branches", "task", "--failed"]).assert(0, &[]);
}
