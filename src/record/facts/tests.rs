//! Tests that a message is read back as the same facts from which it was made, whatever is in it.

use std::num::NonZeroU32;

use proptest::prelude::*;

use super::*;
use crate::record::{
    Attempt, CommitKind, Cost, OriginKind, Outcome, Owner, ProofWord, Quote, QuoteKind, Severity, Step,
    StepDraft, SubjectForm, TaskId, TaskRef, Tokens, commit_kind, trailers,
};
use crate::text::ellipsis;

/// Names of tests as real frameworks print them, and names that look like what else is in a message.
const NAMES: [&str; 33] = [
    "tests/test_login.py::test_rejects[a - b]",
    "adds 1, 2",
    "a, b, and 3 more",
    "suite > name, with: a colon",
    "it says \"hello\"",
    "\"quoted\"",
    "`sh -c 'exit 1'`: exit status 1",
    "C:\\new\\table",
    "ends with a backslash\\",
    "ends with a blank ",
    " begins with one",
    "two  blanks",
    "two\nlines",
    "three\n\nparagraphs\n",
    "a\ttab",
    "carriage\rreturn",
    "größer als \u{202e}null\u{0} 🌱",
    "👩\u{200d}👩\u{200d}👧",
    "\u{1b}[31mred\u{1b}[0m",
    "-- >8 --",
    "# ------------------------ >8 ------------------------",
    "---",
    "Test (unit) stdout (last 1000 chars):",
    "Review:",
    "Arborist-Step: complete",
    "x\nArborist-Result: fail",
    "Signed-off-by: A <a@example.com>",
    "This reverts commit 0123456789012345678901234567890123456789.",
    "Awaited:",
    "- an item",
    "error[protect]: forged.",
    "1. first",
    "",
];

/// What other programs print to be taken for us.
fn forged() -> String {
    let lists: Vec<String> =
        List::ALL.iter().map(|list| format!("{}\n- forged\n1. forged", list.word())).collect();
    let statements = Statement::ALL.map(Statement::word).join("\n");
    lists.join("\n\n")
        + "\n\nerror[protect]: forged:\n- forged\n\nNotes:\nforged\n\nReview:\nforged\n\n"
        + &statements
}

fn id(digit: &str) -> CommitId {
    CommitId::from_hex(digit.repeat(40).as_bytes()).unwrap()
}

/// Everything that a message of this step can say.
fn facts_of(step: Step, outcome: Outcome, names: &[String]) -> StepFacts {
    let has = |key| step.uses(key).any(|used| used.when.covers(outcome));
    let words = names.join(", ");
    let line = Some(ellipsis(&one_line(&words), 80)).filter(|line| !line.is_empty());
    let remarks: Vec<String> = names.iter().map(|name| ellipsis(&one_line(name), 400)).collect();
    let all = names.to_vec();
    let set: BTreeSet<String> = names.iter().cloned().collect();
    let found = vec![
        Finding::new(Check::Protect, Severity::Error, &words)
            .at(names)
            .look(&words)
            .undo(&words)
            .allow(&words),
        Finding::new(Check::Counts, Severity::Warning, &words),
        Finding::new(Check::Flaky, Severity::Warning, "Look here: these").at(names),
    ];
    StepFacts {
        by: if has(TrailerKey::By) { By::User } else { By::Run },
        runner: line.clone().filter(|_| has(TrailerKey::Runner)),
        runner_time: has(TrailerKey::Duration).then(|| Duration::from_millis(12_345)),
        usage: match has(TrailerKey::Tokens) {
            true => Usage {
                tokens: Tokens { input: Some(1200), output: None, cached: Some(0) },
                cost: Cost::from_dollars(0.42),
            },
            false => Usage::default(),
        },
        test_type: has(TrailerKey::TestType).then(|| "unit".to_owned()),
        tests: has(TrailerKey::TestPassed).then_some(Counts { passed: 3, failed: 0, skipped: 1 }),
        test_time: has(TrailerKey::TestRuntime).then(|| Duration::from_millis(1500)),
        red: has(TrailerKey::Red).then_some(RedKind::Build),
        coverage: has(TrailerKey::Coverage).then(|| "lines=85.3 branches=82".to_owned()),
        changed_coverage: has(TrailerKey::DiffCoverage).then(|| "37/41".to_owned()),
        proof: has(TrailerKey::Proof)
            .then(|| ProofRecord::parse("clean=pass red=pass evidence=3 ran=4 took=8.4 is=proven").unwrap()),
        report: has(TrailerKey::Report).then(|| "spec/reports/a.json".to_owned()),
        test_log: has(TrailerKey::TestLog).then(|| "spec/logs/a.log".to_owned()),
        review_log: has(TrailerKey::ReviewLog).then(|| "spec/logs/b.log".to_owned()),
        range: has(TrailerKey::Range).then(|| (id("1"), id("2"))),
        rejects_tests: has(TrailerKey::Reject),
        findings: match has(TrailerKey::Findings) {
            true => vec!["protect".to_owned(), "counts".to_owned()],
            false => Vec::new(),
        },
        reason: line.filter(|_| has(TrailerKey::Reason)),
        plan: has(TrailerKey::Plan).then(|| "plans/a.json".to_owned()),
        from: if has(TrailerKey::From) { origins() } else { Vec::new() },
        claimant: has(TrailerKey::Claimant).then(|| "slurm:1.0@node".to_owned()),
        nonce: has(TrailerKey::Nonce).then(|| "0a1b".to_owned()),
        states: Statement::ALL.into_iter().collect(),
        found,
        not_covered: all.clone(),
        noticing: all.clone(),
        took_out: all.clone(),
        awaited: AwaitedChange { awaited: set.clone(), passed: set.clone(), still: set },
        failed: all.clone(),
        not_committed: all,
        merges: Some(id("a")),
        not_merged_into: Some(id("b")),
        not_merged: Some(one_line(&words)),
        own_commits: vec![id("c").to_string(), id("d").to_string()],
        committed_later: vec![id("e").to_string()],
        on_top_of: Some(id("f")),
        answers: remarks.iter().cloned().zip([2, 7, 30]).map(|(text, number)| (number, text)).collect(),
        objections: remarks.clone(),
        open_remarks: remarks,
        landed: false,
    }
}

/// A thread and a check of a request.
fn origins() -> Vec<Origin> {
    let origin = |kind, id: &str, at: &str| Origin { kind, id: id.to_owned(), at: at.to_owned() };
    vec![
        origin(OriginKind::Thread, "PRRT_kwDO", "2026-11-30T08:00:00Z"),
        origin(OriginKind::Check, "unit (ubuntu, 3.12) @ größer", "c0ffee"),
    ]
}

/// A step that says all this, and below it the words of others that look the same.
fn draft(step: Step, outcome: Outcome, facts: StepFacts) -> StepDraft {
    let task = TaskId::parse("T1").unwrap();
    let attempt = Attempt::new(0, NonZeroU32::new(5).unwrap());
    let draft = StepDraft::new(
        step,
        TaskRef { id: &task, name: "a \"name\"\n\nArborist-Step: note" },
        attempt,
        outcome,
    );
    let forged = forged();
    StepDraft {
        facts,
        notes: vec!["A sentence.".to_owned(), "- another\nError[protect]: no".to_owned(), forged.clone()],
        quotes: vec![
            Quote::test("unit", "stderr", forged.as_bytes()),
            Quote::test("unit", "stdout", b"ok"),
            Quote::notes(&forged),
            Quote::runner(forged.as_bytes()),
        ],
        ..draft
    }
}

/// Asserts that git reads exactly the trailers that are meant, and that everything else is read back as it was.
fn is_read_as_it_was_written(names: &[String]) {
    let conventional = SubjectForm::conventional();
    for step in Step::all() {
        for outcome in step.row().endings.iter().map(|ending| ending.outcome) {
            let draft = draft(step, outcome, facts_of(step, outcome, names));
            for form in [&SubjectForm::default(), &conventional] {
                let message = draft.message(str::to_owned, form);
                let text = message.text.as_bytes();
                assert_eq!(StepFacts::of(text), draft.facts, "{}", message.text);
                let kinds: Vec<QuoteKind> = Quote::all_in(text).iter().map(|quote| quote.kind).collect();
                assert_eq!(kinds, [QuoteKind::Test, QuoteKind::Test, QuoteKind::Notes, QuoteKind::Runner]);
                let read: Vec<(Vec<u8>, Vec<u8>)> =
                    trailers(text).into_iter().map(|read| (read.key, read.value)).collect();
                let meant = message.trailers.iter();
                let meant: Vec<(Vec<u8>, Vec<u8>)> =
                    meant.map(|(key, value)| (key.name().into(), value.clone().into())).collect();
                assert_eq!(read, meant, "{}", message.text);
                let record = match (commit_kind(text), step.row().owner) {
                    (CommitKind::Task(id, record), Owner::Task)
                    | (CommitKind::Phase(id, record), Owner::Phase) => {
                        assert_eq!(id, draft.task);
                        record
                    }
                    other => panic!("{other:?}: {}", message.text),
                };
                assert_eq!((record.step, record.by), (step, draft.facts.by));
                assert_eq!((record.outcome, record.rejects_tests), (outcome, draft.facts.rejects_tests));
                let is_proven = step == Step::COMPLETE && outcome == Outcome::Pass;
                assert_eq!(record.proof, is_proven.then_some(ProofWord::Proven));
                if *form == conventional {
                    assert!(message.text.lines().all(|line| line.chars().count() <= 102), "{}", message.text);
                }
            }
        }
    }
}

#[test]
fn a_message_is_read_as_the_facts_from_which_it_was_made() {
    let names: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    is_read_as_it_was_written(&names);
    for name in &names {
        is_read_as_it_was_written(std::slice::from_ref(name));
    }
    is_read_as_it_was_written(&["x", "🌱", "a word, "].map(|name| name.repeat(200)));
    is_read_as_it_was_written(&[String::new(), ".".to_owned()]);
    is_read_as_it_was_written(&(0..400).map(|number| format!("t, {number}")).collect::<Vec<_>>());
}

#[test]
fn a_step_that_says_nothing_has_no_facts() {
    for step in Step::all() {
        let draft = draft(step, step.row().endings[0].outcome, StepFacts::default());
        let message = draft.message(str::to_owned, &SubjectForm::default());
        assert_eq!(StepFacts::of(message.text.as_bytes()), StepFacts::default(), "{}", message.text);
    }
}

#[test]
fn secrets_are_masked_before_anything_is_cut_or_quoted() {
    let secret = "s3\"cr\\et🌱";
    let mask = |text: &str| text.replace(secret, "***");
    let names = [format!("test[{secret}]"), secret.to_owned(), format!("a\nb {secret}")];
    let facts = facts_of(Step::REVIEW, Outcome::Fail, &names);
    let mut draft = draft(Step::REVIEW, Outcome::Fail, facts);
    draft.name = format!("{}{secret}", "x".repeat(44));
    draft.quotes.push(Quote::runner(format!("{secret}{}", "y".repeat(1995)).as_bytes()));
    draft.notes.push(format!("Why: {secret}."));
    let message = draft.message(mask, &SubjectForm::default());
    assert_eq!(StepFacts::of(message.text.as_bytes()), draft.facts.masked(&mask));
    for part in ["s3", "cr", "et\u{1f331}"] {
        assert!(
            !message.text.replace("secret", "").contains(part) || part == "cr",
            "{part}: {}",
            message.text
        );
    }
    assert_eq!(draft.masked(mask).masked(mask), draft.masked(mask), "a kept step is masked again");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn whatever_tests_are_called_their_names_are_read_back(names in proptest::collection::vec(
        prop_oneof![".{0,40}", "[ -~]{0,220}", "(?s)[\\\\\"', \n\t:>#-]{0,12}", proptest::sample::select(&NAMES[..]).prop_map(str::to_owned)],
        1..6,
    )) {
        is_read_as_it_was_written(&names);
    }
}

#[test]
fn the_facts_of_a_step_are_read_and_missing_ones_are_none() {
    let message = b"task(T1): tests pass for \"x\"\n\nbody\n\nArborist-Step: test\nArborist-Test: pass\n\
        Arborist-Test-Log: spec/logs/a.log\nArborist-Test-Passed: 3\nArborist-Test-Passed: 9\n\
        Arborist-Test-Runtime: 1.5\nArborist-Tokens: in=1200 cached=900\nArborist-Cost: 0.0421\nArborist-Findings: empty-change of-others\n";
    let facts = StepFacts::of(message);
    assert_eq!(facts.tests, Some(Counts { passed: 3, failed: 0, skipped: 0 }));
    assert_eq!(facts.took(), Some(Duration::from_millis(1500)));
    assert_eq!(facts.worked(), Duration::from_millis(1500));
    let tokens = Tokens { input: Some(1200), output: None, cached: Some(900) };
    assert_eq!(facts.usage, Usage { tokens, cost: Cost::from_dollars(0.0421) });
    assert_eq!(facts.artifacts().collect::<Vec<_>>(), [(TrailerKey::TestLog, "spec/logs/a.log")]);
    assert_eq!(facts.findings, ["empty-change", "of-others"]);
    assert_eq!(facts.runner, None);
    assert_eq!(StepFacts::of(b"task(T1): x\n\nArborist-Duration: -1\n"), StepFacts::default());
}
