//! Tests that a run with several tasks at the same time is landed, proven and cleaned up like any other.

use super::{after_conflicts, three_tasks};
use crate::support::garden::Garden;

/// The lines that a commit adds to the file of all tasks and to other files, without generated ones.
fn added(garden: &Garden, commit: &str) -> Vec<String> {
    let diff = garden.git(&["show", "--format=", "-U0", commit]);
    let lines = diff
        .lines()
        .filter(|line| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---"));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn each_landed_commit_has_exactly_the_change_of_its_task_also_after_conflicts() {
    for garden in [after_conflicts(), undisturbed()] {
        garden.run(&["land", "--branch", "landed"]).assert(0, &[]);
        let commits = garden.lines(&["log", "--reverse", "--format=%H", "main..landed"]);
        let commits = if commits.is_empty() {
            garden.lines(&["log", "--reverse", "--format=%H", "landed"])
        } else {
            commits
        };
        let of_tasks: Vec<&String> = commits
            .iter()
            .filter(|commit| {
                garden.git(&["show", "-s", "--format=%B", commit]).contains("Arborist-Complete: T")
            })
            .collect();
        assert_eq!(of_tasks.len(), 3, "{commits:?}");
        for commit in of_tasks {
            let message = garden.git(&["show", "-s", "--format=%B", commit]);
            let task = message.split("Arborist-Complete: ").nth(1).unwrap()[..4].to_owned();
            for line in added(&garden, commit) {
                assert!(line.starts_with('+') && line.contains(&task), "{task}: {line}: {message}");
            }
        }
        // Nothing but generated files is missing.
        let diff = garden.git(&["diff", "--name-only", "main", "landed"]);
        assert!(diff.lines().all(|path| path.starts_with("spec/")), "{diff}");
        let status = garden.run(&["status", "--json"]).stdout;
        garden.git(&["switch", "-q", "landed"]);
        garden.forget_history();
        assert_eq!(
            garden.run(&["status", "--short", "--plain"]).stdout,
            "3/3 OK  0 ...  0 FAIL  complete\n",
            "{status}"
        );
    }
}

#[test]
fn a_task_that_is_complete_but_not_merged_is_named_and_not_left_out_in_silence() {
    let garden = undisturbed();
    let merge = garden.git(&["log", "-1", "--first-parent", "--format=%H", "--grep=^Merge task"]);
    let branch = garden.git(&["rev-parse", &format!("{merge}^2")]);
    let task = garden.git(&["log", "-1", "--format=%s", &branch])[5..9].to_owned();
    garden.git(&["reset", "-q", "--hard", &format!("{merge}^1")]);
    garden.git(&["branch", &format!("arborist/trial/{task}"), &branch]);
    garden.forget_history();
    garden.run(&["land", "--branch", "landed"]).assert(
        1,
        &[
            &format!("{task} is complete on its branch arborist/trial/{task}, which is not merged yet"),
            "git arborist gardener",
        ],
    );
    let ended = garden.run(&["land", "--branch", "landed", "--partial"]);
    ended.assert(0, &["Landed 2 tasks"]);
    assert!(ended.stdout.contains(&format!("left out: {task} (not merged)")), "{}", ended.stdout);
    garden.run(&["gardener"]).assert(0, &[]);
    garden.run(&["land", "--branch", "whole"]).assert(0, &["Landed 3 tasks"]);
}

#[test]
fn views_and_requests_know_that_work_done_side_by_side_is_landed() {
    let garden = undisturbed();
    let origin = garden.root().join("origin.git").display().to_string();
    garden.git(&["init", "-q", "--bare", &origin]);
    garden.git(&["remote", "add", "origin", &origin]);
    garden.git(&["push", "-q", "origin", "HEAD~3:refs/heads/main"]);
    assert!(garden.run(&["status"]).stdout.contains("git arborist land"));
    garden.run(&["land"]).assert(0, &["Landed 3 tasks"]);
    let status = garden.run(&["status"]).stdout;
    assert!(!status.contains("git arborist land") && status.contains("main-landed"), "{status}");
    let request = garden.run(&["pr", "--dry-run", "--base", "main"]);
    assert!(!request.stderr.contains("was landed before"), "{request:?}");
}

fn undisturbed() -> Garden {
    let garden = three_tasks();
    garden.run(&["gardener", "--jobs", "3"]).assert(0, &[]);
    garden
}

#[test]
fn a_run_with_conflicts_is_landed_in_every_style_and_its_reports_are_removed() {
    let garden = after_conflicts();
    for style in ["task", "merge", "one"] {
        garden.run(&["land", "--style", style, "--branch", style]).assert(0, &[]);
        let diff = garden.git(&["diff", "--name-only", "main", style]);
        assert!(diff.lines().all(|path| path.starts_with("spec/")), "{style}: {diff}");
    }
    garden.run(&["report"]).assert(0, &[]);
    garden.run(&["prune"]).assert(0, &[]);
    assert_eq!(garden.run(&["status", "--short", "--plain"]).stdout, "3/3 OK  0 ...  0 FAIL  complete\n");
    garden.run(&["check", "--run"]).assert(0, &[]);
}

#[test]
fn a_task_that_was_merged_with_others_is_proven_by_its_own_change() {
    let garden = after_conflicts();
    for task in ["T001", "T002", "T003"] {
        garden.run(&["prove", task]).assert(0, &[]);
    }
}
