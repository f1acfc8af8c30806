//! Finds out whether the agent of a task has changed files that judge its work.
//!
//! What counts is the difference that the agent's own implement steps have made. A file that an attempt changed and a
//! later one put back is as it was, and what a person has committed in between is what the agent must keep.

use crate::engine::context::RunContext;
use crate::engine::implement_commits::{ImplementCommit, comparisons, implement_commits};
use crate::error::Result;
use crate::history::{Repository, TaskStep, TreeFile, changed_paths, content_of, files_at};
use crate::plan::{NodeIx, PathPattern};
use crate::record::{By, Check, CommitId, Finding, Goal, Severity};
use crate::text::{pathspec_word, show_path};
use crate::trust::counts::TestChanges;
use crate::trust::files::{FileKind, kind_of};
use crate::trust::judges::{Judges, Touched};

/// How many files get a finding of their own.
const NAMED: usize = 10;

/// The changes of a task's agent to files that judge its work.
pub(in crate::engine) struct JudgingChange {
    /// Those that the plan does not allow.
    refused: Vec<ChangedJudge>,
    allowed: TestChanges,
}

/// A file that judges the work and that the agent changed.
struct ChangedJudge {
    path: Vec<u8>,
    touched: Touched,
    /// The last commit in which it was as it should be.
    base: CommitId,
}

/// A file and what the agent has made of it.
struct Trace {
    path: Vec<u8>,
    /// The file as the agent should have left it, and a commit that has it.
    expected: Option<(CommitId, Option<TreeFile>)>,
    /// The file as the agent's last commit left it.
    left: Option<TreeFile>,
}

impl JudgingChange {
    /// The changes of the task's steps, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(in crate::engine) fn of(run: &RunContext<'_>, leaf: NodeIx, steps: &[TaskStep]) -> Result<Self> {
        // What an agent has written in a red step is a test that the implementation must keep.
        let is_implementation = |step: &&TaskStep| {
            let record = &step.step.record;
            record.by == By::Run && record.step.row().goal == Goal::Change
        };
        let by_agent: Vec<TaskStep> = steps.iter().filter(is_implementation).cloned().collect();
        let commits = implement_commits(&run.git, &by_agent);
        let node = run.plan.tree.node(leaf);
        let commands: Vec<&str> = node.test_commands.iter().map(|test| test.command.as_str()).collect();
        let judges = Judges::new(&commands, &run.settings.trust.protected);
        let changed = changed_paths(run.repository, &comparisons(&commits))?;
        let may_change = run.plan.tree.may_change(leaf);
        let (free, bound): (Vec<_>, Vec<_>) = changed.into_iter().partition(|path| matches(may_change, path));
        let judging = bound.into_iter().filter(|path| judges.may_judge(&String::from_utf8_lossy(path)));
        let mut refused = Vec::new();
        for trace in traces(run.repository, &commits, &judging.collect::<Vec<_>>())? {
            let judged = trace.judged(run.repository, &judges)?;
            if let Some(judge) = judged
                && (!judge.touched.only_if_tests || has_tests(run, &judge.base)?)
            {
                refused.push(judge);
            }
        }
        let allowed = if free.is_empty() { TestChanges::NotAllowed } else { TestChanges::Allowed };
        Ok(Self { refused, allowed })
    }

    /// Whether the plan allows changes that the task has made to tests.
    pub(in crate::engine) fn allowed(&self) -> TestChanges {
        self.allowed
    }

    /// The findings about the changes that the plan does not allow; `head` is the commit that has them.
    pub(in crate::engine) fn findings(&self, severity: Severity, head: &CommitId) -> Vec<Finding> {
        let finding = |judge: &ChangedJudge| {
            let path = show_path(&judge.path);
            let command =
                format!("git diff {} {} -- {}", judge.base.short(), head.short(), pathspec_word(&path));
            Finding::new(Check::Protect, severity, &judge.touched.to_string()).at([path]).look(&command)
        };
        let mut found: Vec<Finding> = self.refused.iter().take(NAMED).map(finding).collect();
        let more: Vec<String> = self.refused.iter().skip(NAMED).map(|judge| show_path(&judge.path)).collect();
        if !more.is_empty() {
            let seen = "The agent changed more files that judge its work";
            found.push(Finding::new(Check::Protect, severity, seen).at(more));
        }
        found
    }
}

/// Whether a commit has a file with tests.
fn has_tests(run: &RunContext<'_>, commit: &CommitId) -> Result<bool> {
    let paths = run.git.paths_in(commit)?;
    Ok(paths.iter().any(|path| kind_of(&String::from_utf8_lossy(path)) == FileKind::Test))
}

fn matches(patterns: &[PathPattern], path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    patterns.iter().any(|pattern| pattern.matches(&path))
}

/// Follows files through the agent's commits, which are given newest first.
fn traces(repository: &Repository, commits: &[ImplementCommit], paths: &[Vec<u8>]) -> Result<Vec<Trace>> {
    let mut traces: Vec<Trace> =
        paths.iter().map(|path| Trace { path: path.clone(), expected: None, left: None }).collect();
    if traces.is_empty() {
        return Ok(traces);
    }
    for step in commits.iter().rev() {
        let Some(parent) = step.before(repository)? else { continue };
        let before = files_at(repository, &parent, paths)?;
        let after = files_at(repository, &step.commit, paths)?;
        for (trace, (before, after)) in traces.iter_mut().zip(before.into_iter().zip(after)) {
            trace.follow(parent, before, after);
        }
    }
    let head = repository.branch()?.commit;
    let now = files_at(repository, &head, paths)?;
    // What somebody else has changed since is not the work of the agent.
    let kept = traces.into_iter().zip(now).filter(|(trace, now)| trace.left == *now);
    Ok(kept.map(|(trace, _)| trace).collect())
}

impl Trace {
    /// A commit of the agent changed the file from `before`, as its parent has it, to `after`.
    fn follow(&mut self, parent: CommitId, before: Option<TreeFile>, after: Option<TreeFile>) {
        if self.expected.is_none() && before == after {
            self.left = after;
            return;
        }
        // Somebody else changed it since the agent's last commit, or this is the agent's first change.
        if self.expected.is_none() || before != self.left {
            self.expected = Some((parent, before));
        }
        self.left = after;
    }

    /// What has become of the file, if that concerns how the work is judged.
    fn judged(self, repository: &Repository, judges: &Judges) -> Result<Option<ChangedJudge>> {
        let Some((base, expected)) = self.expected.filter(|(_, expected)| *expected != self.left) else {
            return Ok(None);
        };
        let read = |file: Option<TreeFile>| file.map(|file| content_of(repository, file)).transpose();
        let (before, after) = (read(expected)?, read(self.left)?);
        let path = String::from_utf8_lossy(&self.path).into_owned();
        let touched = judges.touched(&path, before.as_deref(), after.as_deref());
        Ok(touched.map(|touched| ChangedJudge { path: self.path, touched, base }))
    }
}
