//! The loop over all tasks: takes the next ready one, until all are complete, one fails, or none is ready.

use std::collections::HashSet;

use super::plan::Plan;
use super::run::{Engine, TaskEnd};
use super::steps::phase::PhaseCloser;
use crate::error::Result;
use crate::history::Run;
use crate::plan::{NodeIx, Readiness, TreeReadiness};
use crate::record::{Outcome, State};
use crate::workflow::FailedTask;

/// What a run does when a task has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// It stops.
    Stop,
    /// It continues with the tasks that do not depend on it.
    KeepGoing,
}

/// Which tasks a run works on, and when it stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunScope {
    /// What it does when a task has failed.
    pub on_failure: OnFailure,
    /// What it does with tasks that failed before it began.
    pub failed_before: FailedTask,
    /// The largest number of tasks to work on.
    pub max_tasks: Option<u32>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunEnd {
    /// Leaves that have failed.
    pub failed: Vec<NodeIx>,
    /// Leaves that could be worked on next.
    pub ready: Vec<NodeIx>,
    /// How many leaves were worked on.
    pub worked_on: u32,
    /// Phases whose own tests failed.
    pub failed_phases: Vec<NodeIx>,
    /// How many leaves are complete.
    pub complete: usize,
    /// Leaves that were skipped, in order.
    pub skipped: Vec<NodeIx>,
    /// Leaves that are neither complete nor skipped nor failed, in order.
    pub open: Vec<NodeIx>,
}

impl RunEnd {
    /// The state of a plan on which no work was done.
    #[must_use]
    pub fn of(plan: &Plan, run: &Run) -> Self {
        let readiness = TreeReadiness::new(&plan.tree, |leaf| plan.state(run, leaf));
        let mut end = Self { ready: readiness.ready().collect(), ..Self::default() };
        for leaf in plan.tree.order() {
            match plan.state(run, *leaf) {
                State::Complete => end.complete += 1,
                State::Failed => end.failed.push(*leaf),
                State::Skipped => end.skipped.push(*leaf),
                _ => end.open.push(*leaf),
            }
        }
        end
    }
}

impl<'a> Engine<'a> {
    /// Works until everything is complete, something fails, or no task is ready.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub fn run_plan(&mut self, scope: RunScope) -> Result<RunEnd> {
        let mut failed_phases = HashSet::new();
        let mut again = match scope.failed_before {
            FailedTask::StartOver => self.failed_tasks(&*self.read()?).collect(),
            FailedTask::Leave => HashSet::new(),
        };
        let most = scope.max_tasks.unwrap_or(u32::MAX);
        let mut worked_on = 0;
        loop {
            self.run.check_stop()?;
            let run = self.read()?;
            self.close_phases(&run, &mut failed_phases)?;
            let failed =
                self.failed_tasks(&run).any(|leaf| !again.contains(&leaf)) || !failed_phases.is_empty();
            let stop = failed && scope.on_failure == OnFailure::Stop;
            match self.next_task(&run, &again) {
                Some(leaf) if !stop && worked_on < most => {
                    worked_on += 1;
                    let asked = again.remove(&leaf);
                    self.run_task(leaf, if asked { FailedTask::StartOver } else { FailedTask::Leave })?;
                }
                _ => return Ok(RunEnd { worked_on, ..self.sum_up(&failed_phases)? }),
            }
        }
    }

    /// Works on one task, and closes its phase if that completes it.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub fn run_one(&mut self, leaf: NodeIx, failed: FailedTask) -> Result<(TaskEnd, RunEnd)> {
        let end = self.run_task(leaf, failed)?;
        let mut failed_phases = HashSet::new();
        if end == TaskEnd::Done {
            let run = self.read()?;
            self.close_phase(&run, self.run.plan.tree.phase_of(leaf), &mut failed_phases)?;
        }
        Ok((end, RunEnd { worked_on: 1, ..self.sum_up(&failed_phases)? }))
    }

    /// The tasks that have failed, in order.
    fn failed_tasks(&self, run: &Run) -> impl Iterator<Item = NodeIx> {
        let plan = self.run.plan;
        plan.tree.order().iter().copied().filter(|leaf| plan.state(run, *leaf) == State::Failed)
    }

    /// The first task that is ready, or that has failed and is to be tried again, with all its dependencies complete.
    fn next_task(&self, run: &Run, again: &HashSet<NodeIx>) -> Option<NodeIx> {
        let readiness = TreeReadiness::new(&self.run.plan.tree, |leaf| self.run.plan.state(run, leaf));
        let can_begin = |leaf: &NodeIx| {
            readiness.of(*leaf) == Readiness::Ready
                || (again.contains(leaf) && readiness.dependencies_are_met(*leaf))
        };
        self.run.plan.tree.order().iter().copied().find(can_begin)
    }

    fn sum_up(&self, failed_phases: &HashSet<NodeIx>) -> Result<RunEnd> {
        let run = self.read()?;
        let phases = self.run.plan.tree.roots().iter().copied();
        let failed_phases = phases.filter(|phase| failed_phases.contains(phase)).collect();
        Ok(RunEnd { failed_phases, ..RunEnd::of(self.run.plan, &run) })
    }

    fn close_phases(&mut self, run: &Run, failed: &mut HashSet<NodeIx>) -> Result<()> {
        for phase in self.run.plan.tree.roots() {
            self.close_phase(run, *phase, failed)?;
        }
        Ok(())
    }

    /// Closes a phase whose tasks are all complete or skipped, unless its tests have failed before in this call.
    fn close_phase(&mut self, run: &Run, phase: NodeIx, failed: &mut HashSet<NodeIx>) -> Result<()> {
        let plan = self.run.plan;
        let is_done = plan.tree.leaves_below(phase).all(|leaf| plan.state(run, leaf).is_done());
        if !is_done || run.phases.contains_key(&plan.tree.node(phase).id) || failed.contains(&phase) {
            return Ok(());
        }
        let mut closer = PhaseCloser { followed: &self.followed, workspace: &mut self.workspace };
        if closer.close(phase)? == Outcome::Fail {
            failed.insert(phase);
        }
        Ok(())
    }
}
