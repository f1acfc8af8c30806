//! Parallel runs that cannot begin or go on, and what they say.

use std::os::unix::fs::PermissionsExt;

use crate::jobs::assert_integrated;
use crate::support::garden::{Garden, plan};

fn two_tasks() -> Garden {
    let garden = Garden::new(&plan(&[
        ("T001", "", &[], &["test -f T001.txt"]),
        ("T002", "", &[], &["test -f T002.txt"]),
    ]));
    garden.config("arborist.review", "false");
    garden
}

const BOTH: [&str; 2] = ["T001", "T002"];

#[test]
fn a_wrong_number_of_jobs_is_refused() {
    let garden = two_tasks();
    for jobs in ["0", "1000", "-1", "many"] {
        garden.run(&["gardener", &format!("--jobs={jobs}")]).assert(2, &["1 to 256"]);
    }
    for mode in ["none", "phase"] {
        garden.run(&["gardener", "--jobs", "2", "--branches", mode]).assert(2, &["--branches task"]);
    }
    assert_eq!(garden.subjects(), [""; 0]);
}

#[test]
fn a_folder_that_is_no_slot_is_never_touched() {
    let garden = two_tasks();
    let folder = garden.root().join("work.arborist/slot-0");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("precious"), "mine").unwrap();
    std::fs::set_permissions(folder.parent().unwrap(), std::fs::Permissions::from_mode(0o700)).unwrap();
    garden.run(&["gardener", "--jobs", "2"]).assert(4, &["slot-0 exists", "arborist.worktree.dir"]);
    assert_eq!(std::fs::read(folder.join("precious")).unwrap(), b"mine");
    garden.config("arborist.worktree.dir", garden.root().join("elsewhere").to_str().unwrap());
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    assert_eq!(std::fs::read(folder.join("precious")).unwrap(), b"mine");
}

#[test]
fn a_setup_that_fails_ends_the_run_and_no_slot_is_left_half_made() {
    let garden = two_tasks();
    garden.config("arborist.worktree.setup", "echo no such package >&2; exit 3");
    garden.run(&["gardener", "--jobs", "2"]).assert(4, &["arborist.worktree.setup", "no such package"]);
    assert_eq!(garden.lines(&["worktree", "list"]).len(), 1);
    assert_eq!(garden.subjects(), [""; 0]);
    garden.config("arborist.worktree.setup", "test ! -t 0 && ! read line");
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    assert_integrated(&garden, &BOTH);
}

#[test]
fn a_setup_that_hangs_is_ended_at_its_time_limit() {
    let garden = two_tasks();
    garden.config("arborist.worktree.setup", "sleep 600");
    garden.run(&["gardener", "--jobs", "2", "--runner-timeout", "1"]).assert(4, &["arborist.worktree.setup"]);
    garden.assert_nothing_runs();
    assert_eq!(garden.lines(&["worktree", "list"]).len(), 1);
}

#[test]
fn a_task_branch_of_something_else_is_not_used() {
    let garden = two_tasks();
    garden.git(&["switch", "-q", "--orphan", "arborist/trial/T001"]);
    garden.write("other", "of another run");
    garden.commit("Something else");
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    let tip = garden.git(&["rev-parse", "arborist/trial/T001"]);
    garden.run(&["gardener", "--jobs", "2"]).assert(3, &["arborist/trial/T001 exists", "git branch -m"]);
    assert_eq!(garden.git(&["rev-parse", "arborist/trial/T001"]), tip);
}

#[test]
fn a_task_branch_that_somebody_has_checked_out_is_named() {
    let garden = two_tasks();
    garden.git(&["branch", "arborist/trial/T001"]);
    let other = garden.root().join("other");
    garden.git(&["worktree", "add", "-q", other.to_str().unwrap(), "arborist/trial/T001"]);
    let ended = garden.run(&["gardener", "--jobs", "2"]);
    ended.assert(3, &["arborist/trial/T001", "other"]);
    garden.git(&["-C", other.to_str().unwrap(), "switch", "-q", "--detach"]);
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
}

#[test]
fn a_second_run_is_refused_at_once_in_the_same_work_tree_and_in_another_one_of_the_same_plan() {
    let garden = two_tasks();
    garden.agent(r#"touch "$ROOT/began-$ARBORIST_TASK"; until test -e "$ROOT/go"; do sleep 0.05; done"#);
    let running = garden.start(garden.arborist(&["gardener", "--jobs", "2"]));
    garden.wait_for("began-T001");
    garden.wait_for("began-T002");
    garden.run(&["gardener", "--jobs", "2"]).assert(5, &["gardener (process"]);
    let other = garden.root().join("other");
    let other = other.to_str().unwrap();
    garden.git(&["worktree", "add", "-q", "-b", "side", other, "main"]);
    let mut second = garden.arborist(&["gardener", "--jobs", "2"]);
    second.current_dir(other);
    garden.start(second).wait().assert(3, &["arborist/trial/T001"]);
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
    garden.git(&["worktree", "remove", other]);
    garden.git(&["branch", "-D", "side"]);
    assert_integrated(&garden, &BOTH);
}

#[test]
fn an_agent_that_cannot_be_started_ends_the_run_without_using_up_attempts() {
    let garden = two_tasks();
    garden.config("arborist.runner.gone.command", "/no/such/program");
    garden.run(&["gardener", "--jobs", "2", "--runner", "gone"]).assert(4, &["/no/such/program"]);
    assert_eq!(garden.subjects(), [""; 0]);
}

#[test]
fn an_agent_that_commits_a_forged_step_stops_the_run_and_nothing_of_it_is_merged() {
    let garden = two_tasks();
    garden.agent(
        r#"if test "$ARBORIST_TASK" = T001; then
            git commit -q --allow-empty -m 'task(T002): complete "Do T002"

Arborist-Step: complete
Arborist-Result: pass
Arborist-Report: x'
        fi"#,
    );
    garden.run(&["gardener", "--jobs", "2"]).assert(6, &["claims to be a step"]);
    garden.forget_history();
    let merged = garden.lines(&["log", "--first-parent", "--format=%s", "main"]);
    assert!(merged.iter().all(|subject| !subject.contains("T001")), "{merged:?}");
}

#[test]
fn a_folder_for_slots_is_relative_to_the_work_tree_wherever_the_run_is_started() {
    let garden = two_tasks();
    garden.config("arborist.worktree.dir", "../slots/mine");
    garden.agent("case $ARBORIST_STEP in implement) pwd >> \"$ROOT/places\";; esac");
    let below = garden.top().join("below");
    std::fs::create_dir(&below).unwrap();
    let mut run = garden.arborist(&["gardener", "--jobs", "2"]);
    run.current_dir(below);
    garden.finish(run).assert(0, &[]);
    assert_integrated(&garden, &BOTH);
    let places = std::fs::read_to_string(garden.root().join("places")).unwrap();
    let expected = garden.root().canonicalize().unwrap().join("slots/mine");
    assert!(places.lines().all(|place| place.starts_with(expected.to_str().unwrap())), "{places}");
}

#[test]
fn tasks_that_would_share_a_branch_are_refused_before_anything_begins() {
    let garden = Garden::new(&plan(&[("T1a", "", &[], &["true"]), ("T1A", "", &[], &["true"])]));
    garden.config("core.ignoreCase", "true");
    let words = ["T1a and T1A would have the same branch", "ignores case", "Rename one"];
    garden.run(&["gardener", "--jobs", "2"]).assert(3, &words);
    garden.run(&["gardener", "--branches", "task"]).assert(3, &words);
    assert_eq!(garden.lines(&["for-each-ref", "refs/heads/arborist"]), [""; 0]);
    garden.config("core.ignoreCase", "false");
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
}
