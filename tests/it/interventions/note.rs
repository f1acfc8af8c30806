//! Tests `git arborist note`.

use super::{check_run, revert_last, says, states, three_tasks};
use crate::support::garden::{Garden, one_task};

#[test]
fn a_note_changes_no_state_and_comes_first_in_the_prompts_of_its_task_alone() {
    let garden = three_tasks();
    says(
        &garden,
        &["note", "T002", "-m", "Use the list.", "-m", "It is short."],
        0,
        &["note for \"Do T002\""],
    );
    assert_eq!(states(&garden), ["pending"; 3]);
    says(&garden, &["next"], 0, &["T001"]);
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    for step in ["implement", "review"] {
        let prompt = garden.prompt(&format!("T002.{step}.0"));
        assert!(
            prompt.contains("## Notes\n\nNote from the user:\n\nUse the list.\n\nIt is short.\n"),
            "{prompt}"
        );
        assert!(!garden.prompt(&format!("T001.{step}.0")).contains("Use the list"));
    }
    says(&garden, &["show", "T002"], 0, &["note", "Use the list."]);
    check_run(&garden);
}

#[test]
fn a_note_leaves_a_complete_task_and_its_phase_complete() {
    let garden = three_tasks();
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    let steps = garden.steps().len();
    says(&garden, &["note", "T001", "-m", "remember the list"], 0, &[]);
    assert_eq!(states(&garden), ["complete"; 3]);
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    assert_eq!(garden.steps().len(), steps + 1, "nothing was done again");
}

#[test]
fn a_reverted_note_is_in_no_prompt() {
    let garden = three_tasks();
    says(&garden, &["note", "T001", "-m", "Use the list."], 0, &[]);
    revert_last(&garden);
    let prompt = garden.run(&["next", "--prompt"]);
    prompt.assert(0, &[]);
    assert!(!prompt.stdout.contains("Use the list"), "{}", prompt.stdout);
    check_run(&garden);
}

#[test]
fn a_note_can_be_read_from_a_file_or_from_standard_input() {
    let garden = three_tasks();
    garden.write("words.txt", "From a file.\n");
    says(&garden, &["note", "T001", "-F", "words.txt"], 0, &[]);
    let mut piped = garden.arborist(&["note", "T001", "-F", "-"]);
    piped.stdin(std::fs::File::open(garden.top().join("words.txt")).unwrap());
    garden.finish(piped).assert(0, &[]);
    let bodies = garden.git(&["log", "-2", "--format=%b"]);
    assert_eq!(bodies.matches("From a file.").count(), 2, "{bodies}");
    garden.write("bad.txt", "");
    std::fs::write(garden.top().join("bad.txt"), b"\xff\xfe").unwrap();
    says(&garden, &["note", "T001", "-F", "bad.txt"], 2, &["not valid UTF-8"]);
    says(&garden, &["note", "T001", "-F", "missing.txt"], 2, &["missing.txt cannot be read"]);
    says(&garden, &["note", "T001", "-F", "."], 2, &["cannot be read"]);
}

#[test]
fn a_decision_that_an_interactive_agent_may_have_made_needs_a_person_on_a_terminal() {
    let garden = Garden::new(&one_task(&["test -f T001.txt"]));
    garden.write("T001.txt", "x\n");
    let head = garden.head();
    let decisions =
        [&["mark", "skip", "T001", "-m", "x"][..], &["note", "T001", "-m", "x"], &["done", "T001"]];
    for (args, variable) in decisions.into_iter().zip(["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI"]) {
        let mut command = garden.arborist(args);
        command.env(variable, "1");
        let words = [&format!("was called by an agent: {variable} is set"), "A person decides this"];
        garden.finish(command).assert(6, &words);
    }
    assert_eq!(garden.head(), head);
    // It may do the work of a program, and look at everything.
    let next = garden.json(&["next", "--json"]);
    for args in [&["status"][..], &["done", next["unit"].as_str().unwrap(), "--worker", "mine", "--yes"]] {
        let mut command = garden.arborist(args);
        command.env("OPENCODE", "1");
        garden.finish(command).assert(0, &[]);
    }
}
