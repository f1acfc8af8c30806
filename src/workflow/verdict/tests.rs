//! Tests verdicts one by one and by their properties.

use super::Verdict::{Approved, Rejected, TestsRejected, Unclear};
use proptest::prelude::*;

use super::*;

#[test]
fn verdicts_are_read_strictly() {
    let cases = [
        ("APPROVED", Approved),
        ("Looks right for T001. APPROVED", Unclear),
        ("Good.\n\n**APPROVED**\n", Approved),
        ("All fine.\nVerdict: approved", Approved),
        ("## Verdict\n\n`Approved`", Approved),
        ("\x1b[32mAPPROVED\x1b[0m", Approved),
        ("The change misses a trailing newline check. REJECTED.", Rejected),
        ("rejected", Rejected),
        ("Verdict: **REJECTED**", Rejected),
        ("NOT APPROVED", Rejected),
        ("This is not yet APPROVED", Rejected),
        ("This cannot be APPROVED as it is.", Rejected),
        ("It isn't APPROVED.", Rejected),
        ("It isn’t APPROVED.", Rejected),
        ("UNAPPROVED", Rejected),
        ("DISAPPROVED", Rejected),
        ("REJECTED - can be approved once fixed", Rejected),
        ("approved once the tests are fixed", Unclear),
        ("I would have approved this.", Unclear),
        ("LGTM", Unclear),
        ("", Unclear),
        ("\0\0", Unclear),
        ("PREAPPROVED", Unclear),
        ("APPROVED_BY: nobody", Unclear),
        ("Reply APPROVED or REJECTED.\nI looked at it.", Unclear),
        ("APPROVED or REJECTED? Hard to say.", Unclear),
        ("First I thought REJECTED, but it is right.\nAPPROVED", Approved),
        ("First I thought APPROVED, but no.\nREJECTED: the key is missing", Rejected),
        ("REJECTED at first.\nAPPROVED with remarks", Unclear),
        ("REJECTED.\nAPPROVED? No: REJECTED", Unclear),
        ("NOT APPROVED before the fix.\nAPPROVED", Unclear),
        ("APPROVED\nI take it back: NOT APPROVED", Rejected),
        ("TESTS REJECTED", TestsRejected),
        ("**Tests rejected**", TestsRejected),
        ("Verdict: TESTS REJECTED: they assert what the task forbids.", TestsRejected),
    ];
    for (text, expected) in cases {
        assert_eq!(verdict(text.as_bytes()), expected, "{text:?}");
    }
}

/// Reviews as people and agents phrase them, with the verdict that each must have.
const READINGS: &str = include_str!("../../../tests/fixtures/verdicts/readings.tsv");

struct Case {
    line: usize,
    expected: Verdict,
    text: String,
}

/// The rows of the table.
fn cases() -> Vec<Case> {
    let rows = READINGS.lines().enumerate().filter(|(_, row)| !row.starts_with('#'));
    let case = |(line, row): (usize, &str)| {
        let mut columns = row.splitn(3, '\t');
        let expected = match columns.next() {
            Some("approved") => Approved,
            Some("rejected") => Rejected,
            Some("tests-rejected") => TestsRejected,
            Some("unclear") => Unclear,
            other => panic!("line {}: {other:?}", line + 1),
        };
        let source = columns.next().unwrap();
        assert!(!source.is_empty(), "line {}", line + 1);
        Case { line: line + 1, expected, text: unescaped(columns.next().unwrap()) }
    };
    rows.map(case).collect()
}

/// The text of a row. The head of the file explains its escapes.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next().unwrap() {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'e' => out.push('\x1b'),
            '0' => out.push('\0'),
            '\\' => out.push('\\'),
            'u' => {
                assert_eq!(chars.next(), Some('{'));
                let number: String = chars.by_ref().take_while(|c| *c != '}').collect();
                out.push(char::from_u32(u32::from_str_radix(&number, 16).unwrap()).unwrap());
            }
            other => panic!("\\{other} in {text:?}"),
        }
    }
    out
}

#[test]
fn every_review_of_the_table_has_the_expected_verdict() {
    let cases = cases();
    assert!(cases.len() > 1370, "{}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| verdict(case.text.as_bytes()) != case.expected)
        .map(|case| {
            format!("line {}: {:?} is read as {:?}", case.line, case.text, verdict(case.text.as_bytes()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The letters of a line, without anything that may surround the word APPROVED.
fn letters(line: &str) -> String {
    let kept = |c: &char| !c.is_whitespace() && !"#*_`:.!✅".contains(*c);
    line.chars().filter(kept).collect::<String>().to_lowercase()
}

/// Whether the last line that is not blank is only the word APPROVED, checked in another way than the code does.
fn ends_in_the_bare_word(text: &str) -> bool {
    let last = clean(text.as_bytes()).lines().rev().find(|line| !line.trim().is_empty()).map(letters);
    last.is_some_and(|last| ["approved", "verdictapproved", "finalverdictapproved"].contains(&last.as_str()))
}

/// Building blocks of reviews: verdicts, and everything that looks like one.
const PIECES: &[&str] = &[
    "APPROVED",
    "Approved",
    "approved",
    "REJECTED",
    "rejected",
    "TESTS REJECTED",
    "NOT ",
    "not ",
    "can't be ",
    "Verdict:",
    "Verdict: ",
    "**",
    "*",
    "_",
    "`",
    "```",
    "~~~",
    "~~",
    "> ",
    "- ",
    "+",
    "- [ ] ",
    "- [x] ",
    "# ",
    "## ",
    ".",
    "?",
    "!",
    ",",
    ":",
    ": no",
    " ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\r",
    "\x1b[32m",
    "\0",
    "if ",
    "The code is right",
    "LGTM",
    "✅ ",
    "{\"",
    "\": false}",
    "<!-- ",
    " -->",
    "|",
];

/// Ends of reviews, most of them an approval.
const ENDS: &[&str] = &["", "APPROVED", "\nAPPROVED", "\n\nAPPROVED.", "\nVerdict: **Approved**"];

/// Some of these pieces, and an end.
fn soup() -> impl Strategy<Value = String> {
    let pieces = proptest::collection::vec(proptest::sample::select(PIECES), 0..14);
    (pieces, proptest::sample::select(ENDS)).prop_map(|(pieces, end)| pieces.concat() + end)
}

/// Lines that reject in any context.
const REJECTING: &[&str] = &[
    "REJECTED",
    "rejected.",
    "**REJECTED**",
    "REJECTED: no tests",
    "Verdict: REJECTED",
    "TESTS REJECTED",
    "NOT APPROVED",
    "This cannot be APPROVED.",
    "Changes requested",
    "- [x] REJECTED",
];

fn rejecting() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(REJECTING)
}

/// Sentences that do not object to an approval below them.
const PRAISE: &[&str] = &[
    "The code is right.",
    "- Reads well.",
    "1. It never fails.",
    "# Summary",
    "`cnt` could be `count`.",
    "> Keep the order.",
    "If it is empty, it returns 0.",
    "It was REJECTED once.",
    "| a | b |",
    "",
    "```\nlet x = 1;\n```",
    "    let x = 1;",
];

/// Sentences that object, without a line that is itself a verdict.
const OBJECTIONS: &[&str] = &[
    "I reject this change.",
    "I can't approve this.",
    "Changes requested: fix the null dereference.",
    "Result: FAIL",
    "There are blocking issues: SQL injection",
    "This must not be merged.",
];

proptest! {
    #[test]
    fn praise_does_not_outweigh_an_objection_in_its_own_paragraph(
        before in proptest::sample::select(PRAISE),
        objection in proptest::sample::select(OBJECTIONS),
        after in proptest::sample::select(PRAISE),
    ) {
        let review = format!("{before}\n\n{objection}\n\n{after}\n\nAPPROVED\n");
        prop_assert_eq!(verdict(review.as_bytes()), Unclear, "{}", review);
    }

    #[test]
    fn no_text_without_the_bare_word_on_its_last_line_approves(text in soup()) {
        prop_assert!(verdict(text.as_bytes()) != Approved || ends_in_the_bare_word(&text), "{text:?}");
    }

    #[test]
    fn no_bytes_without_the_bare_word_on_their_last_line_approve(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        prop_assert!(verdict(&bytes) != Approved || ends_in_the_bare_word(&text), "{text:?}");
    }

    #[test]
    fn a_review_that_ends_in_a_rejection_never_approves(text in soup(), line in rejecting()) {
        prop_assert_ne!(verdict(format!("{text}\n{line}").as_bytes()), Approved);
    }

    #[test]
    fn a_review_that_begins_with_a_rejection_never_approves(text in soup(), line in rejecting()) {
        prop_assert_ne!(verdict(format!("{line}\n{text}").as_bytes()), Approved);
    }

    #[test]
    fn an_approval_with_text_after_it_does_not_count(word in "[a-z]{1,9}") {
        prop_assume!(word != "approved");
        prop_assert_ne!(verdict(format!("APPROVED\n{word}").as_bytes()), Approved);
        prop_assert_ne!(verdict(format!("APPROVED {word}").as_bytes()), Approved);
        prop_assert_ne!(verdict(format!("{word} APPROVED").as_bytes()), Approved);
    }

    #[test]
    fn quotations_and_code_never_approve(text in soup()) {
        let text = clean(text.as_bytes()).replace(['`', '~'], "");
        for mark in ["> ", "    ", "+", "- [ ] ", "- "] {
            let marked: Vec<String> = text.lines().map(|line| format!("{mark}{line}")).collect();
            prop_assert_ne!(verdict(marked.join("\n").as_bytes()), Approved, "{}", mark);
        }
        prop_assert_ne!(verdict(format!("```\n{text}\n```").as_bytes()), Approved);
        prop_assert_ne!(verdict(format!("```\n{text}").as_bytes()), Approved);
    }

    #[test]
    fn praise_and_the_word_below_it_approve(
        praise in proptest::collection::vec(proptest::sample::select(PRAISE), 0..8),
        word in proptest::sample::select(&["APPROVED", "**APPROVED**", "## APPROVED", "Verdict: APPROVED", "approved."][..]),
    ) {
        prop_assert_eq!(verdict(format!("{}\n\n{word}\n", praise.join("\n")).as_bytes()), Approved);
    }

    #[test]
    fn the_word_rejected_on_the_last_line_always_rejects(text in soup()) {
        let text = text.replace(['`', '~'], "");
        prop_assert_eq!(verdict(format!("{text}\n\nREJECTED\n").as_bytes()), Rejected);
        prop_assert_eq!(verdict(format!("{text}\n\nTESTS REJECTED\n").as_bytes()), TestsRejected);
    }
}

#[test]
fn a_plain_rejection_stands_whatever_the_next_answer_says_and_other_objections_do_not() {
    for plain in [
        "REJECTED",
        "I must reject this.",
        "I can't approve this.",
        "approved: false",
        "**approved: false**",
        "I would not merge this.",
        "This is not ready.",
        "Ich lehne das ab.",
        "不予通过",
    ] {
        for text in [format!("{plain}\n\nAPPROVED\n"), format!("{plain}\nAPPROVED"), plain.to_owned()] {
            assert!(has_rejection(text.as_bytes()), "{text}");
        }
    }
    for other in
        ["LGTM", "Please add a test.", "P0: data loss", "I found no reason to reject this.", "Tests pass."]
    {
        assert!(!has_rejection(format!("{other}\n\nAPPROVED\n").as_bytes()), "{other}");
    }
}
