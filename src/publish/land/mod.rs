//! Lands a run: makes a new branch with one good commit for each task, in the order of completion (docs/landing.md).
//!
//! The branch of the run keeps every attempt, and nothing of it is rewritten. `order` decides what is landed, `build` makes
//! the commits with plumbing, and `message` writes their messages.

mod branch;
mod build;
mod evidence;
mod message;
mod order;
mod origin;
mod survey;

use std::collections::{HashMap, HashSet};

pub use branch::{LandTarget, LandedBranchChange};
pub use build::LandedCommit;
pub use message::{LandTrailers, MessageRules};
pub use origin::run_origin;
pub use survey::LandInputs;

use crate::error::{Error, Kind, Result};
use crate::history::read_awaited_at;
use crate::plan::NodeIx;
use crate::record::{AwaitedChange, AwaitedTests, CommitId, Landing, State, TaskId};
use crate::text::{advice, listed};
use build::{Builder, CommitSources};
use evidence::TaskStory;
use order::{CommitRole, Item, Landed, LineCommit, order};
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

/// A task that is not landed. One that is done all the same is on a branch of its own that is not merged yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The task.
    pub task: TaskId,
    /// Its state.
    pub state: State,
}

impl LeftOut {
    /// Why it is left out.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.state.is_done() { "not merged" } else { self.state.word() }
    }
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
        let survey = LandSurvey::take(&inputs, request.base)?;
        let mut open = open_tasks(&inputs, &request, &survey);
        let elsewhere = not_merged(&inputs, &request, &survey)?;
        if !request.partial {
            if open.is_empty() {
                refuse_not_merged(&inputs, &elsewhere)?;
            }
            refuse_open(&inputs, &request, &open)?;
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
            return Err(no_task(&inputs)?);
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

/// Why there is no task that could be landed.
///
/// # Errors
/// If a commit cannot be read.
fn no_task(inputs: &LandInputs<'_>) -> Result<Error> {
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
            "no task was completed in these commits",
            format!(
                "{} goes on with the run, and {} shows how far it has come.",
                advice::gardener(),
                advice::status()
            ),
        ),
    };
    Ok(Error::new(Kind::No, format!("there is nothing to land: {why}"), remedy))
}

/// The tasks that are not done, of those that are asked for and those on which the line has work, in the order of the plan.
fn open_tasks(inputs: &LandInputs<'_>, request: &LandRequest, survey: &LandSurvey) -> Vec<LeftOut> {
    let tree = &inputs.plan.tree;
    let worked = worked_on(&survey.line);
    let is_asked = |leaf: NodeIx| request.leaves.is_empty() || request.leaves.contains(&leaf);
    let open = |&leaf: &NodeIx| {
        let task = &tree.node(leaf).id;
        let state = inputs.run.tasks.get(task).map_or(State::Pending, |step| step.record.state());
        let counts = is_asked(leaf) && !request.partial || worked.contains(task);
        (counts && !state.is_done()).then(|| LeftOut { task: task.clone(), state })
    };
    tree.order().iter().filter_map(open).collect()
}

/// The tasks that are complete on branches which the landed commits cannot contain, because they are not merged yet.
fn not_merged(inputs: &LandInputs<'_>, request: &LandRequest, survey: &LandSurvey) -> Result<Vec<LeftOut>> {
    let tree = &inputs.plan.tree;
    let is_asked = |leaf: &NodeIx| request.leaves.is_empty() || request.leaves.contains(leaf);
    let asked = tree.order().iter().filter(|leaf| is_asked(leaf)).map(|leaf| &tree.node(*leaf).id);
    let done: Vec<(&TaskId, CommitId, State)> = asked
        .filter_map(|task| inputs.run.tasks.get(task).map(|step| (task, step.id, step.record.state())))
        .filter(|(.., state)| state.is_done())
        .collect();
    let ends: Vec<CommitId> = done.iter().map(|(_, end, _)| *end).collect();
    let here = inputs.repository.reached_from(survey.head, &ends)?;
    let elsewhere = done.into_iter().filter(|(_, end, _)| !here.contains(end));
    Ok(elsewhere.map(|(task, _, state)| LeftOut { task: task.clone(), state }).collect())
}

/// Refuses to land a run whose work is not all on its branch.
fn refuse_not_merged(inputs: &LandInputs<'_>, elsewhere: &[LeftOut]) -> Result<()> {
    if elsewhere.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = elsewhere.iter().map(|left| left.task.to_string()).collect();
    let (are, branches) = match inputs.run.branches.tasks.get(&elsewhere[0].task) {
        Some(branch) if names.len() == 1 => ("is", format!("its branch {}, which is", branch.name)),
        _ if names.len() == 1 => ("is", "a branch that is".to_owned()),
        _ => ("are", "branches that are".to_owned()),
    };
    Err(Error::new(
        Kind::No,
        format!("{} {are} complete on {branches} not merged yet", listed(&names)),
        format!(
            "A run merges what is complete: wait for the one that is at work, or start {}. `--partial` lands the rest without \
         their work.",
            advice::gardener()
        ),
    ))
}

/// The tasks on which a line has work.
fn worked_on(line: &[LineCommit]) -> HashSet<TaskId> {
    let mut tasks = HashSet::new();
    let mut open: Vec<&LineCommit> = line.iter().collect();
    while let Some(commit) = open.pop() {
        if let CommitRole::Works(task) = &commit.role {
            tasks.insert(task.clone());
        }
        open.extend(commit.merged.iter().flat_map(|line| &line.commits));
    }
    tasks
}

/// Refuses to land a run that is not complete.
fn refuse_open(inputs: &LandInputs<'_>, request: &LandRequest, open: &[LeftOut]) -> Result<()> {
    /// How many tasks are named.
    const NAMED: usize = 10;
    if !open.is_empty() {
        let mut named: Vec<String> =
            open.iter().take(NAMED).map(|open| format!("{} ({})", open.task, open.state.word())).collect();
        if open.len() > NAMED {
            named.push(format!("{} more", open.len() - NAMED));
        }
        let (is, tasks) = if open.len() == 1 { ("is", "1 task") } else { ("are", "tasks") };
        let tasks = if open.len() == 1 { tasks.to_owned() } else { format!("{} {tasks}", open.len()) };
        return Err(Error::new(
            Kind::No,
            format!("{tasks} {is} not complete: {}", named.join(", ")),
            format!(
                "{} goes on with the run (with `--failed` also with failed tasks). `--partial` lands the rest without their work.",
                advice::gardener()
            ),
        ));
    }
    let tree = &inputs.plan.tree;
    let all: Vec<NodeIx> =
        if request.leaves.is_empty() { tree.order().to_vec() } else { request.leaves.clone() };
    let is_whole = |phase: NodeIx| tree.leaves_below(phase).all(|leaf| all.contains(&leaf));
    let marked = |phase: NodeIx| {
        let id = &tree.node(phase).id;
        let needs_none = tree.is_leaf(phase) && !inputs.run.failed_phases.contains_key(id);
        needs_none || inputs.run.phases.contains_key(id)
    };
    let all_skipped = |phase: NodeIx| {
        tree.leaves_below(phase).all(|leaf| {
            inputs
                .run
                .tasks
                .get(&tree.node(leaf).id)
                .is_some_and(|step| step.record.state() == State::Skipped)
        })
    };
    let missing =
        tree.roots().iter().find(|&&phase| is_whole(phase) && !marked(phase) && !all_skipped(phase));
    let unmerged = inputs.run.branches.phases.keys().next();
    let phase = missing.map(|&phase| &tree.node(phase).id).or(unmerged);
    phase.map_or(Ok(()), |phase| {
        if inputs.run.failed_phases.contains_key(phase) {
            return Err(Error::new(
                Kind::No,
                format!("all tasks of {phase} are complete, but its tests fail"),
                format!("{} shows their output.", advice::show(phase)),
            ));
        }
        Err(Error::new(
            Kind::No,
            format!("all tasks of {phase} are complete, but the phase is not"),
            format!("{} runs its tests and finishes it.", advice::gardener()),
        ))
    })
}

/// The commits of a line, each by its first parent.
fn by_parent(line: &[Vec<CommitId>]) -> HashMap<CommitId, CommitId> {
    line.iter().filter_map(|ids| Some((*ids.get(1)?, *ids.first()?))).collect()
}
