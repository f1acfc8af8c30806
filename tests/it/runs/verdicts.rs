//! Tests the outcomes of a review: approved, rejected, or asked for once more.

use crate::support::garden::{Garden, one_task, side_by_side};
use crate::support::questions::four_tasks;

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
        garden.run(&["gardener", "--max-attempts", "1"]).assert(7, &["no clear verdict"]);
        assert_eq!(garden.trailers("Arborist-Reason"), ["no-verdict"], "{said}");
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
    assert!(added.contains("\nThe last line of your answer is no verdict.\n"), "{added}");
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
    assert!(prompt.contains("1. The key is missing, so no."), "{prompt}");
}

/// A garden whose reviewer praises the change twice, in other words, and never gives a verdict.
fn praised() -> Garden {
    reviewed_by("echo LGTM; test $asked = 1 || echo Really; echo $asked >> \"$ROOT/times\"")
}

#[test]
fn a_reviewer_that_gives_no_verdict_twice_has_not_reviewed_and_a_person_gives_it() {
    let garden = praised();
    let ended = garden.run(&["gardener", "--max-attempts", "1"]);
    ended.assert(7, &["no clear verdict", "git arborist mark approve T001", "git arborist mark reject T001"]);
    assert_eq!(std::fs::read_to_string(garden.root().join("times")).unwrap(), "1\n2\n");
    assert_eq!(garden.trailers("Arborist-Review"), [""; 0], "{:#?}", garden.steps());
    assert_eq!(garden.trailers("Arborist-Reason"), ["no-verdict"]);
    // Nobody pays for the reviewer again before a person has decided.
    garden.run(&["gardener"]).assert(7, &["mark approve T001"]);
    garden.run(&["mark", "approve", "T001"]).assert(0, &[]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(std::fs::read_to_string(garden.root().join("times")).unwrap(), "1\n2\n");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn praise_without_a_verdict_never_reaches_the_implementer() {
    let garden = praised();
    garden.run(&["gardener"]).assert(7, &[]);
    garden.run(&["mark", "reject", "T001", "-m", "The key is logged."]).assert(0, &[]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    let prompt = garden.prompt("T001.implement.1");
    assert!(prompt.contains("The key is logged.") && !prompt.contains("LGTM"), "{prompt}");
}

#[test]
fn the_next_reviewer_of_the_chain_reviews_if_the_first_gives_no_verdict_twice() {
    let garden = praised();
    let calls = "cat > /dev/null; echo $ARBORIST_STEP >> \"$ROOT/other\"";
    garden.runner("other", &format!("{calls}; echo 'The key is logged.'; echo; echo REJECTED"));
    garden.config("arborist.runner", "mine,other");
    let ended = garden.run(&["gardener", "--max-attempts", "1"]);
    ended.assert(1, &["mine has given no verdict on T001; other reviews instead", "The key is logged."]);
    assert_eq!(std::fs::read_to_string(garden.root().join("other")).unwrap(), "review\n");
    let message = review(&garden);
    assert!(message.contains("Arborist-Runner: other\n") && !message.contains("LGTM"), "{message}");
}

#[test]
fn nobody_waits_for_a_reviewer_that_has_hit_its_limit_while_another_one_can_give_the_verdict() {
    let garden = reviewed_by("test $asked = 1 && echo LGTM || { echo rate limit exceeded; exit 1; }");
    let times =
        "echo x >> \"$ROOT/other\"; test $(wc -l < \"$ROOT/other\") = 1 && echo Fine. || echo APPROVED";
    garden.runner("other", &format!("cat > /dev/null; {times}"));
    garden.config("arborist.runner", "mine,other");
    let ended = garden.run(&["gardener"]);
    ended.assert(
        0,
        &["mine has hit its usage limit", "mine has given no verdict on T001; other reviews instead"],
    );
    assert!(review(&garden).contains("Arborist-Runner: other\n"));
}

#[test]
fn others_go_on_while_a_verdict_is_missing_and_the_run_ends_when_the_next_task_lacks_one_too() {
    let run = |mute: &str, args: &[&str]| {
        let garden = Garden::new(&four_tasks());
        garden.agent(&format!(
            "case $ARBORIST_STEP.$ARBORIST_TASK in review.{mute}) echo $ARBORIST_TASK: Fine.; exit 0;; esac"
        ));
        let ended = garden.run(&[&["gardener"], args].concat());
        (ended, garden.subjects().iter().filter(|subject| subject.contains("): complete")).count())
    };
    for args in [&[][..], &["--jobs", "2"]] {
        let (ended, complete) = run("T001", args);
        ended.assert(7, &["git arborist mark approve T001"]);
        assert_eq!(complete, 3, "{ended:#?}");
    }
    let (ended, complete) = run("*", &[]);
    ended.assert(4, &["T002 ends with the same answer as T001"]);
    assert_eq!(complete, 0, "{ended:#?}");
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
    garden.run(&["gardener", "--max-attempts", "1"]).assert(7, &[]);
    assert_eq!(garden.trailers("Arborist-Review"), [""; 0]);
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
fn a_reviewer_that_says_both_is_asked_which_of_the_two_it_means() {
    for (second, status, outcome, finding) in [
        ("APPROVED", 0, "approved", "warning[contradictory-review]: "),
        ("REJECTED", 1, "rejected", "The key is missing."),
        ("TESTS REJECTED", 1, "rejected", "Arborist-Reject: tests"),
    ] {
        let garden = reviewed_by(&format!(
            "test $asked = 1 && printf '%s\\n' REJECTED '' 'The key is missing.' '' APPROVED || echo {second}"
        ));
        garden.run(&["gardener", "--max-attempts", "1"]).assert(status, &["is asked once more"]);
        let message = review(&garden);
        for part in [&format!("Arborist-Review: {outcome}"), finding] {
            assert!(message.contains(part), "{second}: {part}: {message}");
        }
        let (_, again) = &garden.prompts()[2];
        assert!(again.contains("has both verdicts. Which"), "{again}");
        let root = garden.git(&["rev-list", "--max-parents=0", "HEAD"]);
        garden.run(&["check", &format!("{root}..HEAD")]).assert(0, &[]);
    }
    let garden = reviewed_by("test $asked = 1 && printf '%s\\n' REJECTED '' APPROVED || echo LGTM");
    garden.run(&["gardener", "--max-attempts", "1"]).assert(7, &["no clear verdict"]);
}

/// A finding in a document of the schema.
fn finding(severity: &str, file: &str, line: u32) -> String {
    format!(r#"{{"severity": "{severity}", "file": "{file}", "line": {line}, "what": "the key is logged"}}"#)
}

fn document(verdict: &str, findings: &[String]) -> String {
    let findings = findings.join(", ");
    format!(r#"{{"findings": [{findings}], "summary": "I have read it.", "verdict": "{verdict}"}}"#)
}

/// A garden whose reviewer answers with these documents, one after the other.
fn reviewed_with(answers: &[String]) -> Garden {
    let garden = reviewed_by(
        "n=$(cat \"$ROOT/n\" 2>/dev/null || echo 1); cat \"$ROOT/answer.$n\"; echo $((n + 1)) > \"$ROOT/n\"",
    );
    for (number, answer) in (1..).zip(answers) {
        std::fs::write(garden.root().join(format!("answer.{number}")), answer).unwrap();
    }
    garden
}

#[test]
fn the_findings_of_a_document_are_objections_that_the_next_attempt_answers() {
    let findings = [finding("must", "T001.txt", 1), finding("note", "nowhere.txt", 3)];
    let garden = reviewed_with(&[document("rejected", &findings), document("approved", &[])]);
    garden.run(&["gardener"]).assert(0, &["T001.txt:1: must: the key is logged"]);
    let rejected = garden.git(&["log", "--format=%B", "--grep=^Arborist-Review: rejected"]);
    let list = "Objections:\n1. T001.txt:1: must: the key is logged\n2. note: the key is logged (named nowhere.txt:3, which \
                does not exist)\n\nReview:\nI have read it.";
    assert!(rejected.contains(list), "{rejected}");
    let prompt = garden.prompt("T001.implement.1");
    assert!(prompt.contains("1. T001.txt:1: must: the key is logged\n"), "{prompt}");
    assert!(!prompt.contains("\"findings\""), "{prompt}");
}

#[test]
fn what_an_approval_names_stays_open_and_a_must_in_it_is_asked_about_once() {
    let must = document("approved", &[finding("must", "T001.txt", 1)]);
    let approved = document("approved", &[]);
    let garden = reviewed_with(&[must.clone(), approved.clone()]);
    garden.run(&["gardener"]).assert(0, &["is asked once more"]);
    let message = review(&garden);
    for part in [
        "Open remarks:\n1. T001.txt:1: must: the key is logged\n",
        "warning[contradictory-review]: ",
        "Arborist-Review: approved",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(garden.prompts()[2].1.contains("named a finding with the severity `must`"));
    // Twice, it is a rejection.
    let garden = reviewed_with(&[must.clone(), must, approved]);
    garden.run(&["gardener"]).assert(0, &["T001.txt:1: must: the key is logged"]);
    assert_eq!(garden.trailers("Arborist-Review"), ["rejected", "approved"]);
}

#[test]
fn a_document_that_cannot_be_read_is_asked_for_again_with_the_reason() {
    let good = document("approved", &[]);
    let garden = reviewed_with(&[good[..good.len() - 3].to_owned(), good]);
    garden.run(&["gardener"]).assert(0, &["is asked once more"]);
    let again = &garden.prompts()[2].1;
    assert!(again.contains("is not a JSON object of the required form: EOF while parsing"), "{again}");
    assert!(review(&garden).contains("Arborist-Review: approved"));
}

#[test]
fn what_an_approval_has_found_stays_open() {
    let remarks = document("approved", &[finding("should", "T001.txt", 1), finding("note", "", 0)]);
    let garden = reviewed_with(&[remarks]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0"]);
    assert!(review(&garden).contains("Open remarks:\n1. T001.txt:1: should: "), "{}", review(&garden));
    let shown = garden.run(&["show", "T001"]).stdout;
    assert!(shown.contains("open remark: T001.txt:1: should: "), "{shown}");
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn what_a_review_has_found_is_shown_beside_its_place() {
    let garden = reviewed_with(&[
        document("rejected", &[finding("must", "T001.txt", 1), finding("should", "", 0)]),
        document("approved", &[finding("should", "T001.txt", 1), finding("note", "a file.txt", 0)]),
    ]);
    garden.write("a file.txt", "x\n");
    garden.git(&["add", "-A"]);
    garden.git(&["commit", "-qm", "Add a file"]);
    garden.run(&["gardener"]).assert(0, &[]);
    let markdown = garden.run(&["report"]).stdout;
    assert!(
        markdown.contains("Open remark") && markdown.contains("T001.txt:1: should: the key is logged"),
        "{markdown}"
    );
    let page = garden.run(&["report", "--format", "html"]).stdout;
    let beside = "<span class=\"remark\">T001.txt:1: must: the key is logged</span>";
    assert!(page.contains(beside), "{page}");
    let shown = garden.run(&["show", "T001"]).stdout;
    assert!(shown.contains("T001.txt:1: must: the key is logged"), "{shown}");
    let shown: serde_json::Value =
        serde_json::from_str(&garden.run(&["show", "--json", "T001"]).stdout).unwrap();
    let steps =
        shown["attempts"].as_array().unwrap().iter().flat_map(|attempt| attempt["steps"].as_array().unwrap());
    let remarks: Vec<String> =
        steps.map(|step| step["remarks"].to_string()).filter(|remarks| remarks != "[]").collect();
    assert!(
        remarks[0].starts_with(
            "[{\"file\":\"T001.txt\",\"line\":1,\"severity\":\"must\",\"what\":\"the key is logged\"}"
        ),
        "{remarks:?}"
    );
}
