//! The fault matrix: repository shapes, configuration, trees, reviews, security, messages. A test begins with the id of
//! its row; tests/README.md is the table of them all.

mod configuration;
mod messages;
mod repositories;
mod reviews;
mod security;
mod trees;

use std::path::Path;
use std::process::Command;

use crate::support::garden::{Ended, Garden, one_task};
use serde_json::Value;

/// All that a plan of one task comes to when everything goes well.
const STEPS: [&str; 5] = [
    "task(T001): implement \"Do T001\" | implement pass   0",
    "task(T001): tests pass for \"Do T001\" | test  pass  0",
    "task(T001): review approved for \"Do T001\" | review   approved 0",
    "task(T001): complete \"Do T001\" | complete pass   ",
    "phase(p1): complete | phase-complete pass   ",
];

/// A repository made by `git init ARGS` with a plan of one task.
fn made(args: &[&str]) -> Garden {
    planted(args, &one_task(&[]))
}

/// A repository made by `git init ARGS` with this plan.
fn planted(args: &[&str], plan: &Value) -> Garden {
    let garden = Garden::empty();
    garden.git(&[&["init", "-q", "-b", "main"], args].concat());
    garden.write("task-tree.json", &format!("{plan:#}\n"));
    garden.commit("Add the plan");
    garden.agent("");
    garden
}

/// A repository with a plan of one task, as it was made.
fn plain() -> Garden {
    Garden::new(&one_task(&[]))
}

/// Runs everything; it must go well, and nothing may be lying around afterwards.
#[track_caller]
fn works(garden: &Garden) {
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.steps(), STEPS);
    assert_eq!(garden.status(), [""; 0]);
    assert_eq!(garden.run(&["gardener"]).stdout, "1/1 complete\n");
}

/// Runs gardener, which must refuse with this exit status and these words before any agent is asked, and change nothing.
#[track_caller]
fn refuses(garden: &Garden, status: i32, words: &[&str]) {
    let before = look(garden);
    garden.run(&["gardener"]).assert(status, words);
    assert_eq!(garden.asked(), [""; 0]);
    assert_eq!(look(garden), before);
}

/// Branch and work tree, by git's own account, whatever state they are in.
fn look(garden: &Garden) -> (String, String) {
    let said = |args: &[&str]| String::from_utf8_lossy(&garden.try_git(args).stdout).into_owned();
    (said(&["rev-parse", "HEAD"]), said(&["status", "--porcelain", "--untracked-files=all"]))
}

/// Runs one of our programs where the repository is damaged, so that it cannot be looked at afterwards.
fn run_damaged(garden: &Garden, args: &[&str]) -> Ended {
    let ended = garden.start(garden.arborist(args)).wait();
    assert!([0, 1, 2, 3, 4, 5, 6].contains(&ended.status), "{ended:#?}");
    assert!(!ended.stderr.contains("panicked at"), "{ended:#?}");
    ended
}

/// A command in another folder.
fn within(mut command: Command, folder: &Path) -> Command {
    command.current_dir(folder);
    command
}
