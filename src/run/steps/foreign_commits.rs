//! Finds the commits that came onto the branch of a run while a task was at work, from a person or from a program of a task:
//! nobody can tell which, so the next commit of the run names them, and the next review shows them.
//!
//! They are found in the history, so nothing is forgotten if a run is killed. Only what came before the first step of a task, whose
//! branch has begun again since, is known to the scheduler alone. A task is at work from its first step to its
//! last one, apart from the time in which it waits for a person. What a step has adopted belongs to the work on its task, and
//! commits of the plan alone are watched elsewhere.

use std::collections::HashSet;

use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, TaskStep, TreeComparison, changed_paths, counted};
use crate::record::{
    Check, CommitId, CommitKind, Finding, Severity, Step, StepFacts, carries_step, commit_kind,
};
use crate::run::plan::Plan;
use crate::worktree::task_commits::claim_of;

/// Where foreign commits are looked for.
#[derive(Clone, Copy)]
pub(crate) struct ForeignCommits<'a> {
    pub(crate) git: &'a Git,
    pub(crate) repository: &'a Repository,
    pub(crate) plan: &'a Plan,
}

/// A task whose branch is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Line<'s> {
    /// The steps of the task, newest first.
    pub(crate) steps: &'s [TaskStep],
    /// The tip of the branch, without what a step that is about to be recorded has adopted.
    pub(crate) head: CommitId,
}

impl ForeignCommits<'_> {
    /// Those of these commits, newest first, that no commit behind `start` names that leads to one of these heads.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn not_named(
        self,
        mut seen: Vec<CommitId>,
        start: Option<CommitId>,
        heads: &[CommitId],
    ) -> Result<Vec<CommitId>> {
        let mut named = HashSet::new();
        for head in heads.iter().filter(|_| !seen.is_empty()) {
            for commit in self.git.commits_saying(&mark(), start, head)? {
                named.extend(named_in(&self.repository.commit(&commit)?.message));
            }
        }
        seen.retain(|commit| !named.contains(&commit.short()));
        let mut found = Vec::new();
        for commit in seen.into_iter().rev() {
            if self.is_foreign(&commit)? {
                found.push(commit);
            }
        }
        Ok(found)
    }

    /// Those that are on a branch since it parted from these commits and that no commit there names, newest first.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn on_branch(self, head: CommitId, beside: &[CommitId]) -> Result<Vec<CommitId>> {
        let (mut found, named) = self.found_on_branch(head, beside)?;
        found.retain(|commit| !named.contains(&commit.short()));
        Ok(found)
    }

    /// Those that came onto the branch of a task since its last attempt, whether that was its last step or the task has ended
    /// since, newest first. Commits of the run may have named them.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn since_last_attempt(self, line: Line<'_>) -> Result<Vec<CommitId>> {
        let mut counted = counted(line.steps);
        match counted.find(|step| step.record().step.is_part_of_an_attempt()) {
            Some(last) => Ok(self.found_on_branch(line.head, &[last.step.id])?.0),
            None => Ok(Vec::new()),
        }
    }

    /// Those that are on a branch since it parted from these commits, newest first, and the names that commits there have for
    /// foreign commits.
    fn found_on_branch(
        self,
        head: CommitId,
        beside: &[CommitId],
    ) -> Result<(Vec<CommitId>, HashSet<String>)> {
        let mut found = Vec::new();
        let mut named = HashSet::new();
        let mut adopted_since = None;
        for ids in self.git.first_parents(beside, &head)? {
            let Some(commit) = ids.first() else { continue };
            if adopted_since.is_some_and(|base| base != *commit) {
                continue;
            }
            let message = self.repository.commit(commit)?.message;
            named.extend(named_in(&message));
            if carries_step(&message) {
                // After a rebase, the commit that the message names is elsewhere.
                let is_below = |base: &CommitId| self.git.is_ancestor(base, commit).unwrap_or(false);
                adopted_since = StepFacts::of(&message).adopted_base().filter(is_below);
                continue;
            }
            adopted_since = None;
            if self.is_foreign(commit)? {
                found.push(*commit);
            }
        }
        Ok((found, named))
    }

    /// Those on the branch of a task since its newest step, if it is at work.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn since_newest_step(self, line: Line<'_>) -> Result<Vec<CommitId>> {
        let mut counted = counted(line.steps);
        let newest = counted.find(|step| !step.record().step.leaves_the_work_as_it_was());
        match newest.filter(|step| step.record().step.is_part_of_an_attempt()) {
            Some(newest) if newest.step.id != line.head => self.on_branch(line.head, &[newest.step.id]),
            _ => Ok(Vec::new()),
        }
    }

    /// Those that no review has shown, among the commits behind `start`: what has come since the newest step, and what other commits
    /// name.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn not_reviewed(self, line: Line<'_>, start: Option<CommitId>) -> Result<Vec<CommitId>> {
        let mut open = self.since_newest_step(line)?;
        let (mut named, mut reviewed) = (Vec::new(), HashSet::new());
        for commit in self.git.commits_saying(&mark(), start, &line.head)? {
            let message = self.repository.commit(&commit)?.message;
            if is_review_of_work(&message) {
                reviewed.extend(named_in(&message));
            } else {
                named.extend(named_in(&message));
            }
        }
        for short in named.into_iter().filter(|short| !reviewed.contains(short)) {
            open.extend(self.git.commit_named(&short)?);
        }
        let mut seen = HashSet::new();
        open.retain(|commit| seen.insert(*commit));
        Ok(open)
    }

    /// Whether a commit says nothing about tasks, and is no merge of a branch of the run and no change of the plan alone.
    fn is_foreign(self, commit: &CommitId) -> Result<bool> {
        let Self { repository, plan, .. } = self;
        let parents = repository.commit(commit)?.parents;
        for merged in parents.iter().skip(1) {
            if carries_step(&repository.commit(merged)?.message) {
                return Ok(false);
            }
        }
        if claim_of(repository, commit)?.is_some() {
            return Ok(false);
        }
        let compared = TreeComparison { commit: *commit, base: parents.first().copied() };
        let paths = changed_paths(repository, &[compared])?;
        Ok(paths.is_empty() || !paths.iter().all(|path| plan.files().contains(path)))
    }
}

/// The finding about these commits; `None` if there are none.
pub(crate) fn finding_about(commits: &[CommitId]) -> Option<Finding> {
    let oldest_first: Vec<String> = commits.iter().rev().map(CommitId::short).collect();
    let seen = "Commits came onto the branch of the run while a task was at work, from a person or a program of a task";
    let finding = Finding::new(Check::ForeignCommit, Severity::Warning, seen);
    (!commits.is_empty())
        .then(|| finding.look(&format!("git show {}", oldest_first.join(" "))).at(oldest_first))
}

/// Whether a message is that of a review that has seen the whole change, and not only its tests.
fn is_review_of_work(message: &[u8]) -> bool {
    matches!(commit_kind(message), CommitKind::Task(_, record) if record.step == Step::REVIEW && !record.rejects_tests)
}

/// What every message contains that names some.
fn mark() -> String {
    format!("[{}]: ", Check::ForeignCommit.name())
}

/// The short ids of the commits that a message names as foreign.
fn named_in(message: &[u8]) -> Vec<String> {
    let found = StepFacts::of(message).found.into_iter();
    found.filter(|finding| finding.check == Check::ForeignCommit).flat_map(|finding| finding.places).collect()
}
