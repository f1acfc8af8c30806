//! Reads what landed commits and the records of their runs say about tasks that were landed: merged, rebased or squashed into a
//! branch that does not have the steps of the run (docs/landing.md).

use std::collections::{BTreeMap, HashMap};

use crate::error::Result;
use crate::history::{Range, Repository, Run, StepValidity, TaskStep, read_all_steps};
use crate::record::{CommitId, IdPrefix, Landing, TaskId};

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
                    let is_joint = landed.step.step.record.is_joint;
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
