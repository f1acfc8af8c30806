//! Tests histories with merges: ancestry decides which step is the latest and what belongs to the run, not only dates.

use std::collections::HashMap;
use std::path::Path;

use crate::support::repo::{Commit, Repo, id, tasks};
use git_arborist::error::{Kind, Result};
use git_arborist::git::DiscoveryStart;
use git_arborist::history::{
    AnchorRule, Query, RepoPath, Repository, Run, StepValidity, read_run, read_steps,
};
use git_arborist::record::{CommitId, Doubt, Outcome, Outdated};

const TREE: &str = "task-tree.json";
const DAY: i64 = 86_400;

fn commit(parents: &[usize], day: i64, message: &str) -> Commit {
    let time = 1_700_000_000 + day * DAY;
    Commit { parents: parents.to_vec(), time, message: message.to_owned(), files: Vec::new() }
}

fn plan(parents: &[usize], day: i64, content: &str) -> Commit {
    let files = vec![(TREE.to_owned(), Some(content.to_owned()))];
    Commit { files, ..commit(parents, day, "plan") }
}

fn complete(parents: &[usize], day: i64, task: &str, result: &str) -> Commit {
    let message = format!("task({task}): x\n\nArborist-Step: complete\nArborist-Result: {result}\n");
    commit(parents, day, &message)
}

fn query_and_read(folder: &Path, head: CommitId) -> Result<Run> {
    let (path, leaves) = (RepoPath::new(TREE.as_bytes()).unwrap(), tasks(&[("T1", "p"), ("T2", "p")]));
    let repository = Repository::open(DiscoveryStart::Folder(folder.to_owned()), Path::new("git"))?;
    read_run(&repository, head, &Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves })
}

fn read(commits: &[Commit]) -> (Run, Vec<CommitId>) {
    let (repo, ids) = Repo::with(commits);
    (query_and_read(repo.path(), ids[ids.len() - 1]).unwrap(), ids)
}

#[test]
fn both_sides_of_a_merge_belong_to_the_run() {
    let (run, ids) = read(&[
        plan(&[], 0, "a"),
        complete(&[0], 1, "T1", "pass"),
        complete(&[0], 2, "T2", "pass"),
        commit(&[1, 2], 3, "merge"),
    ]);
    assert_eq!((run.tasks["T1"].id, run.tasks["T2"].id), (ids[1], ids[2]));
    assert_eq!(run.range.anchor(), Some(ids[0]));
}

#[test]
fn a_later_step_wins_over_its_ancestor_even_if_its_clock_is_behind() {
    let (run, ids) = read(&[
        plan(&[], 0, "a"),
        complete(&[0], 900, "T1", "fail"),
        commit(&[0], 1, "side"),
        commit(&[1, 2], 2, "merge"),
        complete(&[3], 3, "T1", "pass"),
    ]);
    assert_eq!(run.tasks["T1"].id, ids[4]);
    assert_eq!(run.tasks["T1"].record.outcome, Outcome::Pass);
}

#[test]
fn of_steps_on_parallel_branches_the_newer_one_wins() {
    for (one, other) in [(5, 6), (6, 5)] {
        let (run, ids) = read(&[
            plan(&[], 0, "a"),
            complete(&[0], one, "T1", "fail"),
            complete(&[0], other, "T1", "pass"),
            commit(&[1, 2], 9, "merge"),
        ]);
        assert_eq!(run.tasks["T1"].id, if one > other { ids[1] } else { ids[2] });
    }
}

#[test]
fn old_work_that_a_merge_brings_in_from_before_the_plan_does_not_count() {
    // main: 0 - 1 - 5; the plan is made on 0 - 1 - 2; 5 is merged later.
    let (run, ids) = read(&[
        commit(&[], 0, "begin"),
        complete(&[0], 1, "T1", "pass"),
        plan(&[1], 2, "a"),
        complete(&[1], 3, "T2", "pass"),
        commit(&[2, 3], 4, "merge main"),
    ]);
    assert_eq!(run.range.anchor(), Some(ids[2]));
    assert!(!run.tasks.contains_key("T1"), "the plan's own past");
    assert!(!run.tasks.contains_key("T2"), "made without the plan");
    let old = Doubt::OldPlan { task: id("T2"), step: ids[3], why: Outdated::OtherRun };
    assert_eq!(run.doubts, [old]);
}

#[test]
fn a_merge_that_changes_the_plan_itself_begins_a_run() {
    let (run, ids) = read(&[
        plan(&[], 0, "a"),
        plan(&[0], 1, "b"),
        plan(&[0], 2, "c"),
        complete(&[2], 3, "T1", "pass"),
        plan(&[1, 3], 4, "both"),
        complete(&[4], 5, "T2", "pass"),
    ]);
    assert_eq!(run.range.anchor(), Some(ids[4]));
    assert_eq!(run.tasks.keys().collect::<Vec<_>>(), [&id("T2")]);
}

#[test]
fn a_revert_undoes_only_steps_from_which_it_descends() {
    let (repo, ids) = Repo::with(&[plan(&[], 0, "a"), complete(&[0], 1, "T1", "pass")]);
    let revert = format!("Revert \"x\"\n\nThis reverts commit {}.\n", ids[1]);
    let below = [
        plan(&[], 0, "a"),
        complete(&[0], 1, "T1", "pass"),
        commit(&[1], 2, &revert),
        commit(&[1], 3, "side"),
        commit(&[2, 3], 4, "merge"),
    ];
    let ids = repo.import(&below);
    let run = query_and_read(repo.path(), ids[4]).unwrap();
    assert_eq!(run.tasks, HashMap::new());
    let steps = read_steps(&repo.open(), &run.range, &id("T1")).unwrap();
    assert_eq!(steps[0].validity, StepValidity::Reverted);
    let beside = [
        plan(&[], 0, "a"),
        complete(&[0], 1, "T1", "pass"),
        commit(&[0], 2, &revert),
        commit(&[1, 2], 3, "merge"),
    ];
    let ids = repo.import(&beside);
    assert_eq!(query_and_read(repo.path(), ids[3]).unwrap().tasks["T1"].id, ids[1]);
}

#[test]
fn little_is_read_of_old_history_that_both_sides_share() {
    let mut commits: Vec<_> = (0..5_000)
        .map(|place: usize| {
            commit(&place.checked_sub(1).into_iter().collect::<Vec<_>>(), place as i64, "old")
        })
        .collect();
    commits.push(plan(&[4_990], 5_001, "a"));
    commits.push(complete(&[5_000], 5_002, "T1", "pass"));
    commits.push(commit(&[5_001, 4_999], 5_003, "merge main"));
    let (repo, ids) = Repo::with(&commits);
    let repository = repo.open();
    let (path, leaves) = (RepoPath::new(TREE.as_bytes()).unwrap(), tasks(&[("T1", "p"), ("T2", "p")]));
    let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves };
    let run = read_run(&repository, ids[5_002], &query).unwrap();
    assert_eq!((run.range.anchor(), run.tasks["T1"].id), (Some(ids[5_000]), ids[5_001]));
    assert!(repository.reads() < 400, "{} objects read", repository.reads());
}

#[test]
fn a_shallow_clone_is_enough_only_if_nothing_of_the_run_can_be_missing() {
    let mut commits = vec![commit(&[], 0, "begin")];
    commits.extend((1..10).map(|place| commit(&[place - 1], place as i64, "old")));
    commits.push(plan(&[9], 10, "a"));
    commits.push(complete(&[10], 11, "T1", "pass"));
    commits.push(complete(&[9], 12, "T2", "pass"));
    commits.push(commit(&[11, 12], 13, "merge"));
    let (repo, ids) = Repo::with(&commits);
    let url = format!("file://{}", repo.path().display());
    let read_at_depth = |depth: &str| {
        let clone = Repo::clone_of(&url, &["--depth", depth]);
        query_and_read(clone.path(), ids[13])
    };
    for depth in ["1", "2", "3"] {
        let error = read_at_depth(depth).unwrap_err();
        assert_eq!(error.kind(), Kind::Repository, "depth {depth}");
        assert!(error.remedy().contains("--unshallow"), "depth {depth}: {error}");
    }
    for depth in ["4", "6"] {
        let run = read_at_depth(depth).unwrap();
        assert_eq!(run.tasks.keys().collect::<Vec<_>>(), [&id("T1")], "depth {depth}");
        assert_eq!(run.doubts.len(), 1, "depth {depth}");
    }
}
