//! Tests runs that commit their steps while other programs use git in the same repository.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::support::garden::{Garden, Running, one_task, plan, side_by_side};

/// An agent that has done its work, and ends when it is told to.
const WAIT: &str = r#"test $work != T001.implement.0 || {
  : > "$ROOT/started"; while test ! -e "$ROOT/go"; do sleep 0.02; done; }"#;

/// A run whose agent is about to end, and a lock file that is in the way of its commit.
fn locked(garden: &Garden, lock: &str) -> (Running, PathBuf) {
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    let lock = garden.top().join(".git").join(lock);
    fs::write(&lock, "").unwrap();
    fs::write(garden.root().join("go"), "").unwrap();
    (running, lock)
}

#[test]
fn a_lock_file_that_is_there_for_a_moment_is_waited_for_and_the_step_committed() {
    let mut cases = vec![(vec![], "index.lock"), (vec![], "HEAD.lock"), (vec![], "refs/heads/main.lock")];
    if Garden::git_has_reftables() {
        cases.push((vec!["--ref-format=reftable"], "reftable/tables.list.lock"));
    }
    side_by_side(cases, |(format, lock)| {
        let garden = Garden::empty();
        garden.git(&[vec!["init", "-q", "-b", "main"], format].concat());
        garden.write("task-tree.json", &one_task(&["true"]).to_string());
        garden.commit("Add the plan");
        garden.agent(WAIT);
        let (running, lock) = locked(&garden, lock);
        std::thread::sleep(Duration::from_millis(1500));
        fs::remove_file(lock).unwrap();
        let ended = running.wait();
        garden.check(&ended);
        ended.assert(0, &[]);
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
    });
}

#[test]
fn a_program_that_asks_git_for_its_status_all_the_time_stops_no_run() {
    let leaves = ["T001", "T002", "T003", "T004"];
    let mut rows = vec![("p1", "", &[][..], &[][..])];
    rows.extend(leaves.map(|leaf| (leaf, "p1", &[][..], &["true"][..])));
    let garden = Garden::new(&plan(&rows));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                // So that git has something to write into the index.
                let file = fs::File::options().write(true).open(garden.top().join("task-tree.json")).unwrap();
                file.set_modified(std::time::SystemTime::now()).unwrap();
                garden.try_git(&["status"]);
            }
        });
        let ended = garden.run(&["gardener"]);
        over.store(true, Ordering::Relaxed);
        ended.assert(0, &[]);
    });
    assert_eq!(garden.asked().len(), 2 * leaves.len());
}

#[test]
fn a_step_that_a_lock_file_kept_out_for_too_long_is_committed_by_the_next_run_and_no_agent_asked_again() {
    side_by_side(["implement", "review"], |step| {
        let garden = Garden::new(&one_task(&["true"]));
        garden.agent(&format!(
            "test $work != T001.{step}.0 || {{ : > \"$ROOT/started\"; while test ! -e \"$ROOT/go\"; do sleep 0.02; done; }}"
        ));
        let (running, lock) = locked(&garden, "index.lock");
        // A program that is not called git, as an IDE would be.
        let mut holder = Command::new("sleep").arg("120").stdin(File::open(&lock).unwrap()).spawn().unwrap();
        running.wait().assert(5, &["index.lock", "Nothing was committed", "is kept"]);
        holder.kill().unwrap();
        holder.wait().unwrap();
        fs::remove_file(lock).unwrap();
        garden.run(&["gardener"]).assert(0, &[]);
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"], "{step}");
        assert_eq!(garden.lines(&["for-each-ref", "refs/arborist"]), [""; 0], "{step}");
    });
}
