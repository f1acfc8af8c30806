//! The prompts that the steps of a task get now, told from history: what `garden` sends and `next --prompt` prints.

use std::collections::HashSet;

use super::empty::findings;
use super::feedback::{feedback_of, task_facts};
use super::named::named_by;
use super::plan::Plan;
use super::written::{Written, pairs, written_by};
use crate::error::Result;
use crate::git::Git;
use crate::history::{Behind, Followed, Standing, TaskStep, read_between};
use crate::plan::NodeIx;
use crate::record::CommitId;
use crate::text::clean;
use crate::workflow::{Change, implement_prompt, review_prompt};

/// What prompts are made from.
#[derive(Clone, Copy)]
pub struct Prompts<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The plan.
    pub plan: &'a Plan,
    /// What history says of the plan.
    pub followed: &'a Followed<'a>,
}

impl Prompts<'_> {
    /// The prompt that the implement step of a leaf gets now.
    ///
    /// # Errors
    /// If history or an object cannot be read.
    pub fn to_implement(&self, leaf: NodeIx) -> Result<String> {
        let facts = task_facts(*self, leaf)?;
        Ok(implement_prompt(&facts, &feedback_of(&self.steps(leaf)?)))
    }

    /// The prompt that the review step of a leaf gets now; the folders in `artifacts` are no part of what is reviewed.
    ///
    /// # Errors
    /// If history or an object cannot be read.
    pub fn to_review(&self, leaf: NodeIx, artifacts: &[&str]) -> Result<String> {
        let facts = task_facts(*self, leaf)?;
        let head = self.followed.run().range.head();
        let steps = self.steps(leaf)?;
        let change = self.change_of(&steps, &head, artifacts)?;
        let findings = findings(self.followed.repository(), self.git, &steps)?;
        Ok(review_prompt(&facts, &change, &findings))
    }

    fn steps(&self, leaf: NodeIx) -> Result<Vec<TaskStep>> {
        self.followed.steps_of(&self.plan.tree.node(leaf).id)
    }

    /// Exactly what the task changed: one difference over all its attempts where nothing else was committed in between,
    /// else the difference that each of its implement steps made.
    fn change_of(&self, steps: &[TaskStep], head: &CommitId, artifacts: &[&str]) -> Result<Change> {
        let written = written_by(self.git, steps);
        let base = match written.last() {
            Some(first) => first.before(self.followed.repository())?,
            None => None,
        };
        let (diff, command) = match base {
            Some(base) if self.is_only_of((steps, &written), &base, head)? => {
                let diff = self.git.diff(&base, head, artifacts)?;
                (diff, Some(format!("git diff {} {}", base.short(), head.short())))
            }
            _ => (self.diffs_of(&written, artifacts)?, None),
        };
        let paths = self.git.changed_paths(&pairs(&written))?;
        let shown = |path: &Vec<u8>| crate::text::one_line(&String::from_utf8_lossy(path));
        let files = paths.iter().map(shown).collect();
        Ok(Change { diff: clean(&diff), files, named: named_by(steps), command })
    }

    /// Whether everything in `base..head` is a step of the task or a commit that its runner made.
    fn is_only_of(
        &self,
        (steps, written): (&[TaskStep], &[Written]),
        base: &CommitId,
        head: &CommitId,
    ) -> Result<bool> {
        let mut own: HashSet<CommitId> =
            steps.iter().filter(|step| step.standing == Standing::Counts).map(|step| step.step.id).collect();
        for (commit, base) in pairs(written) {
            if let Some(base) = base {
                own.extend(self.commits_between(base, commit)?);
            }
        }
        Ok(self.commits_between(*base, *head)?.iter().all(|commit| own.contains(commit)))
    }

    fn commits_between(&self, base: CommitId, head: CommitId) -> Result<Vec<CommitId>> {
        match read_between(self.followed.repository(), (Behind::Commit(base), head), |commit| Some(commit.id))
        {
            Some(commits) => Ok(commits),
            None => self.git.commits_between(&base, &head),
        }
    }

    fn diffs_of(&self, written: &[Written], without: &[&str]) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        for step in written.iter().rev() {
            if let Some(before) = step.before(self.followed.repository())? {
                all.extend(self.git.diff(&before, &step.commit, without)?);
            }
        }
        Ok(all)
    }
}
