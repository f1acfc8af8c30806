//! Reads the answer of an agent that writes tests or code: the last line of its final message, and nothing above it.

use crate::text::clean;

/// What the last line says, as the prompts of agents ask for it.
pub(crate) const BLOCKED: &str = "BLOCKED";
/// The same for tests that were written before.
pub(super) const TESTS_WRONG: &str = "TESTS WRONG";
/// The line with which an agent must end if nothing is left to do.
pub(crate) const NOTHING_LEFT: &str = "NOTHING LEFT TO DO";
/// The line above the answers to the objections of the last review.
pub(super) const ANSWERS: &str = "ANSWERS";
/// The line above what an agent leaves for later tasks.
pub(super) const NOTES: &str = "NOTES";
/// The word that says that the change is made.
const DONE: &str = "DONE";
/// What some agents write after a label although there is nothing to say.
const NO_REASONS: [&str; 6] = ["", "no", "none", "nothing", "n/a", "-"];

/// What an agent answers at the end of its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerAnswer {
    /// The change is made, or was there already.
    Done,
    /// It says that it is blocked, but not by what.
    Unclear,
    /// It cannot go on without a person.
    Blocked(Asked),
    /// The tests that were written before are wrong.
    TestsWrong(Asked),
}

/// What an agent asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What follows the label in the last line.
    pub reason: String,
    /// The paragraph above the last line and the reason.
    pub text: String,
}

/// The answer in the text that an agent printed.
#[must_use]
pub fn worker_answer(said: &[u8]) -> WorkerAnswer {
    let said = clean(said);
    let lines: Vec<&str> = said.lines().collect();
    let Some(last) = lines.iter().rposition(|line| !line.trim().is_empty()) else {
        return WorkerAnswer::Done;
    };
    let (above, line) = (&lines[..last], bare(lines[last]));
    let asked = |reason: &str| Asked { reason: reason.to_owned(), text: text(above, reason) };
    match (reason_behind(line, BLOCKED), reason_behind(line, TESTS_WRONG)) {
        (Some(reason), _) | (_, Some(reason)) if is_none(reason) => WorkerAnswer::Unclear,
        (Some(reason), _) => WorkerAnswer::Blocked(asked(reason)),
        (_, Some(reason)) => WorkerAnswer::TestsWrong(asked(reason)),
        (None, None) => WorkerAnswer::Done,
    }
}

/// A line without the Markdown around it.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let code = line.strip_prefix('`').and_then(|line| line.strip_suffix('`'));
    code.unwrap_or(line).trim_start_matches(['*', '_', '#', ' ']).trim_end()
}

/// What follows a label; empty if nothing does.
fn reason_behind<'l>(line: &'l str, label: &str) -> Option<&'l str> {
    let rest = line.strip_prefix(label)?.trim_start_matches(['*', '_']).trim_end_matches(['*', '_']);
    if rest.is_empty() || rest == "." {
        return Some("");
    }
    Some(rest.strip_prefix(':')?.trim_matches(['*', '_', ' ']))
}

fn is_none(reason: &str) -> bool {
    let plain = reason.trim_end_matches('.').to_ascii_lowercase();
    NO_REASONS.contains(&plain.as_str())
}

/// The paragraph above the answer, unless it is a note for later tasks, and the reason below it.
fn text(above: &[&str], reason: &str) -> String {
    let notes = above.iter().rposition(|line| is_heading(line, NOTES));
    let above = &above[..notes.unwrap_or(above.len())];
    let is_text = |line: &&&str| !line.trim().is_empty();
    let lines = above.iter().rev().skip_while(|line| !is_text(line)).take_while(is_text);
    let mut paragraph: Vec<&str> = lines.copied().collect();
    paragraph.reverse();
    match paragraph.join("\n").trim() {
        "" => reason.to_owned(),
        paragraph => format!("{paragraph}\n\n{reason}"),
    }
}

/// What an agent leaves for later tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftNotes {
    /// Its notes; empty if there are none.
    pub notes: String,
    /// Everything else that it said.
    pub rest: Vec<u8>,
}

/// Takes the notes for later tasks out of what an agent said: what follows the last line NOTES, up to its answers to
/// objections or to its answer in the last line.
#[must_use]
pub fn noted(said: &[u8]) -> LeftNotes {
    let text = clean(said);
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = lines.iter().rposition(|line| is_heading(line, NOTES)) else {
        return LeftNotes { notes: String::new(), rest: said.to_vec() };
    };
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).unwrap_or(at);
    let ends = lines[at + 1..].iter().position(|line| is_heading(line, ANSWERS)).map(|end| at + 1 + end);
    let end = ends.unwrap_or(if last > at && is_answer(lines[last]) { last } else { lines.len() });
    let rest: Vec<&str> = lines[..at].iter().chain(&lines[end..]).copied().collect();
    LeftNotes { notes: lines[at + 1..end].join("\n").trim().to_owned(), rest: rest.join("\n").into_bytes() }
}

/// Whether a line says how the work has ended.
fn is_answer(line: &str) -> bool {
    let line = bare(line);
    let word = line.trim_end_matches(['*', '_', '.', '!']);
    word == DONE
        || word == NOTHING_LEFT
        || [BLOCKED, TESTS_WRONG].iter().any(|label| reason_behind(line, label).is_some())
}

/// Whether a line is this heading and nothing else.
pub(super) fn is_heading(line: &str, heading: &str) -> bool {
    bare(line).trim_end_matches(['*', '_', ':']) == heading
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(said: &str) -> String {
        match worker_answer(said.as_bytes()) {
            WorkerAnswer::Done => "done".to_owned(),
            WorkerAnswer::Unclear => "unclear".to_owned(),
            WorkerAnswer::Blocked(asked) => format!("blocked {}", asked.reason),
            WorkerAnswer::TestsWrong(asked) => format!("wrong {}", asked.reason),
        }
    }

    #[test]
    fn only_the_last_line_is_the_answer() {
        for (said, expected) in [
            ("I did it.\nDONE\n", "done"),
            ("", "done"),
            ("BLOCKED: which date?", "blocked which date?"),
            ("I looked.\n\n**BLOCKED:** which date?\n\n", "blocked which date?"),
            ("**BLOCKED: which date?**", "blocked which date?"),
            ("`BLOCKED: which date?`", "blocked which date?"),
            ("## BLOCKED: which date?", "blocked which date?"),
            ("BLOCKED: which date?\n\nI chose the first one.\nDONE", "done"),
            ("BLOCKED: which date?\nDONE", "done"),
            ("I was BLOCKED: which date?", "done"),
            ("> BLOCKED: which date?", "done"),
            ("Blocked: nothing", "done"),
            ("BLOCKED", "unclear"),
            ("BLOCKED:", "unclear"),
            ("**BLOCKED:**", "unclear"),
            ("BLOCKED: none.", "unclear"),
            ("UNBLOCKED: yes", "done"),
            ("BLOCKED by the weather", "done"),
            ("TESTS WRONG: test_a wants 5", "wrong test_a wants 5"),
            ("TESTS WRONG", "unclear"),
            ("TESTS WRONG: why\nDONE", "done"),
        ] {
            assert_eq!(told(said), expected, "{said}");
        }
    }

    #[test]
    fn the_paragraph_above_belongs_to_the_question_but_notes_do_not() {
        for (said, expected) in [
            (
                "Long story.\n\nThe plan says A.\nThe test says B.\n\nBLOCKED: A or B?",
                "The plan says A.\nThe test says B.\n\nA or B?",
            ),
            ("The plan says A.\nBLOCKED: A or B?", "The plan says A.\n\nA or B?"),
            ("Two dates.\n\nNOTES\nThe parser is in a.py.\n\nBLOCKED: A or B?", "Two dates.\n\nA or B?"),
            ("NOTES\nThe parser is in a.py.\n\nBLOCKED: A or B?", "A or B?"),
        ] {
            let WorkerAnswer::Blocked(asked) = worker_answer(said.as_bytes()) else { panic!("{said}") };
            assert_eq!(asked.text, expected, "{said}");
        }
    }

    #[test]
    fn notes_for_later_tasks_are_taken_out_of_what_an_agent_said() {
        for (said, notes, rest) in [
            ("I did it.", "", "I did it."),
            (
                "I did it.\n\nNOTES\nUse a.py.\n\nNot b.py.\n\nDONE",
                "Use a.py.\n\nNot b.py.",
                "I did it.\n\nDONE",
            ),
            ("**NOTES:**\nUse a.py.", "Use a.py.", ""),
            ("## NOTES\nUse a.py.\nNOTHING LEFT TO DO\n", "Use a.py.", "NOTHING LEFT TO DO"),
            ("NOTES\nUse a.py.\nBLOCKED: by what?", "Use a.py.", "BLOCKED: by what?"),
            ("ANSWERS\n1. Done.\nNOTES\nUse a.py.", "Use a.py.", "ANSWERS\n1. Done."),
            ("NOTES\nUse a.py.\nANSWERS\n1. Done.", "Use a.py.", "ANSWERS\n1. Done."),
            ("NOTES\nold\nNOTES\nnew", "new", "NOTES\nold"),
            ("NOTES\n\nDONE", "", "DONE"),
            ("NOTES", "", ""),
            ("My NOTES\nare here.", "", "My NOTES\nare here."),
        ] {
            let found = noted(said.as_bytes());
            assert_eq!((found.notes.as_str(), found.rest.as_slice()), (notes, rest.as_bytes()), "{said}");
        }
    }
}
