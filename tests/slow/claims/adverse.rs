//! Remote repositories, plans and machines that get in the way of workers.

use std::fs;

use super::field::Field;
use super::server::run;
use crate::support::garden::{Running, one_task, plan};

#[test]
fn a_setup_that_fails_gives_the_task_back() {
    let Some(field) = Field::new(&one_task(&["test -f T001.txt"])) else { return };
    field.garden.config("arborist.worktree.setup", "echo no such package >&2; exit 3");
    field.worked(&[]).assert(4, &["arborist.worktree.setup", "no such package"]);
    assert_eq!(field.subjects("arborist/trial/T001")[0], "task(T001): claimed by nobody");
    assert_eq!(field.left(), 0);
    field.garden.config("arborist.worktree.setup", "true");
    field.worked(&[]).assert(0, &["T001 claimed by"]);
    field.check_complete(&["T001"]);
}

#[test]
fn where_nothing_may_be_deleted_the_integration_is_given_back_and_nothing_is_half_merged() {
    let Some(field) = Field::of_three() else { return };
    field.there(&["config", "receive.denyDeletes", "true"]);
    let before = field.there(&["rev-parse", "main"]);
    let words =
        ["does not accept that main moves and that the merged branches are deleted", "deletion prohibited"];
    field.worked(&[]).assert(4, &words);
    assert_eq!(field.there(&["rev-parse", "main"]), before);
    assert_eq!(field.branches(), ["arborist/trial/@integrate", "arborist/trial/T001", "main"]);
    assert_eq!(field.subjects("arborist/trial/@integrate")[0], "arborist: integration claimed by nobody");
    assert_eq!(field.left(), 0);
    // Another worker says the same at once, and does not wait for the first.
    field.worked(&[]).assert(4, &words);
    field.there(&["config", "receive.denyDeletes", "false"]);
    field.worked(&[]).assert(0, &["T001 merge pass"]);
    field.check_complete(&["T001", "T002", "T003"]);
}

#[test]
fn a_branch_that_is_checked_out_in_the_remote_repository_is_named() {
    let Some(field) = Field::of_three() else { return };
    let remote = field.garden.root().join("busy");
    let at = remote.to_str().unwrap();
    field.garden.git(&["clone", "-q", "--branch", "main", &field.server.url(), at]);
    let work = || {
        let mut command = field.garden.arborist(&["work", "--remote", at, "--branch", "main", "T001"]);
        command.env("TMPDIR", field.garden.root().join("temporary"));
        command.env("ARBORIST_RUNNER", "mine").env("ARBORIST_TRUST_PLAN", "true");
        field.garden.finish(command)
    };
    fs::create_dir_all(field.garden.root().join("temporary")).unwrap();
    // The branch of a task.
    run(&remote, &["checkout", "-q", "-b", "arborist/trial/T001"]);
    let head = run(&remote, &["rev-parse", "HEAD"]);
    work().assert(4, &["branch is currently checked out"]);
    assert_eq!(run(&remote, &["rev-parse", "HEAD"]), head);
    assert_eq!(run(&remote, &["status", "--porcelain"]), "");
    assert_eq!(field.left(), 0);
}

#[test]
fn two_who_integrate_at_once_merge_everything_once() {
    let Some(field) = Field::of_three() else { return };
    // A complete task that nobody may merge yet.
    field.hook("update", "case $1 in refs/heads/main) echo 'main is protected' >&2; exit 1;; esac");
    field.worked(&["T001"]).assert(4, &["main is protected"]);
    fs::remove_file(field.server.bare().join("hooks/update")).unwrap();
    field.garden.config("arborist.suite", "sleep 0.5");
    let started: Vec<_> = (0..2)
        .map(|_| {
            let mut command = field.garden.arborist(&["integrate", "--remote", "origin", "--branch", "main"]);
            command.env("TMPDIR", field.garden.root().join("temporary"));
            field.garden.start(command)
        })
        .collect();
    let ended: Vec<_> = started.into_iter().map(Running::wait).collect();
    let said = format!("{ended:?}");
    assert!(ended.iter().any(|one| one.status == 0), "{said}");
    // The other one comes second, or finds nothing to do.
    for one in ended.iter().filter(|one| one.status != 0) {
        one.assert(5, &["integrates this run at the moment"]);
    }
    field.check_merged(&["T001"]);
    assert_eq!(field.left(), 0);
}

#[test]
fn submodules_come_with_the_clone_and_one_that_cannot_be_fetched_stops_the_worker() {
    let Some(field) = Field::new(&one_task(&["test -f lib/inside && test -f T001.txt"])) else { return };
    let served = field.server.bare().with_file_name("lib.git");
    let source = field.garden.root().join("lib");
    fs::create_dir(&source).unwrap();
    run(&source, &["init", "-q", "--initial-branch=main"]);
    fs::write(source.join("inside"), "").unwrap();
    run(&source, &["add", "."]);
    run(&source, &["commit", "-q", "-m", "lib"]);
    run(&source, &["clone", "-q", "--bare", ".", served.to_str().unwrap()]);
    field.garden.git(&["submodule", "--quiet", "add", "../lib.git", "lib"]);
    field.garden.git(&["commit", "-q", "-m", "Add a library"]);
    field.garden.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
    let away = served.with_file_name("away.git");
    fs::rename(&served, &away).unwrap();
    field.worked(&[]).assert(4, &["the submodules cannot be fetched", ".gitmodules"]);
    assert_eq!(field.branches(), ["main"]);
    assert_eq!(field.left(), 0);
    fs::rename(&away, &served).unwrap();
    field.worked(&[]).assert(0, &["T001 test pass"]);
    field.check_merged(&["T001"]);
    assert_eq!(field.left(), 0);
}

#[test]
fn tasks_that_would_share_a_branch_are_refused_where_case_is_ignored() {
    let tests: [&str; 1] = ["true"];
    let rows = [("T1a", "", &[][..], &tests[..]), ("T1A", "", &[][..], &tests[..])];
    let Some(field) = Field::new(&plan(&rows)) else { return };
    let settings = field.garden.root().join("ignores-case");
    fs::write(&settings, "[core]\n\tignoreCase = true\n").unwrap();
    let mut command = field.work(&[]);
    command.env("GIT_CONFIG_GLOBAL", &settings);
    field.garden.finish(command).assert(3, &["T1a and T1A would have the same branch", "ignores case"]);
    assert_eq!(field.branches(), ["main"]);
    assert_eq!(field.left(), 0);
    field.worked(&["T1a"]).assert(0, &[]);
}
