//! Finds the tasks that cannot be landed, and refuses to land a run while there are any.

use std::collections::HashSet;

use super::base::LandBase;
use super::order::{CommitRole, LineCommit};
use super::survey::{LandInputs, LandSurvey};
use crate::error::{Error, Kind, Result};
use crate::plan::NodeIx;
use crate::record::{CommitId, Landing, State, TaskId};
use crate::text::{advice, listed, one_line};

/// A task that is not landed. One that is done all the same is on a branch of its own that is not merged yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The task.
    pub task: TaskId,
    /// Its state.
    pub state: State,
    /// Whether it waits for the approval of a person.
    pub is_held: bool,
}

impl LeftOut {
    /// Why it is left out.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.state.is_done() { "not merged" } else { self.state.word() }
    }

    /// The same for people.
    #[must_use]
    pub fn in_words(&self) -> &'static str {
        match self.state {
            _ if self.is_held => "waits for your approval",
            state if state.is_done() => self.word(),
            state => state.in_words(),
        }
    }
}

/// The tasks that are not done, of those that are asked for and those on which the line has work, in the order of the plan.
pub(super) fn open_tasks(
    inputs: &LandInputs<'_>,
    leaves: &[NodeIx],
    partial: bool,
    survey: &LandSurvey,
) -> Vec<LeftOut> {
    let tree = &inputs.plan.tree;
    let worked = worked_on(&survey.line);
    let is_asked = |leaf: NodeIx| leaves.is_empty() || leaves.contains(&leaf);
    let open = |&leaf: &NodeIx| {
        let task = &tree.node(leaf).id;
        let state = inputs.run.tasks.get(task).map_or(State::Pending, |step| step.record.state());
        let counts = is_asked(leaf) && !partial || worked.contains(task);
        let is_held = inputs.held.contains(task);
        (counts && !state.is_done()).then(|| LeftOut { task: task.clone(), state, is_held })
    };
    tree.order().iter().filter_map(open).collect()
}

/// The tasks that are complete on branches which the landed commits cannot contain, because they are not merged yet.
pub(super) fn not_merged(
    inputs: &LandInputs<'_>,
    leaves: &[NodeIx],
    survey: &LandSurvey,
) -> Result<Vec<LeftOut>> {
    let tree = &inputs.plan.tree;
    let is_asked = |leaf: &NodeIx| leaves.is_empty() || leaves.contains(leaf);
    let asked = tree.order().iter().filter(|leaf| is_asked(leaf)).map(|leaf| &tree.node(*leaf).id);
    let done: Vec<(&TaskId, CommitId, State)> = asked
        .filter_map(|task| inputs.run.tasks.get(task).map(|step| (task, step.id, step.record.state())))
        .filter(|(.., state)| state.is_done())
        .collect();
    let ends: Vec<CommitId> = done.iter().map(|(_, end, _)| *end).collect();
    let here = inputs.repository.reached_from(survey.head, &ends)?;
    let elsewhere = done.into_iter().filter(|(_, end, _)| !here.contains(end));
    Ok(elsewhere.map(|(task, _, state)| LeftOut { task: task.clone(), state, is_held: false }).collect())
}

/// Refuses to land a run whose work is not all on its branch.
pub(super) fn refuse_not_merged(inputs: &LandInputs<'_>, elsewhere: &[LeftOut]) -> Result<()> {
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
pub(super) fn refuse_open(inputs: &LandInputs<'_>, leaves: &[NodeIx], open: &[LeftOut]) -> Result<()> {
    /// How many tasks are named.
    const NAMED: usize = 10;
    if !open.is_empty() {
        let mut named: Vec<String> =
            open.iter().take(NAMED).map(|open| format!("{} ({})", open.task, open.in_words())).collect();
        if open.len() > NAMED {
            named.push(format!("{} more", open.len() - NAMED));
        }
        let (is, tasks) = if open.len() == 1 { ("is", "1 task") } else { ("are", "tasks") };
        let tasks = if open.len() == 1 { tasks.to_owned() } else { format!("{} {tasks}", open.len()) };
        return Err(Error::new(
            Kind::No,
            format!("{tasks} {is} not complete: {}", named.join(", ")),
            format!("{} `--partial` lands the rest without their work.", inputs.go_on),
        ));
    }
    let tree = &inputs.plan.tree;
    let all: Vec<NodeIx> = if leaves.is_empty() { tree.order().to_vec() } else { leaves.to_vec() };
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

/// Why there is no task that could be landed; `otherwise` is the reason if nothing has been landed.
///
/// # Errors
/// If a commit cannot be read.
pub(super) fn no_task(inputs: &LandInputs<'_>, into: Option<&LandBase>, otherwise: &str) -> Result<Error> {
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
    let is_over = inputs.plan.tree.order().iter().all(|leaf| inputs.plan.state(inputs.run, *leaf).is_done());
    let remedy = if is_over { "The run is complete, so nothing is left to do.".to_owned() } else { remedy };
    Ok(Error::new(Kind::No, format!("there is nothing to land: {why}"), remedy))
}
