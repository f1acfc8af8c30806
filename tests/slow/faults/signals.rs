//! Rows K10 to K14: signals that stop or suspend a run.

use std::os::unix::process::CommandExt;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitOptions, waitpid};

use crate::faults::kills::{LINGER, assert_resumes, interrupted};
use crate::support::garden::side_by_side;
use crate::support::harness::{assert_sound, assert_sound_after, one_task, rescued};
use crate::support::skip::has_proc;

/// The message about a stopped run.
const STOPPED: &[&str] = &["Stopped", "saved", "continues from there"];

#[test]
fn k10_one_ctrl_c_lets_the_agent_end_saves_its_work_and_says_how_to_continue() {
    let polite = LINGER.replace("while", "trap 'echo bye > bye.txt; note bye.txt; exit 0' TERM\n while");
    let (garden, running) = interrupted(&polite);
    running.signal("INT");
    let ended = running.wait();
    ended.assert(130, STOPPED);
    assert_sound_after(&garden, &ended);
    assert_eq!(garden.status(), [""; 0], "the work is saved, and out of the way");
    assert_eq!(garden.git(&["show", &format!("{}:bye.txt", rescued(&garden)[0])]), "bye");
    assert_resumes(&garden);
}

#[test]
fn k11_a_second_ctrl_c_ends_an_agent_that_ignores_signals_at_once() {
    let garden = one_task(&format!("trap '' TERM INT HUP\n{LINGER}"));
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("started");
    running.signal("INT");
    // What comes at the same time counts once.
    std::thread::sleep(Duration::from_secs(1));
    assert!(!has_proc() || !garden.processes().is_empty(), "the agent has its grace");
    running.signal("INT");
    let ended = running.wait();
    ended.assert(130, STOPPED);
    assert_sound_after(&garden, &ended);
    assert_resumes(&garden);
}

#[test]
fn k12_sigterm_stops_a_run_even_if_git_started_it() {
    let (garden, running) = interrupted(LINGER);
    running.signal("TERM");
    let ended = running.wait();
    ended.assert(143, STOPPED);
    assert_sound_after(&garden, &ended);
    assert_resumes(&garden);

    let garden = one_task(LINGER);
    let mut command = garden.command("git");
    command.args(["arborist", "gardener"]);
    let running = garden.start(command);
    garden.wait_for("started");
    running.signal("TERM");
    let ended = running.wait();
    assert_eq!(ended.status, 143, "{ended:#?}");
    garden.assert_nothing_runs();
    assert_resumes(&garden);
}

#[test]
fn k13_a_terminal_that_is_closed_stops_a_run_cleanly() {
    let garden = one_task(LINGER);
    let file = garden.root().join("in-terminal");
    garden.program(
        &file,
        "trap : HUP; git-arborist-gardener 2>\"$ROOT/said\"; echo $? > \"$ROOT/ended\"; mv \"$ROOT/ended\" \"$ROOT/status\"",
    );
    let mut terminal = garden.command("script");
    terminal.args(["-qec", file.to_str().unwrap(), "/dev/null"]);
    let running = garden.start(terminal);
    garden.wait_for("started");
    running.signal("KILL");
    running.wait();
    garden.wait_for("status");
    let read = |name: &str| std::fs::read_to_string(garden.root().join(name)).unwrap();
    assert_eq!(read("status"), "129\n", "{}", read("said"));
    assert!(!read("said").contains("panicked"));
    assert_sound(&garden);
    assert_resumes(&garden);
}

#[test]
fn k13_a_run_under_nohup_continues_when_the_terminal_is_closed() {
    let wait = r#": > "$ROOT/started"; while [ ! -e "$ROOT/go" ]; do sleep 0.02; done"#;
    let garden = one_task(wait);
    let mut command = garden.command("/bin/sh");
    command.args(["-c", "trap '' HUP; exec git-arborist-gardener"]);
    let running = garden.start(command);
    garden.wait_for("started");
    running.signal("HUP");
    std::thread::sleep(Duration::from_millis(200));
    std::fs::write(garden.root().join("go"), "").unwrap();
    let ended = running.wait();
    ended.assert(0, &[]);
    assert_sound_after(&garden, &ended);
}

/// An agent that has begun, counts in a file, and goes on when it is told to.
const COUNT: &str = r#": > "$ROOT/started"
while [ ! -e "$ROOT/go" ]; do echo x >> "$ROOT/count"; sleep 0.02; done"#;

#[test]
fn k14_ctrl_z_suspends_the_agent_too_and_both_continue_where_they_were() {
    let garden = one_task(COUNT);
    let mut command = garden.arborist(&["gardener"]);
    command.process_group(0);
    let running = garden.start(command);
    garden.wait_for("count");
    running.signal("TSTP");
    let until = Instant::now() + Duration::from_secs(60);
    let pid = Pid::from_raw(running.id().parse().unwrap());
    let stopped = || waitpid(pid, WaitOptions::UNTRACED | WaitOptions::NOHANG).unwrap();
    while !stopped().is_some_and(|(_, status)| status.stopped()) {
        assert!(Instant::now() < until, "it does not stop");
        std::thread::sleep(Duration::from_millis(10));
    }
    let count = || std::fs::read(garden.root().join("count")).unwrap().len();
    // Until it has been told to stop it may count a little further.
    let mut before = count();
    let still = loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = count();
        if now == before {
            break now;
        }
        assert!(Instant::now() < until, "the agent goes on");
        before = now;
    };
    running.signal("CONT");
    while count() == still {
        assert!(Instant::now() < until, "the agent does not go on");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::fs::write(garden.root().join("go"), "").unwrap();
    let ended = running.wait();
    ended.assert(0, &[]);
    assert_eq!(garden.steps().len(), 6);
    assert_sound_after(&garden, &ended);
}

#[test]
fn k14_the_time_that_a_run_is_suspended_does_not_count_towards_a_timeout() {
    side_by_side(["STOP", "TSTP"], |signal| {
        let garden = one_task(COUNT);
        garden.config("arborist.runnerTimeout", "8");
        let running = garden.start(garden.arborist(&["gardener"]));
        garden.wait_for("started");
        running.signal(signal);
        // Longer than the timeout. What is left of that suffices for the rest.
        std::thread::sleep(Duration::from_secs(9));
        running.signal("CONT");
        std::thread::sleep(Duration::from_millis(300));
        std::fs::write(garden.root().join("go"), "").unwrap();
        let ended = running.wait();
        ended.assert(0, &[]);
        assert_eq!(garden.steps().len(), 6, "{signal}: {:#?}", garden.steps());
        assert_sound_after(&garden, &ended);
    });
}
