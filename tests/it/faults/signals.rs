//! K10 to K14: signals that ask a run to stop, or to wait.

use std::time::{Duration, Instant};

use crate::faults::harness::{assert_sound, assert_sound_after, one_task, rescued};
use crate::faults::kills::{LINGER, assert_resumes, interrupted};

/// What the user hears of a stopped run.
const STOPPED: &[&str] = &["Stopped", "saved", "continues from there"];

#[test]
fn k10_one_ctrl_c_lets_the_agent_end_saves_its_work_and_says_how_to_go_on() {
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
fn k11_a_second_ctrl_c_ends_an_agent_at_once_that_heeds_no_signal() {
    let (garden, running) = interrupted(&format!("trap '' TERM INT HUP\n{LINGER}"));
    let began = Instant::now();
    running.signal("INT");
    std::thread::sleep(Duration::from_millis(300));
    assert!(!garden.processes().is_empty(), "the agent has its grace");
    running.signal("INT");
    let ended = running.wait();
    ended.assert(130, STOPPED);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert_sound_after(&garden, &ended);
    assert_resumes(&garden);
}

#[test]
fn k12_sigterm_stops_a_run_also_when_git_started_it() {
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
fn k13_a_run_that_was_told_not_to_mind_the_end_of_the_terminal_goes_on() {
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

#[test]
fn k14_a_run_that_was_suspended_goes_on_where_it_was() {
    let wait = r#": > "$ROOT/started"; while [ ! -e "$ROOT/go" ]; do sleep 0.02; done"#;
    let (garden, running) = interrupted(wait);
    running.signal("STOP");
    std::fs::write(garden.root().join("go"), "").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    running.signal("CONT");
    let ended = running.wait();
    ended.assert(0, &[]);
    assert_eq!(garden.steps().len(), 6);
    assert_sound_after(&garden, &ended);
}
