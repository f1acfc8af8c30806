//! Builds the prompts for the next steps of a task from history. `garden` sends them, and `next --prompt` prints them.

use std::collections::HashSet;

use super::feedback::{feedback_of, task_facts};
use super::findings::findings;
use super::implement_commits::{ImplementCommit, comparisons, implement_commits};
use super::plan::Plan;
use crate::error::Result;
use crate::git::Git;
use crate::history::{FollowedRun, StepValidity, TaskStep, changed_paths};
use crate::plan::NodeIx;
use crate::record::{CommitId, Step};
use crate::text::clean;
use crate::workflow::{Change, PromptFacts, prompt, shows_change};

/// The sources of a prompt.
#[derive(Clone, Copy)]
pub struct Prompts<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The plan.
    pub plan: &'a Plan,
    /// The state of the plan, read from history.
    pub followed: &'a FollowedRun<'a>,
}

impl Prompts<'_> {
    /// The prompt for a step of a leaf as it would be sent now, if an agent does this step. The change in the prompt
    /// leaves out the folders in `artifacts`.
    ///
    /// # Errors
    /// If history or an object cannot be read.
    pub fn of(&self, step: Step, leaf: NodeIx, artifacts: &[&str]) -> Result<Option<String>> {
        if step.role().is_none() {
            return Ok(None);
        }
        let steps = self.steps(leaf)?;
        let change = if shows_change(step) { Some(self.change_of(&steps, artifacts)?) } else { None };
        let facts = PromptFacts {
            task: task_facts(self.git, self.plan, self.followed, leaf)?,
            feedback: feedback_of(&steps),
            change,
        };
        Ok(prompt(step, &facts))
    }

    fn steps(&self, leaf: NodeIx) -> Result<Vec<TaskStep>> {
        self.followed.steps_of(&self.plan.tree.node(leaf).id)
    }

    /// Exactly what the task changed: a single diff over all its attempts if nothing else was committed in between,
    /// otherwise the diff of each of its implement steps.
    fn change_of(&self, steps: &[TaskStep], artifacts: &[&str]) -> Result<Change> {
        let head = &self.followed.run().range.head();
        let commits = implement_commits(self.git, steps);
        let base = match commits.last() {
            Some(first) => first.before(self.followed.repository())?,
            None => None,
        };
        let (diff, command) = match base {
            Some(base) if self.is_only_of(steps, &commits, &base)? => {
                let diff = self.git.diff(&base, head, artifacts)?;
                (diff, Some(format!("git diff {} {}", base.short(), head.short())))
            }
            _ => (self.diffs_of(&commits, artifacts)?, None),
        };
        let paths = changed_paths(self.followed.repository(), &comparisons(&commits))?;
        let shown = |path: &Vec<u8>| crate::text::one_line(&String::from_utf8_lossy(path));
        let files = paths.iter().map(shown).collect();
        let findings = findings(self.followed.repository(), self.git, steps)?;
        Ok(Change { diff: clean(&diff), files, findings, command })
    }

    /// Whether everything from `base` to HEAD is a step of the task or a commit that its runner made.
    fn is_only_of(&self, steps: &[TaskStep], commits: &[ImplementCommit], base: &CommitId) -> Result<bool> {
        let mut own: HashSet<CommitId> = steps
            .iter()
            .filter(|step| step.validity == StepValidity::Counts)
            .map(|step| step.step.id)
            .collect();
        for ImplementCommit { commit, base } in commits {
            if let Some(base) = base {
                own.extend(self.git.commits_between(base, commit)?);
            }
        }
        let head = self.followed.run().range.head();
        // Nearly always, these commits follow on each other, and git need not be started.
        Ok(self.followed.repository().is_chain_of(&own, base, head)
            || self.git.commits_between(base, &head)?.iter().all(|commit| own.contains(commit)))
    }

    fn diffs_of(&self, commits: &[ImplementCommit], without: &[&str]) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        for step in commits.iter().rev() {
            if let Some(before) = step.before(self.followed.repository())? {
                all.extend(self.git.diff(&before, &step.commit, without)?);
            }
        }
        Ok(all)
    }
}
