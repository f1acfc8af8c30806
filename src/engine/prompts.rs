//! Builds the prompts for the next steps of a task from history. `garden` sends them, and `next --prompt` prints them.

use super::baseline::{BaselineMemory, TestsAt, recorded_baseline};
use super::checks::protected::judging_facts;
use super::evidence::evidence;
use super::failing_tests::{failing_tests, tests_before};
use super::feedback::{feedback_of, task_facts, test_output};
use super::findings::findings;
use super::foreign_commits::{ForeignCommits, Line};
use super::objections::open_objections;
use super::phase_failure::phase_feedback;
use super::plan::Plan;
use super::task_change::{ChangeSource, TaskChange};
use super::test_code::code_of;
use crate::error::Result;
use crate::git::{Git, PathEntry, WorkTree};
use crate::history::{FollowedRun, StepValidity, TaskStep};
use crate::plan::NodeIx;
use crate::record::{Baseline, CommitId, Goal, Question, Step};
use crate::text::{one_line, show_path};
use crate::workflow::{
    Change, DIFF_LIMIT, FailingTests, FileChange, ForeignChange, MergeFacts, Pipeline, PromptFacts,
    ScratchFacts, ShownChange, TaskFacts, claim_prompt, prompt, shows_change, shows_failing_tests,
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
    /// How tests ended before tasks, if this process has measured that.
    pub baselines: Option<&'a BaselineMemory>,
    /// The merge that the step makes, if it makes one.
    pub merge: Option<&'a MergeFacts>,
    /// What the prompt of a reviewer depends on.
    pub review: ReviewPrompt,
}

/// What the prompt of a reviewer depends on.
#[derive(Clone, Copy, Debug)]
pub struct ReviewPrompt {
    /// How many characters of the change it shows (`arborist.prompt.diff`).
    pub diff_limit: usize,
    /// Where the reviewer works.
    pub place: ReviewPlace,
}

/// Where a reviewer works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewPlace {
    /// In a scratch work tree that has the whole change in a file.
    Scratch {
        /// Whether it may leave a test there.
        may_probe: bool,
    },
    /// Somewhere else, about which nothing is known.
    Elsewhere,
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
    /// The prompt for a step of a leaf as it would be sent now, if an agent does this step.
    ///
    /// # Errors
    /// If history or an object cannot be read.
    pub fn of(&self, asked: PromptOf) -> Result<Option<String>> {
        let PromptOf { step, leaf, pipeline } = asked;
        if step.role().is_none() {
            return Ok(None);
        }
        let steps = self.steps(leaf)?;
        let claim = if step == Step::REVIEW { open_claim(&steps) } else { None };
        let mut change = match claim {
            Some(_) => Some(self.change_of(leaf, &only_tests(&steps))?),
            None if shows_change(step) => Some(self.change_of(leaf, &steps)?),
            None => None,
        };
        if let Some(change) = &mut change {
            let facts = judging_facts(self.git, self.followed.repository(), &steps)?;
            change.evidence.judging = facts;
        }
        let failing = if shows_failing_tests(step) { self.failing_tests(&steps)? } else { None };
        let phase = &self.plan.tree.node(self.plan.tree.phase_of(leaf)).id;
        let of_phase = match step.changes_files() {
            true => phase_feedback(self.followed.repository(), &self.followed.run(), phase)?,
            false => None,
        };
        let feedback = of_phase.into_iter().chain(feedback_of(&steps, step)).collect();
        let facts = PromptFacts {
            task: TaskFacts {
                protects: self.protects,
                ..task_facts(self.git, self.plan, self.followed, leaf)?
            },
            baseline: self.baseline_of(leaf, &steps)?.map(|baseline| baseline.sentence()),
            feedback,
            objections: open_objections(&steps, step),
            change,
            failing,
            tests_before: tests_before(&steps),
            may_reject_tests: pipeline.has(Step::RED),
            merge: self.merge.cloned(),
        };
        Ok(match claim {
            Some(claim) => Some(claim_prompt(&facts, &claim.text)),
            None => prompt(step, &facts),
        })
    }

    /// How the tests of a task ended before it, as its first step records or, before that step, as this process has measured.
    fn baseline_of(&self, leaf: NodeIx, steps: &[TaskStep]) -> Result<Option<Baseline>> {
        let tests = &self.plan.tree.node(leaf).test_commands;
        let Some(baselines) = self.baselines else { return Ok(recorded_baseline(steps)) };
        let head = self.followed.run().range.head();
        baselines.baseline_of(self.followed.repository(), TestsAt { tests, commit: &head }, steps)
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

    /// Exactly what the task changed, as far as the prompt has room for it, with what is known about it.
    fn change_of(&self, leaf: NodeIx, steps: &[TaskStep]) -> Result<Change> {
        let head = self.followed.run().range.head();
        let repository = self.followed.repository();
        let change = TaskChange::read(ChangeSource { git: self.git, repository, steps, head })?;
        let files = change.files(self.git)?;
        let shown = ShownChange::of(&files, self.review.diff_limit);
        let mut evidence = evidence(steps, !self.plan.tree.node(leaf).test_commands.is_empty());
        // Nothing is shown twice: the diff of a new file contains its tests.
        let is_new = |file: &&FileChange<'_>| {
            file.patch.split(|byte| *byte == b'\n').take(3).any(|line| line.starts_with(b"new file mode "))
        };
        let known = shown.whole.iter().map(|&at| &files[at]).filter(is_new).map(|file| file.path.as_str());
        let known: Vec<&str> = known.collect();
        evidence.passing_code = code_of(self.git, &head, &evidence.passing, &known)?;
        let scratch = match self.review.place {
            ReviewPlace::Elsewhere => None,
            ReviewPlace::Scratch { may_probe } => Some(ScratchFacts {
                change_file: change_file(self.git, &head)?,
                instructions: shown_paths(&change.instructions_before(self.git, &head)?),
                may_probe,
            }),
        };
        let findings = findings(repository, self.git, steps)?;
        let foreign = self.foreign(Line { steps, head })?;
        Ok(Change { shown, findings, evidence, command: change.command, scratch, foreign })
    }

    /// The commits of others that no review has shown yet.
    fn foreign(&self, line: Line<'_>) -> Result<ForeignChange> {
        let (git, repository) = (self.git, self.followed.repository());
        let foreign = ForeignCommits { git, repository, plan: self.plan };
        let mut shown = ForeignChange::default();
        let mut changes = Vec::new();
        for commit in foreign.not_reviewed(line, self.followed.run().range.anchor())?.into_iter().rev() {
            let message = repository.commit(&commit)?.message;
            let subject =
                String::from_utf8_lossy(message.split(|byte| *byte == b'\n').next().unwrap_or_default());
            shown.commits.push(format!("{} {}", commit.short(), one_line(&subject)));
            if let Some(base) = repository.first_parent(&commit)? {
                changes.push(TaskChange::since(git, base, &commit)?);
            }
        }
        let mut files = Vec::new();
        for change in &changes {
            files.extend(change.files(git)?);
        }
        shown.shown = ShownChange::of(&files, DIFF_LIMIT.min(self.review.diff_limit));
        Ok(shown)
    }
}

fn shown_paths(entries: &[PathEntry]) -> Vec<String> {
    entries.iter().map(|entry| show_path(&entry.path)).collect()
}

/// The file in the scratch work tree of a reviewer that has the whole change, from its top: in a folder that the commit
/// does not have.
///
/// # Errors
/// If git fails.
pub(super) fn change_file(git: &Git, head: &CommitId) -> Result<String> {
    let mut folder = ".arborist-review".to_owned();
    for number in 2.. {
        if !git.has_file(head, &folder)? {
            break;
        }
        folder = format!(".arborist-review-{number}");
    }
    Ok(format!("{folder}/change.diff"))
}

/// What an implementer says of the tests of its task, if a reviewer has to judge that next. The steps come newest first.
fn open_claim(steps: &[TaskStep]) -> Option<Question> {
    let counts = |step: &&TaskStep| step.validity == StepValidity::Counts;
    let is_over = |step: &&TaskStep| step.step.record.step != Step::CLAIM;
    let latest = steps.iter().filter(counts).find(is_over)?;
    let record = &latest.step.record;
    (record.step == Step::BLOCK && record.is_about_claim).then(|| Question::of(&latest.message))
}

/// The steps that wrote tests before the code.
fn only_tests(steps: &[TaskStep]) -> Vec<TaskStep> {
    let wrote_tests = |step: &&TaskStep| step.step.record.step.row().goal == Goal::TestsFail;
    steps.iter().filter(wrote_tests).cloned().collect()
}
