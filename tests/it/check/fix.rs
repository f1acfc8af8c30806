//! Tests the correction of messages: git reads the result as intended, for any message.
//!
//! The long form is `cargo test --release --test it -- check::fix --ignored`; `CHECK_SEED` chooses the messages.

use crate::check::random;
use crate::trailers::git;

use git_arborist::check::{Editor, GitSettings, Level, MessageDraft, Policy, Prediction, Rule, check, fix};
use git_arborist::record::{RawTrailer, Subject, trailers};

const BLOCK: [(&str, &str); 3] =
    [("Arborist-Step", "implement"), ("Arborist-Result", "pass"), ("Arborist-Retry", "0")];

fn prediction(file: &[u8]) -> Prediction {
    Prediction::of(file, Editor::NotUsed, &GitSettings::default())
}

fn mended(file: &[u8]) -> Option<Vec<u8>> {
    fix(file, &prediction(file), &Policy::default())
}

fn errors(file: &[u8]) -> usize {
    check(&MessageDraft::predicted(file, &prediction(file)), &Policy::default()).count(Level::Error)
}

/// Messages with one mistake each that loses state silently. %S is the subject, %B the block.
const MISTAKES: &[&str] = &[
    "%S\n\n%B\nCo-authored-by: Bot <bot@example.com>\n",
    "%S\n\n%B\nThanks to everybody.\n",
    "%S\n\n%B\nTwo paragraphs\nof words.\n\nAnd one more.\n",
    "%S\n\n%Bglued below\n",
    "%S\n\nbody\n%B",
    "%S\n%B",
    "%S\n%B\nSigned-off-by: A <a@example.com>\n",
    "%S\n\n```\n%B```\n",
    "%S\n\nbody\n\n```\ncode\n```\n%B",
    "%S\n\nArborist-Step: implement\n\nArborist-Result: pass\nArborist-Retry: 0\n",
    "%S\n\nArborist-Step: implement\n\nArborist-Result: pass\n\n\nArborist-Retry: 0\n\nSigned-off-by: A <a@b>\n",
    "%S\n\nArborist-Step: implement\nas said above\nArborist-Result: pass\nArborist-Retry: 0\n",
    "%S\n\nArborist-Step: implement\nas said\nArborist-Result: pass\nArborist-Retry: 0\nSigned-off-by: A <a@b>\n",
    "%S\n\nArborist-Step: implement\n```\nArborist-Result: pass\n```\nArborist-Retry: 0\n",
    "%S\n\n- Arborist-Step: implement\n- Arborist-Result: pass\n- Arborist-Retry: 0\n",
    "%S\n\n* **Arborist-Step:** implement\n* **Arborist-Result:** pass\n* **Arborist-Retry:** 0\n",
    "%S\n\n`Arborist-Step: implement`\n`Arborist-Result: pass`\n`Arborist-Retry: 0`\n",
    "%S\n\n  Arborist-Step: implement\n  Arborist-Result: pass\n  Arborist-Retry: 0\n",
    "%S\n\n\tArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n",
    "%S\n\nbody\n# ------------------------ >8 ------------------------\nmore\n\n%B",
    "%S\n\narborist-step: implement\nARBORIST-RESULT: Pass\nArborist_Retry: 0\n",
    "%S\n\n\u{410}rborist-Step: implement\nArborist-Result: pass\u{a0}\nArborist\u{2011}Retry: 0\n",
    "%S\n\nArborist-Step:\n implement\nArborist-Result: pass\nArborist-Result: pass\nArborist-Retry: 0\n",
    "%S\r\n\r\nArborist-Step: implement\r\n\r\nArborist-Result: pass\r\nArborist-Retry: 0\r\n",
];

fn mistakes() -> Vec<String> {
    let block: String = BLOCK.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
    MISTAKES
        .iter()
        .map(|form| form.replacen("%S", "task(T1): implement \"x\"", 1).replacen("%B", &block, 1))
        .collect()
}

#[test]
fn every_mistake_that_silently_loses_state_is_corrected_so_that_git_reads_the_trailers() {
    let mut fixed = Vec::new();
    for message in mistakes() {
        assert!(errors(message.as_bytes()) > 0, "{message}");
        let mended = mended(message.as_bytes()).unwrap_or_else(|| panic!("not mended: {message}"));
        let shown = String::from_utf8_lossy(&mended).into_owned();
        assert_eq!(errors(&mended), 0, "{message}\n-----\n{shown}");
        fixed.push(mended);
    }
    for (message, read) in fixed.iter().zip(git::trailers(&fixed)) {
        let ours: Vec<_> = read.iter().filter(|trailer| trailer.key.starts_with(b"Arborist-")).collect();
        let pairs: Vec<_> = ours.iter().map(|trailer| (&*trailer.key, &*trailer.value)).collect();
        let meant = BLOCK.map(|(key, value)| (key.as_bytes(), value.as_bytes()));
        assert_eq!(pairs, meant, "{}", String::from_utf8_lossy(message));
    }
}

#[test]
fn fix_loses_no_word_of_the_body() {
    for message in mistakes() {
        let mended = String::from_utf8(mended(message.as_bytes()).unwrap()).unwrap();
        let words = |text: &str| {
            let mut words: Vec<_> =
                text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
            words.retain(|word| !word.is_empty() && !word.contains("rborist"));
            words.sort_unstable();
            words.dedup();
            words
        };
        assert_eq!(words(&mended), words(&message), "{message}\n-----\n{mended}");
    }
}

#[test]
fn text_below_the_message_is_left_alone() {
    let template = "\n# Please enter the commit message for your changes.\n#\n# On branch main\n\
                    # ------------------------ >8 ------------------------\n# Do not modify or remove the line above.\n\
                    # Everything below it will be ignored.\ndiff --git a/x b/x\n+ Arborist-Step: x\n  \n";
    let file = format!(
        "task(T1): x\n\nArborist-Step: implement\n\nArborist-Result: Pass\nArborist-Retry: 0\n{template}"
    );
    let prediction = Prediction::of(file.as_bytes(), Editor::Used, &GitSettings::default());
    let mended = fix(file.as_bytes(), &prediction, &Policy::default()).unwrap();
    let expected = format!(
        "task(T1): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n{template}"
    );
    assert_eq!(String::from_utf8(mended).unwrap(), expected);
}

#[test]
fn trailers_below_the_scissors_of_the_template_move_above_it() {
    let template = "# ------------------------ >8 ------------------------\n# Do not modify or remove the line above.\n\
                    # Everything below it will be ignored.\ndiff --git a/x b/x\n";
    let block = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n";
    let file = format!("task(T1): x\n\n{template}{block}");
    let prediction = Prediction::of(file.as_bytes(), Editor::Used, &GitSettings::default());
    let report = check(&MessageDraft::predicted(file.as_bytes(), &prediction), &Policy::default());
    assert_eq!(report.findings[0].span.line, 7);
    assert_eq!(report.findings[0].labels[0].span.line, 3);
    let mended = fix(file.as_bytes(), &prediction, &Policy::default()).unwrap();
    assert_eq!(String::from_utf8(mended).unwrap(), format!("task(T1): x\n\n{block}\n{template}"));
}

#[test]
fn fix_invents_nothing_and_leaves_good_messages_alone() {
    let untouched = [
        "task(T1): x\n\nArborist-Step: implement\nArborist-Result: maybe\nArborist-Retry: 0\n",
        "task(T1): x\n\nArborist-Result: pass\n",
        "task(T1): x\n\nno trailers\n",
        "task(T1): x\n\nArborist-Step: test\nArborist-Step: review\n",
        "An ordinary message\n\n- Arborist-Step: is a key\n\nArborist-Step: implement\nglued\n",
        "task(T1): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0",
    ];
    for message in untouched {
        assert_eq!(mended(message.as_bytes()), None, "{message}");
    }
}

/// Subjects that name no task only because of blanks or capitals, as they are written and as they are meant.
const SLIPS: &[(&str, &str)] = &[
    (" task(T1): x", "task(T1): x"),
    ("\t  task(T1): x", "task(T1): x"),
    ("\u{a0}task(T1): x", "task(T1): x"),
    ("task(T1):x", "task(T1): x"),
    ("task(T1):  x", "task(T1): x"),
    ("task(T1):\tx", "task(T1): x"),
    ("Task(T1): x", "task(T1): x"),
    ("TASK(T1): X", "task(T1): X"),
    ("task (T1): x", "task(T1): x"),
    ("  Task (T1):x  y (z): a", "task(T1): x  y (z): a"),
    ("task(main@T1@test-fail):x", "task(main@T1@test-fail): x"),
    (" task(T1):\nx", "task(T1):\nx"),
    ("\n\n Task(T1): x\nmore of it", "\n\ntask(T1): x\nmore of it"),
    ("Task(T1): na\u{ef}ve \u{2713}", "task(T1): na\u{ef}ve \u{2713}"),
];

/// Subjects that are ambiguous or unclear.
const LEFT: &[&str] = &[
    "task(): x",
    "task(T1)",
    "task(T1):",
    "task(T1) x",
    "task(T1) : x",
    "task(T1):: x",
    "task(T1 x",
    "task: x",
    "task(a b): x",
    " task(a b): x",
    "Task(../T1): x",
    "Task( T1 ): x",
    "tasks(T1): x",
    "Tasks(T1): x",
    "Phase(p1): complete",
    " phase(p1):x",
    "fixup! Task(T1): x",
    "Revert \" task(T1): x\"",
    "Merge Task(T1): x",
    "An ordinary change",
    "task\n(T1): x",
];

#[test]
fn only_a_subject_with_one_possible_meaning_is_corrected() {
    let block: String = BLOCK.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
    let with = |subject: &str| format!("{subject}\n\nwords  of the body\n\n{block}");
    for (written, meant) in SLIPS {
        let once = mended(with(written).as_bytes()).unwrap_or_else(|| panic!("not mended: {written:?}"));
        assert_eq!(String::from_utf8(once.clone()).unwrap(), with(meant), "{written:?}");
        assert_eq!(mended(&once), None, "{written:?}");
        assert_eq!(errors(&once), 0, "{written:?}");
        assert!(errors(with(written).as_bytes()) > 0, "{written:?}");
        // Without trailers it is unclear whether a task is meant, and other trailers do not help.
        for other in [format!("{written}\n"), format!("{written}\n\nSigned-off-by: A <a@example.com>\n")] {
            assert_eq!(mended(other.as_bytes()), None, "{other:?}");
        }
    }
    for subject in LEFT {
        assert_eq!(mended(with(subject).as_bytes()), None, "{subject:?}");
    }
}

#[test]
fn the_subject_of_a_phase_is_corrected_if_the_step_belongs_to_a_phase() {
    let block = "Arborist-Step: phase-complete\nArborist-Result: pass\n";
    let with = |subject: &str| format!("{subject}\n\n{block}").into_bytes();
    for slip in [" phase(p1): complete", "Phase(p1): complete", "phase (p1):complete"] {
        assert_eq!(mended(&with(slip)), Some(with("phase(p1): complete")), "{slip}");
    }
    assert_eq!(mended(&with("Task(T1): complete")), None);
}

#[test]
fn a_subject_is_corrected_with_the_rest_unless_its_rule_is_off() {
    let message =
        "Task(T1):x\r\n\r\nArborist-Step: implement\r\n\r\nArborist-Result: Pass\r\nArborist-Retry: 0\r\n";
    let expected = "task(T1): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n";
    let once = String::from_utf8(mended(message.as_bytes()).unwrap()).unwrap();
    assert_eq!(once.replace('\r', ""), expected);
    let message = "Task(T1): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n";
    let off = Policy::default().with_level(Rule::BadSubject, Level::Off);
    assert_eq!(fix(message.as_bytes(), &prediction(message.as_bytes()), &off), None);
    let bytes = [b"Task(T1): \xff\n", &message.as_bytes()[12..]].concat();
    assert_eq!(mended(&bytes).unwrap(), [b"task(T1): \xff\n", &message.as_bytes()[12..]].concat());
}

#[test]
fn random_messages_do_not_panic_and_fixing_twice_is_fixing_once() {
    std::thread::scope(|scope| {
        for seed in 1..=4 {
            scope.spawn(move || try_random(seed, 400));
        }
    });
}

#[test]
#[ignore = "takes a minute; for changes of the checks"]
fn very_many_random_messages_do_not_panic_and_fixing_twice_is_fixing_once() {
    let seed = std::env::var("CHECK_SEED").map_or(7, |text| text.parse().unwrap());
    try_random(seed, 200_000);
}

fn try_random(seed: u64, count: usize) {
    let (mut found, mut fixed) = (0, 0);
    for file in random::Messages::new(seed).take(count) {
        for editor in [Editor::Used, Editor::NotUsed] {
            let prediction = Prediction::of(&file, editor, &GitSettings::default());
            let report = check(&MessageDraft::predicted(&file, &prediction), &Policy::default());
            found += usize::from(!report.findings.is_empty());
            let draft = MessageDraft::predicted(&file, &prediction);
            if is_lost(draft.text()) {
                assert!(report.count(Level::Error) > 0, "{}", file.escape_ascii());
            }
            let Some(once) = fix(&file, &prediction, &Policy::default()) else { continue };
            fixed += 1;
            assert_eq!(fix(&once, &prediction, &Policy::default()), None, "{}", file.escape_ascii());
        }
    }
    // If all messages were good, or all hopeless, the test would prove little.
    assert!(found > count / 4 && fixed > count / 10, "{found} and {fixed} of {count}");
}

/// Whether the text contains a step of a task that git does not read.
fn is_lost(text: &[u8]) -> bool {
    let is_step = |trailer: &RawTrailer| trailer.key.eq_ignore_ascii_case(b"Arborist-Step");
    let written = text.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"Arborist-Step:"));
    matches!(Subject::of(text), Subject::Task(_)) && written && !trailers(text).iter().any(is_step)
}
