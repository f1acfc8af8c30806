//! Tests that questions of agents are put to the user on a terminal.

use serde_json::Value;

use crate::support::garden::{Ended, Garden, plan};
use crate::terminal::Terminal;

const ASKS: &str =
    "echo half > half.txt; printf 'Two dates are named.\\n\\nBLOCKED: which date is meant?\\n'; exit 0";

/// Four tasks, of which the third depends on the second.
fn four_tasks() -> Value {
    plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &[], &["true"]),
        ("T003", "p1", &["T002"], &["true"]),
        ("T004", "p1", &[], &["true"]),
    ])
}

/// A garden whose agent asks about T002 until its prompt has an answer.
fn asking(tree: &Value) -> Garden {
    let garden = Garden::new(tree);
    garden.agent(&format!(
        "case $work in T002.implement.*) grep -q 'the second one' \"$file\" || {{ {ASKS}; }};; esac"
    ));
    garden
}

fn document(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"))
}

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
