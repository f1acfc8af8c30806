//! Reads what landed commits and the records of their runs say about tasks that were landed: merged, rebased or squashed into a
//! branch that does not have the steps of the run (docs/landing.md); and whether all work of a run is on the branch that `land` makes
//! from it.

use std::collections::{BTreeMap, HashMap};

use crate::error::Result;
use crate::history::{Range, Repository, Run, StepValidity, TaskStep, read_all_steps};
use crate::record::{By, CommitId, CommitKind, IdPrefix, Landing, Step, TaskId, commit_kind};

/// The steps of tasks, newest first.
pub type StepsOfTasks = HashMap<TaskId, Vec<TaskStep>>;

/// A task whose work a landed commit contains.
#[derive(Clone, Debug)]
pub struct LandedTask {
    /// The landed commit as if it were the last step of the task, with its own message.
    pub step: TaskStep,
    /// The commit that contains the work: the landed commit or, if a person has recorded a landing later, the one that was named.
    pub commit: CommitId,
    /// The steps of its run, newest first; none if the commits of the run are not here.
    pub record: Vec<TaskStep>,
}

/// The tasks whose latest step is a landed commit.
#[derive(Clone, Debug, Default)]
pub struct LandedTasks(HashMap<TaskId, LandedTask>);

impl LandedTasks {
    /// Looks for landed commits among the latest steps of a run. The commits of their own runs are read where they are here:
    /// as long as the branch exists, or when the record was fetched.
    ///
    /// # Errors
    /// If history cannot be read.
    pub fn read(repository: &Repository, run: &Run) -> Result<Self> {
        let complete = run.tasks.iter().filter(|(_, step)| step.record.state().is_done());
        let (mut found, mut runs) = (HashMap::new(), BTreeMap::<CommitId, Vec<CommitId>>::new());
        for (task, step) in complete {
            let message = repository.commit(&step.id)?.message;
            let names = |landing: &Landing| landing.named().any(|named| named == task);
            let Some(landing) = Landing::all_in(&message).into_iter().rfind(names) else { continue };
            runs.entry(landing.base).or_default().push(landing.tip);
            let commit = landing.landed.unwrap_or(step.id);
            let step = TaskStep { step: *step, validity: StepValidity::Counts, message };
            found.insert(task.clone(), LandedTask { step, commit, record: Vec::new() });
        }
        for (base, tips) in runs {
            let mut steps = read_record(repository, base, tips)?;
            for (task, landed) in &mut found {
                if let Some(mut of_task) = steps.remove(task).filter(|_| landed.record.is_empty()) {
                    // The tests of a joint commit are those of several tasks, whatever the run has shown of each.
                    let is_joint = landed.step.record().is_joint;
                    of_task.iter_mut().for_each(|step| step.step.record.is_joint = is_joint);
                    landed.record = of_task;
                }
            }
        }
        Ok(Self(found))
    }

    /// The steps that stand for those of landed tasks, newest first, unless the range itself has the end of the task: `has_end` says
    /// so.
    pub fn in_place(
        &self,
        has_end: impl Fn(&TaskId) -> bool,
    ) -> impl Iterator<Item = (&TaskId, &[TaskStep])> {
        self.0.iter().filter(move |(task, _)| !has_end(task)).map(|(task, landed)| (task, landed.steps()))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The commit that contains the work of each task.
    #[must_use]
    pub fn commits(&self) -> HashMap<TaskId, CommitId> {
        self.0.iter().map(|(task, landed)| (task.clone(), landed.commit)).collect()
    }

    /// The landed commit of a task.
    #[must_use]
    pub fn get(&self, task: &TaskId) -> Option<&LandedTask> {
        self.0.get(task)
    }
}

impl LandedTask {
    /// The steps of its run, newest first; where these are not here, the landed commit stands for them.
    #[must_use]
    pub fn steps(&self) -> &[TaskStep] {
        if self.record.is_empty() { std::slice::from_ref(&self.step) } else { &self.record }
    }
}

/// The steps of a run that ends with these commits, as far as they are here.
fn read_record(repository: &Repository, base: CommitId, tips: Vec<CommitId>) -> Result<StepsOfTasks> {
    let mut here = Vec::new();
    for tip in tips {
        if !here.contains(&tip) && repository.find(&IdPrefix::whole(&tip))?.is_some() {
            here.push(tip);
        }
    }
    let Some(first) = here.pop() else { return Ok(StepsOfTasks::new()) };
    read_all_steps(repository, &Range::behind(base, first).with_beside(here))
}

/// How many commits without a landing, such as that of a formatter, may be on top of the landed ones.
const ON_TOP: usize = 5;
/// How many commits of people may be between two landed ones.
const BETWEEN: usize = 100;

/// The name of the branch that is landed from another one, unless the user gives one.
#[must_use]
pub fn landed_name(branch: &str) -> String {
    format!("{branch}-landed")
}

/// The branch from which one with this name is landed, unless the user gave it.
#[must_use]
pub fn run_of_landed(landed: &str) -> Option<&str> {
    landed.strip_suffix("-landed")
}

/// The branch on which the newest step of every task of a run is landed: this one, or the one with the usual name; `None` if there
/// is none.
///
/// # Errors
/// If history cannot be read.
pub fn landed_branch(repository: &Repository, run: &Run) -> Result<Option<String>> {
    let Ok(head) = repository.branch() else { return Ok(None) };
    if !tips_landed_at(repository, head.commit)?.is_empty() {
        return Ok(Some(head.branch_name().to_owned()));
    }
    let name = landed_name(head.branch_name());
    let Some(tip) = repository.tip_of(&name)? else { return Ok(None) };
    let landed = tips_landed_at(repository, tip)?;
    let mut left: Vec<CommitId> = run.tasks.values().map(|step| step.id).collect();
    for tip in &landed {
        let reached = repository.reached_from(*tip, &left)?;
        left.retain(|step| !reached.contains(step));
    }
    Ok((!landed.is_empty() && left.is_empty()).then_some(name))
}

/// The tips of the run that the landed commits of a branch name, newest first; none if there are no landed commits, or if there are
/// steps on top of them. Tasks that were worked on side by side have tips of which none reaches the others.
///
/// # Errors
/// If history cannot be read.
pub fn tips_landed_at(repository: &Repository, tip: CommitId) -> Result<Vec<CommitId>> {
    let mut at = tip;
    for _ in 0..ON_TOP {
        let commit = repository.commit(&at)?;
        if let Some(landing) = Landing::all_in(&commit.message).last() {
            return tips_of_run(repository, at, landing.base);
        }
        if is_step(&commit.message) {
            break;
        }
        let Some((parent, merged)) = commit.parents.split_first() else { break };
        for merged in merged {
            // The landed branch was merged, into the branch of the run itself or into another one.
            let landed = tips_landed_at(repository, *merged)?;
            if !landed.is_empty() && has_no_other_step(repository, *parent, &landed)? {
                return Ok(landed);
            }
        }
        at = *parent;
    }
    Ok(Vec::new())
}

/// The tips of the run from `base` that are named along first parents.
fn tips_of_run(repository: &Repository, from: CommitId, base: CommitId) -> Result<Vec<CommitId>> {
    let (mut tips, mut at, mut without) = (Vec::new(), Some(from), 0);
    while let Some(id) = at.filter(|id| *id != base && without < BETWEEN) {
        let commit = repository.commit(&id)?;
        let landings = Landing::all_in(&commit.message);
        let before = tips.len();
        tips.extend(landings.iter().filter(|landing| landing.base == base).map(|landing| landing.tip));
        without = if tips.len() > before { 0 } else { without + 1 };
        at = commit.parents.first().copied();
    }
    Ok(tips)
}

/// Whether the newest commits of a line have no step of a task that the landed commits do not contain. What a person vouches for needs
/// no commit of its own.
fn has_no_other_step(repository: &Repository, line: CommitId, landed: &[CommitId]) -> Result<bool> {
    let mut at = Some(line);
    for _ in 0..BETWEEN {
        let Some(id) = at else { return Ok(true) };
        let commit = repository.commit(&id)?;
        if let CommitKind::Task(_, record) = commit_kind(&commit.message)
            && !(record.by == By::User && record.step == Step::COMPLETE)
        {
            // Steps that came before it are in the same line.
            return Ok(landed.iter().any(|tip| repository.reaches(*tip, id).unwrap_or(false)));
        }
        at = commit.parents.first().copied();
    }
    Ok(true)
}

fn is_step(message: &[u8]) -> bool {
    matches!(commit_kind(message), CommitKind::Task(..) | CommitKind::Phase(..))
}
