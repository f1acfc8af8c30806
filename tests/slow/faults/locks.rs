//! Tests lock files of git: which concern a run, when they are removed, and when they are waited for.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::faults::kills::{LINGER, assert_resumes, interrupted};
use crate::support::garden::{Garden, Running, plan};
use crate::support::harness::{assert_sound_after, one_task, rescued, script_at, script_before};

/// A run that is killed at a call of git, which leaves this lock file behind.
fn killed_with(lock: &str) -> Garden {
    let garden = one_task("");
    let script = format!(": > .git/{lock}; kill -9 $PPID; exit 1");
    let ended = garden.start(script_at(&garden, &["gardener"], (12, &script))).wait();
    assert_eq!(ended.status, 137, "{ended:#?}");
    assert!(garden.exists(&format!(".git/{lock}")));
    garden
}

#[test]
fn locks_of_other_branches_and_work_trees_are_neither_removed_nor_waited_for() {
    let garden = one_task("");
    garden.git(&["branch", "other"]);
    let folder = garden.root().join("second").display().to_string();
    garden.git(&["worktree", "add", "-q", "-b", "second", &folder]);
    let foreign = [
        "refs/heads/other.lock",
        "refs/heads/second.lock",
        "worktrees/second/index.lock",
        "worktrees/second/HEAD.lock",
    ];
    let make = || foreign.map(|lock| garden.write(&format!(".git/{lock}"), ""));
    make();
    // If they had been waited for, the run would have ended because they stay.
    garden.start(garden.arborist(&["gardener"])).wait().assert(0, &[]);
    // After a run that was killed while they were made, too.
    let garden = killed_with("index.lock");
    garden.git(&["branch", "other"]);
    garden.write(".git/refs/heads/other.lock", "");
    garden.start(garden.arborist(&["gardener"])).wait().assert(0, &["index.lock"]);
    assert!(garden.exists(".git/refs/heads/other.lock"));
}

#[test]
fn a_signal_ends_a_run_that_still_waits_for_a_lock() {
    let (garden, running) = interrupted(LINGER);
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    garden.assert_nothing_runs();
    // A lock that is made after the last sign of life of the run is not its own.
    std::thread::sleep(Duration::from_secs(5));
    garden.write(".git/index.lock", "");
    let waiting = garden.start(garden.arborist(&["gardener"]));
    // It waits once it has the lock of the work tree.
    let at_work = || fs::read_to_string(garden.top().join(".git/arborist/lock")).unwrap();
    garden.wait_until("it did not begin", || at_work().contains(&format!("process {}", waiting.id())));
    waiting.signal("INT");
    waiting.wait().assert(130, &["Stopped", "continues from there"]);
    assert!(garden.exists("half.txt") && rescued(&garden).is_empty(), "nothing was touched");
    fs::remove_file(garden.top().join(".git/index.lock")).unwrap();
    assert_resumes(&garden);
}

#[test]
fn a_lock_that_a_killed_git_left_is_removed_at_the_end_of_the_run() {
    let garden = one_task("");
    let script = ": > .git/index.lock; kill -9 $$";
    let ended = garden.start(script_before(&garden, &["gardener"], ("commit", script))).wait();
    ended.assert(4, &["removed the stale lock", "index.lock"]);
    assert!(!garden.exists(".git/index.lock"));
}

/// A repository with linked work trees, each on a branch of its own, with three tasks to do.
fn with_work_trees(count: usize) -> (Garden, Vec<std::path::PathBuf>) {
    let garden = crate::support::harness::garden(
        &plan(&[
            ("p1", "", &[], &["true"]),
            ("T001", "p1", &[], &["true"]),
            ("T002", "p1", &[], &["true"]),
            ("T003", "p1", &[], &["true"]),
        ]),
        "git pack-refs --all; git config --get user.name > /dev/null; git gc -q 2> /dev/null",
    );
    let folders: Vec<_> = (0..count).map(|number| garden.root().join(format!("tree-{number}"))).collect();
    for folder in &folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        garden.git(&["worktree", "add", "-q", "-b", name, folder.to_str().unwrap()]);
    }
    (garden, folders)
}

#[test]
fn runs_in_many_work_trees_leave_the_locks_of_each_other_alone() {
    let (garden, folders) = with_work_trees(3);
    let start = |folder: &std::path::PathBuf| {
        let mut command = garden.arborist(&["gardener"]);
        command.current_dir(folder);
        garden.start(command)
    };
    let running: Vec<Running> = folders.iter().map(start).collect();
    for (running, folder) in running.into_iter().zip(&folders) {
        let ended = running.wait();
        ended.assert(0, &[]);
        assert!(!ended.stderr.contains("stale lock"), "{ended:#?}");
        let branch = folder.file_name().unwrap().to_str().unwrap();
        let steps = garden.lines(&["log", "--format=%s", branch, "--grep", "^Arborist-Step"]);
        assert_eq!(steps.len(), 13, "{steps:#?}");
    }
    let ended = garden.run(&["status"]);
    assert_sound_after(&garden, &ended);
}

#[test]
fn doctor_looks_at_the_lock_of_a_run_and_never_takes_it() {
    let garden = one_task("");
    garden.run(&["gardener"]).assert(0, &[]);
    let lock = garden.top().join(".git/arborist/lock");
    assert_eq!(fs::read_to_string(&lock).unwrap(), "", "the run has left nothing behind");
    // A program that takes the lock writes into it.
    fs::write(&lock, "words").unwrap();
    let said = garden.run(&["doctor"]).stdout;
    assert!(said.contains("at work      no run"), "{said}");
    assert_eq!(fs::read_to_string(&lock).unwrap(), "words");
    // A run that begins at the same time is not refused.
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                garden.arborist(&["doctor"]).output().unwrap();
            }
        });
        for _ in 0..6 {
            let ended = garden.arborist(&["gardener"]).output().unwrap();
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_lock_that_an_agent_leaves_is_named_with_its_age_and_the_remedy_and_the_finished_step_is_kept() {
    let garden = one_task("");
    garden.agent("[ $ARBORIST_STEP = implement ] && { echo a > a.txt; : > .git/index.lock; }; echo APPROVED");
    garden.run(&["gardener"]).assert(5, &["index.lock", "The finished step is kept"]);
    garden.run(&["gardener"]).assert(5, &["index.lock", " old)", "`rm "]);
    fs::remove_file(garden.top().join(".git/index.lock")).unwrap();
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
}
