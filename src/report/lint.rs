//! Prints the findings in a plan as text and JSON.

use serde::Serialize;

use super::json_document;
use super::text::tally;
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

/// The findings in a plan.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    version: u32,
    /// The tree file.
    file: &'a str,
    /// How many errors there are.
    errors: usize,
    /// How many warnings there are.
    warnings: usize,
    /// The findings, in the order of their lines.
    findings: Vec<Entry<'a>>,
}

/// A finding.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Entry<'a> {
    /// The id of the rule.
    id: &'static str,
    /// The name of the rule.
    name: &'static str,
    /// Its level. A plan with errors cannot be used.
    #[cfg_attr(test, schemars(extend("enum" = ["error", "warning"])))]
    level: &'static str,
    /// The line in the tree file; `None` if the finding concerns the file as a whole.
    line: Option<usize>,
    /// The id of the node; `None` if the finding does not concern a single one.
    node: Option<&'a TaskId>,
    /// What is doubtful.
    message: &'a str,
    /// What to do about it; may be empty.
    help: &'a str,
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
        tally(self.count(LintLevel::Error), self.count(LintLevel::Warning))
    }

    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        json_document(&Document {
            version: 1,
            file: self.file,
            errors: self.count(LintLevel::Error),
            warnings: self.count(LintLevel::Warning),
            findings: self.findings.iter().map(entry).collect(),
        })
    }
}

fn entry(finding: &LintFinding) -> Entry<'_> {
    Entry {
        id: finding.rule.id(),
        name: finding.rule.name(),
        level: finding.rule.level().word(),
        line: finding.line,
        node: finding.node.as_ref(),
        message: &finding.what,
        help: &finding.help,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("lint", "git arborist lint --json");
    }
}
