//! The loop over all tasks: takes the next ready one, until all are complete or none is ready.

use std::collections::{BTreeSet, HashSet};

use super::one_task::{Engine, TaskEnd};
use super::{OnFailure, RunProgress, RunScope};
use crate::engine::run_context::context::RunPart;
use crate::engine::run_context::limits::Pause;
use crate::engine::steps::kept_tests::{PhaseEnd, run_kept_tests};
use crate::engine::steps::phase::Closed;
use crate::engine::steps::suite::run_suite;
use crate::error::Result;
use crate::history::{Run, have_same_files};
use crate::plan::{NodeIx, Readiness, TreeReadiness};
use crate::process::LiveLine;
use crate::record::{Finding, OpenQuestion, Outcome, State, TaskId, UsageTotal};
use crate::run::{FailedIntegration, Plan, TaskScope, open_questions, phase_ends};
use crate::workflow::FailedTask;

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunEnd {
    /// Leaves of the run that have failed.
    pub failed: Vec<NodeIx>,
    /// Leaves of the run that could be worked on next.
    pub ready: Vec<NodeIx>,
    /// How many leaves were worked on.
    pub worked_on: u32,
    /// Phases whose own tests, or the suite after them, failed.
    pub failed_phases: Vec<NodeIx>,
    /// What fails there, as a clause for each.
    pub failure: Vec<String>,
    /// The other phases whose tests fail: tasks of them were opened again, and are not complete.
    pub red_phases: Vec<NodeIx>,
    /// The tasks to which the output of these tests points.
    pub suspects: Vec<TaskId>,
    /// The tests that are still awaited in them, as sentences.
    pub due: Vec<String>,
    /// How many leaves of the plan are complete.
    pub complete: usize,
    /// Leaves of the plan that were skipped, in order.
    pub skipped: Vec<NodeIx>,
    /// Leaves of the plan that are neither complete nor skipped nor failed, in order.
    pub open: Vec<NodeIx>,
    /// Those of them that belong to the run.
    pub open_in_scope: Vec<NodeIx>,
    /// Those of them that cannot begin, because they wait for leaves that do not belong to the run.
    pub waiting: Vec<NodeIx>,
    /// The leaves that they wait for.
    pub waits_for: Vec<NodeIx>,
    /// Leaves of the run that only wait for a person's approval.
    pub held: Vec<NodeIx>,
    /// The open questions about leaves of the run.
    pub asked: Vec<OpenQuestion>,
    /// Why it ended although it had more to do.
    pub pause: Option<Pause>,
    /// What the ends of phases have found that fails none of them.
    pub warnings: Vec<Finding>,
    /// What its agents have used.
    pub used: UsageTotal,
    /// Finished tasks that could not be merged, and whose next attempt has not begun.
    pub not_merged: Vec<FailedIntegration>,
}

impl RunEnd {
    /// The state of a plan on which no work was done.
    #[must_use]
    pub fn of(plan: &Plan, run: &Run, scope: &TaskScope) -> Self {
        let readiness = TreeReadiness::new(&plan.tree, |leaf| plan.standing(run, leaf));
        let ready = readiness.ready().filter(|leaf| scope.includes(*leaf)).collect();
        let mut end = Self { ready, ..Self::default() };
        for leaf in plan.tree.order() {
            match plan.state(run, *leaf) {
                State::Complete => end.complete += 1,
                State::Skipped => end.skipped.push(*leaf),
                State::Failed if scope.includes(*leaf) => end.failed.push(*leaf),
                State::Failed => {}
                _ => end.open.push(*leaf),
            }
        }
        end.open_in_scope = end.open.iter().copied().filter(|leaf| scope.includes(*leaf)).collect();
        let reachable = scope.readiness(&plan.tree, |leaf| plan.state(run, leaf));
        let mut awaited = BTreeSet::new();
        for leaf in &end.open_in_scope {
            let outside: Vec<NodeIx> =
                reachable.blocked_by(*leaf).into_iter().filter(|leaf| !scope.includes(*leaf)).collect();
            if !outside.is_empty() {
                end.waiting.push(*leaf);
            }
            awaited.extend(outside);
        }
        end.waits_for = awaited.into_iter().collect();
        end
    }
}

impl<'a> Engine<'a> {
    /// Takes over what a run is asked for about phases that have failed, and finds those that are complete and about which something
    /// was found that may be settled now, because files have changed since.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn follow(&mut self, scope: &RunScope) -> Result<()> {
        self.tries_phases_again = scope.failed_before == FailedTask::StartOver;
        if !scope.begins_tasks() {
            return Ok(());
        }
        self.reopens = scope.tasks.clone();
        let (repository, head) = (self.run.repository, self.run.repository.branch()?.commit);
        let run = self.read()?;
        let roots = self.run.plan.tree.roots().iter().copied();
        self.looked_at =
            roots.filter(|root| run.phases.contains_key(&self.run.plan.tree.node(*root).id)).collect();
        for ended in phase_ends(&self.run.git, repository, self.run.plan, &run)? {
            if !ended.has_failed()
                && !have_same_files(repository, &ended.step.id, &head, &self.run.artifacts())?
            {
                self.closes_again.extend(self.run.plan.tree.find(ended.id.as_str()));
            }
        }
        Ok(())
    }

    /// Works until everything is complete, no task is ready, or the run must pause or stop.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub fn run_plan(&mut self, scope: &RunScope) -> Result<RunEnd> {
        let mut failed_phases = HashSet::new();
        self.follow(scope)?;
        let mut again = HashSet::new();
        if self.tries_phases_again {
            again.extend(self.failed_tasks(&*self.read_all()?, &scope.tasks));
        }
        let mut progress = RunProgress::default();
        let pause = loop {
            self.run.check_stop()?;
            let run = self.read_all()?;
            let pause = self.run.pause_before_task().or_else(|| self.budget_reached());
            if pause.is_none() {
                self.merge_phases(&run)?;
                let run = self.read_all()?;
                self.close_phases(&run, &scope.tasks, &mut failed_phases)?;
            }
            let run = self.read_all()?;
            let failed = self.failed_tasks(&run, &scope.tasks).iter().any(|leaf| !again.contains(leaf))
                || !failed_phases.is_empty();
            let stop = failed && scope.on_failure == OnFailure::Stop;
            let next = self.next_task(&run, &scope.tasks, &again).filter(|_| !stop);
            if next.is_none()
                && pause.is_none()
                && !stop
                && self.tests_may_pass_now(&run, &mut failed_phases)?
            {
                continue;
            }
            let Some(leaf) = next else {
                break pause.filter(|_| self.has_open_phase(&run, &scope.tasks, &failed_phases));
            };
            if let Some(pause) = pause.or_else(|| scope.pause(progress)) {
                break Some(pause);
            }
            progress.worked_on += 1;
            self.go_to_task(leaf)?;
            let failed = if again.remove(&leaf) { FailedTask::StartOver } else { FailedTask::Leave };
            match self.run_task(leaf, failed)? {
                TaskEnd::Paused(pause) => break Some(pause),
                TaskEnd::AwaitsAnswer if scope.ends_at_question => {
                    // It goes on with the answer.
                    progress.worked_on -= 1;
                    break None;
                }
                _ => {}
            }
            self.ended_tasks.remove(&leaf);
            progress.phase_ended |= self.is_done(&*self.read()?, self.run.plan.tree.phase_of(leaf));
        };
        let end = self.sum_up(&scope.tasks, &failed_phases)?;
        Ok(RunEnd { worked_on: progress.worked_on, pause, used: self.used(), ..end })
    }

    /// Works on one task, and closes its phase if that completes it.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub fn run_one(&mut self, leaf: NodeIx, failed: FailedTask) -> Result<RunEnd> {
        if self.run.part == RunPart::Whole {
            let mut failed_phases = HashSet::new();
            self.close_phases(&*self.read_all()?, &TaskScope::All, &mut failed_phases)?;
            // What the task depends on is not done as long as the tests of that phase fail.
            if !self.readiness(&*self.read_all()?).dependencies_are_met(leaf) {
                return self.sum_up(&TaskScope::All, &failed_phases);
            }
        }
        let mut failed_phases = HashSet::new();
        self.go_to_task(leaf)?;
        let end = self.run_task(leaf, failed)?;
        self.ended_tasks.remove(&leaf);
        // Where the task has a branch of its own, its phase is complete when the branch is merged.
        if end == TaskEnd::Done && self.run.part == RunPart::Whole {
            let run = self.read_all()?;
            self.close_phase(&run, self.run.plan.tree.phase_of(leaf), &mut failed_phases)?;
        }
        let pause = if let TaskEnd::Paused(pause) = end { Some(pause) } else { None };
        let used = self.used();
        let only = TaskScope::below(&self.run.plan.tree, &[leaf]);
        Ok(RunEnd { worked_on: 1, pause, used, ..self.sum_up(&only, &failed_phases)? })
    }

    /// The tasks that have failed, in order.
    pub(crate) fn failed_tasks(&self, run: &Run, scope: &TaskScope) -> Vec<NodeIx> {
        let plan = self.run.plan;
        scope.leaves(&plan.tree).filter(|leaf| plan.state(run, *leaf) == State::Failed).collect()
    }

    /// The first task that is ready, or that has failed and is to be tried again, with all its dependencies complete.
    fn next_task(&self, run: &Run, scope: &TaskScope, again: &HashSet<NodeIx>) -> Option<NodeIx> {
        let readiness = self.readiness(run);
        let can_begin = |leaf: &NodeIx| {
            readiness.of(*leaf) == Readiness::Ready
                || (again.contains(leaf) && readiness.dependencies_are_met(*leaf))
        };
        let leaves = scope.leaves(&self.run.plan.tree).filter(can_begin).collect();
        self.in_order_of_branches(run, leaves).into_iter().next()
    }

    pub(crate) fn readiness(&self, run: &Run) -> TreeReadiness<'a> {
        let (plan, tasks) = (self.run.plan, &self.run.settings.tasks);
        TreeReadiness::new(&plan.tree, |leaf| plan.leaf_state(run, leaf, &tasks.of(leaf).policy))
    }

    pub(crate) fn sum_up(&self, scope: &TaskScope, failed_phases: &HashSet<NodeIx>) -> Result<RunEnd> {
        let run = self.read_all()?;
        let phases = self.run.plan.tree.roots().iter().copied();
        let failed_phases: Vec<NodeIx> = phases.filter(|phase| failed_phases.contains(phase)).collect();
        let due = self.due.clone();
        let mut end = RunEnd { failed_phases, due, ..RunEnd::of(self.run.plan, &run, scope) };
        let readiness = self.readiness(&run);
        let in_scope = |open: &OpenQuestion| {
            self.run.plan.tree.find(open.task.as_str()).is_some_and(|leaf| scope.includes(leaf))
        };
        end.asked = open_questions(self.run.repository, self.run.plan, &run, |leaf| {
            self.run.settings.tasks.of(leaf).policy
        })?;
        end.asked.retain(in_scope);
        let tree = &self.run.plan.tree;
        for ended in phase_ends(&self.run.git, self.run.repository, self.run.plan, &run)? {
            let Some(phase) = tree.find(ended.id.as_str()) else { continue };
            let is_in_scope = tree.leaves_below(phase).any(|leaf| scope.includes(leaf));
            match (ended.has_failed(), end.failed_phases.contains(&phase)) {
                (true, true) => {
                    end.failure.push(ended.what());
                    end.suspects.extend(ended.suspects);
                }
                (true, false) if is_in_scope => end.red_phases.push(phase),
                (false, _) if is_in_scope => end.warnings.extend(ended.findings),
                _ => {}
            }
        }
        end.held = end.ready.extract_if(.., |leaf| readiness.of(*leaf) == Readiness::Held).collect();
        // A claim about tests that nobody reviews waits for a person, though a reviewer could answer it.
        end.ready.retain(|leaf| readiness.of(*leaf) == Readiness::Ready);
        Ok(end)
    }

    pub(crate) fn close_phases(
        &mut self,
        run: &Run,
        scope: &TaskScope,
        failed: &mut HashSet<NodeIx>,
    ) -> Result<()> {
        for phase in self.run.plan.tree.roots() {
            if self.is_open_phase(run, *phase, scope) {
                self.close_phase(run, *phase, failed)?;
            }
        }
        Ok(())
    }

    /// Whether a phase with tasks of the run is still to be marked complete.
    fn has_open_phase(&self, run: &Run, scope: &TaskScope, failed: &HashSet<NodeIx>) -> bool {
        let mut phases = self.run.plan.tree.roots().iter();
        phases.any(|phase| {
            self.is_to_merge(run, *phase) || self.is_open_phase(run, *phase, scope) && !failed.contains(phase)
        })
    }

    /// Whether all tasks of a phase are complete or skipped, some of them belong to the run, and the phase is not marked.
    fn is_open_phase(&self, run: &Run, phase: NodeIx, scope: &TaskScope) -> bool {
        let tree = &self.run.plan.tree;
        let is_marked = run.phases.contains_key(&tree.node(phase).id) || self.ended_tasks.contains(&phase);
        self.is_done(run, phase)
            && (!is_marked || self.closes_again.contains(&phase))
            && tree.leaves_below(phase).any(|leaf| scope.includes(leaf))
    }

    /// Whether all tasks of a phase are complete or skipped.
    pub(crate) fn is_done(&self, run: &Run, phase: NodeIx) -> bool {
        let plan = self.run.plan;
        plan.tree.leaves_below(phase).all(|leaf| plan.state(run, leaf).is_done())
    }

    /// Whether the tests of a phase have failed before, and would fail again: no file has changed since.
    fn still_fails(&self, run: &Run, phase: NodeIx) -> Result<bool> {
        let id = &self.run.plan.tree.node(phase).id;
        let Some(failed) = run.failed_phases.get(id).filter(|_| !self.tries_phases_again) else {
            return Ok(false);
        };
        let head = self.run.repository.branch()?.commit;
        have_same_files(self.run.repository, &failed.id, &head, &self.run.artifacts())
    }

    /// Closes a phase whose tasks are all complete or skipped, unless its tests have failed on these files before.
    fn close_phase(&mut self, run: &Run, phase: NodeIx, failed: &mut HashSet<NodeIx>) -> Result<()> {
        if !self.is_open_phase(run, phase, &TaskScope::All) || failed.contains(&phase) {
            return Ok(());
        }
        let is_again = self.closes_again.remove(&phase);
        self.looked_at.insert(phase);
        if !is_again && self.needs_no_marker(run, phase)? && self.ends_well(phase)? {
            self.ended_tasks.insert(phase);
            return Ok(());
        }
        self.go_to_phase(phase)?;
        if self.still_fails(run, phase)? {
            // An earlier run may have been killed before it could do this, or was asked for one task only.
            if !self.reopen_tasks(phase)? {
                failed.insert(phase);
            }
            return Ok(());
        }
        let Closed { outcome, due } = self.step_maker().close_phase(phase)?;
        if outcome == Outcome::Pass {
            self.merge_phase(phase)?;
            // The suite may fail on what the merge has brought together.
            if !self.read()?.failed_phases.contains_key(&self.run.plan.tree.node(phase).id) {
                return Ok(());
            }
        }
        if !self.reopen_tasks(phase)? {
            self.due.extend(due.filter(|due| !self.due.contains(due)));
            failed.insert(phase);
        }
        Ok(())
    }

    /// Whether a phase is only a task without a branch of its own. Its last step says that it is complete, unless its end has
    /// failed before or shows that awaited tests pass.
    fn needs_no_marker(&self, run: &Run, phase: NodeIx) -> Result<bool> {
        let tree = &self.run.plan.tree;
        let is_task = tree.is_leaf(phase) && self.run.phases.is_none();
        Ok(is_task
            && !run.failed_phases.contains_key(&tree.node(phase).id)
            && self.followed.awaited()?.is_empty())
    }

    /// Whether nothing is found now that only the end of a phase finds: the suite fails, or tests in their earlier version, or tests
    /// of earlier tasks would have to run again. What is found belongs in the history, so it needs a step.
    fn ends_well(&mut self, phase: NodeIx) -> Result<bool> {
        let (run, live) = (self.run, LiveLine::new());
        let head = run.repository.branch()?.commit;
        let (awaited, place) = (self.followed.awaited()?, &mut self.workspace.proof_place());
        if run_suite(run, &head, &live, &awaited, place)?.is_some() {
            return Ok(false);
        }
        let at = PhaseEnd { head: &head, live: &live };
        let kept = run_kept_tests(run, &self.followed, phase, at, self.workspace.proof_place())?;
        Ok(kept.is_none() && !self.step_maker().may_be_superseded(phase, &head)?)
    }
}
