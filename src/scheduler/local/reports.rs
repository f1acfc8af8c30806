//! What workers report, and how they are asked to end.

use super::{Jobs, TICK};
use crate::engine::event::{Event, SlotPurpose, StepResult};
use crate::error::Result;
use crate::plan::NodeIx;
use crate::process::CancelLevel;
use crate::record::{Goal, Outcome, StepFacts, StepRecord};
use crate::scheduler::worker::{WorkerEnd, WorkerReport};
use crate::worktree::{StopAfter, request_stop};

/// How often a task gets another worker after its worker was killed.
const MOST_KILLED: u32 = 3;

impl Jobs<'_, '_> {
    /// Takes a report. Returns whether something has ended, so that everything has to be looked at anew.
    pub(super) fn take(&mut self, report: WorkerReport) -> Result<bool> {
        match report {
            WorkerReport::Event(line) => {
                if let Event::Ended(ended) = &line.event {
                    let StepResult { step, outcome, .. } = ended.result;
                    let record = StepRecord::of_run(step, outcome, ended.attempt.number);
                    // Its worker has counted the calls for itself alone.
                    self.engine.memory.spending.add_call(ended.usage);
                    self.engine.memory.spending.add_step(&record, ended.usage);
                    if step.row().goal == Goal::TestsPass {
                        // The tests have run, so that it is there now.
                        self.engine.workspace.earlier.missing = None;
                    }
                    let leaf = self.engine.run.plan.leaf(ended.task.as_str()).ok();
                    self.note_step(leaf, ended.commit);
                    // A commit that cannot be read is found out when the branch is looked at.
                    if let Ok(commit) = self.engine.run.repository.commit(&ended.commit) {
                        let refused = self.engine.refusals.note(&ended.task, step, outcome, &commit.message);
                        self.error = self.error.take().or(refused);
                        let runner = StepFacts::of(&commit.message).runner;
                        let ended_well = outcome != Outcome::Fail;
                        let reporters = &mut self.engine.memory.cost_reporters;
                        let without =
                            runner.and_then(|runner| reporters.note(&runner, ended.usage, ended_well));
                        if self.engine.run.limits.budget.max_cost.is_some() {
                            self.error = self.error.take().or(without);
                        }
                    }
                }
                if let Event::Waits(wait) = &line.event
                    && wait.is_for_limit
                {
                    self.held_until = self.held_until.max(Some(wait.ends()));
                }
                self.engine.run.observer.receive(*line);
                Ok(false)
            }
            WorkerReport::Begun(leaf) => {
                self.note_use(leaf, SlotPurpose::Task);
                Ok(false)
            }
            WorkerReport::Ended(WorkerEnd { leaf, error, was_killed }) => {
                let number = self.note_use(leaf, SlotPurpose::Nothing);
                self.at_work.running.remove(&number);
                self.restore_branch(leaf)?;
                self.places.leave(number)?;
                // What was wrong with its branch says more than what the worker could see of that.
                let error = self.note_end(leaf).err().or(error);
                match error {
                    Some(error) if was_killed && self.may_begin_again(leaf) => {
                        self.at_work.settled.remove(&leaf);
                        let id = &self.engine.run.plan.tree.node(leaf).id;
                        self.engine.run.warn(&format!("{id}: {}; it begins again", error.what()));
                    }
                    error => self.error = self.error.take().or(error),
                }
                Ok(true)
            }
            WorkerReport::Tested(results) => {
                let number = self.at_work.testing.take().expect("tests run in a slot");
                let unused = self.places.used_for(number, SlotPurpose::Nothing, Vec::new());
                self.engine.run.observer.on(Event::Slot(unused));
                self.places.leave_tests(number)?;
                self.tested(&results?);
                Ok(true)
            }
        }
    }

    /// Tells for what the slot of a task is used from now on. Returns its number.
    fn note_use(&self, leaf: NodeIx, purpose: SlotPurpose) -> u32 {
        let mut running = self.at_work.running.iter();
        let (number, _) =
            running.find(|(_, running)| **running == leaf).expect("only workers that were started report");
        let task = self.engine.run.plan.tree.node(leaf).id.clone();
        self.engine.run.observer.on(Event::Slot(self.places.used_for(*number, purpose, vec![task])));
        *number
    }

    /// Whether a task whose worker was killed may get another one.
    fn may_begin_again(&mut self, leaf: NodeIx) -> bool {
        let killed = self.at_work.killed.entry(leaf).or_insert(0);
        *killed += 1;
        *killed <= MOST_KILLED
    }

    /// Asks the workers to end after their present step, if no further step may begin.
    pub(super) fn pause_workers(&mut self) {
        let run = self.engine.run;
        if self.at_work.asked_to_pause
            || run.pause_before_step().or_else(|| self.engine.budget_reached()).is_none()
        {
            return;
        }
        // A worker that has ended by itself cannot be asked.
        let asked =
            self.places.used().filter(|slot| request_stop(&slot.work_tree, StopAfter::Step).is_ok()).count();
        self.at_work.asked_to_pause = asked >= self.at_work.running.len();
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.engine.run.programs.cancel.level() != CancelLevel::None
    }

    /// Ends all workers, and waits until they have ended.
    pub(super) fn end_workers(&mut self) {
        let mut level = CancelLevel::None;
        let mut asked = false;
        while !self.at_work.running.is_empty() || self.at_work.testing.is_some() {
            let now = self.engine.run.programs.cancel.level();
            if !asked || now != level {
                self.workers.end_all();
                (asked, level) = (true, now);
            }
            if let Some(report) = self.workers.wait(TICK) {
                match report {
                    WorkerReport::Event(line) => self.engine.run.observer.receive(*line),
                    WorkerReport::Begun(_) => {}
                    WorkerReport::Ended(end) => self.at_work.running.retain(|_, leaf| *leaf != end.leaf),
                    WorkerReport::Tested(_) => self.at_work.testing = None,
                }
            }
        }
    }
}
