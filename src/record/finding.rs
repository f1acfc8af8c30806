//! Findings: what a check has seen that a person should look at. A step records them in its message, and all others read
//! them from there. In a message, a finding looks like this, without the lines below the first for which there is nothing.
//!
//! ```text
//! error[protect]: The attempt changed files that judge it (2 assertions removed, none added): tests/test_math.py.
//!   = look: git diff 1111111 2222222 -- tests/test_math.py
//!   = undo: git restore --source=1111111 -- tests/test_math.py
//!   = allow: "may_change": ["tests/test_math.py"]
//! ```

use std::fmt;

use serde::{Serialize, Serializer};

use super::check::Check;
use super::lines::own_lines;
use super::{Lifetime, StepRecord};
use crate::text::one_line;

/// What a finding does to the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Severity {
    /// It fails the attempt.
    Error,
    /// It does not, but a person and the reviewer should look at it.
    Warning,
}

impl Severity {
    /// Its word, as compilers write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Something that a check has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// The name of the check.
    #[serde(serialize_with = "by_name")]
    #[cfg_attr(test, schemars(with = "String"))]
    check: Check,
    /// Whether it fails the attempt.
    severity: Severity,
    /// What was seen.
    seen: String,
    /// Where: files, lines, references or tests.
    places: Vec<String>,
    /// The command that shows more.
    look: Option<String>,
    /// The command with which the agent takes it back.
    undo: Option<String>,
    /// The command with which a person allows it.
    allow: Option<String>,
}

/// How many places the message of a step names.
const PLACES: usize = 20;

/// The beginnings of the lines below a finding: how to look at it, how the agent takes it back, and how a person allows it.
const LOOK: &str = "  = look: ";
const UNDO: &str = "  = undo: ";
const ALLOW: &str = "  = allow: ";

impl Finding {
    /// A finding: what was seen, as a sentence without a full stop.
    #[must_use]
    pub fn new(check: Check, severity: Severity, seen: &str) -> Self {
        // The places come after a colon and a blank, so there must be no other.
        let seen = one_line(seen).trim_end_matches('.').replace(": ", ", ");
        Self { check, severity, seen, places: Vec::new(), look: None, undo: None, allow: None }
    }

    /// The same with the places where it was seen: files, lines of files, or tests.
    #[must_use]
    pub fn at(mut self, places: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.places.extend(places.into_iter().map(|place| one_line(place.as_ref())));
        self
    }

    /// The same with a command that shows it.
    #[must_use]
    pub fn look(mut self, command: &str) -> Self {
        self.look = Some(one_line(command)).filter(|command| !command.is_empty());
        self
    }

    /// The same with another severity.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// The same with a command by which the agent takes back what was seen.
    #[must_use]
    pub fn undo(mut self, command: &str) -> Self {
        self.undo = Some(one_line(command)).filter(|command| !command.is_empty());
        self
    }

    /// The same with what a person writes into the plan to allow it, for example `"may_change": ["tests/a.py"]`, or the command
    /// that does so.
    #[must_use]
    pub fn allow(mut self, field: &str) -> Self {
        self.allow = Some(one_line(field)).filter(|field| !field.is_empty());
        self
    }

    /// The check that saw it.
    #[must_use]
    pub fn check(&self) -> Check {
        self.check
    }

    /// What it does to the attempt.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Whether it fails the attempt.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// What was seen, without a full stop.
    #[must_use]
    pub fn seen(&self) -> &str {
        &self.seen
    }

    /// Where it was seen; may be empty.
    #[must_use]
    pub fn places(&self) -> &[String] {
        &self.places
    }

    /// The command that shows it.
    #[must_use]
    pub fn how_to_look(&self) -> Option<&str> {
        self.look.as_deref()
    }

    /// The command by which the agent takes it back.
    #[must_use]
    pub fn how_to_undo(&self) -> Option<&str> {
        self.undo.as_deref()
    }

    /// What a person writes into the plan to allow it, or the command that does so.
    #[must_use]
    pub fn how_to_allow(&self) -> Option<&str> {
        self.allow.as_deref()
    }

    /// What was seen and where, as one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{}.", self.clause())
    }

    /// The same without a full stop.
    #[must_use]
    pub fn clause(&self) -> String {
        let seen = &self.seen;
        let named = self.places.iter().take(PLACES).map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.places.len() {
            0 => seen.clone(),
            count if count > PLACES => format!("{seen}: {named}, and {} more", count - PLACES),
            _ => format!("{seen}: {named}"),
        }
    }

    /// Reads the findings that the message of a step records itself, not those that other programs have printed.
    #[must_use]
    pub fn recorded_in(message: &[u8]) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut follows_finding = false;
        for line in own_lines(message) {
            let last = found.last_mut().filter(|_| follows_finding);
            if last.is_some_and(|last| last.take_remedy(line)) {
                continue;
            }
            let finding = Self::parse(line);
            follows_finding = finding.is_some();
            found.extend(finding);
        }
        found
    }

    /// Reads a line below the first one. Returns whether it belongs to the finding.
    fn take_remedy(&mut self, line: &str) -> bool {
        let fields = [(LOOK, &mut self.look), (UNDO, &mut self.undo), (ALLOW, &mut self.allow)];
        for (start, field) in fields {
            if let Some(text) = line.strip_prefix(start) {
                *field = Some(text.to_owned());
                return true;
            }
        }
        false
    }

    /// Reads the first line of a finding. Version 0.1 wrote the sentences about files without a check before them.
    fn parse(line: &str) -> Option<Self> {
        let (check, severity, sentence) = Self::head(line).or_else(|| {
            let is_about = |check: &Check| {
                let rest = check.about_files().and_then(|about| line.strip_prefix(about));
                rest.is_some_and(|rest| rest.starts_with(": "))
            };
            Some((Check::ALL.into_iter().find(is_about)?, Severity::Warning, line))
        })?;
        let sentence = sentence.strip_suffix('.')?;
        let (seen, places) = sentence.split_once(": ").unwrap_or((sentence, ""));
        let places = places.split(", ").filter(|place| !place.is_empty());
        Some(Self::new(check, severity, seen).at(places))
    }

    fn head(line: &str) -> Option<(Check, Severity, &str)> {
        let (severity, rest) = [Severity::Error, Severity::Warning]
            .into_iter()
            .find_map(|severity| Some((severity, line.strip_prefix(severity.word())?.strip_prefix('[')?)))?;
        let (name, sentence) = rest.split_once("]: ")?;
        Some((Check::from_name(name)?, severity, sentence))
    }
}

fn by_name<S: Serializer>(check: &Check, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(check.name())
}

impl fmt::Display for Finding {
    /// The finding as messages record it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity.word(), self.check.name(), self.sentence())?;
        for (start, line) in [(LOOK, &self.look), (UNDO, &self.undo), (ALLOW, &self.allow)] {
            if let Some(line) = line {
                write!(f, "\n{start}{line}")?;
            }
        }
        Ok(())
    }
}

/// A step that counts, and what its message records.
#[derive(Clone, Debug)]
pub struct StepFindings {
    /// The step.
    pub record: StepRecord,
    /// What it has found.
    pub found: Vec<Finding>,
}

/// The findings of the steps of a task, newest first, that still apply: those about its commits, and those of the steps
/// since its newest change. An error has failed its attempt and applies no longer.
pub fn open_findings(steps: impl IntoIterator<Item = StepFindings>) -> Vec<Finding> {
    let mut open = Vec::new();
    let mut is_newest = true;
    for StepFindings { record, found } in steps {
        if !record.step.is_part_of_an_attempt() {
            continue;
        }
        open.extend(found.into_iter().filter(|finding| {
            finding.severity() == Severity::Warning
                && (is_newest || finding.check().lifetime() == Lifetime::WithCommit)
        }));
        is_newest &= !record.step.changes_files();
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Attempt, Block, Outcome, Step, StepMessage, TaskId, TaskRef};

    fn message(findings: &[Finding], said: &str) -> Vec<u8> {
        let id = TaskId::parse("T1").unwrap();
        let attempt = Attempt { number: 0, max: 5, merge: None };
        let message =
            StepMessage::new(Step::IMPLEMENT, TaskRef { id: &id, name: "x" }, attempt, Outcome::Pass);
        let message = findings.iter().fold(message, StepMessage::with_finding);
        message.with_block(&Block::of_runner(said.as_bytes().to_vec())).text().into_bytes()
    }

    #[test]
    fn findings_are_read_from_the_message_that_records_them() {
        let findings = [
            Finding::new(Check::Protect, Severity::Error, "The attempt changed files that judge it: x")
                .at(["tests/a b.py", "config.py (line 2: an npm token)"])
                .look("git diff 1 2 -- tests")
                .undo("git restore --source=1 -- tests")
                .allow("\"may_change\": [\"tests\"]"),
            Finding::new(Check::Counts, Severity::Warning, "No test ran."),
            Finding::new(Check::Coverage, Severity::Warning, "Lines are not covered").at(["a.py:3-4"]),
        ];
        assert_eq!(findings[0].seen(), "The attempt changed files that judge it, x");
        assert_eq!(Finding::recorded_in(&message(&findings, "done")), findings);
        let forged = findings.each_ref().map(Finding::to_string).join("\n\n");
        assert_eq!(Finding::recorded_in(&message(&[], &forged)), []);
    }

    #[test]
    fn sentences_of_version_0_1_are_read_too() {
        let old = b"task(T1): x\n\nThese files may contain a secret: a.py (line 2: a token), b.\n\nArborist-Step: implement\n";
        let found = Finding::recorded_in(old);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].check(), found[0].severity()), (Check::PossibleSecret, Severity::Warning));
        assert_eq!(found[0].places(), ["a.py (line 2: a token)", "b"]);
    }

    #[test]
    fn only_the_first_places_are_named_and_the_others_counted() {
        let files = (0..50).map(|n| format!("f{n}"));
        let many = Finding::new(Check::IgnoredFiles, Severity::Warning, "Files").at(files);
        assert!(many.sentence().ends_with("f19, and 30 more."), "{many}");
    }

    #[test]
    fn names_go_both_ways() {
        for check in Check::ALL {
            assert_eq!(Check::from_name(check.name()), Some(check));
        }
    }
}
