//! Tests which steps reverts undo. git itself makes the reverts.

use std::collections::BTreeMap;

use crate::support::repo::{Repo, tasks};
use git_arborist::history::{
    AnchorRule, Backend, Query, RepoPath, Repository, Run, StepValidity, pick_steps, read_run,
};
use git_arborist::record::Doubt;

const TREE: &str = "task-tree.json";
const COMPLETE: &str = "Arborist-Step: complete\nArborist-Result: pass";
const IMPLEMENT: &str = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0";

/// A repository with a plan, on the branch `main`.
fn planned() -> Repo {
    let repo = Repo::init(&[]);
    commit(&repo, "Add the plan", &[(TREE, "plan")]);
    repo
}

/// Commits these files, or nothing.
fn commit(repo: &Repo, message: &str, files: &[(&str, &str)]) {
    for (path, text) in files {
        let file = repo.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", message]);
}

/// Commits an implementation of the task, which changes a file of its own, and its completion, which adds a report.
fn done(repo: &Repo, task: &str) {
    commit(repo, &step(task, "implement", IMPLEMENT), &[(&format!("src/{task}"), "code\n")]);
    commit(repo, &step(task, "complete", COMPLETE), &[(&format!("spec/reports/{task}.json"), task)]);
}

fn step(task: &str, what: &str, trailers: &str) -> String {
    format!("task({task}): {what} \"Do {task}\"\n\n{trailers}\n")
}

fn id(repo: &Repo, revision: &str) -> String {
    repo.git(&["rev-parse", revision])
}

/// The newest commit with this title.
fn titled(repo: &Repo, title: &str) -> String {
    let log = repo.git(&["log", "--all", "--topo-order", "--format=%H %s"]);
    let found = log.lines().find(|line| line.split_once(' ').unwrap().1 == title);
    found.unwrap_or_else(|| panic!("{title} is not in {log}"))[..40].to_owned()
}

fn completion(repo: &Repo, task: &str) -> String {
    titled(repo, &format!("task({task}): complete \"Do {task}\""))
}

fn read(repo: &Repo) -> Run {
    let (path, leaves) =
        (RepoPath::new(TREE.as_bytes()).unwrap(), tasks(&[("T1", "p"), ("T2", "p"), ("T3", "p")]));
    let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves };
    let read = |repository: &Repository| {
        let run = read_run(repository, repo.head(), &query).unwrap();
        assert_same_standings(repository, &run);
        run
    };
    let run = read(&repo.open());
    let other = repo.open_with_program();
    assert_eq!(other.backend(), Backend::Program);
    assert_eq!(run, read(&other), "both backends say the same");
    run
}

/// Asserts that the step that counts for a task also counts when steps are read one by one.
fn assert_same_standings(repository: &Repository, run: &Run) {
    let steps = pick_steps(repository, &run.range, |_, _| Some(())).unwrap();
    for step in run.tasks.values() {
        let found = steps.iter().find(|picked| picked.id == step.id).unwrap();
        assert_eq!(found.validity, StepValidity::Counts);
    }
}

/// The states of the tasks that are not pending.
fn states(repo: &Repo) -> BTreeMap<String, &'static str> {
    let run = read(repo);
    run.tasks.iter().map(|(id, step)| (id.to_string(), step.record.state().word())).collect()
}

fn assert_states(repo: &Repo, expected: &[(&str, &'static str)]) {
    let expected = expected.iter().map(|(id, state)| ((*id).to_owned(), *state)).collect();
    assert_eq!(states(repo), expected, "{}", repo.git(&["log", "--graph", "--format=%h %s"]));
}

/// The tasks about which something is not certain.
fn doubts(repo: &Repo) -> Vec<String> {
    read(repo).doubts.iter().map(|doubt| doubt.task().map_or("-".to_owned(), ToString::to_string)).collect()
}

fn no_doubts() -> Vec<String> {
    Vec::new()
}

#[test]
fn a_revert_with_reference_undoes_its_step() {
    let repo = planned();
    done(&repo, "T1");
    repo.git(&["config", "revert.reference", "true"]);
    repo.git(&["revert", "--no-edit", "HEAD"]);
    assert_states(&repo, &[("T1", "implementing")]);
    repo.git(&["revert", "--no-edit", "HEAD"]);
    assert_states(&repo, &[("T1", "complete")]);
    repo.git(&["revert", "--no-edit", "HEAD"]);
    assert_states(&repo, &[("T1", "implementing")]);
    repo.git(&["revert", "--no-edit", "HEAD~4"]);
    assert_states(&repo, &[]);
    assert_eq!(doubts(&repo), no_doubts());
}

#[test]
fn a_revert_that_was_rebased_with_its_step_undoes_it_in_every_clone() {
    let repo = planned();
    repo.git(&["branch", "upstream"]);
    done(&repo, "T1");
    done(&repo, "T2");
    repo.git(&["revert", "--no-edit", &completion(&repo, "T1")]);
    assert_states(&repo, &[("T1", "implementing"), ("T2", "complete")]);
    repo.git(&["switch", "-q", "upstream"]);
    commit(&repo, "Meanwhile", &[("other", "x")]);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["rebase", "-q", "upstream"]);
    assert_states(&repo, &[("T1", "implementing"), ("T2", "complete")]);
    let clone = Repo::clone_of(&format!("file://{}", repo.path().display()), &["--single-branch"]);
    assert_states(&clone, &[("T1", "implementing"), ("T2", "complete")]);
    assert_eq!(doubts(&clone), no_doubts());
}

#[test]
fn a_chain_of_reverts_that_was_rebased_is_followed_to_its_end() {
    for count in 1..=4 {
        let repo = planned();
        repo.git(&["branch", "upstream"]);
        done(&repo, "T1");
        for _ in 0..count {
            repo.git(&["revert", "--no-edit", "HEAD"]);
        }
        repo.git(&["switch", "-q", "upstream"]);
        commit(&repo, "Meanwhile", &[("other", "x")]);
        repo.git(&["switch", "-q", "main"]);
        repo.git(&["rebase", "-q", "upstream"]);
        let expected = if count % 2 == 0 { "complete" } else { "implementing" };
        assert_states(&repo, &[("T1", expected)]);
        assert_eq!(doubts(&repo), no_doubts(), "{count} reverts");
    }
}

#[test]
fn a_revert_that_was_cherry_picked_with_its_step_undoes_only_that_step() {
    let repo = planned();
    repo.git(&["branch", "release"]);
    done(&repo, "T1");
    done(&repo, "T2");
    let (t1, t2) = (completion(&repo, "T1"), completion(&repo, "T2"));
    repo.git(&["revert", "--no-edit", &t1]);
    let revert = id(&repo, "HEAD");
    repo.git(&["switch", "-q", "release"]);
    repo.git(&["cherry-pick", &format!("{t1}~1"), &t1, &t2]);
    assert_states(&repo, &[("T1", "complete"), ("T2", "complete")]);
    repo.git(&["cherry-pick", &revert]);
    assert_states(&repo, &[("T1", "implementing"), ("T2", "complete")]);
    assert_eq!(doubts(&repo), no_doubts());
}

#[test]
fn reverting_a_merge_undoes_the_steps_that_it_brought_in() {
    for reference in ["false", "true"] {
        let repo = planned();
        repo.git(&["config", "revert.reference", reference]);
        done(&repo, "T1");
        repo.git(&["switch", "-q", "-c", "side"]);
        done(&repo, "T2");
        repo.git(&["switch", "-q", "main"]);
        done(&repo, "T3");
        repo.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
        assert_states(&repo, &[("T1", "complete"), ("T2", "complete"), ("T3", "complete")]);
        repo.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
        assert!(!repo.path().join("src/T2").exists());
        assert_states(&repo, &[("T1", "complete"), ("T3", "complete")]);
        repo.git(&["revert", "--no-edit", "HEAD"]);
        assert_states(&repo, &[("T1", "complete"), ("T2", "complete"), ("T3", "complete")]);
        repo.git(&["revert", "--no-edit", "-m", "2", "HEAD~2"]);
        assert!(!repo.path().join("src/T3").exists());
        assert_states(&repo, &[("T1", "complete"), ("T2", "complete")]);
        assert_eq!(doubts(&repo), no_doubts(), "revert.reference={reference}");
    }
}

#[test]
fn a_task_that_is_done_again_after_its_merge_was_reverted_is_complete() {
    let repo = planned();
    repo.git(&["switch", "-q", "-c", "side"]);
    done(&repo, "T1");
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    repo.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    assert_states(&repo, &[]);
    done(&repo, "T1");
    assert_states(&repo, &[("T1", "complete")]);
}

#[test]
fn a_revert_inside_a_merge_no_longer_counts_after_the_merge_is_reverted() {
    let repo = planned();
    done(&repo, "T1");
    repo.git(&["switch", "-q", "-c", "side"]);
    repo.git(&["revert", "--no-edit", "HEAD"]);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    assert_states(&repo, &[("T1", "implementing")]);
    repo.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    assert_states(&repo, &[("T1", "complete")]);
}

#[test]
fn a_title_alone_reverts_the_newest_commit_with_that_title() {
    let repo = planned();
    done(&repo, "T1");
    done(&repo, "T1");
    let title = "Revert \"task(T1): complete \"Do T1\"\" (#12)";
    commit(&repo, title, &[("other", "x")]);
    assert_states(&repo, &[("T1", "implementing")]);
    commit(&repo, "Revert \"task(T1): nothing like that\" (#13)", &[]);
    assert_states(&repo, &[("T1", "implementing")]);
    assert_eq!(doubts(&repo), ["T1"], "what the second one means is not known");
}

/// The doubts of a run about steps that were reverted although a later step counts.
fn reverted_alone(repo: &Repo) -> Vec<String> {
    let doubts = read(repo).doubts;
    let earlier = doubts.iter().filter(|doubt| matches!(doubt, Doubt::EarlierStep { .. }));
    earlier.map(Doubt::what).collect()
}

#[test]
fn an_earlier_step_that_is_reverted_alone_is_named_until_later_ones_are_reverted_or_the_task_continues() {
    let repo = planned();
    done(&repo, "T1");
    let short = |revision: &str| repo.git(&["rev-parse", "--short=7", revision]);
    let (implement, complete) = (short("HEAD~1"), short("HEAD"));
    repo.git(&["revert", "--no-edit", "HEAD~1"]);
    assert_states(&repo, &[("T1", "complete")]);
    let revert = short("HEAD");
    let named =
        format!("{revert} reverts {implement}, but {complete} is a later step of T1 and still counts");
    assert_eq!(reverted_alone(&repo), [named]);

    repo.git(&["revert", "--no-edit", "HEAD~1"]);
    assert_states(&repo, &[]);
    assert_eq!(doubts(&repo), no_doubts());

    repo.git(&["reset", "-q", "--hard", &revert]);
    repo.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(doubts(&repo), no_doubts(), "the revert was reverted");

    repo.git(&["reset", "-q", "--hard", &revert]);
    commit(&repo, &step("T1", "implement", IMPLEMENT), &[("src/T1", "better code\n")]);
    assert_eq!(doubts(&repo), no_doubts(), "the task goes on");
}

#[test]
fn a_step_without_changes_is_reverted_by_the_message_alone() {
    let repo = planned();
    done(&repo, "T1");
    commit(&repo, &step("T2", "complete", COMPLETE), &[]);
    repo.git(&["branch", "upstream", "HEAD~3"]);
    let revert =
        format!("Revert \"task(T2): complete \"Do T2\"\"\n\nThis reverts commit {}.", id(&repo, "HEAD"));
    commit(&repo, &revert, &[]);
    assert_states(&repo, &[("T1", "complete")]);
    assert_eq!(doubts(&repo), no_doubts());
    // After a rebase, only the title shows which step is meant.
    repo.git(&["switch", "-q", "upstream"]);
    commit(&repo, "Meanwhile", &[("other", "x")]);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["rebase", "-q", "--keep-empty", "upstream"]);
    assert_states(&repo, &[("T1", "complete")]);
    assert_eq!(doubts(&repo), no_doubts());
}

#[test]
fn a_step_whose_changes_are_already_gone_is_reverted_by_the_message_alone() {
    let repo = planned();
    done(&repo, "T1");
    let t1 = completion(&repo, "T1");
    repo.git(&["rm", "-q", "-r", "spec"]);
    repo.git(&["commit", "-q", "-m", "chore(arborist): prune 1 generated file"]);
    commit(&repo, &format!("Revert it\n\nThis reverts commit {t1}."), &[]);
    assert_states(&repo, &[("T1", "implementing")]);
    assert_eq!(doubts(&repo), no_doubts());
}

#[test]
fn a_revert_of_an_unknown_commit_leaves_a_doubt_about_earlier_steps() {
    let repo = planned();
    repo.git(&["branch", "upstream"]);
    repo.git(&["switch", "-q", "-c", "side"]);
    done(&repo, "T1");
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    repo.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    assert_states(&repo, &[]);
    repo.git(&["switch", "-q", "upstream"]);
    commit(&repo, "Meanwhile", &[("other", "x")]);
    repo.git(&["switch", "-q", "main"]);
    // A rebase linearises the history and drops the merge that the revert names.
    repo.git(&["rebase", "-q", "upstream"]);
    assert_states(&repo, &[("T1", "complete")]);
    assert_eq!(doubts(&repo), ["-"]);
    done(&repo, "T2");
    assert_eq!(doubts(&repo), ["-"], "T1 is in doubt as before");
    commit(&repo, &step("T1", "implement", IMPLEMENT), &[]);
    assert_eq!(doubts(&repo), no_doubts(), "T1 goes on");
}

#[test]
fn reverting_commits_of_an_older_run_or_of_a_person_changes_nothing() {
    let repo = planned();
    done(&repo, "T1");
    let older = completion(&repo, "T1");
    commit(&repo, "Write a parser", &[("parser", "x\n")]);
    let parser = id(&repo, "HEAD");
    repo.git(&["switch", "-q", "-c", "side"]);
    commit(&repo, "Write a printer", &[("printer", "x\n")]);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    let merge = id(&repo, "HEAD");
    commit(&repo, "Another plan", &[(TREE, "another plan")]);
    done(&repo, "T2");
    commit(&repo, &step("T1", "complete", COMPLETE), &[]);
    for (args, reference) in [
        (&["revert", "--no-edit", &older][..], "false"),
        (&["revert", "--no-edit", &parser], "true"),
        (&["revert", "--no-edit", "-m", "1", &merge], "true"),
    ] {
        repo.git(&["config", "revert.reference", reference]);
        repo.git(args);
        assert_states(&repo, &[("T1", "complete"), ("T2", "complete")]);
        assert_eq!(doubts(&repo), no_doubts(), "{args:?}");
    }
}

#[test]
fn steps_on_parallel_branches_are_named_until_a_step_follows_both() {
    let repo = planned();
    repo.git(&["switch", "-q", "-c", "side"]);
    done(&repo, "T1");
    repo.git(&["switch", "-q", "main"]);
    commit(&repo, &step("T1", "implement", IMPLEMENT), &[("other", "x\n")]);
    let ours = id(&repo, "HEAD");
    repo.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    let [Doubt::SideBySide { task, counted, others }] = &read(&repo).doubts[..] else {
        panic!("{:?}", read(&repo).doubts);
    };
    let counted = counted.to_string();
    let mut both = vec![counted.clone(), others[0].to_string()];
    let mut expected = vec![ours, completion(&repo, "T1")];
    both.sort();
    expected.sort();
    assert_eq!((task.as_str(), both), ("T1", expected));
    assert_eq!(read(&repo).tasks["T1"].id.to_string(), counted);
    commit(&repo, &step("T1", "implement", IMPLEMENT), &[("src/T1", "better\n")]);
    assert_eq!(doubts(&repo), no_doubts());
}
