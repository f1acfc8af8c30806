//! Runs the tests of a task before its first attempt, so that later results can be compared with theirs.

use super::StepMaker;
use super::test_run::{run_tests, run_tests_in};
use crate::config::CheckLevel;
use crate::engine::checks::proven::with_prover;
use crate::engine::event::{BaselineRan, Event};
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Kind, Result};
use crate::plan::{Expect, NodeIx, TestCommand};
use crate::record::{Baseline, CommitId, Outcome, Step};
use crate::run::steps::baseline::{Measured, TestsAt};
use crate::run::steps::implement_commits::implement_commits;
use crate::suite::{Failure, TestResults, TestRun};
use crate::text::one_line;
use crate::trust::prove::ProofSubject;

impl StepMaker<'_, '_> {
    /// Runs the test commands of a task, unless their result for these files is known. `job` is the task's test step.
    /// Returns the result; `None` if the user does not want it, or the task has no test commands.
    ///
    /// # Errors
    /// If a command cannot be started, or changes something that no step may change.
    pub(crate) fn measure_baseline(&mut self, job: Assignment<'_>) -> Result<Option<Baseline>> {
        let run = self.workspace.run;
        let commands = &run.plan.tree.node(job.leaf).test_commands;
        if run.settings.trust.baseline == CheckLevel::Off || !run.plan.tree.node(job.leaf).is_tested() {
            return Ok(None);
        }
        let commit = run.repository.branch()?.commit;
        let known = self.workspace.baselines.use_for(
            job.leaf,
            run.repository,
            TestsAt { tests: commands, commit: &commit },
        )?;
        if known.is_some() {
            return Ok(known);
        }
        let unit = self.workspace.begin(self.followed, job)?;
        let live = run.announce_tests_before(job);
        let results = run_tests(run, commands, &live)?;
        self.workspace.check_after(&unit.head, job.step)?;
        self.workspace.name_leftovers(&format!("the tests of {}", job.task.id))?;
        self.workspace.end_step()?;
        self.refuse_commands(job, &results)?;
        self.refuse_deaf(job, &commit, &results)?;
        self.keep_baseline(job, &results, &commit).map(Some)
    }

    /// Refuses a command that cannot fail, once for each command of a run.
    fn refuse_deaf(&mut self, job: Assignment<'_>, commit: &CommitId, results: &TestResults) -> Result<()> {
        let run = self.workspace.run;
        let has_passed = results.counts().is_some_and(|counts| counts.passed > 0);
        if run.settings.trust.prove == CheckLevel::Off || !has_passed {
            return Ok(());
        }
        let commands = &run.plan.tree.node(job.leaf).test_commands;
        let known = &mut self.workspace.baselines.heard;
        let commands: Vec<_> =
            commands.iter().filter(|command| !known.contains(&command.command)).cloned().collect();
        known.extend(commands.iter().map(|command| command.command.clone()));
        if commands.is_empty() {
            return Ok(());
        }
        let live = run.announce_tests_before(job);
        let subject = ProofSubject::of_commit(*commit, commands);
        let mut place = self.workspace.proof_place();
        match with_prover(run, &live, &mut place, |prover| prover.find_deaf_command(&subject, results)) {
            // The commands have shown what they do; where a scratch work tree cannot be made, the proof says so later.
            Err(error) if !matches!(error.kind(), Kind::Signal(_)) => {
                self.workspace.proof_tree = None;
                Ok(())
            }
            Err(error) => Err(error),
            Ok(None) => Ok(()),
            Ok(Some(deaf)) => Err(Error::new(
                Kind::Input,
                format!(
                    "`{}` cannot fail: it ended with exit status 0 although a test that was added to {} fails",
                    run.secret_search().mask(&deaf.command),
                    one_line(&deaf.file)
                ),
                format!(
                    "Write a command that ends with another exit status if a test fails. No agent was started; the test \
                     commands of {} are in {}.",
                    job.task.id, run.plan.shown
                ),
            )),
        }
    }

    /// The same for a task whose work is in the work tree already: its tests run on a clean checkout of `commit`. If they
    /// cannot run there, it is not known how they ended before the task.
    ///
    /// # Errors
    /// If the user asks to stop, or the commit cannot be read.
    pub(crate) fn measure_on_checkout(
        &mut self,
        job: Assignment<'_>,
        commit: &CommitId,
    ) -> Result<Option<Baseline>> {
        let run = self.workspace.run;
        let commands = &run.plan.tree.node(job.leaf).test_commands;
        if run.settings.trust.baseline == CheckLevel::Off || !run.plan.tree.node(job.leaf).is_tested() {
            return Ok(None);
        }
        let known = self.workspace.baselines.use_for(
            job.leaf,
            run.repository,
            TestsAt { tests: commands, commit },
        )?;
        if known.is_some() {
            return Ok(known);
        }
        let unknown = |why: &str| {
            run.warn(&format!(
                "it is not known how the tests of {} ended before the task, because {why} on a clean checkout of {}; \
                 `arborist.worktree.setup` prepares one",
                job.task.id,
                commit.short()
            ));
        };
        let results = match run_on_checkout(run, job, commit, commands) {
            Ok(results) => results,
            Err(error) if matches!(error.kind(), Kind::Signal(_)) => return Err(error),
            Err(error) => {
                unknown(&format!("they cannot run ({})", error.what()));
                return Ok(None);
            }
        };
        self.refuse_commands(job, &results)?;
        if matches!(results.failure(), Some(Failure::NotRun | Failure::Build)) {
            unknown("they could not be built or started");
            return Ok(None);
        }
        self.keep_baseline(job, &results, commit).map(Some)
    }

    /// Before the test step of a task that writes tests, runs the tests as they were before it, if this process has not:
    /// only their names tell which tests are new.
    ///
    /// # Errors
    /// As for [`Self::measure_on_checkout`].
    pub(crate) fn know_earlier_tests(&mut self, job: Assignment<'_>) -> Result<()> {
        let run = self.workspace.run;
        if run.plan.tree.expect(job.leaf) != Expect::Tests
            || self.workspace.baselines.before(job.leaf).is_some()
        {
            return Ok(());
        }
        let steps = self.followed.steps_of(job.task.id)?;
        let Some(first) = implement_commits(&run.git, &steps).pop() else { return Ok(()) };
        let Some(before) = first.before(run.repository)? else { return Ok(()) };
        self.measure_on_checkout(job, &before).map(|_| ())
    }

    /// Remembers the result for the files of a commit, and tells the observer.
    fn keep_baseline(
        &mut self,
        job: Assignment<'_>,
        results: &TestResults,
        commit: &CommitId,
    ) -> Result<Baseline> {
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
            outcome: results.outcome(),
            duration: results.runtime(),
            detail: results.summary(),
        }));
        self.name_unknown_counts(results);
        let tests = run.plan.tree.node(job.leaf).test_commands.as_slice();
        let measured = Measured { baseline: baseline.clone(), names: results.names() };
        let baselines = &mut self.workspace.baselines;
        baselines.remember(run.repository, TestsAt { tests, commit }, measured)?;
        baselines.use_for(job.leaf, run.repository, TestsAt { tests, commit })?;
        Ok(baseline)
    }

    /// Says once in a run that the tests of a command cannot be counted. Only a command that passed is sure to have run
    /// them.
    fn name_unknown_counts(&mut self, results: &TestResults) {
        let run = self.workspace.run;
        let mut unknown = results.with_unknown_counts().filter(|run| run.ended_well());
        let is_wanted = run.settings.trust.counts != CheckLevel::Off;
        if let Some(first) = unknown.next()
            && is_wanted
            && !std::mem::replace(&mut self.workspace.baselines.named_unknown_counts, true)
        {
            run.warn(&format!(
                "it is not known how many tests `{}` runs, because its output does not say (counts-unknown); only its exit \
                 status can be judged",
                one_line(&first.command)
            ));
        }
    }

    /// Refuses to begin a task whose commands cannot judge it, before an agent is paid.
    fn refuse_commands(&self, job: Assignment<'_>, results: &TestResults) -> Result<()> {
        let run = self.workspace.run;
        let shown = |command: &str| one_line(&run.secret_search().mask(command));
        let place = format!("the test commands of {} are in {}", job.task.id, run.plan.shown);
        if let Some(hiding) = results.hiding_failures().next() {
            return Err(Error::new(
                Kind::Input,
                hiding.hidden_failures(&shown(&hiding.command)),
                format!("{} No agent was started; {place}.", hiding.remedy_for_hidden_failures()),
            ));
        }
        let missing = results.runs.iter().find_map(TestRun::missing_program);
        match missing.filter(|_| !self.may_install(job.leaf)) {
            None => Ok(()),
            Some(program) => Err(Error::new(
                Kind::Environment,
                format!("the tests of {} cannot run: there is no program `{program}`", job.task.id),
                format!(
                    "Install it, or add its folder to PATH. If a task of the plan installs it, give that task \
                     `\"expect\": \"config\"`. No agent was started; {place}."
                ),
            )),
        }
    }

    /// Whether this task, or an earlier one that is not done, sets up what the tests need.
    fn may_install(&self, leaf: NodeIx) -> bool {
        let plan = self.workspace.run.plan;
        let state = self.followed.run();
        let earlier = plan.tree.order().iter().copied().take_while(|other| *other != leaf);
        earlier
            .filter(|other| !plan.state(&state, *other).is_done())
            .chain([leaf])
            .any(|task| plan.tree.expect(task) == Expect::Config)
    }
}

/// Whether tests that ended like this before a task cannot tell whether its change is made, where the user requires that.
/// Only a change of behaviour has to make a test pass that failed.
pub(crate) fn proves_nothing(run: &RunContext<'_>, leaf: NodeIx, baseline: Option<&Baseline>) -> bool {
    baseline.is_some_and(|baseline| baseline.passed)
        && run.settings.tasks.of(leaf).policy.pipeline.first() == Step::IMPLEMENT
        && run.plan.tree.expect(leaf) == Expect::Change
        && run.settings.trust.baseline == CheckLevel::Require
}

/// Runs test commands on a clean checkout.
fn run_on_checkout(
    run: &RunContext<'_>,
    job: Assignment<'_>,
    commit: &CommitId,
    commands: &[TestCommand],
) -> Result<TestResults> {
    let live = run.announce_tests_before(job);
    let scratch = run.programs.scratches.make("baseline", commit)?;
    run.programs.scratches.prepare(&scratch, &live)?;
    let results = run_tests_in(run, commands, scratch.launch(), &live)?;
    scratch.remove()?;
    Ok(results)
}
