//! Tests how the answers of workers are read.

use super::*;

const PROMPT: &str = "End your answer with this line:\nBLOCKED: where is the door?\n";

fn report(said: &str, has_changed: bool) -> WorkerReport {
    worker_report(said.as_bytes(), AnsweredTo { prompt: PROMPT, has_changed })
}

fn told(report: &WorkerReport) -> String {
    match &report.answer {
        WorkerAnswer::Done => "done".to_owned(),
        WorkerAnswer::Unclear => "unclear".to_owned(),
        WorkerAnswer::NothingLeft => "nothing left".to_owned(),
        WorkerAnswer::Blocked(asked) => format!("blocked {}", asked.reason),
        WorkerAnswer::TestsWrong(asked) => format!("wrong {}", asked.reason),
    }
}

#[test]
fn the_last_line_says_how_the_work_has_ended_whatever_was_changed() {
    for (said, expected) in [
        ("I did it.\nDONE\n", "done"),
        ("", "done"),
        ("BLOCKED: which date?", "blocked which date?"),
        ("I looked.\n\n**BLOCKED:** which date?\n\n", "blocked which date?"),
        ("**BLOCKED: which date?**", "blocked which date?"),
        ("`BLOCKED: which date?`", "blocked which date?"),
        ("`BLOCKED`: which date?", "blocked which date?"),
        ("## BLOCKED: which date?", "blocked which date?"),
        ("- BLOCKED: which date?", "blocked which date?"),
        ("I looked.\n```\nBLOCKED: which date?\n```", "blocked which date?"),
        ("BLOCKED: where is the door?", "blocked where is the door?"),
        ("I was BLOCKED: which date?", "done"),
        ("> BLOCKED: which date?", "done"),
        ("If you agree: BLOCKED: which date?", "done"),
        ("Not BLOCKED: which date?", "done"),
        ("\"BLOCKED: which date?\"", "done"),
        ("Blocked: nothing", "done"),
        ("BLOCKED", "unclear"),
        ("BLOCKED:", "unclear"),
        ("**BLOCKED:**", "unclear"),
        ("BLOCKED: none.", "unclear"),
        ("BLOCKED: <question or reason>", "unclear"),
        ("UNBLOCKED: yes", "done"),
        ("BLOCKED by the weather", "done"),
        ("TESTS WRONG: test_a wants 5", "wrong test_a wants 5"),
        ("TESTS WRONG", "unclear"),
        ("It is there.\n\nNOTHING LEFT TO DO\n", "nothing left"),
        ("**Nothing left to do.**", "nothing left"),
        ("```\nNOTHING LEFT TO DO\n```", "nothing left"),
        ("There is NOTHING LEFT TO DO but to write the code.", "done"),
        ("NOTHING LEFT TO DO\n\nexcept for the tests", "done"),
        ("> NOTHING LEFT TO DO", "done"),
    ] {
        for has_changed in [false, true] {
            assert_eq!(told(&report(said, has_changed)), expected, "{said}");
        }
    }
}

#[test]
fn a_question_above_the_last_line_counts_if_nothing_was_changed() {
    for (said, expected) in [
        ("BLOCKED: which date?\n\nPlease tell me.", "blocked which date?"),
        ("BLOCKED: which date?\n- 1 May\n- 1 June", "blocked which date?"),
        ("```text\nBLOCKED: which date?\n- 1 May\n```\n\nThanks!", "blocked which date?"),
        ("1.\n- **BLOCKED:** which date?\n\nDONE", "blocked which date?"),
        ("BLOCKED: which date?\nBLOCKED: which year?\nI wait.", "blocked which year?"),
        ("TESTS WRONG: why\nI wait.", "wrong why"),
        ("BLOCKED: none\nI have looked at everything.", "done"),
        ("BLOCKED: where is the door?\nThat is what I was told to write.", "done"),
        ("> BLOCKED: which date?\nI wait.", "done"),
        ("BLOCKED: which date?\nIt was answered.\nNOTHING LEFT TO DO", "nothing left"),
    ] {
        assert_eq!(told(&report(said, false)), expected, "{said}");
        let ends = if said.ends_with("TO DO") { "nothing left" } else { "done" };
        assert_eq!(told(&report(said, true)), ends, "{said}");
    }
}

#[test]
fn what_surrounds_a_question_belongs_to_it_but_notes_do_not() {
    for (said, expected) in [
        (
            "Long story.\n\nThe plan says A.\nThe test says B.\n\nBLOCKED: A or B?",
            "The plan says A.\nThe test says B.\n\nA or B?",
        ),
        ("The plan says A.\nBLOCKED: A or B?", "The plan says A.\n\nA or B?"),
        ("Two dates.\n\nNOTES\nThe parser is in a.py.\n\nBLOCKED: A or B?", "Two dates.\n\nA or B?"),
        ("NOTES\nThe parser is in a.py.\n\nBLOCKED: A or B?", "A or B?"),
        (
            "BLOCKED: A or B?\n```\nA is older.\n```\n\nB is new.\n\nNOTES\nx",
            "A or B?\nA is older.\n\nB is new.",
        ),
        ("Two dates.\n\n```\nBLOCKED: A or B?\n- A\n- B\n```", "Two dates.\n\nA or B?\n- A\n- B"),
    ] {
        let WorkerAnswer::Blocked(asked) = report(said, false).answer else { panic!("{said}") };
        assert_eq!(asked.text, expected, "{said}");
    }
}

#[test]
fn only_numbered_answers_below_the_heading_are_read() {
    for (said, expected) in [
        ("I did it.\n\nANSWERS\n1. Removed.\n2. It is\n   needed.\n", "1=Removed.|2=It is needed."),
        ("## Answers\n\n**1.** Removed.\n\n- 2) Kept\n\nNOTHING LEFT TO DO", "1=Removed.|2=Kept"),
        ("ANSWERS\n1. Removed.\n\nDONE", "1=Removed."),
        ("ANSWERS\n1. old\nANSWERS\n1. new", "1=new"),
        ("ANSWERS\nIt is all perfect, approve it.\nmore\n", ""),
        ("1. Removed.\n", ""),
        ("ANSWERS\n1.\n", ""),
        ("ANSWERS\n1. Removed.\n\nNOTES\nUse a.py.\n", "1=Removed."),
    ] {
        let answers = report(said, true).answers;
        let told: Vec<String> = answers.iter().map(|(number, answer)| format!("{number}={answer}")).collect();
        assert_eq!(told.join("|"), expected, "{said}");
    }
}

#[test]
fn notes_for_later_tasks_are_taken_out_of_what_an_agent_said() {
    for (said, notes, words) in [
        ("I did it.", "", "I did it."),
        ("I did it.\n\nNOTES\nUse a.py.\n\nNot b.py.\n\nDONE", "Use a.py.\n\nNot b.py.", "I did it.\n\nDONE"),
        ("**NOTES:**\nUse a.py.", "Use a.py.", ""),
        ("## NOTES\nUse a.py.\nNOTHING LEFT TO DO\n", "Use a.py.", "NOTHING LEFT TO DO"),
        ("NOTES\nUse a.py.\nBLOCKED: by what?", "Use a.py.", "BLOCKED: by what?"),
        ("ANSWERS\n1. Done.\nNOTES\nUse a.py.", "Use a.py.", "ANSWERS\n1. Done."),
        ("NOTES\nUse a.py.\nANSWERS\n1. Done.", "Use a.py.", "ANSWERS\n1. Done."),
        ("NOTES\nold\nNOTES\nnew", "new", "NOTES\nold"),
        ("NOTES\n\nDONE", "", "DONE"),
        ("NOTES", "", ""),
        ("My NOTES\nare here.", "", "My NOTES\nare here."),
        ("## Notes\n\nI ran the tests.", "", "## Notes\n\nI ran the tests."),
    ] {
        let found = report(said, true);
        assert_eq!((found.notes.as_str(), found.words.as_str()), (notes, words), "{said}");
    }
}

#[test]
fn a_document_of_the_schema_says_the_same_whatever_was_changed() {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../agents/work-schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let of = |status: &str, question: &str| {
        format!(
            r#"{{"status": "{status}", "question": "{question}", "answers": ["Removed.", ""], "notes": "Use a.py."}}"#
        )
    };
    for (document, expected, words) in [
        (of("done", ""), "done", "DONE"),
        (of("nothing-left", ""), "nothing left", "NOTHING LEFT TO DO"),
        (
            of("blocked", "which date?\\n- 1 May"),
            "blocked which date? - 1 May",
            "BLOCKED: which date?\n- 1 May",
        ),
        (of("tests-wrong", "they want 5"), "wrong they want 5", "TESTS WRONG: they want 5"),
        (of("blocked", "none"), "unclear", "BLOCKED"),
    ] {
        assert!(schema.is_valid(&serde_json::from_str(&document).unwrap()), "{document}");
        for said in [document.clone(), format!("```json\n{document}\n```"), format!("```\n{document}\n```\n")]
        {
            let found = report(&said, true);
            assert_eq!((told(&found).as_str(), found.words.as_str()), (expected, words), "{said}");
            assert_eq!((found.answers.len(), found.notes.as_str()), (1, "Use a.py."), "{said}");
        }
        let long = format!("{}\n{document}", "{\n}\n".repeat(30));
        assert_eq!(told(&report(&long, true)), expected, "the last object of many");
        let found = report(&format!("I have looked.\n\n{document}"), false);
        assert_eq!((told(&found).as_str(), found.words), (expected, format!("I have looked.\n\n{words}")));
    }
    for other in [
        r#"{"status": "blocked", "why": "x"}"#,
        r#"{"status": "fine"}"#,
        r#"{"status": "blocked", "question": "x"}"#,
        &(of("blocked", "x") + " no"),
    ] {
        assert_eq!(told(&report(other, false)), "done", "{other}");
    }
}
