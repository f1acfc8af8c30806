//! Merges the branches of finished tasks into the branch of the run, one group after the other.

use super::Jobs;
use super::places::no_slot;
use crate::config::CheckLevel;
use crate::engine::event::{BranchMerged, BranchOf, Event, SlotPurpose};
use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Result};
use crate::history::Run;
use crate::plan::{NodeIx, Readiness};
use crate::record::{CommitId, State};
use crate::run::branch_of;
use crate::run::read_run::is_overtaken;
use crate::scheduler::integrate::{BuildInputs, FinishedTask, Integration, IntegrationNeed, NewTip, Trial};
use crate::scheduler::worker::{Setup, TestJob};
use crate::suite::TestResults;

impl<'a> Jobs<'_, 'a> {
    /// Goes on with the integration of finished tasks as far as it can go now, but not after the plan was changed. Returns
    /// whether the branch of the run has moved.
    pub(super) fn integrate(&mut self, run: &Run) -> Result<bool> {
        let mut has_moved = false;
        while self.at_work.testing.is_none() && self.engine.run.plan.is_unchanged() {
            self.note_failures(run)?;
            if let (Some(first), _) = self.overtaken(run) {
                self.merging.integration.keep_only(first);
            }
            if self.merging.integration.is_over() {
                let candidates =
                    if has_moved { self.candidates(&*self.engine.read_all()?) } else { self.candidates(run) };
                if candidates.is_empty() {
                    break;
                }
                self.merging.integration = Integration::of(candidates);
            }
            let here = self.engine.read()?;
            let inputs = self.inputs();
            let need = self.merging.integration.next(&inputs, &here)?;
            match need {
                IntegrationNeed::Nothing => {}
                IntegrationNeed::Tests(trial) => self.begin_tests(trial)?,
                IntegrationNeed::Move(tip) => {
                    if self.advance(&tip)? {
                        self.merging.integration.moved();
                        has_moved = true;
                    } else {
                        self.merging.integration.refused();
                    }
                }
            }
        }
        Ok(has_moved)
    }

    /// Runs the tests of merged tasks in a slot.
    fn begin_tests(&mut self, trial: Trial) -> Result<()> {
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
            shell: run.programs.shell.clone(),
            timeout: run.settings.tests.timeout,
            confirm: run.settings.tests.confirm,
            live,
        };
        self.at_work.testing = Some(used.slot);
        run.observer.on(Event::Slot(used));
        self.workers.test(job);
        Ok(())
    }

    /// The finished tasks that are not merged yet.
    fn candidates(&self, run: &Run) -> Vec<FinishedTask> {
        let plan = self.engine.run.plan;
        let at_work = self.at_work.tasks();
        let is_due = |leaf: &NodeIx| {
            !at_work.contains(leaf)
                && !self.is_to_settle(*leaf)
                && !self.merging.not_merged.contains_key(leaf)
                && matches!(plan.state(run, *leaf), State::Complete | State::Skipped)
        };
        let of = |leaf: NodeIx| {
            let branch = run.branches.tasks.get(&plan.tree.node(leaf).id)?.clone();
            // Something may have moved it since it was looked at.
            self.is_as_known(&branch).then_some(())?;
            Some(FinishedTask { leaf, branch })
        };
        let (first, _) = self.overtaken(run);
        let may_be_merged = |leaf: &NodeIx| first.is_none_or(|first| first == *leaf);
        plan.tree.order().iter().copied().filter(may_be_merged).filter(is_due).filter_map(of).collect()
    }

    /// The task before whose merge nothing else is merged, and those that come after it, because others have overtaken them twice.
    pub(super) fn overtaken(&self, run: &Run) -> (Option<NodeIx>, Vec<NodeIx>) {
        let readiness = self.engine.readiness(run);
        let at_work = self.at_work.tasks();
        let is_open = |leaf: &NodeIx| {
            let is_finished = || {
                let id = &self.engine.run.plan.tree.node(*leaf).id;
                readiness.of(*leaf) == Readiness::Done && run.branches.tasks.contains_key(id)
            };
            at_work.contains(leaf)
                || self.merging.not_merged.contains_key(leaf)
                || readiness.of(*leaf) == Readiness::Ready
                || is_finished()
        };
        let mut open = self.merging.overtaken.iter().copied().filter(is_open);
        (open.next(), open.collect())
    }

    pub(super) fn has_candidates(&self, run: &Run) -> bool {
        !self.candidates(run).is_empty() || !self.merging.not_merged.is_empty()
    }

    /// Takes note of tasks that could not be merged, and tells the user.
    fn note_failures(&mut self, all: &Run) -> Result<()> {
        let run = self.engine.run;
        for text in self.merging.integration.take_warnings() {
            run.warn(&text);
        }
        for failed in self.merging.integration.take_failed() {
            let node = run.plan.tree.node(failed.leaf);
            run.observer.on(Event::NotMerged {
                task: failed.task.clone(),
                name: run.shown_name(&node.name),
                onto: failed.onto,
                reason: run.secret_search().redact(&failed.why.clause()),
            });
            let is_new = self.scope.begins_tasks() && !self.merging.overtaken.contains(&failed.leaf);
            if is_new && is_overtaken(run.repository, all, &failed.task)? {
                self.merging.overtaken.push(failed.leaf);
            }
            self.merging.not_merged.insert(failed.leaf, failed);
        }
        Ok(())
    }

    /// Moves the branch of the run and the work tree to a new tip. Returns whether that was possible: somebody may have committed
    /// there in the meantime.
    fn advance(&mut self, tip: &NewTip) -> Result<bool> {
        self.check_branch()?;
        let git = self.checked_git()?;
        let engine = &mut *self.engine;
        let run = engine.run;
        let before = run.repository.branch()?;
        if before.commit != tip.from {
            return Ok(false);
        }
        let change = engine.workspace.change_to("the merge of finished tasks", None);
        let moved = engine.workspace.guarded(change, |_| git.fast_forward(&tip.to));
        // Whatever fails from here on, this is no forgery that has to be taken back.
        if run.repository.branch()?.commit == tip.to {
            self.tips.head = Some(tip.to);
        }
        moved?;
        self.engine.workspace.after_branch_change()?;
        for merged in &tip.merged {
            let name = branch_of(run.plan, merged.finished.leaf);
            self.forget_branch(&name, &merged.finished.branch.tip)?;
            run.observer.on(Event::BranchMerged(BranchMerged {
                of: BranchOf::Task { task: merged.task.clone() },
                branch: name,
                base: before.branch_name().to_owned(),
                commit: merged.commit,
            }));
        }
        self.progress.phase_ended |= !tip.phases.is_empty();
        // The merges name them.
        self.tips.foreign.clear();
        self.note_head()?;
        Ok(true)
    }

    /// Deletes the branch of a task that is merged. It is free: a slot is taken off its branch when its worker has ended. A
    /// person may have checked it out since, and a person or a hook may have deleted or moved it.
    pub(super) fn forget_branch(&self, name: &str, tip: &CommitId) -> Result<()> {
        let run = self.engine.run;
        let is_there = || Ok::<bool, Error>(run.repository.tip_of(name)? == Some(*tip));
        if !is_there()? || run.git.work_tree_of_branch(name)?.is_some() {
            return Ok(());
        }
        match run.git.delete_branch(name, tip) {
            Err(error) if is_there()? => Err(error),
            _ => Ok(()),
        }
    }

    /// What merges are built from.
    fn inputs(&self) -> BuildInputs<'a> {
        let run = self.engine.run;
        let RunContext { git, repository, plan, .. } = run;
        let (suite, secrets) = (self.suite(), run.secret_search());
        BuildInputs { git, repository, plan, suite, secrets, foreign: self.tips.foreign.clone() }
    }

    /// Takes the results of tests on a merged tree.
    pub(super) fn tested(&mut self, results: &TestResults) {
        let inputs = self.inputs();
        self.merging.integration.tested(&inputs, results);
    }

    fn suite(&self) -> Option<String> {
        let settings = &self.engine.run.settings;
        settings.tests.suite.clone().filter(|_| settings.trust.suite != CheckLevel::Off)
    }
}
