//! Tests how the answers of reviewers are read.

use proptest::prelude::*;

use super::Verdict::{Approved, Rejected, TestsRejected, Unclear};
use super::*;
use crate::record::Remark;

/// Reviews in words, with the verdict that each has.
const IN_WORDS: &str = include_str!("../../../tests/fixtures/reviews/in-words.tsv");

fn cases() -> Vec<(Verdict, String)> {
    let rows = IN_WORDS.lines().filter(|row| !row.starts_with('#'));
    let case = |row: &str| {
        let (verdict, text) = row.split_once('\t').unwrap();
        let verdict = match verdict {
            "approved" => Approved,
            "rejected" => Rejected,
            "tests-rejected" => TestsRejected,
            "unclear" => Unclear,
            other => panic!("{other}"),
        };
        (verdict, serde_json::from_str(text).unwrap())
    };
    rows.map(case).collect()
}

#[test]
fn the_last_line_of_a_review_decides_whatever_stands_above_it() {
    let cases = cases();
    assert!(cases.len() >= 60);
    for (expected, text) in cases {
        assert_eq!(read_review(text.as_bytes()).verdict, expected, "{text}");
    }
}

proptest! {
    #[test]
    fn no_words_above_a_verdict_change_it(above in "([a-zA-Z ,.:;!?`*#>0-9-]{0,40}\n){0,6}") {
        let has_verdict = above.lines().any(|line| {
            ["APPROVED", "REJECTED", "TESTS REJECTED"].iter().any(|word| crate::workflow::line::is_alone(line, word))
        });
        prop_assume!(!has_verdict && !above.contains("must:"));
        for (word, verdict) in [("APPROVED", Approved), ("REJECTED", Rejected), ("TESTS REJECTED", TestsRejected)] {
            let review = read_review(format!("{above}\n{word}\n").as_bytes());
            prop_assert_eq!((review.verdict, review.doubt), (verdict, None));
        }
    }

    #[test]
    fn no_answer_panics_and_none_without_a_verdict_approves(said in proptest::collection::vec(any::<u8>(), 0..300)) {
        let review = read_review(&said);
        prop_assert!(review.verdict == Unclear || !said.is_empty());
    }
}

fn doubt(said: &str) -> Option<AskAgain> {
    read_review(said.as_bytes()).doubt
}

const SCHEMA: &str = include_str!("../../agents/review-schema.json");

fn fits_schema(said: &str) -> bool {
    let schema = jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap();
    serde_json::from_str(said).is_ok_and(|document| schema.is_valid(&document))
}

#[test]
fn a_document_of_the_schema_has_a_verdict_and_findings() {
    let said = r#"{"findings": [{"severity": "should", "file": "src/a.py", "line": 4, "what": "no test"},
        {"severity": "note", "file": "", "line": 0, "what": "the name\nis long"}],
        "summary": "It works.", "verdict": "approved"}"#;
    assert!(fits_schema(said));
    let review = read_review(said.as_bytes());
    assert_eq!((review.verdict, review.words.as_str()), (Approved, "It works."));
    let remarks: Vec<String> = review.remarks.iter().map(Remark::to_string).collect();
    assert_eq!(remarks, ["src/a.py:4: should: no test", "note: the name is long"]);
    for fenced in [format!("```json\n{said}\n```"), format!("\n{said}\n\n")] {
        assert_eq!(read_review(fenced.as_bytes()).verdict, Approved);
    }
}

#[test]
fn every_answer_that_does_not_fit_the_schema_is_asked_for_again_and_told_why() {
    let good = r#"{"findings": [], "summary": "", "verdict": "approved"}"#;
    assert_eq!(doubt(good), None);
    for (broken, why) in [
        (&good[..good.len() - 4], "EOF"),
        (&good.replace("[]", "[] // none"), "line 1"),
        (&good.replace("\"approved\"", "1"), "line 1"),
        (&good.replace("approved", "fine"), "unknown variant `fine`"),
        (&good.replace("\"summary\": \"\", ", ""), "missing field `summary`"),
        (&good.replace("\"summary\"", "\"more\": 1, \"summary\""), "unknown field `more`"),
        (&good.replace("[]", "[{\"severity\": \"must\"}]"), "missing field"),
        (&good.replace("\"summary\"", "\"verdict\": \"rejected\", \"summary\""), "duplicate field `verdict`"),
        (&format!("{good} {good}"), "trailing characters"),
    ] {
        let Some(AskAgain::Invalid(told)) = doubt(broken) else { panic!("{broken}: {:?}", doubt(broken)) };
        assert!(told.contains(why), "{broken}: {told}");
        assert!(AskAgain::Invalid(told.clone()).to_reviewer().contains(&told));
    }
    for other in ["42", "[]", "null", "\"approved\""] {
        assert_eq!(doubt(other), Some(AskAgain::NoVerdict), "{other}");
    }
}

#[test]
fn an_approval_with_a_finding_that_must_not_stay_is_asked_for_again() {
    let of = |verdict: &str| {
        let finding = r#"{"severity": "must", "file": "a.py", "line": 1, "what": "x"}"#;
        format!(r#"{{"findings": [{finding}], "summary": "s", "verdict": "{verdict}"}}"#)
    };
    assert_eq!(doubt(&of("rejected")), None);
    assert_eq!(doubt(&of("approved")), Some(AskAgain::MustApproved));
    let first = || read_review(of("approved").as_bytes());
    let twice = first().corrected_by(first());
    assert_eq!((twice.verdict, twice.doubt.is_none()), (Rejected, true));
    let approved = first().corrected_by(read_review(b"APPROVED"));
    assert_eq!(approved.verdict, Approved);
    let open: Vec<String> = approved.open_remarks().iter().map(Remark::to_string).collect();
    assert_eq!(open, ["a.py:1: must: x"]);
    let never_asked = read_review(b"").corrected_by(first());
    assert_eq!(never_asked.verdict, Unclear);
}

#[test]
fn the_second_answer_decides_and_keeps_the_findings_of_the_first_unless_it_has_its_own() {
    let first = || read_review(b"- the key is logged\n- no test\n\nI am not sure.");
    assert_eq!(first().doubt, Some(AskAgain::NoVerdict));
    let rejected = first().corrected_by(read_review(b"REJECTED"));
    assert_eq!((rejected.verdict, rejected.remarks.len()), (Rejected, 2));
    assert_eq!(rejected.words, "- the key is logged\n- no test\n\nI am not sure.\n\nREJECTED");
    let other = first().corrected_by(read_review(b"1. only this\n\nREJECTED"));
    assert_eq!(other.remarks.iter().map(Remark::to_string).collect::<Vec<_>>(), ["only this"]);
}

#[test]
fn the_items_above_a_rejection_are_its_findings() {
    for (review, expected) in [
        (
            "I read it all.\n\n1. The key is logged in main.rs.\n2. `parse` accepts\n   an empty line.\n\nREJECTED",
            &["The key is logged in main.rs.", "`parse` accepts an empty line."][..],
        ),
        (
            "- src/a.rs:4: must: never closed\n- `src/b.rs:9`: no test\n\nREJECTED",
            &["src/a.rs:4: must: never closed", "src/b.rs:9: no test"],
        ),
        ("* one\n  * part of it\n* two\n\nREJECTED", &["one part of it", "two"]),
        (
            "1) one\n\n   more of it\n\n2) two\n```\n- code\n```\n\nThanks.\n\nREJECTED",
            &["one more of it", "two"],
        ),
        (
            "## Review\n\nThe key is logged.\n\nThe lock\nleaks.\n\nREJECTED",
            &["The key is logged.", "The lock leaks."],
        ),
        ("The lock leaks.\n\nREJECTED: the key is logged", &["The lock leaks.", "the key is logged"]),
        ("- The lock leaks.\n\nTESTS REJECTED: they expect 5", &["The lock leaks.", "they expect 5"]),
        ("REJECTED", &[]),
        ("", &[]),
    ] {
        let remarks = read_review(review.as_bytes()).remarks;
        assert_eq!(remarks.iter().map(Remark::to_string).collect::<Vec<_>>(), expected, "{review}");
    }
}

#[test]
fn long_and_many_findings_are_cut() {
    let review: String = (0..90).map(|n| format!("- objection {n} {}\n", "x".repeat(1000))).collect();
    let found = read_review(review.as_bytes()).remarks;
    assert_eq!(found.len(), words::MOST);
    assert!(found.iter().all(|one| one.what.chars().count() == words::LENGTH));
}
