//! Tests how a run is shown on a terminal while it goes on.

use crate::support::garden::{Garden, plan};
use crate::support::live::{WAITS, four_tasks, script};
use crate::terminal::Terminal;

#[test]
fn a_terminal_shows_the_plan_the_step_at_work_and_what_its_agent_does() {
    let garden = four_tasks();
    script(&garden, WAITS);
    let Some(terminal) = Terminal::start(&garden, (80, 24), &["gardener"], &[]) else { return };
    let screen = terminal.wait_for("reading the manual");
    for words in [
        "1/4 complete  ████░░░░░░░░░░░░",
        "├── p1 Do p1 (1/2)",
        "│   ├── ✓ T001 Do T001 (complete)",
        "│   └── ● T002 Do T002 (implementing, ",
        "T002 implement by script",
        "✗ T001 review      rejected",
        "    It greets nobody.",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    // No line is broken on a narrow terminal, and what was drawn before is gone.
    terminal.resize(40, 16);
    garden.wait_until("the narrow screen", || {
        let screen = terminal.screen();
        screen.matches("1/4 complete").count() == 1 && screen.matches("T002 implement by").count() == 1
    });
    let screen = terminal.screen();
    assert!(screen.contains("● T002 Do T002"), "{screen}");
    std::fs::write(garden.root().join("go"), "").unwrap();
    let screen = terminal.wait_for("ended with 0");
    assert!(screen.contains("\n4/4 complete"), "{screen}");
    assert!(!screen.contains('●'), "{screen}");
}

#[test]
fn after_ctrl_c_nothing_is_left_of_what_was_drawn() {
    let garden = four_tasks();
    script(&garden, WAITS);
    let Some(terminal) = Terminal::start(&garden, (80, 24), &["gardener"], &[]) else { return };
    terminal.wait_for("reading the manual");
    terminal.press(&["C-c"]);
    let screen = terminal.wait_for("ended with 130");
    assert!(!screen.contains('●') && !screen.contains("░"), "{screen}");
    assert!(screen.contains("In this run: 1 task completed, 2 attempts"), "{screen}");
}

#[test]
fn a_terminal_of_few_lines_shows_the_step_alone() {
    let garden = four_tasks();
    script(&garden, WAITS);
    let Some(terminal) = Terminal::start(&garden, (60, 5), &["gardener"], &[]) else { return };
    let screen = terminal.wait_for("reading the manual");
    assert!(!screen.contains("1/4 complete"), "{screen}");
    std::fs::write(garden.root().join("go"), "").unwrap();
    terminal.wait_for("ended with 0");
}

#[test]
fn a_terminal_shows_every_task_at_work_in_the_tree_and_in_a_line_of_its_own() {
    let rows: [(&str, &str, &[&str], &[&str]); 4] = [
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -s T001.txt"]),
        ("T002", "p1", &[], &["test -s T002.txt"]),
        ("T003", "p1", &[], &["test -s T003.txt"]),
    ];
    let garden = Garden::new(&plan(&rows));
    garden.config("arborist.review", "false");
    garden.agent("while ! [ -e \"$ROOT/go\" ]; do sleep 0.1; done");
    let Some(terminal) = Terminal::start(&garden, (80, 24), &["gardener", "--jobs", "2"], &[]) else {
        return;
    };
    terminal.wait_for("T002 implement by mine");
    let screen = terminal.wait_for("T001 implement by mine");
    for words in [
        "trial  0/3 complete",
        "● T001 Do T001 (implementing",
        "● T002 Do T002 (implementing",
        "· T003 Do T003 (pending",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    // On a small terminal, they share the last line.
    terminal.resize(60, 5);
    terminal.wait_for("2 at work: T001 implement by mine, T002 implement by mine");
    terminal.resize(80, 24);
    std::fs::write(garden.root().join("go"), "").unwrap();
    let screen = terminal.wait_for("ended with 0");
    assert!(screen.contains("\n3/3 complete\nIn this run: 3 tasks completed, 3 attempts"), "{screen}");
    assert!(screen.contains("✓ T001 merge       pass"), "{screen}");
}
