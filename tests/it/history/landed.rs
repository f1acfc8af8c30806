//! Tests which landed commits count: those that contain the work of the run that they name. git itself squashes, rebases
//! and merges.

use std::collections::BTreeMap;

use crate::support::repo::{Commit, Repo, tasks};
use git_arborist::error::Kind;
use git_arborist::history::{AnchorRule, Backend, Query, RepoPath, Repository, Run, read_run};
use git_arborist::record::{Disbelief, Doubt, State, TaskId};

pub(super) const TREE: &str = "task-tree.json";
const COMPLETE: &str = "Arborist-Step: complete\nArborist-Result: pass";
pub(super) const IMPLEMENT: &str = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0";

/// Commits these files, or nothing.
pub(super) fn commit(repo: &Repo, message: &str, files: &[(&str, &str)]) -> String {
    for (path, text) in files {
        let file = repo.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", message]);
    id(repo, "HEAD")
}

/// Commits an implementation of the task, which changes a file of its own, and its completion, which adds a report.
pub(super) fn done(repo: &Repo, task: &str) -> String {
    commit(repo, &step(task, "implement", IMPLEMENT), &[(&format!("src/{task}"), "code\n")]);
    let report = format!("spec/reports/{task}.json");
    let trailers = format!("{COMPLETE}\nArborist-Report: {report}");
    commit(repo, &step(task, "complete", &trailers), &[(&report, task)])
}

pub(super) fn step(task: &str, what: &str, trailers: &str) -> String {
    format!("task({task}): {what} \"Do {task}\"\n\n{trailers}\n")
}

pub(super) fn id(repo: &Repo, revision: &str) -> String {
    repo.git(&["rev-parse", revision])
}

pub(super) fn block(tasks: &str, base: &str, tip: &str) -> String {
    format!("Arborist-Complete: {tasks}\nArborist-Run: {base}..{tip}\n")
}

/// A repository in which a run has completed T1 and T2 on the branch `run`, which began at `main`.
struct Finished {
    repo: Repo,
    base: String,
    /// The completions of T1 and T2.
    tips: [String; 2],
}

fn finished() -> Finished {
    let repo = Repo::init(&[]);
    commit(&repo, "Begin", &[]);
    commit(&repo, "Go on", &[("README", "x\n")]);
    let base = commit(&repo, "Add the plan", &[(TREE, "plan")]);
    repo.git(&["switch", "-q", "-c", "run"]);
    let tips = [done(&repo, "T1"), done(&repo, "T2")];
    repo.git(&["switch", "-q", "main"]);
    Finished { repo, base, tips }
}

impl Finished {
    /// Makes a commit on top of `parent` with the files of another one, without generated ones, and moves `main` there.
    fn land(&self, parent: &str, files_of: &str, message: &str) -> String {
        let Self { repo, .. } = self;
        repo.git(&["read-tree", "--reset", "-u", files_of]);
        repo.git(&["rm", "-q", "-r", "-f", "--ignore-unmatch", "spec"]);
        let tree = repo.git(&["write-tree"]);
        let commit = repo.git(&["commit-tree", &tree, "-p", parent, "-m", message]);
        repo.git(&["reset", "-q", "--hard", &commit]);
        commit
    }

    /// Squashes the run on `main` as `git merge --squash` does, with this message.
    fn squash(&self, message: &str) -> String {
        let [_, tip] = &self.tips;
        self.land(&id(&self.repo, "main"), tip, message)
    }

    /// Lands each task in a commit of its own.
    fn land_tasks(&self) -> [String; 2] {
        let [one, two] = &self.tips;
        let first = self.land(&self.base, one, &format!("Do T1 (T1)\n\n{}", block("T1", &self.base, one)));
        let second = self.land(&first, two, &format!("Do T2 (T2)\n\n{}", block("T2", &self.base, two)));
        [first, second]
    }

    fn all(&self) -> String {
        block("T1 T2", &self.base, &self.tips[1])
    }

    fn states(&self) -> Vec<&'static str> {
        states(&self.repo)
    }
}

pub(super) fn read(repo: &Repo) -> Run {
    with_query(|query| read_by_all(repo, query))
}

/// Calls `ask` with the question for all tasks.
pub(super) fn with_query<T>(ask: impl FnOnce(&Query<'_>) -> T) -> T {
    let leaves = tasks(&[("T1", "p"), ("T2", "p"), ("T3", "q")]);
    let path = RepoPath::new(TREE.as_bytes()).unwrap();
    ask(&Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves })
}

fn read_by_all(repo: &Repo, query: &Query<'_>) -> Run {
    let runs = [repo.open(), repo.open_with_program()].map(|repository: Repository| {
        let run = read_run(&repository, repo.head(), query).unwrap();
        if repository.backend() == Backend::Library {
            let other = read_run(&repo.open_with_program(), repo.head(), query).unwrap();
            assert_eq!(run, other, "both readers agree");
        }
        run
    });
    let [run, _] = runs;
    run
}

pub(super) fn states(repo: &Repo) -> Vec<&'static str> {
    let run = read(repo);
    let sorted: BTreeMap<_, _> = run.tasks.iter().map(|(task, step)| (task.as_str(), step)).collect();
    let states =
        ["T1", "T2", "T3"].map(|task| sorted.get(task).map_or(State::Pending, |step| step.record.state()));
    states.into_iter().map(State::word).collect()
}

pub(super) const DONE: [&str; 3] = ["complete", "complete", "pending"];
pub(super) const OPEN: [&str; 3] = ["pending", "pending", "pending"];

#[test]
fn landed_tasks_are_complete_and_so_is_their_phase() {
    let run = finished();
    let [first, second] = run.land_tasks();
    assert_eq!(run.states(), DONE);
    let read = read(&run.repo);
    assert_eq!([read.tasks["T1"].id.to_string(), read.tasks["T2"].id.to_string()], [first, second.clone()]);
    assert_eq!(read.phases["p"].id.to_string(), second);
    assert_eq!((read.phases.len(), read.doubts), (1, Vec::new()));
}

#[test]
fn one_landed_task_does_not_complete_its_phase() {
    let run = finished();
    let [first, _] = run.land_tasks();
    run.repo.git(&["reset", "-q", "--hard", &first]);
    assert_eq!(run.states(), ["complete", "pending", "pending"]);
    assert!(read(&run.repo).phases.is_empty());
}

#[test]
fn a_landed_branch_may_be_merged_rebased_and_squashed() {
    let run = finished();
    let repo = &run.repo;
    run.land_tasks();
    repo.git(&["branch", "landed"]);
    for base_moved in [false, true] {
        let start = || {
            repo.git(&["reset", "-q", "--hard", &run.base]);
            if base_moved {
                commit(repo, "Something else", &[("README", "y\n"), ("src/T1.more", "more\n")]);
            }
        };
        start();
        repo.git(&["merge", "-q", "--no-ff", "--no-edit", "landed"]);
        assert_eq!(run.states(), DONE, "merged");
        start();
        repo.git(&["cherry-pick", &format!("{}..landed", run.base)]);
        assert_eq!(run.states(), DONE, "rebased");
        start();
        repo.git(&["merge", "-q", "--squash", "landed"]);
        commit(repo, &format!("Work (#1)\n\nThe story.\n\n{}", run.all()), &[]);
        assert_eq!(run.states(), DONE, "squashed with the body of the request");
        start();
        repo.git(&["merge", "-q", "--squash", "landed"]);
        commit(repo, &format!("Work (#1)\n\n{}\nCo-authored-by: B <b@example.com>\n", run.all()), &[]);
        assert_eq!(run.states(), DONE, "squashed, and a paragraph appended");
        start();
        repo.git(&["merge", "-q", "--squash", "landed"]);
        let each = repo.git(&["log", "--reverse", "--format=* %B", &format!("{}..landed", run.base)]);
        commit(repo, &format!("Work (#1)\n\n{each}\n\nCo-authored-by: B <b@example.com>\n"), &[]);
        assert_eq!(run.states(), DONE, "squashed with all messages in a row");
        assert_eq!(read(repo).doubts, []);
    }
}

#[test]
fn a_squash_counts_when_the_run_is_gone_and_when_it_is_not() {
    let run = finished();
    run.squash(&format!("Work (#1)\n\n{}", run.all()));
    assert_eq!(run.states(), DONE);
    let from = format!("file://{}", run.repo.path().display());
    let alone = Repo::clone_of(&from, &["--single-branch", "--branch", "main"]);
    let gone = std::process::Command::new("git")
        .current_dir(alone.path())
        .args(["cat-file", "-e", &run.tips[1]])
        .output();
    assert!(!gone.unwrap().status.success(), "the clone does not have the run");
    assert_eq!(states(&alone), DONE);
}

#[test]
fn a_run_and_its_landed_commits_may_be_merged() {
    let run = finished();
    run.land_tasks();
    run.repo.git(&["merge", "-q", "--no-ff", "--no-edit", "run"]);
    assert_eq!(run.states(), DONE);
    assert_eq!(read(&run.repo).doubts, [], "they say the same");
}

#[test]
fn reverting_a_landed_commit_takes_its_tasks_back() {
    let run = finished();
    let [_, second] = run.land_tasks();
    run.repo.git(&["revert", "--no-edit", &second]);
    assert_eq!(run.states(), ["complete", "pending", "pending"]);
    assert!(read(&run.repo).phases.is_empty());
    run.repo.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(run.states(), DONE);
}

#[test]
fn a_step_after_a_landed_commit_counts_more() {
    let run = finished();
    run.land_tasks();
    commit(
        &run.repo,
        &step("T1", "reopened", "Arborist-Step: reopen\nArborist-By: user\nArborist-Reason: wrong"),
        &[],
    );
    assert_eq!(run.states(), ["pending", "complete", "pending"]);
    commit(&run.repo, &step("T3", "implement", IMPLEMENT), &[]);
    assert_eq!(run.states(), ["pending", "complete", "implementing"]);
}

#[test]
fn a_squash_may_contain_the_plan_too() {
    let repo = Repo::init(&[]);
    let base = commit(&repo, "Begin", &[("README", "x\n")]);
    repo.git(&["switch", "-q", "-c", "run"]);
    commit(&repo, "Add the plan", &[(TREE, "plan")]);
    let tips = [done(&repo, "T1"), done(&repo, "T2")];
    repo.git(&["switch", "-q", "main"]);
    let run = Finished { repo, base, tips };
    run.squash(&format!("Work (#1)\n\n{}", run.all()));
    assert_eq!(run.states(), DONE);
}

#[test]
fn a_landed_commit_counts_for_the_plan_that_names_its_tasks() {
    let plan = |name: &str| {
        format!(
            r#"{{"nodes":{{"p":{{"id":"p","name":"P","children":["T1"]}},"T1":{{"id":"T1","name":"{name}","parent":"p"}}}}}}"#
        )
    };
    let repo = Repo::init(&[]);
    let base = commit(&repo, "Add the plan", &[(TREE, &plan("Parse"))]);
    repo.git(&["switch", "-q", "-c", "run"]);
    let tip = done(&repo, "T1");
    repo.git(&["switch", "-q", "main"]);
    let run = Finished { repo, base, tips: [tip.clone(), tip] };
    run.squash(&format!("Work\n\n{}", block("T1", &run.base, &run.tips[1])));
    assert_eq!(run.states(), ["complete", "pending", "pending"]);
    commit(&run.repo, "Rename", &[(TREE, &plan("Print"))]);
    assert_eq!(run.states(), OPEN, "another name is another task");
}

#[test]
fn the_work_of_unfinished_tasks_may_be_left_out() {
    let repo = Repo::init(&[]);
    let base = commit(&repo, "Add the plan", &[(TREE, "plan")]);
    repo.git(&["switch", "-q", "-c", "run"]);
    commit(&repo, &step("T3", "implement", IMPLEMENT), &[("src/T3", "half\n")]);
    let tips = [done(&repo, "T1"), done(&repo, "T2")];
    repo.git(&["switch", "-q", "main"]);
    let run = Finished { repo, base, tips };
    run.repo.git(&["read-tree", "--reset", "-u", &run.tips[1]]);
    run.repo.git(&["rm", "-q", "-r", "-f", "src/T3", "spec"]);
    commit(&run.repo, &format!("Work\n\n{}", run.all()), &[]);
    assert_eq!(run.states(), DONE);
}

/// Commits the files of the run with the message that `forge` makes, and asserts that no task is complete.
fn assert_forged(forge: &dyn Fn(&Finished) -> String, why: Option<Disbelief>) {
    let run = finished();
    let message = forge(&run);
    let commit = run.squash(&message);
    assert_unbelieved(&run.repo, &commit, &message, why);
}

fn assert_unbelieved(repo: &Repo, commit: &str, what: &str, why: Option<Disbelief>) {
    assert!(!states(repo).contains(&"complete"), "{what}");
    let doubts = read(repo).doubts;
    match why {
        None => assert_eq!(doubts, [], "{what}"),
        Some(why) => {
            let is_it = |doubt: &Doubt| matches!(doubt, Doubt::Landing { commit: found, why: found_why, .. } if found.to_string() == commit && *found_why == why);
            assert!(!doubts.is_empty() && doubts.iter().all(is_it), "{what}: {doubts:?}");
        }
    }
}

#[test]
fn a_claim_that_is_not_whole_counts_for_nothing() {
    let lines = |run: &Finished, before: &str| -> String {
        run.all().lines().map(|line| format!("{before}{line}\n")).collect()
    };
    let forgeries: [&dyn Fn(&Finished) -> String; 13] = [
        &|Finished { base, tips: [_, tip], .. }| {
            format!("Work\n\nArborist-Complete: T1 T2\n\nArborist-Run: {base}..{tip}")
        },
        &|_| "Work\n\nArborist-Complete: T1 T2".to_owned(),
        &|Finished { base, tips: [_, tip], .. }| format!("Work\n\nArborist-Run: {base}..{tip}"),
        &|Finished { base, tips: [_, tip], .. }| {
            format!("Work\n\nArborist-Complete: T1 T2\nArborist-Run: {}..{}", &base[..12], &tip[..12])
        },
        &|Finished { tips: [_, tip], .. }| {
            format!("Work\n\nArborist-Complete: T1 T2\nArborist-Run: main..{tip}")
        },
        &|Finished { base, tips: [_, tip], .. }| {
            format!("Work\n\nArborist-Complete: T1 T2\nArborist-Run: {base}...{tip}")
        },
        &|run| format!("Work\n\n```\n\n{}\n```\n\nThat is how it is written.", run.all()),
        &|run| format!("Work\n\nWrite it like this:\n{}and all is well.\n\nText.", run.all()),
        &|run| format!("Work\n\n{}\nText.", lines(run, "    ")),
        &|run| format!("Work\n\n{}\nText.", lines(run, "> ")),
        &|run| format!("Work\n\nText.\n\n{}Arborist-Step: note", run.all()),
        &|run| format!("fixup! Work\n\n{}", run.all()),
        &|run| step("T3", "implement", IMPLEMENT).replacen("\n\n", &format!("\n\n{}\n", run.all()), 1),
    ];
    for forge in forgeries {
        assert_forged(forge, None);
    }
}

#[test]
fn a_claim_about_another_history_counts_for_nothing() {
    let unknown = "1234567890123456789012345678901234567890";
    let forgeries: [&dyn Fn(&Finished) -> String; 3] = [
        &|Finished { base, tips: [_, tip], .. }| block("T1 T2", tip, base),
        &|Finished { tips: [one, two], .. }| block("T1 T2", one, two),
        &|Finished { tips: [_, tip], .. }| block("T1 T2", unknown, tip),
    ];
    for forge in forgeries {
        assert_forged(&|run| format!("Work\n\n{}", forge(run)), Some(Disbelief::OtherHistory));
    }
    let run = finished();
    let tree = run.repo.git(&["rev-parse", "main^{tree}"]);
    let commit = run.squash(&format!("Work\n\n{}", block("T1", &run.base, &tree)));
    assert_unbelieved(&run.repo, &commit, "a tree is not a run", Some(Disbelief::OtherHistory));
}

#[test]
fn a_claim_that_the_run_contradicts_counts_for_nothing() {
    for (tasks, at) in [("T3", 1), ("T2", 0)] {
        let forge = |run: &Finished| format!("Work\n\n{}", block(tasks, &run.base, &run.tips[at]));
        assert_forged(&forge, Some(Disbelief::NotComplete));
    }
    for (tasks, at, expected, contradicted) in
        [("T1 T2 T3", 1, DONE, "T3"), ("T1 T2", 0, ["complete", "pending", "pending"], "T2")]
    {
        let run = finished();
        run.squash(&format!("Work\n\n{}", block(tasks, &run.base, &run.tips[at])));
        assert_eq!(run.states(), expected, "it counts for the tasks that its run has completed");
        let doubts = read(&run.repo).doubts;
        let about: Vec<&str> = doubts.iter().filter_map(Doubt::task).map(TaskId::as_str).collect();
        assert_eq!(about, [contradicted]);
    }
}

#[test]
fn in_a_shallow_clone_the_beginning_of_the_run_must_be_there() {
    let run = finished();
    run.land_tasks();
    let from = format!("file://{}", run.repo.path().display());
    for (depth, is_known) in [("4", true), ("2", false)] {
        let shallow = Repo::clone_of(&from, &["--single-branch", "--branch", "main", "--depth", depth]);
        let leaves = tasks(&[("T1", "p")]);
        let path = RepoPath::new(TREE.as_bytes()).unwrap();
        let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves };
        match read_run(&shallow.open(), shallow.head(), &query) {
            Ok(run) => assert!(is_known && run.tasks.contains_key("T1"), "depth {depth}"),
            Err(error) => assert!(!is_known && error.kind() == Kind::Repository, "depth {depth}: {error}"),
        }
    }
}

#[test]
fn work_that_was_done_again_on_the_run_wins_over_the_landed_commit_when_the_base_comes_back() {
    for is_newer in [false, true] {
        let run = finished();
        let reopen =
            step("T1", "reopened", "Arborist-Step: reopen\nArborist-By: user\nArborist-Reason: wrong");
        let rework = |run: &Finished| {
            run.repo.git(&["switch", "-q", "run"]);
            commit(&run.repo, &reopen, &[]);
            commit(&run.repo, &step("T1", "implement", IMPLEMENT), &[("src/T1", "better code\n")]);
            run.repo.git(&["switch", "-q", "main"]);
        };
        if !is_newer {
            rework(&run);
        }
        run.squash(&format!("Work (#1)\n\n{}", run.all()));
        if is_newer {
            rework(&run);
        }
        run.repo.git(&["switch", "-q", "run"]);
        run.repo.git(&["merge", "-q", "-X", "ours", "--no-edit", "main"]);
        assert_eq!(run.states(), ["implementing", "complete", "pending"], "newer: {is_newer}");
        assert_eq!(read(&run.repo).doubts, []);
    }
}

#[test]
fn landed_work_of_one_of_two_plans_counts_wherever_its_file_is_moved_to() {
    let plan = |spec: &str| {
        let node = |id: &str| format!(r#""{id}": {{"id": "{id}", "name": "{id}"}}"#);
        format!(r#"{{"spec_id": "{spec}", "nodes": {{{}}}}}"#, ["p", "T1", "T2"].map(node).join(", "))
    };
    let all = tasks(&[("T1", "p"), ("T2", "p")]);
    for moved in ["between the tasks", "on the base", "after the squash", "to the place of another plan"] {
        let repo = Repo::init(&[]);
        let base = commit(&repo, "Plan", &[("a/plan.json", &plan("a")), ("b/plan.json", &plan("b"))]);
        let complete = |task: &str, path: &str| {
            let trailers = format!("{COMPLETE}\nArborist-Report: r\nArborist-Plan: {path}");
            commit(&repo, &step(task, "complete", &trailers), &[(&format!("src/{task}"), "code\n")])
        };
        let move_plan = |from: &str, to: &str| {
            std::fs::create_dir_all(repo.path().join(to).parent().unwrap()).unwrap();
            repo.git(&["mv", from, to]);
            commit(&repo, "Move it", &[])
        };
        repo.git(&["switch", "-q", "-c", "run"]);
        complete("T1", "a/plan.json");
        let mut path = "a/plan.json";
        if moved == "between the tasks" {
            path = "c/plan.json";
            move_plan("a/plan.json", path);
        }
        let tip = complete("T2", path);
        repo.git(&["switch", "-q", "main"]);
        if moved == "on the base" {
            path = "c/plan.json";
            move_plan("a/plan.json", path);
        }
        repo.git(&["merge", "-q", "--squash", "run"]);
        let trailers = format!("{}Arborist-Plan: {path}\n", block("T1 T2", &base, &tip));
        commit(&repo, &format!("Work (#1)\n\n{trailers}"), &[]);
        if moved == "after the squash" {
            path = "c/plan.json";
            move_plan("a/plan.json", path);
        }
        if moved == "to the place of another plan" {
            move_plan("a/plan.json", "c/plan.json");
            move_plan("b/plan.json", "a/plan.json");
            path = "b/plan.json";
            move_plan("c/plan.json", path);
        }
        let states = |path: &str| {
            let path = RepoPath::new(path.as_bytes()).unwrap();
            let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &all };
            let run = read_by_all(&repo, &query);
            (run.tasks.len(), run.doubts)
        };
        assert_eq!(states(path), (2, Vec::new()), "moved {moved}");
        let other = if path == "b/plan.json" { "a/plan.json" } else { "b/plan.json" };
        assert_eq!(states(other), (0, Vec::new()), "moved {moved}");
    }
}

#[test]
fn a_reopened_task_stays_open_where_the_run_of_the_landed_commit_is_not_here() {
    let run = finished();
    let gone = "f".repeat(40);
    run.repo.git(&["switch", "-q", "run"]);
    let reopen = step("T1", "reopened", "Arborist-Step: reopen\nArborist-By: user\nArborist-Reason: wrong");
    commit(&run.repo, &reopen, &[]);
    run.repo.git(&["switch", "-q", "main"]);
    run.squash(&format!("Work (#1)\n\n{}", block("T1 T2", &run.base, &gone)));
    run.repo.git(&["merge", "-q", "-X", "ours", "--no-edit", "run"]);
    assert_eq!(run.states(), ["pending", "complete", "pending"]);
}

#[test]
fn twenty_requests_that_are_squashed_one_after_the_other_stay_complete() {
    let repo = Repo::init(&[]);
    let names: Vec<String> = (1..=20).map(|number| format!("T{number}")).collect();
    let base = commit(&repo, "Add the plan", &[(TREE, "plan")]);
    for done_so_far in 1..=names.len() {
        repo.git(&["switch", "-q", "-C", "run", "main"]);
        let tip = done(&repo, &names[done_so_far - 1]);
        repo.git(&["switch", "-q", "main"]);
        repo.git(&["merge", "-q", "--squash", "run"]);
        let all = names[..done_so_far].join(" ");
        commit(&repo, &format!("Work (#{done_so_far})\n\n{}", block(&all, &base, &tip)), &[]);
        repo.git(&["branch", "-q", "-f", &format!("run-{done_so_far}"), "run"]);
    }
    let pairs: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "p")).collect();
    let path = RepoPath::new(TREE.as_bytes()).unwrap();
    let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &tasks(&pairs) };
    let run = read_run(&repo.open(), repo.head(), &query).unwrap();
    assert_eq!((run.tasks.len(), run.doubts), (20, Vec::new()));
    assert!(run.tasks.values().all(|step| step.record.state() == State::Complete));
}

#[test]
fn a_contained_step_does_not_come_back_beside_what_followed_the_landed_commit() {
    let run = finished();
    run.squash(&format!("Work (#1)\n\n{}", run.all()));
    let reopen = step("T1", "reopened", "Arborist-Step: reopen\nArborist-By: user\nArborist-Reason: wrong");
    commit(&run.repo, &reopen, &[]);
    run.repo.git(&["merge", "-q", "-X", "ours", "--no-edit", "run"]);
    assert_eq!(run.states(), ["pending", "complete", "pending"]);
    assert_eq!(read(&run.repo).doubts, []);
}

#[test]
fn a_squash_that_also_adds_the_plan_can_be_reverted_and_its_tasks_renamed() {
    let plan = |name: &str| {
        format!(
            r#"{{"nodes":{{"p":{{"id":"p","name":"P","children":["T1"]}},"T1":{{"id":"T1","name":"{name}","parent":"p"}}}}}}"#
        )
    };
    let landed = || {
        let repo = Repo::init(&[]);
        let base = commit(&repo, "Begin", &[("README", "x\n")]);
        repo.git(&["switch", "-q", "-c", "run"]);
        commit(&repo, "Add the plan", &[(TREE, &plan("Parse"))]);
        let tip = done(&repo, "T1");
        repo.git(&["switch", "-q", "main"]);
        let run = Finished { repo, base, tips: [tip.clone(), tip] };
        run.squash(&format!("Work\n\n{}", block("T1", &run.base, &run.tips[1])));
        assert_eq!(run.states(), ["complete", "pending", "pending"]);
        run
    };
    let run = landed();
    commit(&run.repo, "Rename", &[(TREE, &plan("Print"))]);
    assert_eq!(run.states(), OPEN, "another name is another task");
    let run = landed();
    let squash = id(&run.repo, "HEAD");
    run.repo.git(&["revert", "-n", "HEAD"]);
    run.repo.git(&["checkout", "-q", "HEAD", "--", TREE]);
    run.repo.git(&["commit", "-q", "-m", &format!("Take it back\n\nThis reverts commit {squash}.")]);
    assert_eq!(run.states(), OPEN, "reverted, but for the plan");
}

#[test]
fn a_revert_that_only_quotes_the_title_of_a_squash_takes_it_back() {
    let by_a_forge = "\n\nReverts o/n#7";
    for (title, body) in [
        ("Revert \"Work\" (#8)", by_a_forge),
        ("Revert \"Work (#7)\" (#8)", by_a_forge),
        ("Revert \"Work (#7)\"", ""),
        ("Revert \"Work (#7)\" (#8)", "\n\nIt was slow."),
    ] {
        let run = finished();
        run.squash(&format!("Work (#7)\n\n{}", run.all()));
        run.repo.git(&["revert", "-n", "HEAD"]);
        run.repo.git(&["commit", "-q", "-m", &format!("{title}{body}")]);
        assert_eq!(run.states(), OPEN, "{title}");
    }
}

const REOPEN: &str = "Arborist-Step: reopen\nArborist-By: user\nArborist-Reason: wrong";

#[test]
fn rework_that_the_run_took_back_later_is_not_part_of_what_was_landed_before_it() {
    let repo = Repo::init(&[]);
    let base = commit(&repo, "Add the plan", &[(TREE, "plan")]);
    repo.git(&["switch", "-q", "-c", "run"]);
    let one = done(&repo, "T1");
    let reopened = commit(&repo, &step("T1", "reopened", REOPEN), &[]);
    let again = commit(&repo, &step("T1", "implement", IMPLEMENT), &[("src/T1", "better code\n")]);
    repo.git(&["branch", "other"]);
    for taken_back in [again, reopened] {
        commit(&repo, &format!("Take it back\n\nThis reverts commit {taken_back}."), &[("src/T1", "code\n")]);
    }
    let two = done(&repo, "T2");
    repo.git(&["switch", "-q", "main"]);
    let run = Finished { repo, base, tips: [one.clone(), two.clone()] };
    run.squash(&format!(
        "Work (#1)\n\n{}\nMore.\n\n{}",
        block("T1", &run.base, &one),
        block("T2", &run.base, &two)
    ));
    assert_eq!(run.states(), DONE);
    run.repo.git(&["switch", "-q", "other"]);
    run.repo.git(&["merge", "-q", "-X", "ours", "--no-edit", "main"]);
    assert_eq!(run.states(), ["implementing", "complete", "pending"]);
}

/// A run of T1 with these steps, and beside it a commit of which a person says that it has the work; in each of them the clock of one
/// line is ahead.
fn states_beside_the_word_of_a_person(steps: &[(&str, &str)]) -> [&'static str; 2] {
    [0, 1_000].map(|ahead| {
        let repo = Repo::init(&[]);
        let at = |parents: &[usize], time: i64, message: String| Commit {
            parents: parents.to_vec(),
            time,
            message,
            files: Vec::new(),
        };
        let plan = vec![(TREE.to_owned(), Some("plan".to_owned()))];
        let mut commits = vec![
            Commit { files: plan, ..at(&[], 0, "Add the plan".to_owned()) },
            at(&[0], 500, "Work (#1)".to_owned()),
        ];
        let ids = repo.import(&commits);
        let landed =
            format!("{}Arborist-Landed: {}\n", block("T1", &ids[0].to_string(), &ids[1].to_string()), ids[1]);
        commits.push(at(&[1], 501, format!("chore(arborist): landed\n\n{landed}")));
        for (number, (what, trailers)) in steps.iter().enumerate() {
            let parent = if number == 0 { 0 } else { commits.len() - 1 };
            let time = ahead + i64::try_from(number).unwrap() + 1;
            commits.push(at(&[parent], time, step("T1", what, trailers)));
        }
        commits.push(at(&[commits.len() - 1, 2], 5_000, "Merge main".to_owned()));
        repo.import(&commits);
        repo.git(&["reset", "-q", "--hard"]);
        states(&repo)[0]
    })
}

#[test]
fn what_a_person_says_has_landed_is_complete_until_it_is_opened_again_whatever_the_clocks_say() {
    assert_eq!(states_beside_the_word_of_a_person(&[("implement", IMPLEMENT)]), ["complete"; 2]);
    assert_eq!(
        states_beside_the_word_of_a_person(&[("implement", IMPLEMENT), ("complete", COMPLETE)]),
        ["complete"; 2]
    );
    assert_eq!(
        states_beside_the_word_of_a_person(&[("complete", COMPLETE), ("reopened", REOPEN)]),
        ["pending"; 2]
    );
    assert_eq!(
        states_beside_the_word_of_a_person(&[("reopened", REOPEN), ("implement", IMPLEMENT)]),
        ["implementing"; 2]
    );
}

#[test]
fn the_word_of_a_person_takes_nothing_from_a_phase_whose_steps_are_here() {
    let run = finished();
    run.repo.git(&["switch", "-q", "run"]);
    let marker = commit(&run.repo, "phase(p): complete\n\nArborist-Step: phase-complete\n", &[]);
    run.repo.git(&["switch", "-q", "main"]);
    let squash = run.squash("Work (#1)");
    let landed = format!("{}Arborist-Landed: {squash}\n", block("T1 T2", &run.base, &squash));
    commit(&run.repo, &format!("chore(arborist): landed\n\n{landed}"), &[]);
    assert_eq!(run.states(), DONE);
    run.repo.git(&["switch", "-q", "run"]);
    run.repo.git(&["merge", "-q", "-X", "ours", "--no-edit", "main"]);
    assert_eq!(run.states(), DONE);
    assert_eq!(read(&run.repo).phases["p"].id.to_string(), marker);
}

#[test]
fn a_squash_that_has_the_revert_of_landed_work_leaves_no_doubt() {
    for all in [false, true] {
        let run = finished();
        run.land_tasks();
        run.repo.git(&["branch", "-q", "request"]);
        run.repo.git(&["reset", "-q", "--hard", &run.base]);
        run.repo.git(&["switch", "-q", "request"]);
        run.repo.git(&["revert", "--no-edit", "HEAD"]);
        if all {
            run.repo.git(&["revert", "--no-edit", "HEAD~2"]);
        }
        run.repo.git(&["switch", "-q", "main"]);
        commit(&run.repo, &step("T3", "implement", IMPLEMENT), &[]);
        run.repo.git(&["merge", "-q", "--squash", "request"]);
        run.repo.git(&["commit", "-q", "--allow-empty", "--no-edit"]);
        let first = if all { "pending" } else { "complete" };
        assert_eq!(run.states(), [first, "pending", "implementing"]);
        assert_eq!(read(&run.repo).doubts, []);
    }
}

#[test]
fn a_landed_skip_is_one_where_the_run_says_so_or_is_gone() {
    let skip = step(
        "T2",
        "skipped",
        "Arborist-Step: complete\nArborist-Result: skip\nArborist-By: user\nArborist-Reason: no",
    );
    for is_here in [true, false] {
        let repo = Repo::init(&[]);
        let base = commit(&repo, "Add the plan", &[(TREE, "plan")]);
        repo.git(&["switch", "-q", "-c", "run"]);
        let one = done(&repo, "T1");
        let tip = commit(&repo, &skip, &[]);
        repo.git(&["switch", "-q", "main"]);
        let run = Finished { repo, base, tips: [one, tip.clone()] };
        let gone = "f".repeat(40);
        let tip = if is_here { &tip } else { &gone };
        let skipped =
            block("T2", &run.base, tip).replace("Arborist-Run", "Arborist-Result: skip\nArborist-Run");
        run.squash(&format!("Work\n\n{skipped}\n{}", block("T1", &run.base, tip)));
        assert_eq!(run.states(), ["complete", "skipped", "pending"]);
        run.repo.git(&["merge", "-q", "-X", "ours", "--no-edit", "run"]);
        assert_eq!(run.states(), ["complete", "skipped", "pending"]);
        assert_eq!(read(&run.repo).doubts, []);
        run.repo.git(&["reset", "-q", "--hard", "HEAD^"]);
        run.repo.git(&["revert", "--no-edit", "HEAD"]);
        assert_eq!(run.states(), OPEN);
    }
    let forge = |run: &Finished| {
        let skipped = block("T1", &run.base, &run.tips[1]);
        format!("Work\n\n{}", skipped.replace("Arborist-Run", "Arborist-Result: skip\nArborist-Run"))
    };
    assert_forged(&forge, Some(Disbelief::NotComplete));
}

#[test]
fn a_revert_of_landed_work_takes_back_its_steps_where_both_had_come_together() {
    // Together before the revert, which was made on top of both or came with the base.
    for on_top in [true, false] {
        let run = finished();
        let squash = run.squash(&format!("Work (#1)\n\n{}", run.all()));
        run.repo.git(&["switch", "-q", "run"]);
        run.repo.git(&["merge", "-q", "-X", "ours", "--no-edit", "main"]);
        assert_eq!(run.states(), DONE);
        if !on_top {
            commit(&run.repo, "Something else", &[("README", "z\n")]);
            run.repo.git(&["switch", "-q", "main"]);
        }
        run.repo.git(&["revert", "--no-edit", &squash]);
        if !on_top {
            run.repo.git(&["switch", "-q", "run"]);
            run.repo.git(&["merge", "-q", "--no-edit", "main"]);
        }
        assert!(!run.repo.path().join("src/T1").exists(), "the work is gone");
        assert_eq!(run.states(), OPEN, "on top: {on_top}");
        commit(&run.repo, &step("T1", "implement", IMPLEMENT), &[("src/T1", "code\n")]);
        assert_eq!(run.states(), ["implementing", "pending", "pending"], "on top: {on_top}");
    }
    // The merge of a request is taken back, as the button of a forge does it.
    let run = finished();
    run.squash(&format!("Work (#1)\n\n{}", run.all()));
    run.repo.git(&["branch", "-q", "request"]);
    run.repo.git(&["reset", "-q", "--hard", "HEAD^"]);
    run.repo.git(&["merge", "-q", "--no-ff", "--no-edit", "request"]);
    let merge = run.repo.git(&["rev-parse", "HEAD"]);
    run.repo.git(&["merge", "-q", "-X", "ours", "--no-edit", "run"]);
    assert_eq!(run.states(), DONE);
    run.repo.git(&["revert", "--no-edit", "-m", "1", merge.trim()]);
    assert!(!run.repo.path().join("src/T1").exists(), "the work is gone");
    assert_eq!(run.states(), OPEN);
    // The work of the run comes after all has been taken back.
    let run = finished();
    let squash = run.squash(&format!("Work (#1)\n\n{}", run.all()));
    run.repo.git(&["revert", "--no-edit", &squash]);
    assert_eq!(run.states(), OPEN);
    run.repo.git(&["merge", "-q", "--no-edit", "run"]);
    assert!(run.repo.path().join("src/T1").exists(), "the work is here");
    assert_eq!(run.states(), DONE);
}
