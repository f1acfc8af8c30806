//! Defines a problem of a tree file: one clear sentence, one remedy, and the line.

use crate::text::advice;
use std::fmt;

/// The advice if there is no plan at all.
pub(super) fn write_a_plan() -> String {
    format!(
        "The plan is a JSON file with the tasks: the README shows one, and {} makes a complete example.",
        advice::demo()
    )
}

/// One thing that is wrong or doubtful in a tree file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line in the file, from 1; `None` when it concerns the file as a whole.
    pub line: Option<usize>,
    /// The column in bytes, from 1; only if the JSON itself is broken.
    pub column: Option<usize>,
    /// What is wrong, as a clause without a full stop.
    pub what: String,
    /// What to do about it, in whole sentences.
    pub remedy: String,
}

impl Problem {
    /// A problem with a value, or with the file as a whole.
    pub(super) fn new(line: Option<usize>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line, column: None, what: what.into(), remedy: remedy.into() }
    }

    /// The problem as one line that begins with its place: `task-tree.json:14: ...`.
    pub fn in_file(&self, file: &str) -> String {
        format!("{}: {self}", self.place_in(file))
    }

    /// The place alone: `task-tree.json:14`.
    pub fn place_in(&self, file: &str) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
            (Some(line), None) => format!("{file}:{line}"),
            (None, _) => file.to_owned(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.what, self.remedy)
    }
}

/// How many problems of a file are listed. The others are counted.
const MOST_LISTED: usize = 1000;

/// A line for each problem of a file, up to a thousand of them, and one that counts the others.
pub fn in_file(problems: &[Problem], file: &str) -> Vec<String> {
    let listed = problems.iter().take(MOST_LISTED).map(|problem| problem.in_file(file));
    let more = problems.len().checked_sub(MOST_LISTED).filter(|more| *more > 0);
    listed.chain(more.map(|more| format!("{file}: and {more} more"))).collect()
}

/// How many characters of a text from the file a message repeats.
const MOST_SHOWN: usize = 64;

/// A text from the file in the form for messages: ids and file names as they are, anything else in quotes, escaped and
/// cut, so that no control characters and no long texts reach a terminal.
pub(super) fn shown(text: &str) -> String {
    let plain = !text.is_empty()
        && text.len() <= MOST_SHOWN
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    if plain {
        return text.to_owned();
    }
    let head: String = text.chars().take(MOST_SHOWN).collect();
    let rest = if head.len() < text.len() { "..." } else { "" };
    format!("{head:?}{rest}")
}

/// Two nodes with the same id, or with ids that some file systems and branches cannot tell apart; with the line of the first.
pub(super) fn same_ids(first: &str, second: &str, line: Option<u32>) -> String {
    let place = |words: &str| line.map(|line| format!("{words} {line}")).unwrap_or_default();
    let (first, second) = (shown(first), shown(second));
    if first == second {
        return format!("the id {first} stands twice{}", place(", also on line"));
    }
    format!("the ids {first} and {second} differ only in case{}", place(", the first is on line"))
}

/// How many ids of a cycle a message lists before it leaves out the middle.
const MOST_OF_A_CYCLE: usize = 24;

/// A cycle as text, the first id repeated at the end: `T001 → T004 → T001`.
pub(super) fn circle(ids: &[&str]) -> String {
    let mut parts: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    if ids.len() > MOST_OF_A_CYCLE {
        let (head, tail) = (MOST_OF_A_CYCLE / 2, MOST_OF_A_CYCLE / 4);
        let hidden = ids.len() - head - tail;
        parts.splice(head..ids.len() - tail, [format!("... {hidden} more ...")]);
    }
    parts.extend(ids.first().map(|id| (*id).to_owned()));
    parts.join(" → ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_quoted_escaped_and_cut() {
        assert_eq!(shown("T001"), "T001");
        assert_eq!(shown(""), "\"\"");
        assert_eq!(shown("a b"), "\"a b\"");
        assert_eq!(shown("a\u{1b}[31m\n"), "\"a\\u{1b}[31m\\n\"");
        assert_eq!(shown("\u{202e}x"), "\"\\u{202e}x\"");
        let long = shown(&"x".repeat(10_000));
        assert!(long.len() < 80 && long.ends_with("..."), "{long}");
    }

    #[test]
    fn a_long_cycle_keeps_its_ends() {
        assert_eq!(circle(&["T001", "T004"]), "T001 → T004 → T001");
        let ids: Vec<String> = (0..1000).map(|i| format!("T{i}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let text = circle(&ids);
        assert!(text.starts_with("T0 → T1 → "), "{text}");
        assert!(text.contains("T11 → ... 982 more ... → T994"), "{text}");
        assert!(text.ends_with("T999 → T0"), "{text}");
    }

    #[test]
    fn the_place_comes_first() {
        let mut problem = Problem { line: None, column: None, what: "it is".into(), remedy: "Do.".into() };
        assert_eq!(problem.in_file("t.json"), "t.json: it is. Do.");
        problem.line = Some(3);
        assert_eq!(problem.in_file("t.json"), "t.json:3: it is. Do.");
        problem.column = Some(9);
        assert_eq!(problem.in_file("t.json"), "t.json:3:9: it is. Do.");
    }
}
