//! Tests every rule with a message that breaks it and one that only just does not.

use super::*;

fn report(message: &str) -> MessageReport {
    check(&MessageDraft::stored(message.as_bytes()), &Policy::default())
}

fn ids(message: &str) -> Vec<&'static str> {
    report(message).findings.iter().map(|finding| finding.rule.id()).collect()
}

/// The rules that a message alone can break; the others need a repository, a history or an agent.
fn of_messages() -> impl Iterator<Item = Rule> {
    let elsewhere = [Rule::GitDisagrees, Rule::AgentAtWork];
    let all = Rule::ALL.iter().copied().filter(|rule| !rule.id().starts_with('H'));
    all.filter(move |rule| !elsewhere.contains(rule))
}

#[test]
fn every_rule_has_a_wrong_example_that_breaks_it_and_a_right_one_that_breaks_none() {
    for rule in of_messages() {
        let info = rule.info();
        assert!(report(info.wrong).has(rule), "{}: {:?}", info.id, ids(info.wrong));
        assert_eq!(report(info.wrong).findings.len(), 1, "{}: {:?}", info.id, ids(info.wrong));
        assert_eq!(ids(info.right), [""; 0], "{}", info.id);
    }
}

#[test]
fn messages_that_only_just_break_a_rule_or_only_just_do_not() {
    const IMPL: &str = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n";
    let task = |block: &str| format!("task(T1): implement \"x\"\n\n{block}");
    let test = |more: &str| {
        format!(
            "task(T1): tests pass for \"x\"\n\nArborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\n\
                 Arborist-Test-Type: unit\nArborist-Test-Runtime: 1\n{more}"
        )
    };
    let cases: &[(String, &[&str])] = &[
        (task(IMPL), &[]),
        (task(&format!("{IMPL}\n\n\n")), &[]),
        (task(&format!("{IMPL}\nSigned-off-by: A <a@b>\n")), &["A001"]),
        (task(&format!("{IMPL}Signed-off-by: A <a@b>\n")), &[]),
        (task(&format!("{IMPL}(cherry picked from commit 0123)\n")), &[]),
        (task(&format!("Quoted:\n{IMPL}\nmore\n\n{IMPL}")), &[]),
        (task(&format!("Arborist-Test: fail\nwas the last step\n\n{IMPL}")), &[]),
        (format!("Merge branch 'x'\n\n{IMPL}"), &[]),
        (format!("Revert \"task(T1): implement\"\n\n{IMPL}"), &["A004"]),
        (format!("amend! task(T1): x\n\n{IMPL}"), &[]),
        ("squash! something else\n".into(), &[]),
        (format!("task(): x\n\n{IMPL}"), &["A004"]),
        (format!("task(a b): x\n\n{IMPL}"), &["A004"]),
        (format!("task(T1) x\n\n{IMPL}"), &["A004"]),
        (format!("task(T1):x\n\n{IMPL}"), &["A004"]),
        (format!(" task(T1): x\n\n{IMPL}"), &["A004"]),
        (format!("task(../T1): x\n\n{IMPL}"), &["A004"]),
        (format!("task(spec/a@T1@implement-pass): x\n\n{IMPL}"), &[]),
        ("task(spec@@run-start): run\n\nArborist-Step: run-start\n".into(), &[]),
        ("task(s) now run in parallel\n".into(), &[]),
        ("Task (re)ordering is stable now\n".into(), &[]),
        ("phase(1) of the plan\n".into(), &[]),
        ("task(T1): x\n\nArborist-Step: phase-complete\n".into(), &["A008"]),
        (task(&format!("{IMPL}Arborist-Task: T1\n")), &[]),
        (task(&format!("{IMPL}Arborist-Task: T2\n")), &["A008"]),
        (task(&format!("{IMPL}Arborist-Phase: T1\n")), &["A019"]),
        (format!("chore(T1): implement \"x\"\n\n{IMPL}Arborist-Task: T1\n"), &[]),
        (format!("chore(T1): implement \"x\" (#12)\n\n{IMPL}Arborist-Task: T1\n"), &["A004"]),
        (task(&IMPL.replace("pass", "PASS")), &["A012"]),
        (task(&IMPL.replace("implement", "implemnt")), &["A012"]),
        (task(&IMPL.replace("Retry: 0", "Retry: 4294967295")), &[]),
        (task(&IMPL.replace("Retry: 0", "Retry: 4294967296")), &["A012"]),
        (task(&IMPL.replace("Retry: 0", "Retry: -1")), &["A012"]),
        (test(""), &[]),
        (test("").replace("Runtime: 1", "Runtime: 1e-05"), &[]),
        (test("").replace("Runtime: 1", "Runtime: 3,2"), &["A012"]),
        (test("").replace("Runtime: 1", "Runtime: nan"), &["A012"]),
        (test("").replace("Runtime: 1", "Runtime: inf"), &["A012"]),
        (test("").replace("Runtime: 1", "Runtime: 1e999"), &["A012"]),
        (test("Arborist-Test-Passed: 3\nArborist-Test-Failed: 0\n"), &[]),
        (test("Arborist-Runner: x\n"), &["A019"]),
        (task(&format!("{IMPL}Arborist-Runner: a\u{200b}b\n")), &["A021"]),
        (task(&format!("{IMPL}Arborst-Runner: x\n")), &["A010"]),
        (task(&format!("{IMPL}Arborist-Wholly-Else: x\n")), &["A010"]),
        (task(&format!("{IMPL}Reviewed-by: x\n")), &[]),
        (task(&IMPL.replace("Arborist-Result", "Arborist Result")), &["A001", "A018"]),
    ];
    for (message, expected) in cases {
        let mut found = ids(message);
        found.sort_unstable();
        assert_eq!(found, *expected, "{message}");
    }
}

#[test]
fn paths_are_inside_the_repository() {
    let complete = |path: &str| {
        format!(
            "task(T1): complete \"x\"\n\nArborist-Step: complete\nArborist-Result: pass\nArborist-Report: {path}\n"
        )
    };
    for good in ["r.json", "spec/reports/T1.json", "a/../b", "./a", "spec/\u{e9} \u{1f333}.json"] {
        assert_eq!(ids(&complete(good)), [""; 0], "{good}");
    }
    for bad in ["/a", "C:/a", "~/a", "../a", "a/../../b", "a\\b", "a//b", "a/", "."] {
        assert_eq!(ids(&complete(bad)), ["A020"], "{bad}");
    }
}

#[test]
fn tokens_and_costs_are_numbers_without_units() {
    const IMPL: &str = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n";
    let used = |line: &str| format!("task(T1): implement \"x\"\n\n{IMPL}{line}\n");
    for good in ["in=1200 out=340 cached=900", "out=0", "in=18446744073709551615"] {
        assert_eq!(ids(&used(&format!("Arborist-Tokens: {good}"))), [""; 0], "{good}");
    }
    for bad in
        ["1200", "in=1.5", "in=", "in=-1", "out=1 in=2", "in=1, out=2", "in=1 in=2", "total=5", "in=1k"]
    {
        assert_eq!(ids(&used(&format!("Arborist-Tokens: {bad}"))), ["A012"], "{bad}");
    }
    for good in ["0", "0.42", "12", "3.141593"] {
        assert_eq!(ids(&used(&format!("Arborist-Cost: {good}"))), [""; 0], "{good}");
    }
    for bad in ["$0.42", "0.42 USD", "-1", "1e-3", "0,42", ".5", "nan"] {
        assert_eq!(ids(&used(&format!("Arborist-Cost: {bad}"))), ["A012"], "{bad}");
    }
    let test = "task(T1): tests pass for \"x\"\n\nArborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\n\
        Arborist-Test-Type: unit\nArborist-Test-Runtime: 1\nArborist-Cost: 1\n";
    assert_eq!(ids(test), ["A019"], "tests cost nothing");
}

#[test]
fn a_message_that_does_not_concern_us_has_no_findings() {
    for message in [
        "",
        "\n",
        "Fix the parser\n\nSigned-off-by: A <a@b>\n",
        "Say more of trailers\n\nArborist-Report trailer uses repo-relative paths.\n",
        "Clean up\n\nArborist-Result and Arborist-Test (with\nArborist-Test-Result) are no longer implemented\n",
        "Plan\n\n- Arborist-Step: is what a step begins with\n",
        "Multitask(ing): no subject of ours\n",
    ] {
        assert_eq!(report(message), MessageReport::default(), "{message}");
    }
}

#[test]
fn levels_decide_what_is_reported_and_strictness_makes_warnings_errors() {
    let message = "task(T1): x\n";
    let draft = MessageDraft::stored(message.as_bytes());
    let off = Policy::default().with_level(Rule::NoTrailers, Level::Off);
    assert_eq!(check(&draft, &off).findings, []);
    let warning = Policy::default().with_level(Rule::NoTrailers, Level::Warning);
    assert_eq!(check(&draft, &warning).findings[0].level, Level::Warning);
    assert_eq!(check(&draft, &warning.strict()).findings[0].level, Level::Error);
}

#[test]
fn an_agent_at_work_must_not_claim_a_step() {
    let info = Rule::AgentAtWork.info();
    let policy = Policy::default().with_agent(Committer::AtWork);
    let check = |message: &str| check(&MessageDraft::stored(message.as_bytes()), &policy);
    assert!(check(info.wrong).has(Rule::AgentAtWork));
    assert_eq!(check(info.right).findings, []);
    assert_eq!(report(info.wrong).findings, []);
}

#[test]
fn the_cause_that_hides_the_block_is_named_with_its_line() {
    // The line of the cause, and some words of the finding.
    let cases = [
        ("S\n\nB\nThanks to all\n", 7, "text follows"),
        ("S\n\nB\nCo-authored-by: x <x@y>\n", 7, "starts a new one"),
        ("S\n\nB\nChange-Id: I0123\n", 7, "starts a new one"),
        ("S\n\nBthanks!\n", 6, "text follows"),
        ("S\n\ntext above\nB", 3, "same paragraph"),
        ("S\nB", 1, "no blank line"),
        ("S\n\n```\nB```\n", 3, "code fence"),
        (
            "S\n\nArborist-Step: implement\nas said\nArborist-Result: pass\nArborist-Retry: 0\n",
            4,
            "not a trailer",
        ),
        ("S\n\n- Arborist-Step: implement\n- Arborist-Result: pass\n- Arborist-Retry: 0\n", 3, "list"),
        ("S\n\n**Arborist-Step:** implement\n**Arborist-Result:** pass\n", 3, "markup"),
        ("S\n\n  Arborist-Step: implement\n  Arborist-Result: pass\n", 3, "indented"),
        (
            "S\n\n# ------------------------ >8 ------------------------\nx\n\nB",
            3,
            "ignores everything below",
        ),
    ];
    let block = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n";
    for (message, line, words) in cases {
        let message = message.replacen('S', "task(T1): x", 1).replacen('B', block, 1);
        let report = report(&message);
        let finding = report.findings.iter().find(|finding| finding.rule == Rule::BlockNotSeen);
        let finding = finding.unwrap_or_else(|| panic!("{message}: {:?}", ids(&message)));
        let label = &finding.labels[0];
        assert!(label.span.line == line && label.text.contains(words), "{message}\n{label:?}");
        assert!(!finding.help.is_empty());
    }
}

#[test]
fn all_problems_are_reported_at_once_even_in_a_block_that_git_does_not_see() {
    let message =
        "task(T1): x\n\n- Arborist-Step: implement\nArborist-Result: Passed\n\nCo-authored-by: x <x@y>\n";
    let mut found = ids(message);
    found.sort_unstable();
    assert_eq!(found, ["A001", "A012", "A018"]);
    let split = "task(T1): x\n\nArborist-Step: implement\nArborist-Result: Passed\n\nArborist-Retry: 0\n";
    let mut found = ids(split);
    found.sort_unstable();
    assert_eq!(found, ["A002", "A012"]);
}

#[test]
fn places_refer_to_the_file_that_the_user_edited() {
    let file = "# a comment\n\n\ntask(T1): x  \n# another\n\n\nArborist-Step: implement\nArborist-Result: \u{e9} Pass\n\
                Arborist-Retry: 0\n# On branch main\n";
    let prediction = Prediction::of(file.as_bytes(), Editor::Used, &GitSettings::default());
    let report = check(&MessageDraft::predicted(file.as_bytes(), &prediction), &Policy::default());
    let places: Vec<_> = report.findings.iter().map(|finding| (finding.rule, finding.span.clone())).collect();
    let value = LinePart { line: 9, column: 18, end: 24 };
    assert!(places.contains(&(Rule::BadValue, value)), "{places:?}");
}

mod own_messages {
    use std::time::Duration;

    use proptest::prelude::*;

    use crate::check::first_error;
    use crate::record::{
        Attempt, Cost, Counts, Outcome, Quote, Step, StepDraft, StepFacts, SubjectForm, TaskId, TaskRef,
        Tokens, Usage, Work,
    };

    proptest! {
        /// Our own messages pass the check, no matter what a program prints and what a task is called.
        #[test]
        fn our_own_messages_pass_the_check(
            name in ".{1,80}",
            output in proptest::collection::vec(any::<u8>(), 0..300),
            number in 0_u32..9,
            input: Option<u64>,
            dollars in proptest::option::of(0.0..1e8_f64),
        ) {
            let tokens = Tokens { input, output: Some(u64::from(number)), cached: None };
            let usage = Usage { tokens, cost: dollars.and_then(Cost::from_dollars) };
            let id = TaskId::parse("T1").unwrap();
            let task = TaskRef { id: &id, name: &name };
            let attempt = Attempt { number, max: 9, merge: None };
            let work = Work { runner: "claude/opus".to_owned(), duration: Duration::from_millis(1234), usage };
            let facts = StepFacts {
                test_type: Some("unit".to_owned()),
                tests: Some(Counts { passed: 3, failed: 0, skipped: 1 }),
                test_time: Some(Duration::from_secs(2)),
                test_log: Some("spec/logs/T1.log".to_owned()),
                review_log: Some("spec/logs/T1.log".to_owned()),
                report: Some("spec/reports/T1.json".to_owned()),
                ..StepFacts::default()
            };
            for (step, outcome) in [
                (Step::IMPLEMENT, Outcome::Pass),
                (Step::IMPLEMENT, Outcome::Fail),
                (Step::TEST, Outcome::Pass),
                (Step::TEST, Outcome::Fail),
                (Step::REVIEW, Outcome::Pass),
                (Step::REVIEW, Outcome::Fail),
                (Step::COMPLETE, Outcome::Pass),
                (Step::COMPLETE, Outcome::Fail),
                (Step::PHASE_COMPLETE, Outcome::Pass),
            ] {
                let mut draft = StepDraft::new(step, task, attempt, outcome);
                draft.facts = facts.clone();
                draft = draft.done_by(&work);
                draft.quotes.push(Quote::runner(&output));
                let text = draft.message(str::to_owned, &SubjectForm::default()).text;
                prop_assert_eq!(first_error(text.as_bytes()), None, "{}", text);
            }
        }
    }
}

proptest::proptest! {
    #[test]
    fn the_check_and_the_run_agree_on_the_role_of_a_commit(pieces in proptest::collection::vec(0..KIND_PIECES.len(), 0..9)) {
        let message = pieces.iter().map(|&piece| KIND_PIECES[piece]).collect::<Vec<_>>().concat();
        let report = check(&MessageDraft::stored(message.as_bytes()), &Policy::default());
        proptest::prop_assert_eq!(report.kind, crate::record::commit_kind(message.as_bytes()));
    }
}

const KIND_PIECES: [&str; 14] = [
    "task(T1): x\n",
    "phase(p): complete\n",
    "task(..): x\n",
    "fixup! task(T1): x\n",
    "\n",
    "\n",
    "Arborist-Step: test\n",
    "arborist-step: complete\n",
    "Arborist-Step: phase-complete\n",
    "Arborist-Step: else\n",
    "Arborist-Test: pass\n",
    "Arborist-Retry: 2\n",
    " folded\n",
    "prose\n",
];
