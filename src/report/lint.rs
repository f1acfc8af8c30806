//! Prints the findings in a plan as text and JSON.

use serde_json::{Value, json};

use super::json_document;
use super::{Screen, Style};
use crate::plan::{LintFinding, LintLevel};
use crate::record::TaskId;
use crate::text::one_line;

/// The findings in a plan.
#[derive(Clone, Copy, Debug)]
pub struct LintView<'a> {
    /// The tree file, as messages name it.
    pub file: &'a str,
    /// The findings, in the order of their lines.
    pub findings: &'a [LintFinding],
}

impl LintView<'_> {
    /// How many findings have this level.
    #[must_use]
    pub fn count(&self, level: LintLevel) -> usize {
        self.findings.iter().filter(|finding| finding.rule.level() == level).count()
    }

    /// The findings for people.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let paint = screen.out;
        let one = |finding: &LintFinding| {
            let level = finding.rule.level();
            let style = if level == LintLevel::Error { Style::Red } else { Style::Yellow };
            let head = paint.paint(style, &format!("{}[{}]", level.word(), finding.rule.id()));
            let place = match finding.line {
                Some(line) => format!("{}:{line}", self.file),
                None => self.file.to_owned(),
            };
            let mut text = format!(
                "{head}: {}\n  {} {}\n",
                one_line(&finding.what),
                paint.paint(Style::Dim, "-->"),
                one_line(&place)
            );
            if !finding.help.is_empty() {
                text.push_str(&format!(
                    "   {} {}\n",
                    paint.paint(Style::Dim, "= help:"),
                    one_line(&finding.help)
                ));
            }
            text
        };
        self.findings.iter().map(one).collect()
    }

    /// How many findings there are, in words; empty if there are none.
    #[must_use]
    pub fn tally(&self) -> String {
        let words = |level: LintLevel| match self.count(level) {
            0 => None,
            1 => Some(format!("1 {}", level.word())),
            count => Some(format!("{count} {}s", level.word())),
        };
        let parts = [words(LintLevel::Error), words(LintLevel::Warning)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        let one = |finding: &LintFinding| -> Value {
            json!({
                "id": finding.rule.id(),
                "name": finding.rule.name(),
                "level": finding.rule.level().word(),
                "line": finding.line,
                "node": finding.node.as_ref().map(TaskId::as_str),
                "message": finding.what,
                "help": finding.help,
            })
        };
        json_document(&json!({
            "version": 1,
            "file": self.file,
            "errors": self.count(LintLevel::Error),
            "warnings": self.count(LintLevel::Warning),
            "findings": self.findings.iter().map(one).collect::<Vec<_>>(),
        }))
    }
}
