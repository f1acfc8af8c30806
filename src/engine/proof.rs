//! What there is to prove of a task: its own commits, the commit at which it ends, and the commands that judge it there.

use super::baseline::recorded_baseline;
use super::implement_commits::implement_commits;
use super::plan::Plan;
use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, StepValidity, TaskStep};
use crate::plan::{Expect, FieldValue, Node, PathPattern, TaskField, TaskTree, TestCommand};
use crate::record::{AwaitedTests, By, CommitId, Counts, Goal, Outcome, StepFacts, TaskId};
use crate::trust::prove::{OwnChange, Subject};

/// Whether something of a task can be proven.
#[derive(Clone, Debug)]
pub enum Provable {
    /// This can.
    Yes(Box<Subject>),
    /// Nothing can; why, as a clause.
    No(String),
}

/// A task of a plan, with its steps.
#[derive(Clone, Copy)]
pub struct TaskToProve<'a> {
    /// git.
    pub git: &'a Git,
    /// The history.
    pub repository: &'a Repository,
    /// The plan as it is now.
    pub plan: &'a Plan,
    /// The task.
    pub id: &'a TaskId,
    /// The steps of the task, newest first.
    pub steps: &'a [TaskStep],
    /// Patterns of further files that judge (`arborist.protect`).
    pub protected: &'a [PathPattern],
}

impl TaskToProve<'_> {
    /// What there is to prove, at the newest commit of the task.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn subject(&self) -> Result<Provable> {
        let counts = |step: &&TaskStep| {
            step.validity == StepValidity::Counts && !step.step.record.step.leaves_the_work_as_it_was()
        };
        let Some(newest) = self.steps.iter().find(counts) else {
            return Ok(Provable::No("nobody has worked on it yet".to_owned()));
        };
        let record = &newest.step.record;
        if record.step.row().goal == Goal::Report && record.by == By::User && record.outcome == Outcome::Pass
        {
            return Ok(Provable::No("a person vouches for it".to_owned()));
        }
        self.at(newest.step.id)
    }

    /// What there is to prove at this commit.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn at(&self, head: CommitId) -> Result<Provable> {
        let mut own = Vec::new();
        for commit in implement_commits(self.git, self.steps).iter().rev() {
            let Some(before) = commit.before(self.repository)? else {
                return Ok(Provable::No("it begins with the first commit of the history".to_owned()));
            };
            own.push(OwnChange { before, after: commit.commit });
        }
        if own.is_empty() {
            return Ok(Provable::No("it has no commit with code".to_owned()));
        }
        let files = self.plan.files_in_repository().unwrap_or_default();
        let tree = self.tree_at(&head, &files);
        let node_of = |tree: &TaskTree| tree.find(self.id.as_str()).map(|ix| Judged::of(tree.node(ix)));
        // The plan of that commit judges; a later one may ask for more.
        let judged = tree.as_ref().and_then(node_of).or_else(|| node_of(&self.plan.tree)).unwrap_or_default();
        Ok(Provable::Yes(Box::new(Subject {
            head,
            own,
            commands: judged.commands,
            expect: judged.expect,
            may_change: judged.may_change,
            protected: self.protected.to_vec(),
            without: files,
            before: recorded_baseline(self.steps).and_then(|baseline| baseline.counts),
            awaited: AwaitedTests::default(),
            recorded: self.recorded_counts(&head),
            packages: Vec::new(),
        })))
    }

    /// The number of tests that the newest test step before or at a commit recorded, if the code has not changed since.
    fn recorded_counts(&self, head: &CommitId) -> Option<Counts> {
        let from = self.steps.iter().position(|step| step.step.id == *head)?;
        let counted = self.steps[from..].iter().filter(|step| step.validity == StepValidity::Counts);
        let mut since = counted.take_while(|step| !step.step.record.step.changes_files());
        let test = since.find(|step| {
            let record = &step.step.record;
            record.step.row().goal == Goal::TestsPass && record.outcome == Outcome::Pass
        })?;
        StepFacts::of(&test.message).tests
    }

    /// The plan as it was at a commit; `None` if it was not there or is not valid.
    fn tree_at(&self, commit: &CommitId, files: &[String]) -> Option<TaskTree> {
        files.iter().find_map(|file| {
            let bytes = self.git.blob(&format!("{commit}:{file}")).ok()?;
            Some(TaskTree::from_json(&bytes).ok()?.tree)
        })
    }
}

/// What judges a task.
#[derive(Default)]
struct Judged {
    commands: Vec<TestCommand>,
    expect: Expect,
    may_change: Vec<PathPattern>,
}

impl Judged {
    fn of(node: &Node) -> Self {
        let may_change = match node.fields.get(TaskField::MayChange).map(|entry| &*entry.value) {
            Some(FieldValue::Patterns(patterns)) => patterns.clone(),
            _ => Vec::new(),
        };
        let expect = match node.fields.get(TaskField::Expect).map(|entry| &*entry.value) {
            Some(FieldValue::Expect(kind)) => *kind,
            _ => Expect::default(),
        };
        Self { commands: node.test_commands.clone(), expect, may_change }
    }
}
