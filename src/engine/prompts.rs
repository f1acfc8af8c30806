//! Builds the prompts for the next steps of a task from history. `garden` sends them, and `next --prompt` prints them.

use std::collections::HashSet;

use super::baseline::{BaselinePlace, known_baseline};
use super::evidence::evidence;
use super::failing_tests::{failing_tests, tests_before};
use super::feedback::{feedback_of, task_facts, test_output};
use super::findings::findings;
use super::implement_commits::{ImplementCommit, comparisons, implement_commits};
use super::objections::open_objections;
use super::plan::Plan;
use crate::error::Result;
use crate::git::{Git, WorkTree};
use crate::history::{FollowedRun, StepValidity, TaskStep, changed_paths};
use crate::plan::NodeIx;
use crate::record::{Baseline, CommitId, Step};
use crate::text::clean;
use crate::workflow::{
    Change, FailingTests, MergeFacts, Pipeline, PromptFacts, TaskFacts, prompt, shows_change,
    shows_failing_tests,
};

/// The sources of a prompt.
#[derive(Clone, Copy)]
pub struct Prompts<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The work tree.
    pub work_tree: &'a WorkTree,
    /// The plan.
    pub plan: &'a Plan,
    /// Whether agents must leave the files alone that judge their work.
    pub protects: bool,
    /// The state of the plan, read from history.
    pub followed: &'a FollowedRun<'a>,
    /// The merge that the step makes, if it makes one.
    pub merge: Option<&'a MergeFacts>,
}

/// The step for which a prompt is wanted.
#[derive(Clone, Copy, Debug)]
pub struct PromptOf {
    /// The step.
    pub step: Step,
    /// The task.
    pub leaf: NodeIx,
    /// The steps that the task passes through.
    pub pipeline: Pipeline,
}

impl Prompts<'_> {
    /// The prompt for a step of a leaf as it would be sent now, if an agent does this step. The change in the prompt
    /// leaves out the folders in `artifacts`.
    ///
    /// # Errors
    /// If history or an object cannot be read.
    pub fn of(&self, asked: PromptOf, artifacts: &[&str]) -> Result<Option<String>> {
        let PromptOf { step, leaf, pipeline } = asked;
        if step.role().is_none() {
            return Ok(None);
        }
        let steps = self.steps(leaf)?;
        let mut change = if shows_change(step) { Some(self.change_of(&steps, artifacts)?) } else { None };
        if let Some(change) = &mut change {
            change.evidence = evidence(&steps, !self.plan.tree.node(leaf).test_commands.is_empty());
        }
        let failing = if shows_failing_tests(step) { self.failing_tests(&steps)? } else { None };
        let facts = PromptFacts {
            task: TaskFacts {
                protects: self.protects,
                ..task_facts(self.git, self.plan, self.followed, leaf)?
            },
            baseline: self.baseline_of(leaf, &steps)?.map(|baseline| baseline.sentence()),
            feedback: feedback_of(&steps, step),
            objections: open_objections(&steps, step),
            change,
            failing,
            tests_before: tests_before(&steps),
            may_reject_tests: pipeline.has(Step::RED),
            merge: self.merge.cloned(),
        };
        Ok(prompt(step, &facts))
    }

    /// How the tests of a task ended before it, as its first step records or, before that step, as they ended here.
    fn baseline_of(&self, leaf: NodeIx, steps: &[TaskStep]) -> Result<Option<Baseline>> {
        let tests = &self.plan.tree.node(leaf).test_commands;
        let place = BaselinePlace { repository: self.followed.repository(), work_tree: self.work_tree };
        known_baseline(place, tests, steps, &self.followed.run().range.head())
    }

    fn steps(&self, leaf: NodeIx) -> Result<Vec<TaskStep>> {
        self.followed.steps_of(&self.plan.tree.node(leaf).id)
    }

    /// The tests that were written before the code, if there are any.
    fn failing_tests(&self, steps: &[TaskStep]) -> Result<Option<FailingTests>> {
        let Some(written) = failing_tests(steps) else { return Ok(None) };
        let files = written.files(self.followed.repository(), self.git)?;
        let shown = |path: &Vec<u8>| crate::text::one_line(&String::from_utf8_lossy(path));
        let output = test_output(&written.step.message);
        Ok(Some(FailingTests { files: files.iter().map(shown).collect(), output }))
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
        Ok(Change { diff: clean(&diff), files, findings, evidence: Vec::new(), command })
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
