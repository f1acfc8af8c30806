//! The change of a task in the brief of a reviewer, with what is known about it.

use super::parts::{flag, list};
use super::shown::ShownChange;
use crate::record::{Check, Finding};

/// A change that an agent should judge.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The part that is shown.
    pub shown: ShownChange,
    /// What the checks have found.
    pub findings: Vec<Finding>,
    /// What our own runs have shown.
    pub evidence: Evidence,
    /// The command that shows the whole change, if there is one.
    pub command: Option<String>,
    /// The scratch work tree in which the reviewer works; `None` for one that works elsewhere.
    pub scratch: Option<ScratchFacts>,
    /// Commits that are not part of it and were not reviewed.
    pub foreign: ForeignChange,
}

/// Commits that came onto the branch during the run, from a person or a program of a task.
#[derive(Clone, Debug, Default)]
pub struct ForeignChange {
    /// The short id and the subject of each, oldest first.
    pub commits: Vec<String>,
    /// What they have changed, as far as it is shown.
    pub shown: ShownChange,
}

/// What our own runs have shown about a change.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// As sentences, in which nothing is from elsewhere.
    pub sentences: Vec<String>,
    /// What the change does to files that judge, a line for each.
    pub judging: Vec<String>,
    /// The names of the tests that notice the change: they fail without it, or with empty values in its place.
    pub noticing: Vec<String>,
    /// The names of the tests that passed before the task and are gone.
    pub took_out: Vec<String>,
    /// The code of the tests that notice the change, as far as it was found.
    pub noticing_code: String,
    /// The changed lines that no test runs, as the commit names them.
    pub uncovered: String,
}

/// What is special about the scratch work tree of a reviewer.
#[derive(Clone, Debug, Default)]
pub struct ScratchFacts {
    /// The file with the whole change, from its top.
    pub change_file: String,
    /// The instructions for agents that the task has changed, which are as before there.
    pub instructions: Vec<String>,
}

impl Change {
    /// The value of a placeholder; `None` if there is no such placeholder.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let has = |checks: &[Check]| self.findings.iter().any(|finding| checks.contains(&finding.check));
        let Self { shown, evidence, scratch, foreign, .. } = self;
        let in_scratch = |value: fn(&ScratchFacts) -> String| scratch.as_ref().map(value).unwrap_or_default();
        Some(match name {
            "diff" => shown.diff.clone(),
            "files" => shown.files.iter().map(|line| format!("- {line}\n")).collect(),
            "no_files" => flag(shown.files.is_empty() && shown.unseen.is_empty()),
            "unseen" => list(&shown.unseen),
            "unseen_here" => flag(!shown.unseen.is_empty() && scratch.is_none()),
            "judging" => flag(shown.judging),
            "command" => self.command.clone().unwrap_or_default(),
            "change_file" => in_scratch(|scratch| scratch.change_file.clone()),
            "instructions_before" => in_scratch(|scratch| list(&scratch.instructions)),
            "findings" => self.findings.iter().map(found).collect::<Vec<String>>().join("\n"),
            "evidence" => evidence.sentences.iter().map(|sentence| format!("- {sentence}\n")).collect(),
            "judged_lines" => list(&evidence.judging),
            "took_out" => list(&evidence.took_out),
            "noticing" => list(&evidence.noticing),
            "noticing_code" => evidence.noticing_code.clone(),
            "uncovered" => evidence.uncovered.clone(),
            "foreign" => list(&foreign.commits),
            "foreign_files" => list(&[&foreign.shown.files[..], &foreign.shown.unseen[..]].concat()),
            "foreign_diff" => foreign.shown.diff.clone(),
            "empty_change" => flag(has(&[Check::EmptyChange])),
            "secrets" => flag(has(&[Check::PossibleSecret])),
            _ => return None,
        })
    }
}

/// A finding, with a line for each place. How to undo or allow it does not concern a reviewer.
fn found(finding: &Finding) -> String {
    let look =
        finding.look.as_deref().map(|command| format!("To look at it: `{command}`\n")).unwrap_or_default();
    match finding.places.as_slice() {
        [] => format!("{}.\n{look}", finding.seen),
        places => format!("{}:\n{}{look}", finding.seen, list(places)),
    }
}
