//! What there is to prove of a task: its own commits, the commit at which it ends, and the commands that judge it there.

use super::plan::Plan;
use super::steps::implement_commits::implement_commits;
use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, TaskStep, counted};
use crate::plan::{Expect, FieldValue, Node, PathPattern, TaskField, TaskTree, TestCommand};
use crate::record::{
    AwaitedTests, By, Check, CommitId, Counts, Goal, Landing, Outcome, RevertClaim, StepFacts, TaskId,
    is_joint,
};
use crate::trust::prove::{NothingRan, OwnChange, ProofSubject};

/// Whether something of a task can be proven.
#[derive(Clone, Debug)]
pub enum Provable {
    /// This can.
    Yes(Box<ProofSubject>),
    /// Nothing can.
    No(NothingRan),
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
        let counts = |step: &&TaskStep| step.counts() && !step.record().step.leaves_the_work_as_it_was();
        let Some(newest) = self.steps.iter().find(counts) else {
            return Ok(Provable::No(NothingRan::Obstacle("nobody has worked on it yet".to_owned())));
        };
        let record = &newest.step.record;
        match (record.step.row().goal, record.by, record.outcome) {
            (Goal::Report, _, Outcome::Skip) => return Ok(Provable::No(NothingRan::Skipped)),
            (Goal::Report, By::User, Outcome::Pass) => return Ok(Provable::No(NothingRan::VouchedFor)),
            _ => {}
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
                return Ok(Provable::No(NothingRan::Obstacle(
                    "it begins with the first commit of the history".to_owned(),
                )));
            };
            own.push(OwnChange { before, after: commit.commit });
        }
        if own.is_empty() {
            return Ok(Provable::No(NothingRan::Obstacle("it has no commit with code".to_owned())));
        }
        let plan = PlanAt::of(self.git, self.plan, head);
        let (judged, files) = (plan.judged(self.id), plan.files);
        Ok(Provable::Yes(Box::new(ProofSubject {
            head,
            own,
            commands: judged.commands,
            expect: judged.expect,
            may_change: judged.may_change,
            protected: self.protected.to_vec(),
            without: files,
            before: None,
            awaited: AwaitedTests::default(),
            recorded: self.recorded_counts(&head),
            has_rewritten_tests: self.has_rewritten_tests(&head),
            packages: Vec::new(),
        })))
    }

    /// The number of tests that the newest test step before or at a commit recorded, if the code has not changed since.
    fn recorded_counts(&self, head: &CommitId) -> Option<Counts> {
        StepFacts::of(&self.passed_tests(head)?.message).tests
    }

    /// Whether that step says that tests of the task were changed after they had failed.
    fn has_rewritten_tests(&self, head: &CommitId) -> bool {
        let name = Check::RewrittenTests.name();
        let found = self.passed_tests(head).map(|test| StepFacts::of(&test.message).findings);
        found.unwrap_or_default().iter().any(|finding| finding == name)
    }

    fn passed_tests(&self, head: &CommitId) -> Option<&TaskStep> {
        let from = self.steps.iter().position(|step| step.step.id == *head)?;
        let counted = counted(&self.steps[from..]);
        let mut since = counted.take_while(|step| !step.record().step.changes_files());
        since.find(|step| {
            let record = &step.step.record;
            record.step.row().goal == Goal::TestsPass && record.outcome == Outcome::Pass
        })
    }
}

/// Tasks whose work one landed commit contains.
#[derive(Clone, Copy)]
pub struct LandedToProve<'a> {
    /// git.
    pub git: &'a Git,
    /// The history.
    pub repository: &'a Repository,
    /// The plan as it is now.
    pub plan: &'a Plan,
    /// The commit.
    pub commit: CommitId,
    /// Patterns of further files that judge (`arborist.protect`).
    pub protected: &'a [PathPattern],
}

/// What there is to prove of tasks that were landed together.
#[derive(Clone, Debug)]
pub struct LandedProof {
    /// The change, judged by the commands of all of them.
    pub provable: Provable,
    /// What kind of change each task is.
    pub expects: Vec<Expect>,
    /// Whether an earlier part of the change is in one commit with the work of other tasks.
    pub has_joint_part: bool,
}

impl LandedToProve<'_> {
    /// What there is to prove of these tasks.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn subject(&self, tasks: &[TaskId]) -> Result<LandedProof> {
        let Self { commit, .. } = *self;
        let plan = PlanAt::of(self.git, self.plan, commit);
        let judged: Vec<TaskJudges> = tasks.iter().map(|task| plan.judged(task)).collect();
        let expects: Vec<Expect> = judged.iter().map(|judged| judged.expect).collect();
        let Some(before) = self.repository.first_parent(&commit)? else {
            let why = "it is part of the first commit of the history".to_owned();
            return Ok(LandedProof {
                provable: Provable::No(NothingRan::Obstacle(why)),
                expects,
                has_joint_part: false,
            });
        };
        let mut commands = Vec::new();
        for command in judged.iter().flat_map(|judged| &judged.commands) {
            if !commands.contains(command) {
                commands.push(command.clone());
            }
        }
        let (own, has_joint_part) = self.own_changes(tasks, before)?;
        let subject = ProofSubject {
            own,
            expect: most_demanding(&expects),
            may_change: judged.into_iter().flat_map(|judged| judged.may_change).collect(),
            protected: self.protected.to_vec(),
            without: plan.files,
            ..ProofSubject::of_commit(commit, commands)
        };
        Ok(LandedProof { provable: Provable::Yes(Box::new(subject)), expects, has_joint_part })
    }

    /// The change of the commit and, if it is that of one task alone, those of its earlier landed commits that nobody has reverted: a
    /// task that was done again has several. `before` is the commit's parent. Also tells whether one of the earlier ones has the work
    /// of other tasks as well.
    fn own_changes(&self, tasks: &[TaskId], before: CommitId) -> Result<(Vec<OwnChange>, bool)> {
        let Self { git, repository, commit, .. } = *self;
        let mut own = vec![OwnChange { before, after: commit }];
        let claims = Landing::all_in(&repository.commit(&commit)?.message);
        let ([task], [claim]) = (tasks, claims.as_slice()) else { return Ok((own, false)) };
        if claim.tasks != [task.clone()] || !git.is_ancestor(&claim.base, &before)? {
            return Ok((own, false));
        }
        let (mut reverted, mut has_joint_part) = (Vec::new(), false);
        for ids in git.first_parents(&[claim.base], &before)? {
            let (id, Some(parent)) = (ids[0], ids.get(1)) else { continue };
            let message = repository.commit(&id)?.message;
            reverted.extend(RevertClaim::all_in(&message).into_iter().filter_map(|claim| claim.named));
            let landings = Landing::all_in(&message);
            let is_of_task = landings.iter().any(|landing| landing.tasks.contains(task));
            if is_of_task && !reverted.iter().any(|named| named.id.fits(&id)) {
                own.push(OwnChange { before: *parent, after: id });
                has_joint_part |= is_joint(&landings);
            }
        }
        own.reverse();
        Ok((own, has_joint_part))
    }
}

/// The kind of several changes together: that of which the most is asked.
fn most_demanding(expects: &[Expect]) -> Expect {
    let order = [Expect::Change, Expect::Tests, Expect::Refactor, Expect::Config, Expect::Docs];
    order.into_iter().find(|expect| expects.contains(expect)).unwrap_or_default()
}

/// The plan of a commit, and the plan as it is now. That of the commit judges; a later one may ask for more.
struct PlanAt<'a> {
    then: Option<TaskTree>,
    now: &'a TaskTree,
    /// Where plans are, from the top.
    files: Vec<String>,
}

impl<'a> PlanAt<'a> {
    fn of(git: &Git, plan: &'a Plan, commit: CommitId) -> Self {
        let files = plan.files_in_repository().unwrap_or_default();
        Self { then: plan.tree_at(git, &commit), now: &plan.tree, files }
    }

    fn judged(&self, task: &TaskId) -> TaskJudges {
        let mut trees = self.then.iter().chain([self.now]);
        let found = trees.find_map(|tree| Some(TaskJudges::of(tree.node(tree.find(task.as_str())?))));
        found.unwrap_or_default()
    }
}

/// What judges a task.
#[derive(Default)]
struct TaskJudges {
    commands: Vec<TestCommand>,
    expect: Expect,
    may_change: Vec<PathPattern>,
}

impl TaskJudges {
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
