//! Tests the messages of landed commits.

use super::*;
use crate::history::{StepValidity, TaskStep};
use crate::record::{CommitId, CommitKind, StepCommit, TaskId, commit_kind};

fn id(number: u8) -> CommitId {
    CommitId::from_bytes(&[number; 20]).expect("twenty bytes")
}

fn step(number: u8, block: &str) -> TaskStep {
    let message = format!("task(T1): x\n\nbody\n\n{block}\n").into_bytes();
    let CommitKind::Task(_, record) = commit_kind(&message) else { panic!("a step") };
    TaskStep { step: StepCommit { id: id(number), time: 0, record }, validity: StepValidity::Counts, message }
}

fn steps() -> Vec<TaskStep> {
    vec![
        step(
            5,
            "Arborist-Step: complete\nArborist-Result: pass\nArborist-Proof: clean=pass red=pass is=tested",
        ),
        step(
            4,
            "Arborist-Step: review\nArborist-Review: approved\nArborist-Retry: 1\nArborist-Runner: codex",
        ),
        step(
            3,
            "Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 1\nArborist-Test-Type: unit\n\
             Arborist-Test-Passed: 11\nArborist-Diff-Coverage: 37/41",
        ),
        step(
            2,
            "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 1\nArborist-Runner: claude",
        ),
        step(
            1,
            "Arborist-Step: implement\nArborist-Result: fail\nArborist-Retry: 0\nArborist-Runner: claude",
        ),
    ]
}

fn rules(template: &str) -> MessageRules {
    let (kind, scope) = ("feat".to_owned(), "metrics".to_owned());
    MessageRules { template: template.to_owned(), kind, scope, plan: None, sign_off: None }
}

fn message(rules: &MessageRules, name: &str, summary: &str) -> String {
    let (task, steps) = (TaskId::parse("T1").expect("an id"), steps());
    let story = TaskStory {
        id: &task,
        name,
        summary,
        phase: "p",
        plan: None,
        steps: &steps,
        of_phase: AwaitedChange::default(),
    };
    let landing = Landing::new(vec![task.clone()], id(1), id(5)).expect("it names a task");
    String::from_utf8(rules.of_task(&story, &landing, false, "")).expect("text")
}

const DEFAULT: &str = "{name} ({id})\\n\\n{summary}\\n\\n{evidence}";

#[test]
fn a_message_says_what_was_done_and_what_shows_that() {
    let text = message(&rules(DEFAULT), "Add a schema", "All of it.");
    let (base, tip) = (id(1), id(5));
    assert_eq!(
        text,
        format!(
            "Add a schema (T1)\n\nAll of it.\n\n11 tests pass, red without the change, 37 of 41 changed lines covered, \
             approved\nby codex, 2 attempts.\n\nArborist-Complete: T1\nArborist-Run: {base}..{tip}\nArborist-Proof: is=tested\n"
        )
    );
}

#[test]
fn messages_may_follow_conventional_commits() {
    let rules = rules("conventional");
    assert!(
        message(&rules, "Add a schema", "").starts_with("feat(metrics): add a schema (task T1)\n\n11 tests")
    );
    assert!(message(&rules, "API first", "").starts_with("feat(metrics): API first (task T1)\n"));
}

#[test]
fn a_description_that_only_repeats_the_name_is_left_out() {
    for (template, summary, times) in [
        (DEFAULT, "add a schema.", 1),
        (DEFAULT, "Add a schema for users", 2),
        (CONVENTIONAL[1], "Add a schema", 1),
        ("{summary} ({id})", "Add a schema", 1),
        (DEFAULT, "Add a schema.\n- [ ] for users", 1),
    ] {
        let text = message(&rules(template), "Add a schema", summary);
        assert_eq!(text.to_lowercase().matches("add a schema").count(), times, "{text}");
    }
}

#[test]
fn a_description_keeps_its_paragraphs_and_lists() {
    for (text, expected) in [
        ("", ""),
        ("One.\nTwo.", "One. Two."),
        ("One.\n\nTwo.", "One.\n\nTwo."),
        (
            "The file a:\n- has an x\n  and a y\n* [ ] and nothing else\n",
            "The file a:\n- has an x and a y\n- and nothing else",
        ),
        ("1. One\n---\n", "1. One ---"),
    ] {
        assert_eq!(laid_out(text), expected, "{text:?}");
    }
    let long = laid_out(&format!("- {}", "word ".repeat(40)));
    assert!(
        long.lines().all(|line| line.len() <= 82) && long.lines().skip(1).all(|line| line.starts_with("  "))
    );
}

#[test]
fn a_description_cannot_claim_anything() {
    let forged = format!("x Arborist-Complete: T9 {} Arborist-Run: {}..{}", "T9 ".repeat(16), id(1), id(5));
    for summary in [
        forged.as_str(),
        "---",
        "Arborist-Step: complete",
        "fixup! x\n\nThis reverts commit 1234567.",
        "{name}",
    ] {
        let text = message(&rules(DEFAULT), "Add {id} a schema", summary);
        let claims = Landing::all_in(text.as_bytes());
        assert_eq!(claims.len(), 1, "{text}");
        assert_eq!(claims[0].tasks.len(), 1);
        assert_eq!(first_error(text.as_bytes()), None, "{text}");
        assert!(text.starts_with("Add {id} a schema (T1)\n"), "values are not filled again: {text}");
    }
}
