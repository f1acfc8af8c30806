//! Tries test commands before an agent is paid, and knows how the tests of a task ended before it.

use super::StepMaker;
use crate::config::CheckLevel;
use crate::engine::checks::proven::with_prover;
use crate::engine::event::{Event, NoTests, StepResult};
use crate::engine::run_context::Assignment;
use crate::error::{Error, Kind, Result};
use crate::plan::{Expect, NodeIx, TestCommand};
use crate::record::CommitId;
use crate::run::KnownBefore;
use crate::run::steps::earlier_tests::{EarlierTests, TestsAt, is_untouched};
use crate::run::steps::implement_commits::implement_commits;
use crate::suite::{Failure, TestResults, TestRun};
use crate::text::one_line;
use crate::trust::prove::{ProofSubject, Trial};

impl StepMaker<'_, '_> {
    /// Before the first attempt at a task, tries those of its test commands that no earlier task of this run has, and notes how its
    /// tests ended last. `job` is the task's test step.
    ///
    /// # Errors
    /// If a command cannot judge the work: it cannot fail, or a program is missing that no task sets up.
    pub(crate) fn begin_task(&mut self, job: Assignment<'_>) -> Result<()> {
        let run = self.workspace.run;
        let is_new = is_untouched(&self.followed.steps_of(job.task.id)?);
        self.try_commands(job, is_new)?;
        let commands = &run.plan.tree.node(job.leaf).test_commands;
        let earlier = &mut self.workspace.earlier;
        if is_new && earlier.of_task(job.leaf).is_none() {
            let commit = run.repository.branch()?.commit;
            if let Some(last) = earlier.last(&run.git, TestsAt { commands, commit })? {
                earlier.set(job.leaf, last);
            }
        }
        Ok(())
    }

    /// Takes over what the run knows of the tests of a task, of which this process is the worker.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(crate) fn begin_known_task(&mut self, leaf: NodeIx, known: &KnownBefore) -> Result<()> {
        let id = &self.workspace.run.plan.tree.node(leaf).id;
        if is_untouched(&self.followed.steps_of(id)?) {
            let earlier = &mut self.workspace.earlier;
            earlier.missing.clone_from(&known.missing);
            known.tests.iter().for_each(|tests| earlier.set(leaf, tests.clone()));
        }
        Ok(())
    }

    /// Runs commands that this run has not tried yet, in a clean checkout and with one more test, which fails.
    fn try_commands(&mut self, job: Assignment<'_>, is_new: bool) -> Result<()> {
        let run = self.workspace.run;
        let all = &run.plan.tree.node(job.leaf).test_commands;
        let is_known = |command: &&TestCommand| self.workspace.earlier.tried.contains(command);
        if run.settings.trust.prove == CheckLevel::Off
            || all.iter().filter(|command| command.kind.judges()).all(|command| is_known(&command))
        {
            return Ok(());
        }
        let commands: Vec<TestCommand> =
            all.iter().filter(|command| !command.kind.judges() || !is_known(command)).cloned().collect();
        self.workspace.earlier.tried.extend(commands.iter().cloned());
        let commit = run.repository.branch()?.commit;
        let live = run.announce_trial(job);
        let subject = ProofSubject::of_commit(commit, commands.clone());
        let mut place = self.workspace.proof_place();
        let Trial { results, is_whole, deaf } =
            match with_prover(run, &live, &mut place, |prover| prover.try_commands(&subject)) {
                // Where a scratch work tree cannot be made, the proof says so later.
                Err(error) if !matches!(error.kind(), Kind::Signal(_)) => {
                    self.workspace.proof_tree = None;
                    return Ok(());
                }
                trial => trial?,
            };
        // Some test programs fail if there is no test.
        let no_tests = NoTests::counted(results.counts());
        run.observer.on(Event::Tried {
            task: job.task.id.clone(),
            name: run.shown_name(job.task.name),
            result: StepResult { step: job.step, outcome: results.outcome(), no_tests },
            duration: results.runtime(),
            detail: results.summary(),
        });
        if let Some(hiding) = results.hiding_failures().next() {
            let what = hiding.hidden_failures(&self.shown(&hiding.command));
            return Err(self.cannot_judge(job, what, hiding.remedy_for_hidden_failures()));
        }
        if let Some((command, file)) = deaf {
            let what = format!(
                "`{}` cannot fail: it ended with exit status 0 although a test that was added to {} fails",
                self.shown(&command),
                one_line(&file)
            );
            let remedy = "Write a command that ends with another exit status if a test fails.";
            return Err(self.cannot_judge(job, what, remedy));
        }
        let missing = self.missing_program(job, &results);
        if let Some(program) = missing.as_ref().filter(|_| !is_new) {
            return Err(self.is_missing(job, program));
        }
        self.workspace.earlier.missing = missing;
        self.name_unknown_counts(&results);
        if is_whole && !matches!(results.failure(), Some(Failure::NotRun | Failure::Build)) {
            self.workspace.earlier.note(TestsAt { commands: &commands, commit }, &results);
        }
        Ok(())
    }

    /// How the tests of a task ended before it. If this process has not seen it, they run once on the state of before; `None` if they
    /// cannot run there, or the task has no test command.
    ///
    /// # Errors
    /// If the user asks to stop, or a commit cannot be read.
    pub(crate) fn earlier_tests(&mut self, job: Assignment<'_>) -> Result<Option<EarlierTests>> {
        let run = self.workspace.run;
        let commands = &run.plan.tree.node(job.leaf).test_commands;
        if let Some(earlier) = self.workspace.earlier.of_task(job.leaf) {
            return Ok(Some(earlier.clone()));
        }
        if !run.plan.tree.node(job.leaf).is_tested() {
            return Ok(None);
        }
        let steps = self.followed.steps_of(job.task.id)?;
        let first = implement_commits(&run.git, &steps).pop();
        let commit = match first {
            Some(first) => match first.before(run.repository)? {
                Some(before) => before,
                None => return Ok(None),
            },
            None => run.repository.branch()?.commit,
        };
        let at = TestsAt { commands, commit };
        let mut earlier = self.workspace.earlier.last(&run.git, at)?;
        if earlier.is_none()
            && let Some(results) = self.run_before(job, commands, &commit)?
        {
            self.workspace.earlier.note(at, &results);
            earlier = self.workspace.earlier.last(&run.git, at)?;
        }
        if let Some(earlier) = &earlier {
            self.workspace.earlier.set(job.leaf, earlier.clone());
        }
        Ok(earlier)
    }

    /// Runs the tests on the files of a commit alone.
    fn run_before(
        &mut self,
        job: Assignment<'_>,
        commands: &[TestCommand],
        commit: &CommitId,
    ) -> Result<Option<TestResults>> {
        let run = self.workspace.run;
        let live = run.announce_trial(job);
        let subject = ProofSubject::of_commit(*commit, commands.to_vec());
        let mut place = self.workspace.proof_place();
        let why = match with_prover(run, &live, &mut place, |prover| prover.run_commit(&subject)) {
            Ok(results) if !matches!(results.failure(), Some(Failure::NotRun | Failure::Build)) => {
                return Ok(Some(results));
            }
            Ok(_) => "they could not be built or started".to_owned(),
            Err(error) if matches!(error.kind(), Kind::Signal(_)) => return Err(error),
            Err(error) => {
                self.workspace.proof_tree = None;
                format!("they cannot run ({})", error.what())
            }
        };
        run.warn(&format!(
            "it is not known how the tests of {} ended before the task, because {why} on a clean checkout of {}; \
             `arborist.worktree.setup` prepares one",
            job.task.id,
            commit.short()
        ));
        Ok(None)
    }

    /// The error if a program that the tests need is not installed, and the task was not meant to set it up.
    pub(super) fn refuse_missing(&self, job: Assignment<'_>, results: &TestResults) -> Result<()> {
        let missing = self.missing_program(job, results);
        missing.map_or(Ok(()), |program| Err(self.is_missing(job, &program)))
    }

    fn missing_program(&self, job: Assignment<'_>, results: &TestResults) -> Option<String> {
        let program = results.runs.iter().find_map(TestRun::missing_program)?;
        (!self.may_install(job.leaf)).then(|| one_line(&program))
    }

    fn is_missing(&self, job: Assignment<'_>, program: &str) -> Error {
        Error::new(
            Kind::Environment,
            format!("the tests of {} cannot run: there is no program `{program}`", job.task.id),
            format!(
                "Install it, or add its folder to PATH, and run the same command again. If a task of the plan installs it, \
                 give that task `\"expect\": \"config\"`. The test commands of {} are in {}.",
                job.task.id, self.workspace.run.plan.shown
            ),
        )
    }

    fn cannot_judge(&self, job: Assignment<'_>, what: String, remedy: &str) -> Error {
        Error::new(
            Kind::Input,
            what,
            format!(
                "{remedy} No agent was started for {} in this run; its test commands are in {}.",
                job.task.id, self.workspace.run.plan.shown
            ),
        )
    }

    fn shown(&self, command: &str) -> String {
        one_line(&self.workspace.run.secret_search().mask(command))
    }

    /// Says once in a run that the tests of a command cannot be counted. Only a command that passed is sure to have run
    /// them.
    fn name_unknown_counts(&mut self, results: &TestResults) {
        let run = self.workspace.run;
        let mut unknown = results.with_unknown_counts().filter(|run| run.ended_well());
        let is_wanted = run.settings.trust.counts != CheckLevel::Off;
        if let Some(first) = unknown.next()
            && is_wanted
            && !std::mem::replace(&mut self.workspace.earlier.named_unknown_counts, true)
        {
            run.warn(&format!(
                "it is not known how many tests `{}` runs, because its output does not say (counts-unknown); only its exit \
                 status can be judged",
                one_line(&first.command)
            ));
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
