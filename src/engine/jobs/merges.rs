//! Merges the branches of finished tasks into the branch of the run, one group after the other.

use super::Jobs;
use super::places::no_slot;
use super::workers::{Setup, TestJob};
use crate::config::CheckLevel;
use crate::engine::branches::branch_of;
use crate::engine::context::RunContext;
use crate::engine::event::{BranchMerged, BranchOf, Event, NotMerged, SlotPurpose};
use crate::engine::integrate::{BuildInputs, Candidate, Integration, IntegrationNeed, NewTip};
use crate::error::Result;
use crate::history::{Run, read_steps};
use crate::plan::NodeIx;
use crate::record::{State, Step, TaskId};

impl Jobs<'_, '_> {
    /// Goes on with the integration of finished tasks as far as it can go now, but not after the plan was changed. Returns
    /// whether the branch of the run has moved.
    pub(super) fn integrate(&mut self, run: &Run) -> Result<bool> {
        let mut has_moved = false;
        while self.testing.is_none() && self.engine.run.plan.is_unchanged() {
            self.note_failures(run)?;
            if self.integration.is_over() {
                let candidates =
                    if has_moved { self.candidates(&*self.engine.read_all()?) } else { self.candidates(run) };
                if candidates.is_empty() {
                    break;
                }
                self.integration = Integration::of(candidates);
            }
            let here = self.engine.read()?;
            let RunContext { git, repository, plan, .. } = self.engine.run;
            let secrets = self.engine.run.secret_search();
            let inputs = BuildInputs { git, repository, plan, suite: self.suite(), secrets };
            let need = self.integration.next(&inputs, &here)?;
            match need {
                IntegrationNeed::Nothing => {}
                IntegrationNeed::Tests(trial) => {
                    let Some(place) = self.places.enter_at(&trial.commit)? else {
                        return Err(no_slot());
                    };
                    let used = place.used(SlotPurpose::MergeTests, trial.tasks.clone());
                    let live = used.live.clone();
                    let run = self.engine.run;
                    let job = TestJob {
                        trial,
                        setup: place.preparation.map(|preparation| Setup { preparation, live: live.clone() }),
                        launch: place.slot.launch(),
                        shell: run.shell.clone(),
                        timeout: run.settings.test_timeout,
                        confirm: run.settings.confirm,
                        live,
                    };
                    self.testing = Some(used.slot);
                    run.observer.on(Event::Slot(used));
                    self.workers.test(job);
                }
                IntegrationNeed::Move(tip) => {
                    if self.advance(&tip)? {
                        self.integration.moved();
                        has_moved = true;
                    } else {
                        self.integration.refused();
                    }
                }
            }
        }
        Ok(has_moved)
    }

    /// The finished tasks that are not merged yet.
    fn candidates(&self, run: &Run) -> Vec<Candidate> {
        let plan = self.engine.run.plan;
        let at_work = self.at_work();
        let is_due = |leaf: &NodeIx| {
            !at_work.contains(leaf)
                && !self.is_to_settle(*leaf)
                && !self.not_merged.contains_key(leaf)
                && matches!(plan.state(run, *leaf), State::Complete | State::Skipped)
        };
        let of = |leaf: NodeIx| {
            let branch = run.branches.tasks.get(&plan.tree.node(leaf).id)?.clone();
            // Something may have moved it since it was looked at.
            self.is_as_known(&branch).then_some(())?;
            Some(Candidate { leaf, branch })
        };
        plan.tree.order().iter().copied().filter(is_due).filter_map(of).collect()
    }

    pub(super) fn has_candidates(&self, run: &Run) -> bool {
        !self.candidates(run).is_empty() || !self.not_merged.is_empty()
    }

    /// Takes note of tasks that could not be merged, and tells the user.
    fn note_failures(&mut self, all: &Run) -> Result<()> {
        let run = self.engine.run;
        for text in self.integration.take_warnings() {
            run.warn(&text);
        }
        for failed in self.integration.take_failed() {
            let node = run.plan.tree.node(failed.leaf);
            run.observer.on(Event::NotMerged(NotMerged {
                task: failed.task.clone(),
                name: run.shown_name(&node.name),
                onto: failed.onto,
                reason: run.secret_search().redact(&failed.clause()),
            }));
            if self.has_merged_before(all, &failed.task)? {
                self.alone.insert(failed.leaf);
            }
            self.not_merged.insert(failed.leaf, failed);
        }
        Ok(())
    }

    /// Whether an implement step of a task was a merge: then this is not the first time that it could not be merged.
    fn has_merged_before(&self, all: &Run, task: &TaskId) -> Result<bool> {
        let repository = self.engine.run.repository;
        for step in read_steps(repository, &all.range, task)? {
            if step.step.record.step == Step::IMPLEMENT && repository.commit(&step.step.id)?.parents.len() > 1
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Moves the branch of the run and the work tree to a new tip. Returns whether that was possible: somebody may have committed
    /// there in the meantime.
    fn advance(&mut self, tip: &NewTip) -> Result<bool> {
        self.check_branch()?;
        self.check_programs()?;
        let engine = &mut *self.engine;
        let run = engine.run;
        let before = run.repository.branch()?;
        if before.commit != tip.from {
            return Ok(false);
        }
        let change = engine.workspace.change_to("the merge of finished tasks", None);
        engine.workspace.guarded(change, |git| git.fast_forward(&tip.to))?;
        engine.workspace.after_branch_change()?;
        for merged in &tip.merged {
            // It is free: a slot is taken off its branch when its worker has ended. A person may have checked it out since.
            let name = branch_of(run.plan, merged.leaf);
            if run.git.work_tree_of_branch(&name)?.is_none() {
                run.git.delete_branch(&name, &merged.branch.tip)?;
            }
            run.observer.on(Event::BranchMerged(BranchMerged {
                of: BranchOf::Task { task: merged.task.clone() },
                branch: name,
                base: before.branch_name().to_owned(),
                commit: merged.commit,
            }));
        }
        self.progress.phase_ended |= !tip.phases.is_empty();
        self.note_head()?;
        Ok(true)
    }

    fn suite(&self) -> Option<String> {
        let settings = &self.engine.run.settings;
        settings.suite.clone().filter(|_| settings.trust.suite != CheckLevel::Off)
    }
}
