use std::fs;

use super::{agent, bwrap_works, sandboxed};

#[test]
fn nothing_is_left_of_an_agent_in_a_sandbox_when_the_run_is_killed() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed("setsid sleep 1000 & echo $$ > running; exec sleep 1000");
    let running = garden.start(garden.arborist(&["garden"]));
    garden.wait_for("work/running");
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    garden.assert_nothing_runs();
    agent(&garden, ": > T001.txt");
    garden.run(&["garden"]).assert(0, &[]);
}

#[test]
fn an_agent_in_a_sandbox_is_found_by_the_next_run_if_its_helper_was_killed_too() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed("echo $$ > running; exec sleep 1000");
    let running = garden.start(garden.arborist(&["garden"]));
    garden.wait_for("work/running");
    let helper = running.helper();
    // While the run is stopped, it can do nothing about the end of the helper.
    let kill = |signal: &str, pid: &str| {
        assert!(
            std::process::Command::new("/bin/kill").args(["-s", signal, pid]).status().unwrap().success()
        );
    };
    running.signal("STOP");
    kill("KILL", &helper);
    running.signal("KILL");
    assert_eq!(running.wait().status, 137);
    assert!(!garden.processes().is_empty(), "the agent is still there");
    agent(&garden, ": > T001.txt");
    garden.run(&["garden"]).assert(0, &["sleep"]);
    garden.assert_nothing_runs();
}

#[test]
fn an_agent_in_a_sandbox_is_asked_to_end_at_its_timeout_and_has_time_to_do_so() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed(
        "trap 'sleep 0.3; echo tidied > \"$HOME/.cache/tidied\"; exit 0' TERM\nwhile :; do sleep 0.05; done",
    );
    fs::create_dir_all(garden.root().join("home/.cache")).unwrap();
    garden.run(&["garden", "--runner-timeout", "1", "--max-attempts", "1"]).assert(1, &[]);
    assert!(garden.root().join("home/.cache/tidied").exists());
    assert!(
        garden.git(&["log", "--format=%B"]).contains("timeout of 1 s"),
        "{}",
        garden.git(&["log", "--format=%B"])
    );
    garden.assert_nothing_runs();
}

#[test]
fn an_agent_in_a_sandbox_that_does_not_end_when_it_is_asked_to_is_killed() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed("trap '' TERM\n(trap '' TERM; setsid sleep 1000) &\nwhile :; do sleep 0.05; done");
    garden.run(&["garden", "--runner-timeout", "1", "--max-attempts", "1"]).assert(1, &[]);
    garden.assert_nothing_runs();
}

#[test]
fn processes_that_an_agent_in_a_sandbox_leaves_behind_are_ended_and_named() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed("setsid sleep 1000 > /dev/null 2>&1 & : > T001.txt");
    garden.run(&["garden"]).assert(0, &["sleep"]);
    garden.assert_nothing_runs();
}

#[test]
fn ctrl_c_ends_an_agent_in_a_sandbox() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed("echo $$ > running; exec sleep 1000");
    let running = garden.start(garden.arborist(&["garden"]));
    garden.wait_for("work/running");
    running.signal("INT");
    assert_eq!(running.wait().status, 130);
    garden.assert_nothing_runs();
}
