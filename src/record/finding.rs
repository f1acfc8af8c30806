//! Findings: what a check has seen that a person should look at. A step records them in its message, and all others read
//! them from there. In a message, a finding looks like this, without the lines below the first for which there is nothing.
//!
//! ```text
//! error[protect]: The attempt changed files that judge it (2 assertions removed, none added):
//! - tests/test_math.py
//!   = look: git diff 1111111 2222222 -- tests/test_math.py
//!   = undo: git restore --source=1111111 -- tests/test_math.py
//!   = allow: "may_change": ["tests/test_math.py"]
//! ```
//!
//! What a reviewer says about a place is a [`super::Remark`]; what `check` finds in a message is a `check::Finding`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check::Check;
use super::lists::{Line, read_item, read_value};
use super::words::words;
use super::{Lifetime, StepRecord};
use crate::text::one_line;

words! {
    /// What a finding does to the attempt, in the word that compilers write.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub enum Severity {
        /// It fails the attempt.
        Error "error",
        /// It does not, but a person and the reviewer should look at it.
        Warning "warning",
    }
}

/// Something that a check has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// The name of the check.
    #[serde(serialize_with = "by_name", deserialize_with = "of_name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub check: Check,
    /// Whether it fails the attempt.
    pub severity: Severity,
    /// What was seen.
    pub seen: String,
    /// Where: files, lines, references or tests.
    pub places: Vec<String>,
    /// How many further places the message does not name.
    #[serde(rename = "more_places", default, skip_serializing_if = "is_zero")]
    more: usize,
    /// The command that shows more.
    pub look: Option<String>,
    /// The command with which the agent takes it back.
    pub undo: Option<String>,
    /// The command with which a person allows it.
    pub allow: Option<String>,
}

/// How many places a sentence names.
const SHOWN: usize = 20;
/// How many places the message of a step names. It says how many others there are.
const RECORDED: usize = 1000;

/// The beginning and the end of the line that says so.
const MORE: (&str, &str) = ("... and ", " more");

/// The beginnings of the lines below a finding: how to look at it, how the agent takes it back, and how a person allows it.
const LOOK: &str = "  = look: ";
const UNDO: &str = "  = undo: ";
const ALLOW: &str = "  = allow: ";

impl Finding {
    /// A finding: what was seen, as a sentence without a full stop.
    #[must_use]
    pub fn new(check: Check, severity: Severity, seen: &str) -> Self {
        let seen = one_line(seen).trim_end_matches(['.', ' ']).to_owned();
        Self { check, severity, seen, places: Vec::new(), more: 0, look: None, undo: None, allow: None }
    }

    /// The same with the places where it was seen: files, lines of files, or tests.
    #[must_use]
    pub fn at(mut self, places: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.places.extend(places.into_iter().map(|place| place.as_ref().to_owned()));
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

    /// The same with what a person writes into the plan to allow it, for example `"may_change": ["tests/a.py"]`.
    #[must_use]
    pub fn allow(mut self, field: &str) -> Self {
        self.allow = Some(one_line(field)).filter(|field| !field.is_empty());
        self
    }

    /// Whether it fails the attempt.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
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
        let named: Vec<String> = self.places.iter().take(SHOWN).map(|place| one_line(place)).collect();
        let named = named.join(", ");
        match self.places.len().saturating_sub(SHOWN) + self.more {
            _ if self.places.is_empty() => seen.clone(),
            0 => format!("{seen}: {named}"),
            more => format!("{seen}: {named}, and {more} more"),
        }
    }

    /// The lines of a message that record it.
    pub(super) fn lines(&self) -> Vec<Line> {
        let Self { severity, check, seen, places, .. } = self;
        let end = if places.is_empty() { '.' } else { ':' };
        let head =
            Line::with_value(&format!("{}[{}]: ", severity.word(), check.name()), &format!("{seen}{end}"));
        let mut lines = vec![head];
        lines.extend(places.iter().take(RECORDED).map(|place| Line::item(place)));
        let more = places.len().saturating_sub(RECORDED) + self.more;
        if more > 0 {
            lines.push(Line::words(&format!("{}{more}{}", MORE.0, MORE.1)));
        }
        let remedies = [(LOOK, &self.look), (UNDO, &self.undo), (ALLOW, &self.allow)].into_iter();
        lines.extend(remedies.filter_map(|(start, text)| Some(Line::with_value(start, text.as_deref()?))));
        lines
    }

    /// The same with every text masked.
    pub(super) fn masked(&self, mask: &impl Fn(&str) -> String) -> Self {
        let one = |text: &Option<String>| text.as_deref().map(mask);
        Self {
            seen: mask(&self.seen),
            places: self.places.iter().map(|place| mask(place)).collect(),
            look: one(&self.look),
            undo: one(&self.undo),
            allow: one(&self.allow),
            ..self.clone()
        }
    }

    /// Reads a line below the first one. Returns whether it belongs to the finding.
    pub(super) fn take_line(&mut self, line: &str) -> bool {
        if let Some(place) = read_item(line) {
            self.places.push(place);
            return true;
        }
        let more = line.strip_prefix(MORE.0).and_then(|rest| rest.strip_suffix(MORE.1));
        if let Some(more) = more.and_then(|count| count.parse().ok()) {
            self.more = more;
            return true;
        }
        let fields = [(LOOK, &mut self.look), (UNDO, &mut self.undo), (ALLOW, &mut self.allow)];
        for (start, field) in fields {
            if let Some(text) = line.strip_prefix(start).map(read_value) {
                *field = Some(text);
                return true;
            }
        }
        false
    }

    /// Reads the first line of a finding.
    pub(super) fn head(line: &str) -> Option<Self> {
        let (severity, rest) = line.split_once('[')?;
        let severity = Severity::from_word(severity)?;
        let (name, sentence) = rest.split_once("]: ")?;
        let sentence = read_value(sentence);
        let seen = sentence.strip_suffix(['.', ':'])?;
        Some(Self::new(Check::from_name(name)?, severity, seen))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn by_name<S: Serializer>(check: &Check, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(check.name())
}

fn of_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Check, D::Error> {
    let name = String::deserialize(deserializer)?;
    Check::from_name(&name).ok_or_else(|| serde::de::Error::custom(format!("there is no check `{name}`")))
}

impl fmt::Display for Finding {
    /// The finding as messages record it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.lines().iter().map(|line| line.written(usize::MAX)).collect();
        f.write_str(&lines.join("\n"))
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
            !finding.is_error() && (is_newest || finding.check.lifetime() == Lifetime::WithCommit)
        }));
        is_newest &= !record.step.changes_files();
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Attempt, Outcome, Step, StepDraft, StepFacts, SubjectForm, TaskId, TaskRef};

    /// A finding as it is read from the message that records it.
    fn read(finding: &Finding) -> Finding {
        let id = TaskId::parse("T1").unwrap();
        let attempt = Attempt { number: 0, max: 5, merge: None };
        let task = TaskRef { id: &id, name: "x" };
        let draft = StepDraft::new(Step::IMPLEMENT, task, attempt, Outcome::Pass);
        let message =
            draft.finding(std::slice::from_ref(finding)).message(str::to_owned, &SubjectForm::default());
        StepFacts::of(message.text.as_bytes()).found.remove(0)
    }

    #[test]
    fn only_the_first_places_are_named_and_the_others_counted() {
        let files = (0..50).map(|n| format!("f{n}"));
        let many = Finding::new(Check::OutsideTouches, Severity::Warning, "Files").at(files);
        assert!(many.sentence().ends_with("f19, and 30 more."), "{many}");
        assert_eq!(read(&many), many);
        let very_many = Finding::new(Check::OutsideTouches, Severity::Warning, "Files")
            .at((0..1050).map(|n| format!("f{n}")))
            .look("git status");
        let once = read(&very_many);
        assert_eq!(once.clause(), very_many.clause(), "what a message does not name is counted");
        assert_eq!(read(&once), once, "also by those who record it again");
    }

    #[test]
    fn names_go_both_ways() {
        for check in Check::ALL {
            assert_eq!(Check::from_name(check.name()), Some(check));
        }
    }
}
