//! Tests that `prune` removes only files that a step commit both names and added.

use crate::support::garden::{Garden, one_task};

const COMPLETE: &str =
    "task(T001): complete \"Do T001\"\n\nArborist-Step: complete\nArborist-Result: pass\nArborist-Report: ";

#[test]
fn a_tracked_file_that_a_step_names_and_did_not_add_is_kept() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("main.rs", "code\n");
    garden.write("notes.md", "notes\n");
    garden.commit("Write code");
    garden.commit(&format!("{COMPLETE}main.rs"));
    garden.write("notes.md", "notes of the step\n");
    garden.commit(&format!("{COMPLETE}notes.md"));
    for args in [&["prune", "--dry-run"][..], &["prune"], &["prune", "--all-runs"]] {
        let ended = garden.run(args);
        ended.assert(0, &["main.rs is kept: it existed before", "notes.md is kept: it existed before"]);
        assert!(!ended.stdout.contains("main.rs"), "{ended:#?}");
    }
    assert!(garden.exists("main.rs") && garden.exists("notes.md"));
}

#[test]
fn code_that_a_step_names_under_the_key_of_another_step_is_not_an_artifact() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("main.rs", "code\n");
    garden.commit(
        "task(T001): implement \"Do T001\"\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: \
         0\nArborist-Test-Log: main.rs",
    );
    let ended = garden.run(&["prune"]);
    ended.assert(0, &[]);
    assert_eq!(ended.stdout, "nothing to prune\n");
    assert!(garden.exists("main.rs"));
}

#[test]
fn a_merge_does_not_count_as_adding_a_file_that_one_side_had() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.git(&["switch", "-q", "-c", "side"]);
    garden.write("report.json", "{}\n");
    garden.commit("Write a report by hand");
    garden.git(&["switch", "-q", "main"]);
    garden.git(&["merge", "-q", "--no-ff", "-m", &format!("{COMPLETE}report.json"), "side"]);
    garden.run(&["prune"]).assert(0, &["report.json is kept"]);
    assert!(garden.exists("report.json"));
}

#[test]
fn artifacts_are_pruned_even_after_a_revert_was_reverted() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener"]).assert(0, &[]);
    garden.git(&["revert", "--no-edit", "HEAD~1"]);
    garden.git(&["revert", "--no-edit", "HEAD"]);
    let ended = garden.run(&["prune"]);
    ended.assert(0, &[]);
    assert!(ended.stdout.ends_with(" removed 2 generated files\n"), "{ended:#?}");
    assert!(garden.exists("T001.txt") && !garden.exists("spec"));
}

#[test]
fn an_artifact_with_changes_that_git_is_told_to_overlook_is_kept() {
    for mark in ["--assume-unchanged", "--skip-worktree"] {
        let garden = Garden::new(&one_task(&["true"]));
        garden.run(&["gardener"]).assert(0, &[]);
        let files = garden.lines(&["ls-files", "spec"]);
        let [first, second] = &files[..] else { panic!("{files:?}") };
        garden.git(&["update-index", mark, first]);
        garden.write(first, "my notes\n");
        let ended = garden.run(&["prune"]);
        ended.assert(0, &[&format!("{first} is kept: it was changed after its step commit")]);
        assert!(ended.stdout.ends_with(" removed 1 generated file\n"), "{ended:#?}");
        assert_eq!(garden.read(first), "my notes\n");
        assert!(!garden.exists(second));
    }
}

#[test]
fn artifacts_of_the_runs_before_a_new_spec_id_are_named_and_removed_on_request() {
    let garden = Garden::new(&one_task(&["true"]));
    garden.run(&["gardener"]).assert(0, &[]);
    let plan: serde_json::Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    let mut next = plan.clone();
    next["spec_id"] = "the-next-plan".into();
    garden.write("task-tree.json", &next.to_string());
    garden.commit("Begin the next plan");
    let ended = garden.run(&["prune"]);
    ended.assert(
        0,
        &["2 generated files of earlier runs can be removed with `git arborist prune --all-runs`"],
    );
    assert_eq!(ended.stdout, "nothing to prune\n");
    garden.run(&["prune", "--all-runs"]).assert(0, &[]);
    assert!(!garden.exists("spec"));
    assert!(!garden.run(&["prune"]).stderr.contains("earlier runs"));
}
