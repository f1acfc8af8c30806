//! Tests that questions of agents are put to the user on a terminal.

use crate::support::questions::{asking, document, four_tasks};
use crate::terminal::Terminal;

#[test]
fn on_a_terminal_a_question_can_be_put_at_once_and_the_run_goes_on_with_the_answer() {
    let garden = asking(&four_tasks());
    garden.config("arborist.onBlocked", "ask");
    let args = ["gardener", "--max-tasks", "4"];
    let Some(terminal) = Terminal::start(&garden, (120, 40), &args, &[]) else { return };
    let screen = terminal.wait_for("Your answer about T002");
    assert!(screen.contains("which date is meant?"), "{screen}");
    assert!(!garden.subjects().iter().any(|subject| subject.contains("T004")), "it is put at once");
    terminal.press(&["the second one", "Enter"]);
    let screen = terminal.wait_for("ended with 0");
    assert!(screen.contains("T004"), "{screen}");
    let note = garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: note"]);
    assert!(note.contains("the second one") && note.contains("Arborist-By: user"), "{note}");
    assert_eq!(document(&garden.run(&["status", "--json"]))["counts"]["complete"], 4);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_question_that_is_put_may_stay_open() {
    for (keys, status) in [("Enter", "ended with 7"), ("C-c", "ended with 130"), ("C-d", "ended with 7")] {
        let garden = asking(&four_tasks());
        garden.config("arborist.onBlocked", "ask");
        let Some(terminal) = Terminal::start(&garden, (120, 40), &["gardener"], &[]) else { return };
        terminal.wait_for("Your answer about T002");
        terminal.press(&[keys]);
        terminal.wait_for(status);
        assert_eq!(document(&garden.run(&["status", "--json"]))["counts"]["asked"], 1, "{keys}");
        garden.run(&["note", "T002", "-m", "the second one"]).assert(0, &[]);
        garden.run(&["gardener"]).assert(0, &[]);
    }
}
