//! Tests the outcomes of a review: approved, rejected, or asked for once more.

use crate::support::garden::{Garden, one_task, side_by_side};

/// A garden whose reviewer runs `script`, in which `$asked` is 1 or 2.
fn reviewed_by(script: &str) -> Garden {
    let garden = Garden::new(&one_task(&[]));
    garden.agent(&format!(
        "if test $ARBORIST_STEP = review; then
         asked=1; test -e \"$ROOT/asked.$ARBORIST_ATTEMPT\" && asked=2; : > \"$ROOT/asked.$ARBORIST_ATTEMPT\"
         {script}
         exit 0; fi"
    ));
    garden
}

/// The message of the review step that was made last.
fn review(garden: &Garden) -> String {
    garden.git(&["log", "-1", "--format=%B", "--grep=^Arborist-Step: review"])
}

#[test]
fn a_rejection_in_natural_language_is_never_read_as_an_approval() {
    let reviews = [
        "I do not think this can be APPROVED.",
        "This cannot be marked as APPROVED.",
        "Changes requested before this is APPROVED.",
        "I REJECT this. To get APPROVED, add tests.",
        "UN-APPROVED",
        "APPROVED: no",
        "If you fix the bug, then APPROVED",
        "[ ] APPROVED  [x] Rejected",
        "- [ ] Approved\n- [x] Changes requested",
        "> APPROVED",
        "+APPROVED",
        "{\"APPROVED\": false}",
        "I won't say APPROVED.",
        "Is this APPROVED? No",
        "~~APPROVED~~ the tests are empty",
        "This would be APPROVED if the tests were not empty.",
    ];
    side_by_side(reviews, |said| {
        let garden = reviewed_by("cat \"$ROOT/says\"");
        std::fs::write(garden.root().join("says"), said).unwrap();
        garden.run(&["gardener", "--max-retries", "1"]).assert(1, &["T001 failed"]);
        let message = review(&garden);
        assert!(message.contains("Arborist-Review: rejected"), "{said}: {message}");
    });
}

#[test]
fn a_reviewer_without_a_clear_verdict_is_asked_once_more_in_the_same_step() {
    let garden = reviewed_by("test $asked = 1 && echo 'The parser looks right to me.' || echo APPROVED");
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["mine gave no clear verdict on T001 and is asked once more"]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0", "T001.review.0"]);
    let (first, second) = (&garden.prompts()[1].1, &garden.prompts()[2].1);
    let added = second.strip_prefix(first.as_str()).expect("the whole prompt once more");
    assert!(added.contains("\nThe parser looks right to me.\n"), "{added}");
    let question = added.trim_end().rsplit_once("\n\n").unwrap().1;
    assert_eq!(question.matches('.').count(), 1, "one sentence: {question}");
    let message = review(&garden);
    for part in [
        "review approved",
        "The reviewer was asked twice before it gave a clear verdict.",
        "The parser looks right to me.",
        "Arborist-Review: approved",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert_eq!(garden.steps().len(), 5, "{:#?}", garden.steps());
    let log = garden.read(&garden.lines(&["ls-files", "spec/logs"]).concat());
    assert!(log.starts_with("The parser looks right to me.\n") && log.ends_with("\nAPPROVED\n"), "{log}");
}

#[test]
fn the_reasons_of_the_first_answer_reach_the_next_attempt_if_the_second_only_rejects() {
    let garden = reviewed_by(
        "test $ARBORIST_ATTEMPT = 0 || { echo APPROVED; exit 0; }
         test $asked = 1 && echo 'The key is missing, so no.' || echo REJECTED",
    );
    garden.run(&["gardener"]).assert(0, &[]);
    let prompt = garden.prompt("T001.implement.1");
    assert!(prompt.contains("The key is missing, so no.") && prompt.contains("\nREJECTED\n"), "{prompt}");
}

#[test]
fn a_reviewer_that_gives_no_verdict_twice_has_rejected_and_the_commit_and_the_screen_say_why() {
    let garden = reviewed_by("echo LGTM; echo $asked >> \"$ROOT/times\"");
    let ended = garden.run(&["gardener", "--max-retries", "1"]);
    ended.assert(1, &["T001 failed", "rejected", "no clear verdict"]);
    assert_eq!(std::fs::read_to_string(garden.root().join("times")).unwrap(), "1\n2\n");
    let message = review(&garden);
    assert!(
        message.contains("The reviewer gave no clear verdict, not even when it was asked once more."),
        "{message}"
    );
    assert!(
        message.contains("Arborist-Review: rejected") && message.matches("LGTM").count() == 2,
        "{message}"
    );
}

#[test]
fn a_reviewer_that_fails_when_it_is_asked_once_more_has_not_reviewed() {
    let garden = reviewed_by("test $asked = 1 && echo LGTM || exit 1");
    garden
        .run(&["gardener"])
        .assert(4, &["did not complete its review", "exit status 1", "no attempt is used up"]);
    assert!(garden.steps().iter().all(|step| !step.contains("| review")), "{:#?}", garden.steps());
}

#[test]
fn a_reviewer_that_edits_when_it_is_asked_once_more_is_stopped_too() {
    let garden = reviewed_by(
        "test $asked = 1 && echo LGTM || { cd \"$ROOT/work\"; echo x >> T001.txt; echo APPROVED; }",
    );
    garden.run(&["gardener"]).assert(6, &["tracked files changed while the reviewer was at work: T001.txt"]);
}

#[test]
fn a_rejection_of_the_tests_is_recorded_as_one() {
    let garden = reviewed_by(
        "test $ARBORIST_ATTEMPT = 0 || { echo APPROVED; exit 0; }
         echo 'The test passes on an empty file.'; echo; echo TESTS REJECTED",
    );
    garden.run(&["gardener"]).assert(0, &["the tests themselves"]);
    let values =
        ["log", "--format=%(trailers:key=Arborist-Reject,valueonly)", "--grep=^Arborist-Step: review"];
    assert_eq!(garden.git(&values).trim(), "tests");
    let prompt = garden.prompt("T001.implement.1");
    assert!(prompt.contains("The reviewer rejects the tests themselves."), "{prompt}");
    let root = garden.git(&["rev-list", "--max-parents=0", "HEAD"]);
    garden.run(&["check", &format!("{root}..HEAD")]).assert(0, &[]);
}

#[test]
fn no_prompt_for_a_reviewer_ends_in_words_that_approve_when_they_are_echoed() {
    let garden = reviewed_by("cat \"$file\"");
    garden.run(&["gardener", "--max-retries", "1"]).assert(1, &[]);
    assert!(review(&garden).contains("Arborist-Review: rejected"));
}

#[test]
fn a_review_too_long_to_be_kept_completely_does_not_approve() {
    let garden = reviewed_by(
        "test $asked = 2 && { echo APPROVED; exit 0; }
         seq 20000; echo; echo REJECTED; echo; seq 100000; echo; echo APPROVED",
    );
    garden.run(&["gardener"]).assert(0, &["asked once more"]);
    assert_eq!(garden.asked().len(), 3);
}

#[test]
fn a_reviewer_that_contradicts_itself_does_not_approve_by_being_asked_again() {
    let contradictions = [
        "echo 'REJECTED: the key is missing.'; echo; echo APPROVED",
        "echo REJECTED; echo 'Once the key is there, this is APPROVED.'",
        "echo 'I must reject this.'; echo; echo APPROVED",
        "echo \"I can't approve this.\"",
        "echo 'approved: false'; echo APPROVED",
    ];
    side_by_side(contradictions, |first| {
        let garden = reviewed_by(&format!("test $asked = 1 && {{ {first}; }} || echo APPROVED"));
        let ended = garden.run(&["gardener", "--max-attempts", "1"]);
        ended.assert(1, &["is asked once more", "contradicts itself"]);
        assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0", "T001.review.0"], "{first}");
        let message = review(&garden);
        for part in ["Arborist-Review: rejected", "approved it when it was asked once more"] {
            assert!(message.contains(part), "{part}: {message}");
        }
    });
}

#[test]
fn a_reviewer_that_contradicts_itself_may_reject_when_it_is_asked_again() {
    let garden = reviewed_by(
        "test $asked = 1 && { echo 'REJECTED: the key is missing.'; echo; echo APPROVED; } || echo TESTS REJECTED",
    );
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &["the tests themselves"]);
}
