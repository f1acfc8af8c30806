//! Lands a run: makes a new branch with one good commit for each task, in the order of completion (docs/landing.md).
//!
//! The branch of the run keeps every attempt, and nothing of it is rewritten. `order` decides what is landed, `build` makes
//! the commits with plumbing, and `message` writes their messages.

mod branch;
mod build;
mod evidence;
mod message;
mod open;
mod order;
mod origin;
mod survey;

use std::collections::{HashMap, HashSet};

pub use branch::{LandTarget, LandedBranchChange};
pub use build::LandedCommit;
pub use message::MessageRules;
pub use open::LeftOut;
pub use origin::run_origin;
pub use survey::LandInputs;

use crate::error::{Error, Kind, Result};
use crate::history::read_awaited_at;
use crate::plan::NodeIx;
use crate::record::{AwaitedChange, AwaitedTests, CommitId, Landing, State, TaskId};
use crate::text::advice;
use build::{Builder, CommitSources};
use evidence::TaskStory;
use open::{not_merged, open_tasks, refuse_not_merged, refuse_open};
use order::{Item, Landed, order};
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
    /// The commit on which the branch begins; before the first step if this is `None`.
    pub base: Option<CommitId>,
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
        let Some(survey) = LandSurvey::take(&inputs, request.base)? else {
            return Err(no_task(&inputs, "the run has no step on this branch")?);
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
        let items = order(&survey.line, if request.partial { left_out } else { HashSet::new() });
        if !items.iter().any(|item| matches!(item.what, Landed::Task(..))) {
            return Err(no_task(&inputs, "no task was completed in these commits")?);
        }
        let tree = &inputs.plan.tree;
        // The plan had a task that it does not have now when that was completed.
        let last_of_phase = tasks_of(&items)
            .filter_map(|(task, _)| Some((tree.phase_of(tree.find(task.as_str())?), task.clone())))
            .collect();
        Ok(Self { inputs, request, survey, items, last_of_phase, left_out: open })
    }

    /// The tasks that are landed, in the order of completion, and the commit that completes each.
    fn tasks(&self) -> impl Iterator<Item = (&TaskId, CommitId)> {
        tasks_of(&self.items)
    }

    /// The tests that are awaited where the landed branch begins.
    ///
    /// # Errors
    /// If history cannot be read.
    pub fn awaited_before(&self) -> Result<AwaitedTests> {
        read_awaited_at(self.inputs.repository, self.inputs.run, self.survey.base)
    }

    /// What the landed commit of a task says about awaited tests.
    #[must_use]
    pub fn awaited(&self, task: &TaskId) -> AwaitedChange {
        self.story(task).awaited()
    }

    /// The message of a single commit that contains all of the work.
    #[must_use]
    pub fn message(&self) -> Vec<u8> {
        let tasks: Vec<TaskId> = self.tasks().map(|(task, _)| task.clone()).collect();
        let stories: Vec<TaskStory<'_>> = self.tasks().map(|(task, _)| self.story(task)).collect();
        self.request.messages.of_all(&self.request.title, &stories, &self.landing(tasks, self.survey.head))
    }

    /// Makes the commits. `earlier` is the tip of an earlier landing, whose commits are used again where they are the same.
    ///
    /// # Errors
    /// [`Kind::No`] if what remains does not fit without what is left out.
    pub fn build(&self, earlier: Option<CommitId>) -> Result<BuiltBranch> {
        let LandInputs { git, work_tree, repository, .. } = self.inputs;
        let LandSurvey { base, head, ref generated, .. } = self.survey;
        let earlier = match earlier {
            Some(earlier) => by_parent(&git.first_parents(&[base], &earlier)?),
            None => HashMap::new(),
        };
        let sources = CommitSources { git, work_tree, repository, generated, earlier: &earlier };
        let mut builder = Builder::new(sources, base)?;
        let tasks = || self.tasks().map(|(task, _)| task.clone()).collect::<Vec<_>>();
        match self.request.style {
            LandStyle::Task => {
                for item in &self.items {
                    let message = |task: &TaskId, complete| self.task_message(task, complete);
                    builder.add(item, message, |task, complete| self.earlier_messages(task, complete))?;
                }
            }
            LandStyle::Merge => builder.merge(tasks(), head, self.message())?,
            LandStyle::One => {
                for item in &self.items {
                    builder.tree = builder.tree_of(item)?;
                }
                let (tree, date) = (builder.tree.clone(), builder.date_of(head)?);
                builder.add_tasks(tasks(), tree, self.message(), date)?;
            }
        }
        let files = builder.files_of(head)?;
        if !self.request.partial && builder.tree != files {
            return Err(Error::new(
                Kind::Unsafe,
                "the landed branch would not end with the files of the run",
                "Nothing was changed. Look at the end of `git log --first-parent --stat`: a commit after the last complete task \
                 changes files. `--style merge` lands the run as it is.",
            ));
        }
        let Builder { tip, made: commits, warnings, .. } = builder;
        Ok(BuiltBranch { base, head, tip, commits, warnings })
    }

    fn landing(&self, tasks: Vec<TaskId>, tip: CommitId) -> Landing {
        Landing::new(tasks, self.survey.origin, tip).expect("a task was completed after the base")
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
        self.request.messages.of_task(&self.story(task), &landing)
    }

    /// The messages that it had if the task was landed before its name or its description was corrected.
    fn earlier_messages(&self, task: &TaskId, complete: CommitId) -> Vec<Vec<u8>> {
        let LandInputs { git, plan, .. } = self.inputs;
        let (now, landing) = (self.story(task), self.landing(vec![task.clone()], complete));
        let then = plan.tree_at(git, &complete);
        let then = then.as_ref().and_then(|tree| Some(tree.node(tree.find(task.as_str())?)));
        let was = plan.earlier_names(task);
        let names = was.iter().map(String::as_str).chain(then.map(|node| node.name.as_str()));
        let summaries = [Some(now.summary), then.map(|node| node.description.as_str())];
        let of = |name, summary| {
            self.request.messages.of_task(&TaskStory { name, summary, ..now.clone() }, &landing)
        };
        names.flat_map(|name| summaries.into_iter().flatten().map(move |summary| of(name, summary))).collect()
    }
}

fn tasks_of(items: &[Item]) -> impl Iterator<Item = (&TaskId, CommitId)> {
    items.iter().filter_map(|item| match &item.what {
        Landed::Task(task, complete) => Some((task, *complete)),
        Landed::Kept(..) => None,
    })
}

/// Why there is no task that could be landed; `otherwise` is the reason if nothing has been landed.
///
/// # Errors
/// If a commit cannot be read.
fn no_task(inputs: &LandInputs<'_>, otherwise: &str) -> Result<Error> {
    let mut is_landed = false;
    for step in inputs.run.tasks.values().filter(|step| step.record.state() == State::Complete) {
        is_landed |= !Landing::all_in(&inputs.repository.commit(&step.id)?.message).is_empty();
    }
    let (why, remedy) = match is_landed {
        true => (
            "what is complete has already been landed on this branch",
            format!("`git log` shows the commits, and {} what is left.", advice::status()),
        ),
        false => (
            otherwise,
            format!("{} If the work is on another branch, switch to that branch first.", inputs.go_on),
        ),
    };
    Ok(Error::new(Kind::No, format!("there is nothing to land: {why}"), remedy))
}

/// The commits of a line, each by its first parent.
fn by_parent(line: &[Vec<CommitId>]) -> HashMap<CommitId, CommitId> {
    line.iter().filter_map(|ids| Some((*ids.get(1)?, *ids.first()?))).collect()
}
