//! Tests that a step that git would not read is an error, for any message.

use crate::check::random;

use git_arborist::check::{
    Editor, GitSettings, Level, MessageDraft, MessageReport, Policy, Prediction, check,
};
use git_arborist::record::{RawTrailer, Subject, trailers};

const BLOCK: &str = "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n";

fn predicted(file: &[u8], editor: Editor) -> (MessageReport, Vec<u8>) {
    let prediction = Prediction::of(file, editor, &GitSettings::default());
    let draft = MessageDraft::predicted(file, &prediction);
    (check(&draft, &Policy::default()), draft.text().to_vec())
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
    "%S\r\n\r\nArborist-Step: implement\r\n\r\nArborist-Result: pass\r\nArborist-Retry: 0\r\n",
];

#[test]
fn every_mistake_that_silently_loses_state_is_an_error() {
    for form in MISTAKES {
        let message = form.replacen("%S", "task(T1): implement \"x\"", 1).replacen("%B", BLOCK, 1);
        let (report, _) = predicted(message.as_bytes(), Editor::NotUsed);
        assert!(report.count(Level::Error) > 0, "{message}");
    }
}

#[test]
fn trailers_below_the_scissors_of_the_template_are_named() {
    let template = "# ------------------------ >8 ------------------------\n# Do not modify or remove the line above.\n\
                    # Everything below it will be ignored.\ndiff --git a/x b/x\n";
    let file = format!("task(T1): x\n\n{template}{BLOCK}");
    let (report, _) = predicted(file.as_bytes(), Editor::Used);
    assert_eq!(report.findings[0].span.line, 7);
    assert_eq!(report.findings[0].labels[0].span.line, 3);
}

#[test]
fn a_lost_step_is_an_error_in_random_messages() {
    let mut found = 0;
    for file in (1..=4).flat_map(|seed| random::Messages::new(seed).take(400)) {
        for editor in [Editor::Used, Editor::NotUsed] {
            let (report, text) = predicted(&file, editor);
            found += usize::from(!report.findings.is_empty());
            assert!(!is_lost(&text) || report.count(Level::Error) > 0, "{}", file.escape_ascii());
        }
    }
    // If all messages were good, the test would prove little.
    assert!(found > 400, "{found}");
}

/// Whether the text contains a step of a task that git does not read.
fn is_lost(text: &[u8]) -> bool {
    let is_step = |trailer: &RawTrailer| trailer.key.eq_ignore_ascii_case(b"Arborist-Step");
    let written = text.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"Arborist-Step:"));
    matches!(Subject::of(text), Subject::Task(_)) && written && !trailers(text).iter().any(is_step)
}
