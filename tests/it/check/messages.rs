//! Tests messages that must pass without errors: the examples with which the format was defined. Also runs the checks
//! on the corpus of the trailer parser, which may have many findings but must not make them panic.

use crate::trailers::corpus;

use git_arborist::check::{
    Editor, GitSettings, Level, MessageDraft, MessageReport, Policy, Prediction, check,
};

fn predicted(file: &[u8], editor: Editor) -> MessageReport {
    let prediction = Prediction::of(file, editor, &GitSettings::default());
    check(&MessageDraft::predicted(file, &prediction), &Policy::default())
}

#[test]
fn every_example_of_the_format_passes_without_an_error() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/seed_messages");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let message = std::fs::read(entry.unwrap().path()).unwrap();
        for report in [
            check(&MessageDraft::stored(&message), &Policy::default()),
            predicted(&message, Editor::Used),
            predicted(&message, Editor::NotUsed),
        ] {
            assert_eq!(report.count(Level::Error), 0, "{}\n{report:?}", String::from_utf8_lossy(&message));
        }
        seen += 1;
    }
    assert_eq!(seen, 14);
}

#[test]
fn trailers_that_git_does_not_see_are_always_an_error_under_a_subject_of_ours() {
    for case in corpus::cases() {
        let report = check(&MessageDraft::stored(&case.message), &Policy::default());
        let step = case.expected.iter().any(|trailer| trailer.key.eq_ignore_ascii_case(b"Arborist-Step"));
        let written =
            case.message.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"Arborist-Step:"));
        if case.message.starts_with(b"task(") && written && !step {
            assert!(report.count(Level::Error) > 0, "{}: {}", case.name, case.message.escape_ascii());
        }
    }
}
