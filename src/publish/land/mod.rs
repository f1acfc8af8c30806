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
mod open;
mod order;
mod others;
mod survey;

use std::collections::{HashMap, HashSet};

pub use base::{LandBase, run_origin};
pub use branch::{LandTarget, LandedBranchChange};
pub use build::{FinishMessage, LandedCommit};
use message::TaskMessage;
pub use message::{CONVENTIONAL, MessageRules};
pub use open::LeftOut;
pub use others::OthersCommits;
pub use survey::LandInputs;

use crate::error::{Error, Kind, Result};
use crate::git::ObjectWriter;
use crate::history::read_awaited_at;
use crate::plan::NodeIx;
use crate::record::{AwaitedChange, AwaitedTests, CommitId, Landing, State, StepCommit, TaskId};
use crate::text::{advice, one_line};
use build::{Builder, CommitSources, Whole};
use evidence::TaskStory;
use landed::{Copied, LandStart, LandedLine};
use open::{not_merged, open_tasks, refuse_not_merged, refuse_open};
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
    /// The items with the work of tasks that were done again where these were completed last, if that makes a difference.
    rework_last: Option<Vec<Item>>,
    start: LandStart,
    /// The id of each task for a server of Gerrit, as a trailer.
    change_ids: HashMap<TaskId, String>,
    /// The task of each phase that was completed last, of those that are landed.
    last_of_phase: HashMap<NodeIx, TaskId>,
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
        let mut items = order(&survey.line, left_out.clone(), Rework::First);
        let last = order(&survey.line, left_out, Rework::Last);
        let mut rework_last = (last != items).then_some(last);
        for items in [Some(&mut items), rework_last.as_mut()].into_iter().flatten() {
            mark_landed(&inputs, &start, items)?;
        }
        let is_task = |item: &Item| matches!(item.what, Landed::Task(..));
        if !items.iter().any(is_task) {
            return Err(no_task(&inputs, request.into.as_ref(), "no task was completed in these commits")?);
        }
        if start.before.is_empty() && tasks_of(&items).next().is_none() {
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
            .filter_map(|(task, _)| Some((tree.phase_of(tree.find(task.as_str())?), task.clone())))
            .collect();
        Ok(Self {
            inputs,
            request,
            survey,
            items,
            rework_last,
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

    /// What the landed commit of a task says about awaited tests.
    #[must_use]
    pub fn awaited(&self, task: &TaskId) -> AwaitedChange {
        self.story(task).awaited()
    }

    /// The message of a single commit that contains all of the work.
    #[must_use]
    pub fn message(&self) -> Vec<u8> {
        let (tasks, head) = (self.tasks(), self.survey.head);
        match tasks.as_slice() {
            [only] if self.start.so_far.knows(only) => self.task_message(only, head),
            _ => {
                let stories: Vec<TaskStory<'_>> = tasks.iter().map(|task| self.story(task)).collect();
                self.request.messages.of_all(
                    &self.request.title,
                    &stories,
                    &self.landing(tasks.clone(), head),
                )
            }
        }
    }

    /// Makes the commits that the branch does not have. `finish` lets the hooks of the user look at the message of each.
    ///
    /// # Errors
    /// [`Kind::No`] if what remains does not fit without what is left out, or a hook refuses a message.
    pub fn build(&self, finish: FinishMessage<'_>) -> Result<BuiltBranch> {
        let LandInputs { git, work_tree, repository, .. } = self.inputs;
        let LandSurvey { base, head, ref generated, .. } = self.survey;
        let LandStart { at, base: begins, ref before, .. } = self.start;
        let sources = CommitSources { git, work_tree, repository, generated, start: at, head };
        let mut builder = Builder::new(sources, base, finish)?;
        let tasks = self.tasks();
        let whole = if self.request.partial { Whole::LeftOut } else { builder.whole(begins)? };
        let (items, trees) = match builder.trees(&self.items, &whole) {
            Err(_) if let Some(last) = &self.rework_last => {
                builder.begin_anew(base)?;
                let trees = builder.trees(last, &whole)?;
                builder.warnings.push(
                    "a task was done again, and that does not fit where it was completed first; the landed commits in between have its \
                     earlier work as well"
                        .to_owned(),
                );
                (last, trees)
            }
            trees => (&self.items, trees?),
        };
        for (item, tree) in items.iter().zip(trees) {
            let Some(tree) = tree else { continue };
            match &item.what {
                _ if self.request.style != LandStyle::Task => builder.tree = tree,
                Landed::Task(task, complete) => {
                    let message = self.task_message(task, *complete);
                    builder.add_tasks(vec![task.clone()], tree, message, *complete)?;
                }
                Landed::Kept(commit, others) => builder.keep(*commit, others, tree)?,
            }
        }
        match self.request.style {
            LandStyle::Merge if !tasks.is_empty() => builder.merge(tasks, self.message())?,
            LandStyle::One if !tasks.is_empty() => {
                builder.add_tasks(tasks, builder.tree.clone(), self.message(), head)?;
            }
            _ => {}
        }
        let Builder { tip, made, warnings, .. } = builder;
        let commits = before.iter().cloned().chain(made).collect();
        Ok(BuiltBranch { base: begins, head, tip, commits, warnings })
    }

    fn landing(&self, tasks: Vec<TaskId>, tip: CommitId) -> Landing {
        let origin = self.start.so_far.origin.unwrap_or(self.survey.origin);
        Landing::new(tasks, origin, tip).expect("a task was completed after the base")
    }

    fn story<'s>(&'s self, task: &'s TaskId) -> TaskStory<'s> {
        let tree = &self.inputs.plan.tree;
        let steps = self.survey.steps.get(task).map(Vec::as_slice).unwrap_or_default();
        let Some(leaf) = tree.find(task.as_str()) else {
            // The plan had it when it was completed.
            let (name, of_phase) = (task.as_str(), AwaitedChange::default());
            return TaskStory { id: task, name, summary: "", phase: "", steps, of_phase };
        };
        let (node, phase) = (tree.node(leaf), tree.phase_of(leaf));
        let is_last = self.last_of_phase.get(&phase) == Some(task);
        let phase = &tree.node(phase).id;
        let of_phase = self.survey.phases.get(phase).filter(|_| is_last).cloned().unwrap_or_default();
        let (name, summary, phase) = (&node.name, &node.description, phase.as_str());
        TaskStory { id: task, name, summary, phase, steps, of_phase }
    }

    /// The message of the commit that lands a task, which this commit completes.
    fn task_message(&self, task: &TaskId, complete: CommitId) -> Vec<u8> {
        let landing = self.landing(vec![task.clone()], complete);
        let is_again = self.start.so_far.knows(task);
        // One change may not be twice in a chain.
        let trailers = self.change_ids.get(task).filter(|_| !is_again).map_or("", String::as_str);
        self.request.messages.of_task(&self.story(task), &landing, TaskMessage { is_again, trailers })
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
            let copied = Copied::of(inputs.repository, &mut writer, &commit)?;
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

/// Why there is no task that could be landed; `otherwise` is the reason if nothing has been landed.
///
/// # Errors
/// If a commit cannot be read.
fn no_task(inputs: &LandInputs<'_>, into: Option<&LandBase>, otherwise: &str) -> Result<Error> {
    let (mut is_landed, mut is_merged) = (false, false);
    for step in inputs.run.tasks.values().filter(|step| step.record.state() == State::Complete) {
        is_landed |= !Landing::all_in(&inputs.repository.commit(&step.id)?.message).is_empty();
        is_merged |= into.is_some_and(|base| inputs.repository.reaches(base.tip, step.id).unwrap_or(false));
    }
    let (why, remedy) = match into {
        _ if is_landed => (
            "what is complete has already been landed on this branch".to_owned(),
            format!("`git log` shows the commits, and {} what is left.", advice::status()),
        ),
        Some(base) if is_merged => (
            format!("{} has what is complete already", one_line(&base.name)),
            format!("{} shows what is left.", advice::status()),
        ),
        _ => (
            otherwise.to_owned(),
            format!("{} If the work is on another branch, switch to that branch first.", inputs.go_on),
        ),
    };
    Ok(Error::new(Kind::No, format!("there is nothing to land: {why}"), remedy))
}
