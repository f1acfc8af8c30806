//! Tests that the time of a check is proportional to the length of a message with any content, because anybody who may
//! push can send one.

use git_arborist::check::{
    Checked, Editor, GitSettings, Level, MessageDraft, Policy, Prediction, Rule, check,
};
use git_arborist::report::{FindingFormat, Paint, findings, findings_json};

use crate::support::growth::assert_linear;

/// How many lines the shorter message has.
const LINES: usize = 150;

/// A name, and what makes a message with so many lines.
type Shape = (&'static str, fn(usize) -> String);

/// Messages of about `n` lines with as many findings as possible, or with a long search for something.
const SHAPES: &[Shape] = &[
    ("one key many times", |n| subject("human", &"Arborist-Step: test\n".repeat(n))),
    ("one key, other values", |n| subject("task(T1): x", &each(n, |i| format!("Arborist-Retry: {i}\n")))),
    ("unknown keys", |n| subject("task(T1): x", &each(n, |i| format!("Arborist-Retri{i}: 1\n")))),
    ("one long value, then many short ones", |n| {
        let long = "x".repeat(10 * n);
        subject("task(T1): x", &format!("Arborist-Step: {long}\n{}", "Arborist-Step: y\n".repeat(n)))
    }),
    ("paths", |n| subject("task(T1): x", &each(n, |i| format!("Arborist-Report: a/{i}\n")))),
    ("folded values", |n| subject("task(T1): x", &"Arborist-Retry:\n 0\n".repeat(n / 2))),
    ("blank lines between trailers", |n| subject("task(T1): x", &"Arborist-Step: test\n\n".repeat(n / 2))),
    ("prose between trailers", |n| subject("task(T1): x", &"Arborist-Step: test\nprose\n".repeat(n / 2))),
    ("disguised trailers", |n| subject("task(T1): x", &"- **Arborist-Step**: test\n".repeat(n))),
    ("code blocks", |n| subject("task(T1): x", &"```\nArborist-Step: test\n".repeat(n / 2))),
    ("a paragraph below the block", |n| {
        let below = "Signed-off-by: A <a@b>\n".repeat(n / 2);
        subject("task(T1): x", &format!("{}\n{below}", "Arborist-Step: test\n".repeat(n / 2)))
    }),
    ("two halves", |n| {
        let half = "Arborist-Retry: 0\n".repeat(n / 2);
        subject("task(T1): x", &format!("{half}\n{half}Arborist-Step: test\n"))
    }),
    ("blank lines before the subject", |n| {
        let body = "Arborist-Retry: 0\n".repeat(n / 4);
        format!("{}task(T1): x\n\n{body}\n{body}\nend\n", "\n".repeat(n / 2))
    }),
    ("a long subject", |n| subject(&format!("task({}): x", "T".repeat(20 * n)), "Arborist-Step: test\n")),
    ("a long word for a step", |n| {
        subject("task(T1): x", &format!("Arborist-Step: {}\n", "t".repeat(20 * n)))
    }),
    ("scissors", |n| {
        let scissors = "# ------------------------ >8 ------------------------\n";
        subject("task(T1): x", &format!("Arborist-Step: test\n{}", scissors.repeat(n)))
    }),
];

fn subject(subject: &str, body: &str) -> String {
    format!("{subject}\n\n{body}")
}

fn each(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

/// Checks a message in every way, and prints the findings in every format.
fn work(message: &str) {
    let policy = Policy::default();
    let stored = check(&MessageDraft::stored(message.as_bytes()), &policy);
    let prediction = Prediction::of(message.as_bytes(), Editor::Used, &GitSettings::default());
    let edited = check(&MessageDraft::predicted(message.as_bytes(), &prediction), &policy);
    for report in [stored, edited] {
        let checked =
            [Checked { name: "m".to_owned(), subject: None, text: message.as_bytes().to_vec(), report }];
        for format in [FindingFormat::Human, FindingFormat::Short, FindingFormat::Github] {
            std::hint::black_box(findings(format, Paint::Plain, &checked));
        }
        std::hint::black_box(findings_json(&checked, None));
    }
}

#[test]
fn the_work_of_a_check_grows_with_the_length_of_the_message_and_not_with_its_square() {
    for (name, shape) in SHAPES {
        assert_linear(name, LINES, shape, |message| work(message));
    }
}

#[test]
fn only_some_of_many_findings_in_a_message_are_kept_but_all_are_counted() {
    for n in [50, 2_000] {
        let message = subject("task(T1): x", &each(n, |i| format!("Arborist-Retri{i}: 1\nRetry: 1\n")));
        let report = check(&MessageDraft::stored(message.as_bytes()), &Policy::default());
        assert!(report.findings.len() <= 200, "{}", report.findings.len());
        // And one more: no line of them says what step this is.
        assert_eq!(report.count(Level::Error), n + 1, "{:?}", report.findings[0]);
    }
    let keys = each(5000, |i| format!("Arborist-Retri{i}: 1\n"));
    let message = subject("task(T1): x", &format!("{keys}Arborist-Step: no-such-step\n"));
    let policy = Policy::default().with_level(Rule::UnknownKey, Level::Warning);
    let report = check(&MessageDraft::stored(message.as_bytes()), &policy);
    let errors: Vec<&str> =
        report.findings.iter().filter(|f| f.level == Level::Error).map(|f| f.rule.id()).collect();
    assert_eq!(errors, ["A012"], "an error is not lost among warnings");
}
