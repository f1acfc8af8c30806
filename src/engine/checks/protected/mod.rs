//! What the agents of a task have made of the files that judge its work.
//!
//! Whether they may change tests is decided by running the tests from before the task. Nothing can run instructions for
//! agents, files that the user protects, and tests that were written before the code of the task: these must stay.

mod rewritten;

use crate::run::change::trace::{ChangedFile, changed_files};
use crate::run::steps::failing_tests::failing_tests;
use crate::run::steps::implement_commits::{has_left_commits, implement_commits};
pub(crate) use rewritten::rewritten_tests;

use crate::engine::run_context::context::RunContext;
use crate::error::Result;
use crate::history::{StepValidity, TaskStep, changed_paths};
use crate::plan::{NodeIx, PathPattern};
use crate::record::{By, Check, CommitId, Finding, Goal, Severity};
use crate::text::{pathspec_word, show_path};
use crate::trust::files::{FileKind, kind_of};

/// How many files get a finding of their own.
const NAMED: usize = 10;

/// The changes of a task's agents to files that must stay as they are.
pub(crate) struct JudgingChange {
    /// Those that the plan does not allow, and what such a file is called.
    refused: Vec<(ChangedFile, &'static str)>,
    /// Whether the plan allows changes that the task has made to tests.
    pub(crate) allows_tests: bool,
}

impl JudgingChange {
    /// The changes of the task's steps, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn of(run: &RunContext<'_>, leaf: NodeIx, steps: &[TaskStep]) -> Result<Self> {
        // What an agent has written in a red step, or committed before it, is a test that the implementation must keep.
        let newest_red = steps.iter().position(|step| {
            step.validity == StepValidity::Counts && step.step.record.step.row().goal == Goal::TestsFail
        });
        let is_implementation = |(place, step): &(usize, &TaskStep)| {
            let record = &step.step.record;
            let is_left = has_left_commits(step) && newest_red.is_none_or(|red| *place < red);
            record.by == By::Run && (record.step.row().goal == Goal::Change || is_left)
        };
        let by_agent: Vec<TaskStep> =
            steps.iter().enumerate().filter(is_implementation).map(|(_, step)| step.clone()).collect();
        let commits = implement_commits(&run.git, &by_agent);
        let changed = changed_paths(run.repository, &commits)?;
        let may_change = run.plan.tree.may_change(leaf);
        let (free, bound): (Vec<_>, Vec<_>) = changed.into_iter().partition(|path| matches(may_change, path));
        let written = match failing_tests(steps) {
            Some(written) => written.files(run.repository, &run.git)?,
            None => Vec::new(),
        };
        let protect = &run.settings.trust.protected;
        let what = |path: &Vec<u8>| match kind_of(&String::from_utf8_lossy(path)) {
            FileKind::Instructions => Some("instructions for agents"),
            FileKind::Arborist => Some("a file in .arborist"),
            _ if matches(protect, path) => Some("a protected file"),
            _ if written.contains(path) => Some(WRITTEN_BEFORE),
            _ => None,
        };
        let bound: Vec<Vec<u8>> = bound.into_iter().filter(|path| what(path).is_some()).collect();
        let changed = changed_files(run.repository, &commits, &bound)?.into_iter();
        let refused = changed.filter_map(|file| what(&file.path).map(|what| (file, what)));
        let refused = refused.filter(|(file, what)| *what != WRITTEN_BEFORE || file.has_other_tests());
        Ok(Self { refused: refused.collect(), allows_tests: !free.is_empty() })
    }

    /// The findings about the changes that the plan does not allow; `head` is the commit that has them.
    pub(crate) fn findings(&self, severity: Severity, head: &CommitId) -> Vec<Finding> {
        let finding = |(file, what): &(ChangedFile, &'static str)| {
            let verb = match (&file.before, &file.after) {
                (None, _) => "added",
                (_, None) => "deleted",
                _ => "changed",
            };
            let seen = format!("The attempt {verb} {what}");
            remedied(Finding::new(Check::Protect, severity, &seen), file, head)
        };
        let mut found: Vec<Finding> = self.refused.iter().take(NAMED).map(finding).collect();
        let more = self.refused.iter().skip(NAMED).map(|(file, _)| show_path(&file.path));
        let more: Vec<String> = more.collect();
        if !more.is_empty() {
            let seen = "The attempt changed more files that must stay as they are";
            found.push(Finding::new(Check::Protect, severity, seen).at(more));
        }
        found
    }
}

const WRITTEN_BEFORE: &str = "tests that were written before the code";

/// A finding about a changed file, with how to look at it, how to take it back and how to allow it.
fn remedied(finding: Finding, file: &ChangedFile, head: &CommitId) -> Finding {
    let path = show_path(&file.path);
    let (base, word) = (file.base.short(), pathspec_word(&path));
    let undo = match file.before {
        Some(_) => format!("git restore --source={base} -- {word}"),
        None => format!("git rm -q -f -- {word}"),
    };
    finding
        .look(&format!("git diff {base} {} -- {word}", head.short()))
        .undo(&undo)
        .allow(&format!("\"may_change\": [{}]", serde_json::Value::from(&*path)))
        .at([path])
}

fn matches(patterns: &[PathPattern], path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    patterns.iter().any(|pattern| pattern.matches(&path))
}
