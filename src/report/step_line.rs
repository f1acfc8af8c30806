//! The lines that tell about the steps of a run.

use std::time::Duration;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::mark::TaskMark;
use super::masking::masked;
use super::screen::{Screen, Style, TerminalSize};
use crate::record::ProofCost;
use crate::text::{clean, duration, one_line};

/// How far the reason of a failure is indented, in columns.
const INDENT: usize = 4;

/// The content of the progress line of a step that has ended.
#[derive(Clone, Debug)]
pub struct StepLine {
    /// The task.
    pub task: String,
    /// The step's word.
    pub step: &'static str,
    /// The outcome's word.
    pub outcome: &'static str,
    /// Whether the step ended well.
    pub success: Success,
    /// `attempt 2/5`, or empty for the first attempt.
    pub attempt: String,
    /// How long it took.
    pub duration: Duration,
    /// What its proof has cost in addition.
    pub proof: Option<ProofCost>,
    /// The short id of the commit; empty if there is none.
    pub commit: String,
    /// A few words more.
    pub detail: String,
    /// Why it failed, if there is more to say than the detail does.
    pub reason: Option<String>,
}

/// Whether a step ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// It did.
    Yes,
    /// It did not.
    No,
    /// Neither: its result is only taken note of.
    Neither,
}

impl StepLine {
    /// The text: one line, and on a terminal another one for the reason of a failure.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let mark = match self.success {
            Success::Yes => TaskMark::Complete,
            Success::No => TaskMark::Failed,
            Success::Neither => TaskMark::Pending,
        };
        let paint = screen.err;
        let mut text = format!(
            "{} {} {:<11} {:<8} {:>8}",
            paint.paint(mark.style(), mark.symbol(screen.symbols)),
            paint.paint(Style::Cyan, &self.task),
            self.step,
            self.outcome,
            duration(self.duration)
        );
        if let Some(cost) = self.proof {
            text.push_str(&format!(", {cost}"));
        }
        for part in [&self.commit, &self.attempt, &self.detail] {
            if !part.is_empty() {
                text.push_str("  ");
                text.push_str(&one_line(part));
            }
        }
        if let Some(reason) = self.reason.as_deref().map(one_line).filter(|reason| !reason.is_empty()) {
            if screen.live {
                let reason = fit(&reason, TerminalSize::of_error_output().columns.saturating_sub(INDENT + 1));
                text.push_str(&format!("\n{:INDENT$}{}", "", paint.paint(Style::Dim, &reason)));
            } else {
                text.push_str(&format!("  {reason}"));
            }
        }
        text
    }
}

/// The heading of a task.
#[must_use]
pub fn task_heading(screen: &Screen, task: &str, name: &str) -> String {
    format!("{} {}", screen.err.paint(Style::Cyan, task), screen.err.paint(Style::Bold, &one_line(name)))
}

/// Something that an agent has told: its kind, and the words in as many lines as they have.
#[must_use]
pub fn told_line(kind: &str, style: Style, words: &str, screen: &Screen) -> String {
    let text = clean(words.as_bytes());
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default();
    let mut told = format!("  {} {first}", screen.out.paint(style, &format!("{kind:<9}")));
    told.truncate(told.trim_end().len());
    for line in lines {
        told.push_str(&format!("\n{:12}{line}", ""));
    }
    told.push('\n');
    told
}

/// As much of `text` as fits into this many columns, with secrets masked before it is cut.
#[must_use]
pub fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let text = &*masked(text);
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= columns
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Paint, Symbols};
    use super::*;

    #[test]
    fn the_cost_of_a_proof_stands_after_the_time_of_the_tests() {
        let line = StepLine {
            task: "T002".to_owned(),
            step: "test",
            outcome: "pass",
            success: Success::Yes,
            attempt: String::new(),
            duration: Duration::from_millis(2100),
            proof: Some(ProofCost { runs: 4, time: Duration::from_millis(8400) }),
            commit: String::new(),
            detail: "12 passed".to_owned(),
            reason: None,
        };
        let (out, err) = (Paint::Plain, Paint::Plain);
        let text = line.text(&Screen { out, err, symbols: Symbols::Ascii, width: None, live: false });
        assert!(
            text.ends_with("T002 test        pass        2.1 s, proof 4 runs 8.4 s  12 passed"),
            "{text}"
        );
    }

    #[test]
    fn wide_characters_count_for_two_columns() {
        assert_eq!(fit("日本語", 4), "日本");
        assert_eq!(fit("abc", 2), "ab");
    }
}
