//! Findings: a rule, a place in the file that the user edited, a cause and a remedy.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::record::CommitKind;
use crate::text::ellipsis;

use super::{Level, LinePart, MessageDraft, Policy, Rule};

/// A further place that a finding points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: LinePart,
    /// A clause about this place.
    pub text: String,
}

/// Something that is wrong or suspicious.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Its level under the policy.
    pub level: Level,
    /// The place.
    pub span: LinePart,
    /// The problem, as a clause.
    pub what: String,
    /// A clause about the place; may be empty.
    pub note: String,
    /// Other places that cause the problem, by line.
    pub labels: Vec<Label>,
    /// The advice, as a clause; may be empty.
    pub help: String,
}

/// A log or report that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPath {
    /// The path, from the top of the work tree.
    pub text: String,
    /// Where the message names it.
    pub span: LinePart,
}

/// How many errors, and how many warnings, are kept per message. A reader would only scroll past more of them.
const KEPT: usize = 100;
/// How many further places are kept per finding.
const LABELS: usize = 8;
/// How many of the paths that a message names are looked up. A message names one artifact of each kind, unless trailers
/// are in it twice, which is an error of its own.
const NAMED: usize = 8;
/// How much of a value is quoted, in characters.
const QUOTED: usize = 200;

/// All findings in one message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageReport {
    /// The findings, by line; at most a hundred errors and as many warnings.
    pub findings: Vec<Finding>,
    /// The findings that were not kept.
    pub omitted: Omitted,
    /// The logs and reports that the message names.
    pub paths: Vec<NamedPath>,
    /// The role of a commit with this message in the run.
    pub kind: CommitKind,
}

impl MessageReport {
    /// How many findings have this level, including those that were not kept.
    #[must_use]
    pub fn count(&self, level: Level) -> usize {
        self.kept(level) + self.omitted.count(level)
    }

    /// Whether there is a finding of this rule.
    #[must_use]
    pub fn has(&self, rule: Rule) -> bool {
        self.findings.iter().any(|finding| finding.rule == rule) || self.omitted.rules.contains(&rule)
    }

    /// Adds a finding that `policy` has not switched off.
    pub fn add(&mut self, policy: &Policy, mut finding: Finding) {
        finding.level = policy.level(finding.rule);
        if self.takes(&finding) {
            self.findings.push(finding);
            self.settle();
        }
    }

    fn kept(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }

    /// Whether there is room for a finding. If not, it is counted, unless its rule is switched off.
    fn takes(&mut self, finding: &Finding) -> bool {
        match finding.level {
            Level::Off => return false,
            level if self.kept(level) < KEPT => return true,
            Level::Warning => self.omitted.warnings += 1,
            Level::Error => self.omitted.errors += 1,
        }
        self.omitted.rules.insert(finding.rule);
        false
    }

    /// Sorts the findings by line.
    pub(super) fn settle(&mut self) {
        self.findings.sort_by(|a, b| (&a.span, a.rule).cmp(&(&b.span, b.rule)));
        self.findings.dedup();
    }
}

/// Findings that are only counted, because there are so many of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Omitted {
    errors: usize,
    warnings: usize,
    rules: BTreeSet<Rule>,
}

impl Omitted {
    /// How many of them have this level.
    #[must_use]
    pub fn count(&self, level: Level) -> usize {
        match level {
            Level::Off => 0,
            Level::Warning => self.warnings,
            Level::Error => self.errors,
        }
    }

    /// The number of all of them.
    #[must_use]
    pub fn total(&self) -> usize {
        self.errors + self.warnings
    }
}

impl Finding {
    /// A finding without further places.
    #[must_use]
    pub fn new(rule: Rule, span: LinePart, what: impl Into<String>) -> Self {
        Self {
            rule,
            level: rule.info().level,
            span,
            what: what.into(),
            note: String::new(),
            labels: Vec::new(),
            help: String::new(),
        }
    }

    /// The same finding with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// The same finding with a clause about the place.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// Collects the findings in one message.
pub(super) struct Collector<'a> {
    draft: &'a MessageDraft<'a>,
    policy: &'a Policy,
    report: &'a mut MessageReport,
    /// The last finding for which there was no room.
    surplus: Option<Finding>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(
        draft: &'a MessageDraft<'a>,
        policy: &'a Policy,
        report: &'a mut MessageReport,
    ) -> Self {
        Self { draft, policy, report, surplus: None }
    }

    pub(super) fn policy(&self) -> &'a Policy {
        self.policy
    }

    /// Adds a finding at these bytes of the text; `help` may be empty.
    pub(super) fn at(&mut self, rule: Rule, bytes: Range<usize>, what: String, help: String) -> &mut Finding {
        let span = self.draft.span(bytes);
        self.at_span(Finding::new(rule, span, what).help(help))
    }

    /// Adds a finding that already has a place.
    pub(super) fn at_span(&mut self, mut finding: Finding) -> &mut Finding {
        finding.level = self.policy.level(finding.rule);
        finding.labels.truncate(LABELS);
        if !self.report.takes(&finding) {
            return self.surplus.insert(finding);
        }
        self.report.findings.push(finding);
        let last = self.report.findings.len() - 1;
        &mut self.report.findings[last]
    }

    /// Whether another finding of this rule would only be counted, so that no text is needed for it.
    pub(super) fn only_counts(&self, rule: Rule) -> bool {
        self.report.kept(self.policy.level(rule)) >= KEPT
    }

    /// The file and the text that git commits from it.
    pub(super) fn source(&self) -> &'a [u8] {
        self.draft.source()
    }

    pub(super) fn draft(&self) -> &'a MessageDraft<'a> {
        self.draft
    }

    pub(super) fn names(&mut self, path: &str, bytes: Range<usize>) {
        if self.report.paths.len() < NAMED {
            let span = self.draft.span(bytes);
            self.report.paths.push(NamedPath { text: path.to_owned(), span });
        }
    }
}

/// A value as findings quote it, shortened if it is long.
pub(super) fn quoted(value: &[u8]) -> String {
    // A character has at most four bytes.
    let beginning = &value[..value.len().min(4 * QUOTED)];
    ellipsis(&String::from_utf8_lossy(beginning), QUOTED)
}

/// A message that was checked, and the findings.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The file or the short id of the commit.
    pub name: String,
    /// The subject, for a commit.
    pub subject: Option<String>,
    /// The file or message.
    pub text: Vec<u8>,
    /// The findings.
    pub report: MessageReport,
}
