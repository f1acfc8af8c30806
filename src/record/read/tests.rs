//! Tests how commits are understood.

use std::borrow::Cow;

use super::*;
use crate::record::ours::plain_trailers;
use crate::record::{carries_step, trailers};

fn record(step: Step, outcome: Outcome, attempt: u32) -> StepRecord {
    StepRecord::of_run(step, outcome, attempt)
}

fn task(subject: &str, block: &str) -> CommitKind {
    commit_kind(format!("{subject}\n\nbody\n\n{block}\n").as_bytes())
}

fn read(block: &str) -> StepRecord {
    match task("task(T1): x", block) {
        CommitKind::Task(_, record) => record,
        other => panic!("{block:?} gives {other:?}"),
    }
}

#[test]
fn each_step_has_its_own_trailer_for_the_outcome() {
    use Outcome::{Fail, Pass, Skip};
    let cases = [
        ("Arborist-Step: red\nArborist-Result: pass\nArborist-Retry: 1", Step::RED, Pass, 1),
        ("Arborist-Step: red\nArborist-Result: fail\nArborist-Retry: 2", Step::RED, Fail, 2),
        ("Arborist-Step: red\nArborist-Red: test", Step::RED, Fail, 0),
        ("Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 2", Step::IMPLEMENT, Pass, 2),
        ("Arborist-Step: implement\nArborist-Result: fail\nArborist-Retry: 0", Step::IMPLEMENT, Fail, 0),
        ("Arborist-Step: implement", Step::IMPLEMENT, Fail, 0),
        ("Arborist-Step: implement\nArborist-Result: Pass", Step::IMPLEMENT, Fail, 0),
        ("Arborist-Step: implement\nArborist-Result:", Step::IMPLEMENT, Fail, 0),
        ("Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 1", Step::TEST, Pass, 1),
        ("Arborist-Step: test\nArborist-Test: fail", Step::TEST, Fail, 0),
        ("Arborist-Step: test\nArborist-Result: pass", Step::TEST, Fail, 0),
        ("Arborist-Step: test\nArborist-Test: passed", Step::TEST, Fail, 0),
        ("Arborist-Step: review\nArborist-Review: approved", Step::REVIEW, Pass, 0),
        ("Arborist-Step: review\nArborist-Review: rejected", Step::REVIEW, Fail, 0),
        ("Arborist-Step: review\nArborist-Review: pass", Step::REVIEW, Fail, 0),
        ("Arborist-Step: review", Step::REVIEW, Fail, 0),
        ("Arborist-Step: complete\nArborist-Result: pass", Step::COMPLETE, Pass, 0),
        ("Arborist-Step: complete", Step::COMPLETE, Pass, 0),
        ("Arborist-Step: complete\nArborist-Result: fail", Step::COMPLETE, Fail, 0),
        ("Arborist-Step: complete\nArborist-Result: FAIL", Step::COMPLETE, Fail, 0),
        ("Arborist-Step: complete\nArborist-Result: failed", Step::COMPLETE, Fail, 0),
        ("Arborist-Step: complete\nArborist-Result: skip", Step::COMPLETE, Skip, 0),
        ("Arborist-Step: complete\nArborist-Result: skip\nArborist-Result: fail", Step::COMPLETE, Fail, 0),
        ("Arborist-Step: complete\nArborist-Result: pass\nArborist-Result: skip", Step::COMPLETE, Skip, 0),
        ("Arborist-Step: implement\nArborist-Result: skip", Step::IMPLEMENT, Fail, 0),
        ("Arborist-Step: reopen", Step::REOPEN, Pass, 0),
        ("Arborist-Step: note\nArborist-Result: fail", Step::NOTE, Pass, 0),
        ("Arborist-Step: complete\nArborist-Step: reopen", Step::REOPEN, Pass, 0),
        ("Arborist-Step: note\nArborist-Step: complete", Step::NOTE, Pass, 0),
        ("Arborist-Step: implement\nArborist-Result: pass\nArborist-Step: red", Step::RED, Pass, 0),
    ];
    for (block, step, outcome, attempt) in cases {
        assert_eq!(read(block), record(step, outcome, attempt), "{block:?}");
    }
}

#[test]
fn only_a_rejected_review_with_exactly_this_word_rejects_the_tests() {
    let rejected = "Arborist-Step: review\nArborist-Review: rejected\nArborist-Retry: 1";
    let rejects = |block: &str| read(block).rejects_tests;
    assert!(rejects(&format!("{rejected}\nArborist-Reject: tests")));
    assert!(rejects(&format!("{rejected}\narborist-reject: tests\nArborist-Reject: tests")));
    for other in ["", "Arborist-Reject: Tests", "Arborist-Reject: code\nArborist-Reject: tests"] {
        assert!(!rejects(&format!("{rejected}\n{other}")), "{other}");
    }
    assert!(!rejects("Arborist-Step: review\nArborist-Review: approved\nArborist-Reject: tests"));
    assert!(!rejects("Arborist-Step: test\nArborist-Test: fail\nArborist-Reject: tests"));
}

#[test]
fn only_the_exact_word_makes_a_step_that_of_a_person() {
    let review = |by: &str| read(&format!("Arborist-Step: review\nArborist-Review: approved\n{by}")).by;
    assert_eq!(review("Arborist-By: user"), By::User);
    for other in ["", "Arborist-By: User", "Arborist-By: someone", "Arborist-By: user\nArborist-By: run"] {
        assert_eq!(review(other), By::Run, "{other}");
    }
}

#[test]
fn keys_are_compared_without_case_and_values_are_unfolded() {
    let folded = "arborist-step: test\nARBORIST-TEST:\n fail\nArborist-retry: 3";
    assert_eq!(read(folded), record(Step::TEST, Outcome::Fail, 3));
    let continued = "Arborist-Step: test\nArborist-Test: pass\n and more";
    assert_eq!(read(continued).outcome, Outcome::Fail);
}

#[test]
fn if_a_key_appears_twice_the_worse_value_counts() {
    let twice = |key: &str, one: &str, two: &str| format!("{key}: {one}\n{key}: {two}");
    for (step, key, good, bad) in [
        ("implement", "Arborist-Result", "pass", "fail"),
        ("test", "Arborist-Test", "pass", "fail"),
        ("review", "Arborist-Review", "approved", "rejected"),
        ("complete", "Arborist-Result", "pass", "fail"),
    ] {
        for (one, two, expected) in
            [(good, bad, Outcome::Fail), (bad, good, Outcome::Fail), (good, good, Outcome::Pass)]
        {
            let block = format!("Arborist-Step: {step}\n{}", twice(key, one, two));
            assert_eq!(read(&block).outcome, expected, "{block}");
        }
    }
    let steps = format!("{}\nArborist-Result: pass", twice("Arborist-Step", "complete", "implement"));
    assert_eq!(read(&steps).step, Step::IMPLEMENT);
    let retries = format!("Arborist-Step: test\n{}", twice("Arborist-Retry", "3", "1"));
    assert_eq!(read(&retries).attempt, 3);
}

#[test]
fn an_attempt_that_is_not_a_decimal_number_counts_as_the_first() {
    for bad in ["", "-1", "+1", "one", "1.0", "99999999999999"] {
        let block = format!("Arborist-Step: test\nArborist-Retry: {bad}");
        assert_eq!(read(&block).attempt, 0, "{bad:?}");
    }
}

#[test]
fn a_phase_marker_is_read_with_or_without_a_result() {
    let marker = |block: &str| match task("phase(p1): complete", block) {
        CommitKind::Phase(id, record) => (id.to_string(), record.outcome),
        other => panic!("{other:?}"),
    };
    assert_eq!(marker("Arborist-Step: phase-complete"), ("p1".to_owned(), Outcome::Pass));
    let failed = "Arborist-Step: phase-complete\nArborist-Result: fail";
    assert_eq!(marker(failed), ("p1".to_owned(), Outcome::Fail));
}

#[test]
fn unknown_steps_and_steps_that_do_not_fit_the_subject_are_recognised() {
    let cases = [
        ("task(T1): x", "deploy"),
        ("task(T1): x", "Complete"),
        ("task(T1): x", ""),
        ("task(T1): x", "phase-complete"),
        ("phase(p): complete", "complete"),
    ];
    for (subject, word) in cases {
        match task(subject, &format!("Arborist-Step: {word}")) {
            CommitKind::UnknownStep(_, found) => assert_eq!(found, word, "{subject}"),
            other => panic!("{subject} {word}: {other:?}"),
        }
    }
}

#[test]
fn without_a_subject_of_ours_or_without_a_step_trailer_a_commit_does_not_count() {
    let block = "Arborist-Step: complete\nArborist-Result: pass";
    for subject in [
        "fixup! task(T1): x",
        "amend! task(T1): x",
        "Revert \"task(T1): x\"",
        "task(spec@@run-start): run started",
        "task(a b): x",
        "task(../x): x",
        "mention of task(T1): x",
    ] {
        assert_eq!(task(subject, block), CommitKind::Other, "{subject}");
    }
    for block in
        ["Arborist-Result: pass", "Co-authored-by: A <a@example.com>", "text\nArborist-Step: complete"]
    {
        assert_eq!(task("task(T1): x", block), CommitKind::Other, "{block}");
    }
}

proptest::proptest! {
    #[test]
    fn the_quick_reading_agrees_with_git(pieces in proptest::collection::vec(0..PIECES.len(), 0..9)) {
        let message = pieces.iter().map(|&piece| PIECES[piece]).collect::<Vec<_>>().concat();
        let read = trailers(&message);
        let known = read.iter().filter_map(|read| Some((TrailerKey::from_name(&read.key)?, Cow::Borrowed(&read.value[..]))));
        let by_git: Vec<(TrailerKey, Cow<'_, [u8]>)> = known.collect();
        if let Some(quickly) = plain_trailers(&message) {
            proptest::prop_assert_eq!(&quickly, &by_git);
        }
        let carries = by_git.iter().any(|(key, _)| *key == TrailerKey::Step);
        proptest::prop_assert_eq!(carries_step(&message), carries);
        proptest::prop_assert_eq!(StepText::of(&message).carries_step, carries);
    }
}

const PIECES: [&[u8]; 18] = [
    b"title\n",
    b"\n",
    b" \n",
    b"Arborist-Step: test\n",
    b"arborist-step:test",
    b"Arborist-Step : test\n",
    b"Key: value\n",
    b"Arborist-Result:  pass\t \n",
    b"Arborist-Plan: a\x0b\n",
    b"Conflicts:\n",
    b"Arborist-Retry:\r\n",
    b" folded: line\n",
    b"prose\n",
    b"# comment: x\n",
    b"# ------------------------ >8 ------------------------\n",
    b"Signed-off-by: A\n",
    b"(cherry picked from commit 1)\n",
    b"\0",
];

#[test]
fn the_quick_test_recognises_our_own_messages() {
    let message = b"task(T1): x\n\nbody\n\nArborist-Step: test\nArborist-Test: pass\n";
    assert_eq!(plain_trailers(message).map(|quickly| quickly.len()), Some(2));
}

#[test]
fn a_step_trailer_is_seen_under_any_subject_but_only_in_the_trailer_block() {
    let carries = |message: &str| carries_step(message.as_bytes());
    assert!(carries("anything\n\nArborist-Step: what\n"));
    assert!(carries("anything\n\narborist-step: implement\n"));
    assert!(!carries("anything\n\nArborist-Step: implement\n\nlast words\n"));
    assert!(!carries("anything\nArborist-Step: implement\n"));
    assert!(!carries("anything\n"));
}
