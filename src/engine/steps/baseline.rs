//! Runs the tests of a task before its first attempt, so that later results can be compared with theirs.

use super::test::{StepTests, run_tests, run_tests_in};
use crate::config::CheckLevel;
use crate::engine::assignment::Assignment;
use crate::engine::baseline::KeptBaseline;
use crate::engine::context::RunContext;
use crate::engine::event::{BaselineRan, Event};
use crate::engine::unit::Worker;
use crate::engine::workspace::Workspace;
use crate::error::{Kind, Result};
use crate::history::FollowedRun;
use crate::record::{Baseline, CommitId, Outcome};
use crate::suite::{Failure, TestResults, TestRun};
use crate::worktree::Purpose;

/// Runs the tests of a task before its first attempt.
pub(in crate::engine) struct BaselineTester<'e, 'a> {
    /// The state of the plan, read from history.
    pub(in crate::engine) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(in crate::engine) workspace: &'e mut Workspace<'a>,
}

impl BaselineTester<'_, '_> {
    /// Runs the test commands of a task, unless their result for these files is known. `job` is the task's test step.
    /// Returns the result; `None` if the user does not want it, or the task has no test commands.
    ///
    /// # Errors
    /// If a command cannot be started, or changes something that no step may change.
    pub(in crate::engine) fn measure(&mut self, job: Assignment<'_>) -> Result<Option<Baseline>> {
        let run = self.workspace.run;
        let commands = &run.plan.tree.node(job.leaf).test_commands;
        if run.settings.trust.baseline == CheckLevel::Off || !run.plan.tree.node(job.leaf).is_tested() {
            return Ok(None);
        }
        let kept = KeptBaseline::of(run.baselines(), commands, &run.repository.branch()?.commit)?;
        if let Some(known) = kept.read() {
            return Ok(Some(known));
        }
        let unit = self.workspace.begin(self.followed, job, Worker::Run)?;
        let live = run.announce(job, None);
        let results = run_tests(run, StepTests { job, head: &unit.head.commit, commands }, &live)?;
        self.workspace.check_after(&unit.head, job.step)?;
        self.workspace.name_leftovers(&format!("the tests of {}", job.task.id))?;
        self.workspace.forget_hidden_before();
        self.workspace.end_step()?;
        Ok(Some(self.keep(job, &results, &kept)))
    }

    /// The same for a task whose work is in the work tree already: its tests run on a clean checkout of `commit`. If they
    /// cannot run there, it is not known how they ended before the task.
    ///
    /// # Errors
    /// If the user asks to stop, or the commit cannot be read.
    pub(in crate::engine) fn measure_on_checkout(
        &mut self,
        job: Assignment<'_>,
        commit: &CommitId,
    ) -> Result<Option<Baseline>> {
        let run = self.workspace.run;
        let commands = &run.plan.tree.node(job.leaf).test_commands;
        if run.settings.trust.baseline == CheckLevel::Off || !run.plan.tree.node(job.leaf).is_tested() {
            return Ok(None);
        }
        let kept = KeptBaseline::of(run.baselines(), commands, commit)?;
        if let Some(known) = kept.read() {
            return Ok(Some(known));
        }
        let unknown = |why: &str| {
            run.warn(&format!(
                "it is not known how the tests of {} ended before the task, because {why} on a clean checkout of {}; \
                 `arborist.worktree.setup` prepares one",
                job.task.id,
                commit.short()
            ));
        };
        let results = match run_on_checkout(run, StepTests { job, head: commit, commands }) {
            Ok(results) => results,
            Err(error) if matches!(error.kind(), Kind::Signal(_)) => return Err(error),
            Err(error) => {
                unknown(&format!("they cannot run ({})", error.what()));
                return Ok(None);
            }
        };
        if matches!(results.failure(), Some(Failure::NotRun | Failure::Build)) {
            unknown("they could not be built or started");
            return Ok(None);
        }
        Ok(Some(self.keep(job, &results, &kept)))
    }

    /// Keeps the result, and tells the observer.
    fn keep(&self, job: Assignment<'_>, results: &TestResults, kept: &KeptBaseline) -> Baseline {
        let run = self.workspace.run;
        let failed = || results.runs.iter().filter(|run| !run.passed());
        let names: Vec<String> = failed().flat_map(TestRun::failing_tests).collect();
        let commands = failed().map(|run| format!("`{}`", run.command));
        let baseline = Baseline {
            passed: results.outcome() == Outcome::Pass,
            counts: results.counts(),
            failing: if names.is_empty() { commands.collect() } else { names },
        };
        run.observer.on(Event::Baseline(BaselineRan {
            task: job.task.id.clone(),
            name: run.shown_name(job.task.name),
            outcome: if baseline.passed { "pass" } else { "fail" },
            duration: results.runtime(),
            detail: results.summary(),
        }));
        kept.write(&baseline);
        baseline
    }
}

/// Runs test commands on a clean checkout.
fn run_on_checkout(run: &RunContext<'_>, tests: StepTests<'_>) -> Result<TestResults> {
    let live = run.announce(tests.job, None);
    let scratch = run.scratches.make(Purpose::new("baseline"), tests.head)?;
    run.scratches.prepare(&scratch, &live)?;
    let results = run_tests_in(run, tests, scratch.launch(), &live)?;
    scratch.remove()?;
    Ok(results)
}
