//! Lands a run: makes a new branch with one good commit for each task, in the order of completion (docs/landing.md).
//!
//! The branch of the run keeps every attempt, and nothing of it is rewritten. `order` decides what is landed, `build` makes
//! the commits with plumbing, and `message` writes their messages.

mod base;
mod branch;
mod build;
mod evidence;
mod landed;
mod message;
mod misfit;
mod open;
mod order;
mod others;
mod skips;
mod squashed;
mod survey;

use std::collections::{HashMap, HashSet};

pub use base::{LandBase, run_origin};
pub use branch::{LandTarget, LandedBranchChange};
pub use build::{FinishMessage, LandedCommit};
pub use message::{CONVENTIONAL, MessageRules};
pub use open::LeftOut;
pub use others::{CopiedOthers, OthersCommits};
pub use survey::LandInputs;

use crate::error::{Error, Kind, Result};
use crate::git::ObjectWriter;
use crate::history::{files_at, read_awaited_at};
use crate::plan::NodeIx;
use crate::record::{AwaitedChange, AwaitedTests, CommitId, Landing, State, StepCommit, StepFacts, TaskId};
use crate::text::{listed, one_line};
use build::{Builder, Whole};
use evidence::TaskStory;
use landed::{Copied, LandStart, LandedLine};
use open::{no_task, not_merged, open_tasks, refuse_not_merged, refuse_open};
use order::{CommitRole, Item, Landed, LineCommit, Rework, order};
use survey::LandSurvey;

/// The shape of a landed branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LandStyle {
    /// One commit for each task.
    Task,
    /// The run as it is, under one merge.
    Merge,
    /// A single commit.
    One,
}

/// What is landed, and how.
#[derive(Clone, Debug)]
pub struct LandRequest {
    /// The shape.
    pub style: LandStyle,
    /// The branch into which the landed one will be merged, if it is known.
    pub into: Option<LandBase>,
    /// The landed branch, if something is added to one that exists.
    pub onto: Option<LandTarget>,
    /// A branch on which the tasks were landed before, whose ids for a server of Gerrit they keep.
    pub landed_on: Option<CommitId>,
    /// The leaves that must be complete; all of the plan if there are none.
    pub leaves: Vec<NodeIx>,
    /// Whether the work of tasks that are not complete is left out, instead of refusing.
    pub partial: bool,
    /// How messages are written.
    pub messages: MessageRules,
    /// The title of a merge, or of a single commit.
    pub title: String,
}

/// What will be landed.
pub struct LandPlan<'a> {
    inputs: LandInputs<'a>,
    request: LandRequest,
    survey: LandSurvey,
    items: Vec<Item>,
    /// The items where the rework of tasks is apart from their first work, if that makes a difference.
    rework_apart: Option<Vec<Item>>,
    start: LandStart,
    /// The id of each task for a server of Gerrit, as a trailer.
    change_ids: HashMap<TaskId, String>,
    /// The commit that completed the last task of each phase, of those that are landed.
    last_of_phase: HashMap<NodeIx, CommitId>,
    /// The tasks that are not landed although somebody has worked on them, in the order of the plan.
    pub left_out: Vec<LeftOut>,
}

/// A landed branch whose commits exist, but to which no reference leads yet.
#[derive(Clone, Debug)]
pub struct BuiltBranch {
    /// The commit on which it begins.
    pub base: CommitId,
    /// The newest commit of the run.
    pub head: CommitId,
    /// Its newest commit.
    pub tip: CommitId,
    /// Its commits, oldest first.
    pub commits: Vec<LandedCommit>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl<'a> LandPlan<'a> {
    /// Decides what is landed.
    ///
    /// # Errors
    /// [`Kind::No`] if there is nothing to land, or if tasks are not complete and may not be left out.
    pub fn decide(inputs: LandInputs<'a>, request: LandRequest) -> Result<Self> {
        let Some(mut survey) = LandSurvey::take(&inputs, request.into.clone())? else {
            return Err(no_task(&inputs, request.into.as_ref(), "the run has no step on this branch")?);
        };
        let mut open = open_tasks(&inputs, &request.leaves, request.partial, &survey);
        let elsewhere = not_merged(&inputs, &request.leaves, &survey)?;
        if !request.partial {
            if open.is_empty() {
                refuse_not_merged(&inputs, &elsewhere)?;
            }
            refuse_open(&inputs, &request.leaves, &open)?;
        } else if request.style == LandStyle::Merge && !open.is_empty() {
            return Err(Error::new(
                Kind::Input,
                "a merge contains the work of all tasks, so none can be left out",
                "Use `--partial` with `--style task` or `--style one`.",
            ));
        }
        open.extend(elsewhere);
        let left_out: HashSet<TaskId> = open.iter().map(|open| open.task.clone()).collect();
        let start = match &request.onto {
            Some(LandTarget { name, tip: Some(tip), .. }) => {
                LandStart::on_branch(&inputs, &survey, name, *tip)?
            }
            _ => LandStart::on_base(&inputs, &survey)?,
        };
        let is_step = |task: &TaskId, end: &StepCommit| {
            let steps = survey.steps.get(task).map(Vec::as_slice).unwrap_or_default();
            end.record.state() == State::Complete && steps.iter().any(|step| step.step.id == end.id)
        };
        let ends = inputs.run.tasks.iter().filter(|(task, end)| is_step(task, end));
        let again: HashSet<TaskId> = ends.map(|(task, _)| task.clone()).collect();
        complete_landed(&inputs, &start, &again, &mut survey.line)?;
        let left_out = if request.partial { left_out } else { HashSet::new() };
        let apart = order(&survey.line, left_out.clone(), Rework::Apart);
        let mut items = match survey.has_awaited_before() {
            true => apart.clone(),
            false => order(&survey.line, left_out, Rework::Folded),
        };
        let mut rework_apart = (apart != items).then_some(apart);
        for items in [Some(&mut items), rework_apart.as_mut()].into_iter().flatten() {
            mark_landed(&inputs, &start, items)?;
        }
        // What a person has left out is something to land as well, by itself only as a commit of its own.
        let is_new_skip = |item: &Item| match item.what {
            Landed::Kept(commit, _) if request.style == LandStyle::Task && !item.is_landed => {
                Self::is_skip(&inputs, commit)
            }
            _ => false,
        };
        let has_new_skip = items.iter().any(is_new_skip);
        let is_task = |item: &Item| matches!(item.what, Landed::Task(..));
        if !has_new_skip && !items.iter().any(is_task) {
            return Err(no_task(&inputs, request.into.as_ref(), "no task was completed in these commits")?);
        }
        if !has_new_skip && start.before.is_empty() && tasks_of(&items).next().is_none() {
            return Err(no_task(&inputs, request.into.as_ref(), "the base has what is complete already")?);
        }
        let change_ids = match request.landed_on {
            Some(tip) => {
                LandedLine::read(&inputs, &survey, tip)?.map(|line| line.change_ids(&inputs)).transpose()?
            }
            None => None,
        };
        let change_ids = change_ids.unwrap_or_default();
        let tree = &inputs.plan.tree;
        // The plan had a task that it does not have now when that was completed.
        let last_of_phase = tasks_of(&items)
            .filter_map(|(task, complete)| Some((tree.phase_of(tree.find(task.as_str())?), complete)))
            .collect();
        Ok(Self {
            inputs,
            request,
            survey,
            items,
            rework_apart,
            start,
            change_ids,
            last_of_phase,
            left_out: open,
        })
    }

    /// The tasks that are to be landed, in order.
    fn tasks(&self) -> Vec<TaskId> {
        tasks_of(&self.items).map(|(task, _)| task.clone()).collect()
    }

    /// The tests that are awaited where the landed branch begins.
    ///
    /// # Errors
    /// If history cannot be read.
    pub fn awaited_before(&self) -> Result<AwaitedTests> {
        let landed = self.items.iter().rfind(|item| item.is_landed && self.start.before.is_empty());
        let before = landed.map_or(self.survey.base, Item::commit);
        read_awaited_at(self.inputs.repository, self.inputs.run, before)
    }

    /// The message of a single commit that contains all of the work.
    #[must_use]
    pub fn message(&self) -> Vec<u8> {
        let (tasks, head) = (self.tasks(), self.survey.head);
        match tasks.as_slice() {
            [only] if self.start.so_far.knows(only) => self.task_message(only, head, true),
            _ => {
                let stories: Vec<TaskStory<'_>> = tasks.iter().map(|task| self.story(task, None)).collect();
                let landing = self.landing(tasks.clone(), head).with_skipped(self.skipped());
                self.request.messages.of_all(&self.request.title, &stories, &landing)
            }
        }
    }

    /// Makes the commits that the branch does not have. `finish` lets the hooks of the user look at the message of each.
    ///
    /// # Errors
    /// [`Kind::No`] if what remains does not fit without what is left out, or a hook refuses a message.
    pub fn build(&self, finish: FinishMessage<'_>) -> Result<BuiltBranch> {
        let LandStart { at, base, ref before, .. } = self.start;
        let head = self.survey.head;
        let mut builder = Builder::new(self.inputs, &self.survey, at, finish)?;
        let (tasks, so_far) = (self.tasks(), &self.start.so_far);
        let whole = if self.request.partial { Whole::LeftOut } else { builder.whole(base)? };
        let (items, trees) = match (builder.trees(&self.items, &whole)?, &self.rework_apart) {
            (Err(_), Some(apart)) => {
                builder.begin_anew()?;
                (apart, builder.trees(apart, &whole)??)
            }
            (trees, _) => (&self.items, trees?),
        };
        self.warn_of_what_comes_again(&mut builder.warnings)?;
        let (unchanged, mut seen) = (builder.tree.clone(), HashSet::new());
        for (item, tree) in items.iter().zip(trees) {
            let Some(tree) = tree else { continue };
            match &item.what {
                _ if self.request.style != LandStyle::Task => builder.tree = tree,
                Landed::Task(task, complete) => {
                    let is_again = !seen.insert(task) || so_far.knows(task);
                    if !is_again || tree != builder.tree {
                        let message = self.task_message(task, *complete, is_again);
                        builder.add_tasks(vec![task.clone()], tree, message, *complete)?;
                    }
                }
                Landed::Kept(commit, others) => {
                    let message = self.message_of_skip(*commit)?;
                    builder.keep(*commit, others, tree, message)?;
                }
            }
        }
        let is_same = builder.tree == unchanged && tasks.iter().all(|task| so_far.knows(task));
        match self.request.style {
            LandStyle::Merge if !tasks.is_empty() => builder.merge(tasks, self.message())?,
            LandStyle::One if !tasks.is_empty() && !is_same => {
                builder.add_tasks(tasks, builder.tree.clone(), self.message(), head)?;
            }
            _ => {}
        }
        if before.is_empty() && builder.made.is_empty() {
            let into = self.request.into.as_ref();
            return Err(no_task(&self.inputs, into, "the base has what is complete already")?);
        }
        let Builder { tip, made, warnings, .. } = builder;
        let commits = before.iter().cloned().chain(made).collect();
        Ok(BuiltBranch { base, head, tip, commits, warnings })
    }

    fn landing(&self, tasks: Vec<TaskId>, tip: CommitId) -> Landing {
        let origin = self.start.so_far.origin.unwrap_or(self.survey.origin);
        Landing::new(tasks, origin, tip).expect("a task was completed after the base")
    }

    /// Warns of tasks whose work the base has taken back, without the run having that revert.
    fn warn_of_what_comes_again(&self, warnings: &mut Vec<String>) -> Result<()> {
        let Some(into) = &self.request.into else { return Ok(()) };
        let mut tasks = Vec::new();
        for (task, complete) in tasks_of(&self.items) {
            if self.start.so_far.comes_again(&self.inputs, into, task, complete)? {
                tasks.push(task.to_string());
            }
        }
        if !tasks.is_empty() {
            let (into, tasks) = (one_line(&into.name), listed(&tasks));
            warnings.push(format!(
                "{into} has taken back the work of {tasks}, which comes again with this branch"
            ));
        }
        Ok(())
    }

    /// What is told of a task, up to the commit that completed it or of all that was done.
    fn story<'s>(&'s self, task: &'s TaskId, complete: Option<CommitId>) -> TaskStory<'s> {
        let tree = &self.inputs.plan.tree;
        let steps = self.survey.steps.get(task).map(Vec::as_slice).unwrap_or_default();
        let end = steps.iter().position(|step| Some(step.step.id) == complete);
        let steps = &steps[end.unwrap_or_default()..];
        let named = steps.first().and_then(|step| StepFacts::of(&step.message).plan);
        let plan = named.or_else(|| self.plan_at(complete));
        let Some(leaf) = tree.find(task.as_str()) else {
            // The plan had it when it was completed.
            let (name, of_phase) = (task.as_str(), AwaitedChange::default());
            return TaskStory { id: task, name, summary: "", phase: "", plan, steps, of_phase };
        };
        let (node, phase) = (tree.node(leaf), tree.phase_of(leaf));
        let end = steps.iter().find(|step| step.step.record.state() == State::Complete);
        let is_last = end.is_some_and(|end| self.last_of_phase.get(&phase) == Some(&end.step.id));
        let phase = &tree.node(phase).id;
        let of_phase = self.survey.phases.get(phase).filter(|_| is_last).cloned().unwrap_or_default();
        let (name, summary, phase) = (&node.name, &node.description, phase.as_str());
        TaskStory { id: task, name, summary, phase, plan, steps, of_phase }
    }

    /// The path of the plan, if it has to be named and was there at a commit already: a landed commit may come before the plan was moved.
    fn plan_at(&self, commit: Option<CommitId>) -> Option<String> {
        let was_there = |path: &&String| {
            let path = [path.as_bytes().to_vec()];
            let found = commit.map(|commit| files_at(self.inputs.repository, &commit, &path));
            found.is_none_or(|found| found.is_ok_and(|files| files[0].is_some()))
        };
        self.request.messages.plan.as_ref().filter(was_there).cloned()
    }

    /// The message of the commit that lands a task, which this commit completes.
    fn task_message(&self, task: &TaskId, complete: CommitId, is_again: bool) -> Vec<u8> {
        let landing = self.landing(vec![task.clone()], complete);
        // One change may not be twice in a chain.
        let trailers = self.change_ids.get(task).filter(|_| !is_again).map_or("", String::as_str);
        self.request.messages.of_task(&self.story(task, Some(complete)), &landing, is_again, trailers)
    }
}

/// Lets earlier completions of these tasks count that the branch has, so that only what was done since is added.
fn complete_landed(
    inputs: &LandInputs<'_>,
    start: &LandStart,
    again: &HashSet<TaskId>,
    line: &mut [LineCommit],
) -> Result<()> {
    for commit in line {
        if let CommitRole::Completed(task) = &commit.role
            && again.contains(task)
            && start.so_far.has(inputs, task, commit.id)?
        {
            commit.role = CommitRole::Completes(task.clone());
        }
        for merged in &mut commit.merged {
            complete_landed(inputs, start, again, &mut merged.commits)?;
        }
    }
    Ok(())
}

/// Marks what the branch has that is landed.
fn mark_landed(inputs: &LandInputs<'_>, start: &LandStart, items: &mut [Item]) -> Result<()> {
    for item in items.iter_mut() {
        if let Landed::Task(task, complete) = &item.what {
            item.is_landed = start.so_far.has(inputs, task, *complete)?;
        }
    }
    // What people did before a task was complete came with it.
    let with_tasks = items.iter().rposition(|item| item.is_landed).unwrap_or_default();
    let mut writer = ObjectWriter::new(inputs.git, &inputs.work_tree.git_dir)?;
    let mut others = start.others.clone();
    for (at, item) in items.iter_mut().enumerate() {
        if let Landed::Kept(commit, _) = item.what {
            let copied = Copied::of(&mut writer, &commit)?;
            let copies = others.get_mut(&copied).filter(|copies| **copies > 0);
            item.is_landed = at < with_tasks || copies.is_some();
            copies.into_iter().for_each(|copies| *copies -= 1);
        }
    }
    Ok(())
}

fn tasks_of(items: &[Item]) -> impl Iterator<Item = (&TaskId, CommitId)> {
    items.iter().filter(|item| !item.is_landed).filter_map(|item| match &item.what {
        Landed::Task(task, complete) => Some((task, *complete)),
        Landed::Kept(..) => None,
    })
}
