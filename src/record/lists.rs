//! Lists and values in the body of a message. Everything that a later step reads back from a body is written in this form and
//! read here: one item on each line, below a heading or in a line of its own.
//!
//! ```text
//! Awaited:
//! - tests/test_login.py::test_rejects_a_wrong_password
//! - "a name with \"\u0009\" or other characters that a message does not keep"
//! ```
//!
//! Where lines must be short, an item that is too long goes on in the next line: after four blanks in the place of one, or, if
//! it is quoted, after two blanks as a further string.
//!
//! Nothing here is read from the output of other programs, which comes below a label of its own ([`own_lines`]).

use serde::{Deserialize, Serialize};

use super::lines::own_lines;
use crate::text::{defuse, one_line};

/// A list that the body of a step records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// The tests of the task that fail, and that a later task has to make pass.
    Awaited,
    /// The tests that were awaited and pass now.
    NoLongerAwaited,
    /// The tests that fail and were awaited before this task.
    StillAwaited,
    /// The tests that fail without the change of the task and pass with it.
    FailingWithout,
    /// The tests that passed before the task and are gone.
    TookOut,
    /// Why the step has failed, as clauses; of tests, the commands, each with its status.
    Failed,
    /// The files that kept the step from being committed as a whole.
    NotCommitted,
    /// The changed lines that no test runs.
    NotCovered,
    /// The commits that a runner has made itself.
    OwnCommits,
    /// The commits in which somebody committed files of the step after it had ended.
    CommittedLater,
    /// The commit on top of which the commits of [`Self::OwnCommits`] or [`Self::CommittedLater`] were made.
    OnTopOf,
    /// The commit of the branch of the run that the step merges.
    Merges,
    /// The commit of the branch of the run into which the finished task could not be merged.
    NotMergedInto,
    /// Why the finished task could not be merged.
    WhyNotMerged,
}

impl List {
    /// All lists.
    pub(super) const ALL: [Self; 14] = [
        Self::Awaited,
        Self::NoLongerAwaited,
        Self::StillAwaited,
        Self::FailingWithout,
        Self::TookOut,
        Self::Failed,
        Self::NotCommitted,
        Self::NotCovered,
        Self::OwnCommits,
        Self::CommittedLater,
        Self::OnTopOf,
        Self::Merges,
        Self::NotMergedInto,
        Self::WhyNotMerged,
    ];

    /// The line above it.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Awaited => "Awaited:",
            Self::NoLongerAwaited => "No longer awaited:",
            Self::StillAwaited => "Still awaited:",
            Self::FailingWithout => "Failing without this change:",
            Self::TookOut => "Took out:",
            Self::Failed => "Failed:",
            Self::NotCommitted => "Not committed:",
            Self::NotCovered => "Not covered:",
            Self::OwnCommits => "The runner made commits of its own:",
            Self::CommittedLater => "Files of this step were committed after it had ended:",
            Self::OnTopOf => "On top of:",
            Self::Merges => "This step merges the branch of the run at:",
            Self::NotMergedInto => "The finished task could not be merged into the branch of the run at:",
            Self::WhyNotMerged => "Why the finished task could not be merged:",
        }
    }

    /// What the message of a step lists, unless another program has printed it; empty if it has no such list.
    #[must_use]
    pub fn recorded_in(self, message: &[u8]) -> Vec<String> {
        let lines = own_values(message);
        let mut below = lines.iter().skip_while(|line| *line != self.heading()).skip(1);
        below.by_ref().map_while(read_item).collect()
    }

    /// The list in a paragraph of a message; `None` if the paragraph is anything else.
    pub(super) fn in_paragraph(self, paragraph: &str) -> Option<Vec<String>> {
        let mut lines = paragraph.lines().map(str::trim_end);
        lines.next().filter(|line| *line == self.heading())?;
        let items: Option<Vec<String>> = lines.map(read_item).collect();
        items.filter(|items| !items.is_empty())
    }

    /// The list in lines; empty without items.
    pub(super) fn lines(self, items: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<Line> {
        let items: Vec<Line> = items.into_iter().map(|item| Line::item(item.as_ref())).collect();
        if items.is_empty() {
            items
        } else {
            std::iter::once(Line::words(self.heading())).chain(items).collect()
        }
    }
}

/// The beginning of the line of an item, so that no item can be read as anything else.
const ITEM: &str = "- ";
/// The beginnings of the lines in which a plain value and a quoted one go on.
const GOES_ON: &str = "    ";
const GOES_ON_QUOTED: &str = "  \"";

/// A paragraph of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Paragraph {
    /// Words of ours, or the output of another program below its label.
    Text(String),
    /// Lines that are read back.
    Lines(Vec<Line>),
}

/// A line of a message: words of ours, and perhaps a value behind them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Line {
    start: String,
    value: Option<String>,
}

impl Line {
    /// A line of our own words.
    pub(super) fn words(words: &str) -> Self {
        Self { start: words.to_owned(), value: None }
    }

    /// An item of a list.
    pub(super) fn item(value: &str) -> Self {
        Self::with_value(ITEM, value)
    }

    /// A value behind words of ours.
    pub(super) fn with_value(start: &str, value: &str) -> Self {
        Self { start: start.to_owned(), value: Some(value.to_owned()) }
    }

    /// The same line with its value changed.
    pub(super) fn map(&self, change: impl Fn(&str) -> String) -> Self {
        Self { start: self.start.clone(), value: self.value.as_deref().map(change) }
    }

    /// The line as a message has it, broken where it would be longer than `width`.
    pub(super) fn written(&self, width: usize) -> String {
        let Self { start, value: Some(value) } = self else { return self.start.clone() };
        let plain = format!("{start}{value}");
        let is_kept = read_value(value) == *value
            && !value.is_empty()
            && one_line(value) == *value
            && defuse(&plain) == plain;
        match is_kept.then(|| in_words(&plain, start.chars().count(), width)).flatten() {
            Some(lines) => lines.join(&format!("\n{GOES_ON}")),
            None => quoted(start, value, width),
        }
    }
}

/// A plain line in pieces between blanks, if each has room.
fn in_words(plain: &str, start: usize, width: usize) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    let (mut rest, mut room, mut keep) = (plain, width, start);
    while let Some((end, _)) = rest.char_indices().nth(room) {
        let blank = rest[..end].rfind(' ').filter(|at| rest[..*at].chars().count() > keep)?;
        pieces.push(&rest[..blank]);
        rest = &rest[blank + 1..];
        (room, keep) = (width.checked_sub(GOES_ON.len())?, 0);
    }
    pieces.push(rest);
    Some(pieces)
}

/// A value as JSON strings of printable ASCII characters, none of which is a bracket that git might take for a mark.
fn quoted(start: &str, value: &str, width: usize) -> String {
    let mut text = format!("{start}\"");
    let mut length = text.chars().count();
    for unit in value.encode_utf16() {
        let next = match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b" ._-/:[](),=+*'#".contains(&byte) => {
                char::from(byte).to_string()
            }
            _ => format!("\\u{unit:04x}"),
        };
        if length + next.len() + 1 > width {
            text.push_str(&format!("\"\n{GOES_ON_QUOTED}"));
            length = GOES_ON_QUOTED.len();
        }
        length += next.len();
        text.push_str(&next);
    }
    text.push('"');
    text
}

/// A value as a line has it. What only looks as if it was quoted is the value itself.
pub(super) fn read_value(text: &str) -> String {
    let quoted = text.starts_with('"').then(|| serde_json::from_str(text).ok()).flatten();
    quoted.unwrap_or_else(|| text.to_owned())
}

/// An item of a list; `None` if the line is none.
pub(super) fn read_item(line: impl AsRef<str>) -> Option<String> {
    line.as_ref().strip_prefix(ITEM).map(read_value)
}

/// Our own lines in a message, each as if there had been room for all of it.
pub(super) fn own_values(message: &[u8]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for line in own_lines(message) {
        match whole.last_mut().filter(|last| !last.is_empty()) {
            Some(last) if line.starts_with(GOES_ON_QUOTED) && last.ends_with('"') => {
                last.pop();
                last.push_str(&line[GOES_ON_QUOTED.len()..]);
            }
            Some(last) if line.starts_with(GOES_ON) && !line.trim().is_empty() => {
                last.push_str(&line[GOES_ON.len() - 1..]);
            }
            _ => whole.push(line.to_owned()),
        }
    }
    whole
}

#[cfg(test)]
mod tests;
