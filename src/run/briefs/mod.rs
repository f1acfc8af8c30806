//! Builds the prompts for the next steps of a task from history. `garden` sends them, and `next --prompt` prints them.

pub(crate) mod attempts;
mod facts;
pub(crate) mod phase_failure;

use self::attempts::feedback_with_logs;
use self::facts::{done_before, goal_facts, other_tasks, place_facts, surroundings, task_facts};
use self::phase_failure::phase_feedback;
use super::awaited::OpenTasks;
use super::change::judging_facts::judging_facts;
use super::change::task_change::{ChangeSource, TaskChange};
use super::change::test_code::code_of;
use super::plan::Plan;
use super::steps::earlier_tests::{EarlierResults, EarlierTests, TestsAt, is_untouched};
use super::steps::evidence::evidence;
use super::steps::failing_tests::{failing_tests, tests_before};
use super::steps::feedback::{open_objections, test_output};
use super::steps::findings::findings;
use super::steps::foreign_commits::{ForeignCommits, Line};
use super::steps::same_answer::says_the_same;
use crate::error::Result;
use crate::git::{Git, PathEntry, WorkTree};
use crate::history::{FollowedRun, TaskStep};
use crate::plan::NodeIx;
use crate::record::{AwaitedTests, CommitId, Goal, Question, Step};
use crate::text::{clean, one_line, show_path};
use crate::workflow::{
    AnswerForm, Brief, BriefFacts, BriefPurpose, Change, DIFF_LIMIT, FailingTests, Feedback, FeedbackSource,
    FileChange, ForeignChange, JudgedFacts, MergeFacts, Pipeline, SavedFacts, ScratchFacts, ShownChange,
    Surroundings, UserTemplate,
};
use crate::worktree::saves_step;

/// How many awaited tests a brief names.
const AWAITED_LIMIT: usize = 40;

/// The sources of a prompt.
#[derive(Clone, Copy)]
pub struct Prompts<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The work tree.
    pub work_tree: &'a WorkTree,
    /// The plan.
    pub plan: &'a Plan,
    /// The state of the plan, read from history.
    pub followed: &'a FollowedRun<'a>,
    /// What test commands have shown in this process, if it runs any.
    pub earlier: Option<&'a EarlierResults>,
    /// The merge that the step makes, if it makes one.
    pub merge: Option<&'a MergeFacts>,
    /// What the settings say.
    pub brief: &'a BriefSettings,
    /// The instructions that the agents of the step read by themselves, for each agent that may do it.
    pub reads: &'a [&'static [&'static str]],
    /// How the agents are to answer.
    pub form: AnswerForm,
    /// Where a reviewer works.
    pub place: ReviewPlace,
}

/// Where a reviewer works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewPlace {
    /// In a scratch work tree that has the whole change in a file.
    Scratch,
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

/// A brief as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Its text.
    pub text: String,
    /// How many characters each section has, in lines.
    pub sizes: String,
}

impl Prompts<'_> {
    /// The prompt for a step of a leaf as it would be sent now, if an agent does this step.
    ///
    /// # Errors
    /// If history or an object cannot be read.
    pub fn of(&self, asked: PromptOf) -> Result<Option<Prompt>> {
        let Some(purpose) = BriefPurpose::of(asked.step) else { return Ok(None) };
        let steps = self.followed.steps_of(&self.plan.tree.node(asked.leaf).id)?;
        let claim = if purpose == BriefPurpose::Review { open_claim(&steps) } else { None };
        let purpose = if claim.is_some() { BriefPurpose::Claim } else { purpose };
        let facts =
            BriefFacts { claim: claim.map(|claim| claim.text), ..self.facts(asked, purpose, &steps)? };
        let brief = Brief::of(purpose, &facts);
        let template = match purpose {
            BriefPurpose::Implement => &self.brief.implement,
            BriefPurpose::Red => &self.brief.red,
            BriefPurpose::Review | BriefPurpose::Claim => &self.brief.review,
        };
        Ok(Some(Prompt { text: brief.text(template.as_ref()), sizes: brief.sizes() }))
    }

    /// The facts of a brief, except for what an implementer says about its tests.
    fn facts(&self, asked: PromptOf, purpose: BriefPurpose, steps: &[TaskStep]) -> Result<BriefFacts> {
        let PromptOf { step, leaf, pipeline } = asked;
        let (plan, run) = (self.plan, self.followed.run());
        let is_worker = step.changes_files();
        let change = match purpose {
            BriefPurpose::Claim => Some(self.change_of(leaf, &only_tests(steps))?),
            BriefPurpose::Review => Some(self.change_of(leaf, steps)?),
            BriefPurpose::Implement | BriefPurpose::Red => None,
        };
        let change = match change {
            Some(mut change) => {
                change.evidence.judging = judging_facts(self.git, self.followed.repository(), steps)?;
                Some(change)
            }
            None => None,
        };
        let phase = &plan.tree.node(plan.tree.phase_of(leaf)).id;
        let of_phase = match is_worker {
            true => phase_feedback(self.followed.repository(), &run, phase)?,
            false => None,
        };
        let tests = &plan.tree.node(leaf).test_commands;
        let feedback = feedback_with_logs(self.git, steps, step, tests)?;
        let work_command = match is_worker {
            true => self.work_so_far(steps)?,
            false => String::new(),
        };
        let fails_alike = is_worker && fails_alike(&feedback);
        let done = match is_worker {
            true => done_before(self.git, plan, self.followed, leaf)?,
            false => Vec::new(),
        };
        Ok(BriefFacts {
            task: task_facts(plan, leaf),
            place: place_facts(plan, leaf),
            surroundings: self.surroundings_of(leaf)?,
            goal: goal_facts(plan, leaf, &self.work_tree.top),
            done,
            others: other_tasks(plan, &run, leaf),
            judged: JudgedFacts {
                is_reviewed: pipeline.has(Step::REVIEW),
                may_reject_tests: pipeline.has(Step::RED),
                ..self.judged_facts(leaf, steps)?
            },
            merge: self.merge.cloned(),
            feedback: of_phase.into_iter().chain(feedback).collect(),
            saved: if is_worker { self.saved_work(leaf, step, steps)? } else { None },
            objections: open_objections(steps, step),
            claim: None,
            change,
            extra: self.brief.extra.clone(),
            form: self.form,
            work_command,
            fails_alike,
        })
    }

    /// The command that shows what earlier attempts have changed; empty if there are none.
    fn work_so_far(&self, steps: &[TaskStep]) -> Result<String> {
        let (git, repository, head) =
            (self.git, self.followed.repository(), self.followed.run().range.head());
        let change = TaskChange::read(ChangeSource { git, repository, steps, head })?;
        Ok(change.command.filter(|_| !change.patch.is_empty()).unwrap_or_default())
    }

    /// What can be seen of the repository.
    fn surroundings_of(&self, leaf: NodeIx) -> Result<Surroundings> {
        let paths = self.git.paths_in(&self.followed.run().range.head())?;
        // `next` also works where no branch is checked out.
        let branch = self.followed.repository().branch().ok();
        let branch = branch.map(|head| one_line(head.branch_name())).unwrap_or_default();
        Ok(Surroundings { branch, ..surroundings(self.plan, leaf, &paths, self.reads) })
    }

    /// How a task is judged.
    fn judged_facts(&self, leaf: NodeIx, steps: &[TaskStep]) -> Result<JudgedFacts> {
        let tree = &self.plan.tree;
        let tests = tree.node(leaf).test_commands.iter();
        let may_change = tree.may_change(leaf).iter();
        let earlier = self.earlier_tests(leaf, steps)?;
        let awaited = self.followed.awaited()?;
        let owed = OpenTasks::of(self.plan, &self.followed.run()).owed_by(leaf, &awaited);
        let shown = |tests: &AwaitedTests| tests.names().take(AWAITED_LIMIT).map(one_line).collect();
        Ok(JudgedFacts {
            tests: tests.map(|test| clean(test.command.as_bytes())).collect(),
            suite: self.brief.suite.clone(),
            protects: self.brief.protects,
            may_change: may_change.map(|pattern| clean(pattern.as_str().as_bytes())).collect(),
            expect: tree.expect(leaf),
            fails_before: earlier.as_ref().is_some_and(|earlier| !earlier.passed),
            earlier: earlier.map(|earlier| earlier.sentence()),
            missing: self.earlier.and_then(|earlier| earlier.missing.clone()),
            awaited: shown(&awaited.without(&owed.names().map(str::to_owned).collect())),
            owed: shown(&owed),
            failing: self.failing_tests(steps)?,
            tests_before: tests_before(steps),
            is_reviewed: false,
            may_reject_tests: false,
        })
    }

    /// How the tests of a task ended before it, as far as this process has seen it.
    fn earlier_tests(&self, leaf: NodeIx, steps: &[TaskStep]) -> Result<Option<EarlierTests>> {
        let Some(earlier) = self.earlier else { return Ok(None) };
        let known = earlier.of_task(leaf);
        if known.is_some() || !is_untouched(steps) {
            return Ok(known.cloned());
        }
        let commands = &self.plan.tree.node(leaf).test_commands;
        let commit = self.followed.run().range.head();
        earlier.last(self.git, TestsAt { commands, commit })
    }

    /// The tests that were written before the code, if there are any.
    fn failing_tests(&self, steps: &[TaskStep]) -> Result<Option<FailingTests>> {
        let Some(written) = failing_tests(steps) else { return Ok(None) };
        let files = written.files(self.followed.repository(), self.git)?;
        let shown = |path: &Vec<u8>| one_line(&String::from_utf8_lossy(path));
        let output = test_output(&written.step.message);
        Ok(Some(FailingTests { files: files.iter().map(shown).collect(), output }))
    }

    /// Exactly what the task changed, as far as the prompt has room for it, with what is known about it.
    fn change_of(&self, leaf: NodeIx, steps: &[TaskStep]) -> Result<Change> {
        let head = self.followed.run().range.head();
        let repository = self.followed.repository();
        let change = TaskChange::read(ChangeSource { git: self.git, repository, steps, head })?;
        let files = change.files(self.git)?;
        let shown = ShownChange::of(&files, DIFF_LIMIT);
        let mut evidence = evidence(steps, !self.plan.tree.node(leaf).test_commands.is_empty());
        // Nothing is shown twice: the diff of a new file contains its tests.
        let is_new = |file: &&FileChange<'_>| {
            file.patch.split(|byte| *byte == b'\n').take(3).any(|line| line.starts_with(b"new file mode "))
        };
        let known = shown.whole.iter().map(|&at| &files[at]).filter(is_new).map(|file| file.path.as_str());
        let known: Vec<&str> = known.collect();
        evidence.noticing_code = code_of(self.git, &head, &evidence.noticing, &known)?;
        let scratch = match self.place {
            ReviewPlace::Elsewhere => None,
            ReviewPlace::Scratch => Some(ScratchFacts {
                change_file: change_file(self.git, &head)?,
                instructions: shown_paths(&change.instructions_before(self.git, &head)?),
            }),
        };
        let findings = findings(repository, self.git, steps)?;
        let foreign = self.foreign(Line { steps, head })?;
        // Some reviewers can only read files, and that of the scratch work tree says the same.
        let command = change.command.filter(|_| scratch.is_none());
        Ok(Change { shown, findings, evidence, command, scratch, foreign })
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
        shown.shown = ShownChange::of(&files, DIFF_LIMIT / 2);
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
pub(crate) fn change_file(git: &Git, head: &CommitId) -> Result<String> {
    let mut folder = ".arborist-review".to_owned();
    for number in 2.. {
        if !git.has_path(head, &folder)? {
            break;
        }
        folder = format!(".arborist-review-{number}");
    }
    Ok(format!("{folder}/change.diff"))
}

/// Whether the last two attempts have failed in the same way, as far as their output tells.
fn fails_alike(feedback: &[Feedback]) -> bool {
    let mut failures =
        feedback.iter().filter(|item| item.source == FeedbackSource::Failure && item.attempt.is_some());
    let (Some(last), Some(before)) = (failures.next(), failures.next()) else { return false };
    let of =
        |item: &Feedback| item.attempt.as_ref().map(|attempt| (attempt.because, attempt.failing.clone()));
    of(last) == of(before) && says_the_same(&last.text, &before.text)
}

/// What an implementer says of the tests of its task, if a reviewer has to judge that next. The steps come newest first.
fn open_claim(steps: &[TaskStep]) -> Option<Question> {
    let counts = |step: &&TaskStep| step.counts();
    let is_over = |step: &&TaskStep| step.record().step != Step::CLAIM;
    let latest = steps.iter().filter(counts).find(is_over)?;
    let record = &latest.step.record;
    (record.step == Step::BLOCK && record.is_about_claim).then(|| Question::of(&latest.message))
}

/// The steps that wrote tests before the code.
fn only_tests(steps: &[TaskStep]) -> Vec<TaskStep> {
    let wrote_tests = |step: &&TaskStep| step.goal() == Goal::TestsFail;
    steps.iter().filter(wrote_tests).cloned().collect()
}

/// What agents are told, whichever task they work on.
#[derive(Clone, Debug)]
pub struct BriefSettings {
    /// Whether agents must leave the files alone that judge their work.
    pub protects: bool,
    /// The command that runs the whole suite, unless it is turned off.
    pub suite: Option<String>,
    /// The user's template for the implement step.
    pub implement: Option<UserTemplate>,
    /// The same for the step that writes failing tests.
    pub red: Option<UserTemplate>,
    /// The same for reviews.
    pub review: Option<UserTemplate>,
    /// What the user adds to every brief; may be empty.
    pub extra: String,
}

impl Prompts<'_> {
    /// The newest saved work of a step of a leaf, whose steps are `steps`, newest first. Work that is older than the last change of
    /// the task is not offered.
    pub(super) fn saved_work(
        &self,
        leaf: NodeIx,
        step: Step,
        steps: &[TaskStep],
    ) -> Result<Option<SavedFacts>> {
        let id = &self.plan.tree.node(leaf).id;
        let rescued = self.git.rescued()?;
        let of_step = rescued.iter().filter(|saved| saves_step(&saved.subject, step, id));
        let Some(newest) = of_step.max_by_key(|saved| (saved.time, &saved.name)) else { return Ok(None) };
        let Some(base) = self.git.commit_named(&format!("{}^1", newest.commit))? else { return Ok(None) };
        let head = self.followed.run().range.head();
        let last_change = steps.iter().find(|one| one.record().step.changes_files());
        let is_older = match last_change {
            Some(last) => !self.git.is_ancestor(&last.step.id, &base)?,
            None => false,
        };
        if is_older || !self.git.is_ancestor(&base, &head)? {
            return Ok(None);
        }
        let files = self.git.paths_between(&base, &newest.commit)?;
        let files = files.iter().map(|path| show_path(path)).collect();
        Ok(Some(SavedFacts { commit: newest.commit.to_string(), files }))
    }
}
