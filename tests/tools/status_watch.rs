//! `git arborist status --watch`, on real terminals.

use std::process::{Command, Stdio};

use crate::shell::{Shell, Size};
use crate::support::garden::{Garden, plan};
use crate::support::watched::{go, waiting_garden};

const SIZE: Size = Size { columns: 80, rows: 24 };

/// Presses Ctrl-C, which must end the command with 130, and gives the screen.
fn interrupted(terminal: &Shell<'_>) -> String {
    terminal.key("C-c");
    terminal.wait_until("the prompt", |screen| screen.trim_end().ends_with('$'));
    // A shell gives up the whole line after Ctrl-C.
    terminal.line("echo ended $?");
    terminal.wait_for("\nended 130")
}

#[test]
fn the_screen_follows_a_run_in_another_terminal_and_the_last_state_stays_visible() {
    let garden = waiting_garden();
    let Some(terminal) = Shell::open(&garden, SIZE) else { return };
    terminal.line("clear; git arborist status --watch; echo ended $?");
    terminal.wait_for("Nothing has been done yet");
    let running = garden.start(garden.arborist(&["gardener"]));
    terminal.wait_for("T001 Do T001 (implementing, attempt 1/5, ");
    terminal.wait_for("\nrunning: T001 implement 1/5 for ");
    // Elapsed time goes on although nothing else happens.
    terminal.wait_for("T001 Do T001 (implementing, attempt 1/5, 2 s)");
    go(&garden, "T001");
    terminal.wait_for("T002 Do T002 (implementing, attempt 1/5, ");
    let screen = terminal.wait_for("OK   T001 Do T001 (complete)");
    assert!(screen.starts_with("trial  1/4 complete"), "{screen}");
    go(&garden, "T002");
    let screen = terminal.wait_for("T003 Do T003 (implementing, attempt 1/5, ");
    assert!(screen.contains("OK   p1 Do p1 (2/2)"), "a finished phase is folded: {screen}");
    terminal.key("q");
    let screen = terminal.wait_for("\nended 0");
    assert!(screen.contains("T003 Do T003 (implementing") && screen.contains("2/4 complete"), "{screen}");
    terminal.line("stty -a");
    let screen = terminal.wait_for("icanon");
    assert!(!screen.contains("-icanon") && !screen.contains("-echo "), "{screen}");
    for task in ["T003", "T004"] {
        go(&garden, task);
    }
    running.wait().assert(0, &[]);
}

#[test]
fn the_branch_of_a_phase_is_followed_although_another_branch_is_checked_out_and_no_run_is_active() {
    let garden = waiting_garden();
    for task in ["T001", "T002"] {
        go(&garden, task);
    }
    garden.run(&["gardener", "--no-review", "--branches", "phase", "--max-tasks", "1"]).assert(1, &[]);
    garden.git(&["switch", "-q", "main"]);
    let branch = "refs/heads/arborist/trial/p1";
    let tip = garden.git(&["rev-parse", branch]);
    garden.git(&["update-ref", branch, "main"]);
    let Some(terminal) = Shell::open(&garden, SIZE) else { return };
    terminal.line("clear; git arborist status --watch");
    terminal.wait_for("trial  0/4 complete");
    garden.git(&["update-ref", branch, &tip]);
    terminal.wait_for("trial  1/4 complete");
    terminal.key("q");
}

#[test]
fn ctrl_c_ends_with_130_and_a_killed_run_is_seen_to_stop() {
    let garden = waiting_garden();
    garden.agent("if [ $ARBORIST_STEP = implement ]; then echo $$ > \"$ROOT/pid\"; touch \"$ROOT/began\"; exec sleep 3010; fi");
    let Some(terminal) = Shell::open(&garden, SIZE) else { return };
    let running = garden.start(garden.arborist(&["gardener"]));
    garden.wait_for("began");
    terminal.line("clear; git arborist status --watch");
    terminal.wait_for("T001 Do T001 (implementing");
    running.signal("KILL");
    running.wait();
    let agent = std::fs::read_to_string(garden.root().join("pid")).unwrap();
    let _ = Command::new("/bin/kill").args(["-s", "KILL", agent.trim()]).stderr(Stdio::null()).status();
    terminal.wait_for("T001 Do T001 (pending, next)");
    let screen = interrupted(&terminal);
    assert!(screen.contains("T001 Do T001 (pending, next)") && !screen.contains("running"), "{screen}");
}

#[test]
fn the_running_task_is_visible_on_every_size_of_screen() {
    let rows: Vec<String> = (1..=40).map(|number| format!("T{number:03}")).collect();
    let rows: Vec<_> = rows.iter().map(|id| (id.as_str(), "", &[][..], &["true"][..])).collect();
    let garden = Garden::new(&plan(&rows));
    garden.agent("until test -e \"$ROOT/go\"; do sleep 0.02; done");
    garden.config("arborist.runner", "mine");
    let Some(terminal) = Shell::open(&garden, SIZE) else { return };
    let running = garden.start(garden.arborist(&["garden", "T020"]));
    terminal.line("clear; git arborist status --watch; echo ended $?");
    terminal.wait_for("T020 Do T020 (implementing, attempt 1/5");
    for (columns, rows) in [(40, 24), (40, 10), (30, 4), (40, 2), (24, 1), (120, 50), (80, 24)] {
        terminal.resize(Size { columns, rows });
        let fits = |screen: &str| {
            let lines = screen.lines().filter(|line| !line.is_empty()).count();
            let is_there = screen.lines().any(|line| line.contains("T020 Do T020"));
            let is_drawn = lines == rows as usize || rows > 40;
            is_there && is_drawn && screen.lines().all(|line| line.chars().count() <= columns as usize)
        };
        terminal.wait_until(&format!("the task on a screen of {columns} columns and {rows} lines"), fits);
    }
    terminal.key("q");
    terminal.wait_for("\nended 0");
    std::fs::write(garden.root().join("go"), "").unwrap();
    running.wait().assert(0, &[]);
}

#[test]
fn one_line_is_watched_in_one_line() {
    let garden = waiting_garden();
    let Some(terminal) = Shell::open(&garden, SIZE) else { return };
    terminal.line("clear; git arborist status --watch --short; echo ended $?");
    terminal.wait_for("0/4 OK  0 ...  0 FAIL  next T001");
    go(&garden, "T001");
    garden.run(&["garden", "T001"]).assert(0, &[]);
    terminal.wait_for("1/4 OK  0 ...  0 FAIL  next T002");
    terminal.key("q");
    let screen = terminal.wait_for("\nended 0");
    assert_eq!(screen.lines().filter(|line| line.contains("FAIL")).count(), 1, "{screen}");
}

#[test]
fn a_dumb_terminal_gets_a_new_block_without_any_escape() {
    let garden = waiting_garden();
    let Some(terminal) = Shell::open(&garden, SIZE) else { return };
    terminal.line("clear; TERM=dumb git arborist status --watch");
    terminal.wait_for("Nothing has been done yet");
    go(&garden, "T001");
    garden.run(&["garden", "T001"]).assert(0, &[]);
    terminal.wait_for("OK   T001 Do T001 (complete)");
    interrupted(&terminal);
}
