//! Tests that everything that lists record is read as it was written, whatever is in it.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use proptest::prelude::*;

use super::*;
use crate::record::{
    Attempt, AwaitedChange, Block, Check, CommitId, Finding, NumberedList, Outcome, Severity, Step,
    StepMessage, SubjectForm, TaskId, TaskRef, TrailerKey, Work, adopted_base, merged_commit,
    not_merged_onto, trailers, was_not_merged, why_not_merged,
};

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

fn forms() -> [SubjectForm; 2] {
    [SubjectForm::default(), SubjectForm::parse("chore({id}): {summary}").unwrap()]
}

/// A message of each step that `with` completes, in each form, below which another program has printed the same lists.
fn messages(with: impl Fn(StepMessage) -> StepMessage) -> Vec<Vec<u8>> {
    let id = TaskId::parse("T1").unwrap();
    let attempt = Attempt::new(0, NonZeroU32::new(5).unwrap());
    let task = TaskRef { id: &id, name: "x" };
    let lists: Vec<String> = List::ALL.iter().map(|list| format!("{}\n- forged", list.heading())).collect();
    let printed = lists.join("\n\n") + "\n\nerror[protect]: forged:\n- forged\n\nObjections:\n7. forged";
    forms()
        .iter()
        .map(|form| {
            let work = Work { runner: "mine".to_owned(), ..Work::default() };
            let step = StepMessage::new(Step::IMPLEMENT, task, attempt, Outcome::Fail).with_work(&work);
            let step = with(step.with_sentence("A sentence.")).with_sentence("- another\nError[protect]: no");
            let message = step.with_block(&Block::of_runner(printed.clone().into_bytes())).in_form(form);
            let text = message.text();
            let read: Vec<(Vec<u8>, Vec<u8>)> =
                trailers(text.as_bytes()).into_iter().map(|read| (read.key, read.value)).collect();
            let meant: Vec<(Vec<u8>, Vec<u8>)> = message
                .trailers()
                .iter()
                .map(|(key, value)| (key.name().as_bytes().to_vec(), value.clone().into_bytes()))
                .collect();
            assert_eq!(read, meant, "no list changes what git reads:\n{text}");
            if *form != SubjectForm::default() {
                assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
            }
            text.into_bytes()
        })
        .collect()
}

/// Asserts that every list which `record` writes is read as it was written.
fn all_are_read_as_they_were_written(names: &[String]) {
    let set: BTreeSet<String> = names.iter().cloned().collect();
    for list in List::ALL {
        for message in messages(|step| step.listing(list, names)) {
            assert_eq!(list.recorded_in(&message), names, "{list:?}: {}", String::from_utf8_lossy(&message));
            assert!(List::ALL.iter().all(|other| *other == list || other.recorded_in(&message).is_empty()));
            assert_eq!(Finding::recorded_in(&message), []);
        }
    }
    let change = AwaitedChange { awaited: set.clone(), passed: set.clone(), still: set };
    for message in messages(|step| step.with_awaited(&change)) {
        assert_eq!(AwaitedChange::recorded_in(&message), change);
    }
    let words = names.join(", ");
    let findings = [
        Finding::new(Check::Protect, Severity::Error, &words)
            .at(names)
            .look(&words)
            .undo(&words)
            .allow(&words),
        Finding::new(Check::Counts, Severity::Warning, &words),
        Finding::new(Check::Flaky, Severity::Warning, "Look here: these").at(names),
    ];
    for message in messages(|step| findings.iter().fold(step, StepMessage::with_finding)) {
        assert_eq!(Finding::recorded_in(&message), findings, "{}", String::from_utf8_lossy(&message));
    }
    // These are remarks of one line each, cut where they are too long.
    let remark = |name: &String| crate::text::ellipsis(&one_line(name), 400);
    let numbered = names.iter().map(remark).zip(1..).map(|(text, number)| (number, text)).collect();
    for kind in [NumberedList::Objections, NumberedList::Remarks, NumberedList::Answers] {
        for message in messages(|step| step.with_list(kind, &numbered)) {
            assert_eq!(kind.recorded_in(&message), numbered);
        }
    }
}

#[test]
fn every_list_is_read_as_it_was_written() {
    let hundred = |names: [&str; 3]| names.map(|name| name.repeat(200)).to_vec();
    let names: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    all_are_read_as_they_were_written(&names);
    for name in &names {
        all_are_read_as_they_were_written(std::slice::from_ref(name));
    }
    all_are_read_as_they_were_written(&hundred(["x", "🌱", "a word, "]));
    all_are_read_as_they_were_written(&[String::new(), ".".to_owned()]);
    all_are_read_as_they_were_written(&(0..400).map(|number| format!("t, {number}")).collect::<Vec<_>>());
}

#[test]
fn single_values_are_read_as_they_were_written() {
    let id = |digit: &str| CommitId::from_hex(digit.repeat(40).as_bytes()).unwrap();
    let why = format!("`pytest -q {}` fails on the merged tree: exit status 1", "very ".repeat(30));
    for message in messages(|step| step.adopting(&[id("a"), id("b")], &id("c")).merging(&id("d"), &why)) {
        assert_eq!(adopted_base(&message), Some(id("c")));
        assert_eq!((merged_commit(&message), not_merged_onto(&message)), (Some(id("d")), Some(id("d"))));
        assert_eq!((was_not_merged(&message), why_not_merged(&message)), (false, Some(why.clone())));
    }
    for message in messages(|step| step.not_merged_into(&id("d"), &why)) {
        assert_eq!((merged_commit(&message), not_merged_onto(&message)), (None, Some(id("d"))));
        assert_eq!((was_not_merged(&message), why_not_merged(&message)), (true, Some(why.clone())));
    }
}

#[test]
fn words_of_others_are_never_read_as_a_list() {
    for list in List::ALL {
        let words = format!("{}\n- forged\nReview:\nerror[protect]: forged.", list.heading());
        for message in messages(|step| step.with_sentence(&words).listing(list, ["real"])) {
            assert_eq!(list.recorded_in(&message), ["real"]);
            assert_eq!(Finding::recorded_in(&message), []);
        }
    }
}

#[test]
fn a_masked_message_keeps_its_lists() {
    let secret = "s3\"cr\\et🌱";
    let mask = |text: &str| text.replace(secret, "***");
    let names = [format!("test[{secret}]"), secret.to_owned(), format!("a\nb {secret}")];
    let finding =
        |names: &[String]| Finding::new(Check::Flaky, Severity::Warning, &names[0]).at(names).look(&names[1]);
    let masked = names.clone().map(|name| mask(&name));
    for message in messages(|step| {
        let reason = format!("because of {secret}");
        step.listing(List::Failed, &names).with_finding(&finding(&names)).with_reason(&reason).masked(mask)
    }) {
        assert_eq!(List::Failed.recorded_in(&message), masked);
        assert_eq!(Finding::recorded_in(&message), [finding(&masked)]);
        let text = String::from_utf8(message).unwrap();
        assert!(text.contains("Arborist-Reason: because of ***\n"), "{text}");
        assert!(!text.contains("cr") || !text.contains("s3"), "{text}");
    }
    assert_eq!(TrailerKey::Reason.name(), "Arborist-Reason");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_tests_are_called_their_names_are_read_back(names in proptest::collection::vec(
        prop_oneof![".{0,40}", "[ -~]{0,220}", "(?s)[\\\\\"', \n\t:>#-]{0,12}", proptest::sample::select(&NAMES[..]).prop_map(str::to_owned)],
        1..6,
    )) {
        all_are_read_as_they_were_written(&names);
    }
}
