//! Makes the runs of a proof, one after the other, in a scratch work tree that is switched between them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::ProofSubject;
use super::files::ChangedFiles;
use super::judged;
use super::report::{NothingRan, Proof, ProofRunReport};
use super::traces::{RunTraces, judge_packages};
use crate::error::Result;
use crate::git::{Git, PathEntry};
use crate::history::Repository;
use crate::plan::{TestCommand, TestType};
use crate::process::LiveLine;
use crate::record::{Check, CommitId, Finding, Outcome, ProofCost, ProofRun, RunWord, Severity};
use crate::suite::{TestListener, TestOutcome, TestResults, TestRun, TestRunner, select_one};
use crate::text::one_line;
use crate::trust::counts::{counts_differ, lost_tests};
use crate::trust::scan::Source;
use crate::worktree::{Home, ProofTree, UsersTree};

/// How many times as long as on the commit as it is commands may take where a failure is wanted, and how long they may take at
/// least. A loop without its end would go on up to the timeout; a cold cache or a busy machine makes a run a few times slower.
const PATIENCE: u32 = 10;
const LEAST: Duration = Duration::from_secs(10);

/// What a proof does, for those who wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofStage {
    /// Its work tree is prepared.
    Setup,
    /// The tests run on the commit before the task.
    Before,
    /// A run of which the commit will tell.
    Run(ProofRun),
    /// The tests as they were before run where the old run has failed.
    EarlierTests,
    /// Functions give empty values.
    Hollow,
    /// The linters and libraries are those of before.
    OldChecks,
    /// A file that the command names is as it was before.
    ChangedCheck,
}

impl ProofStage {
    /// Its name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Before => "before",
            Self::Run(run) => run.word(),
            Self::EarlierTests => "earlier tests",
            Self::Hollow => "hollow",
            Self::OldChecks => "old checks",
            Self::ChangedCheck => "changed check",
        }
    }
}

/// Follows the progress of a proof.
pub trait ProofWatcher {
    /// A stage begins, or is repeated. The line that it returns will show what the programs are doing.
    fn begins(&self, stage: ProofStage, is_again: bool) -> LiveLine;
}

/// What a proof is made with.
pub struct ProverParts<'a> {
    /// git, called at the top of the user's work tree.
    pub git: &'a Git,
    /// Its history.
    pub repository: &'a Repository,
    /// The user's work tree, after which the scratch work tree is made.
    pub users: UsersTree<'a>,
    /// The shell that runs the commands.
    pub shell: PathBuf,
    /// How long a command may take that sets no timeout.
    pub timeout: Duration,
    /// Follows the commands.
    pub listener: &'a dyn TestListener,
    /// Follows the runs.
    pub watcher: &'a dyn ProofWatcher,
    /// How long the runs of one task may take; `None` for any time.
    pub time: Option<Duration>,
}

/// Proves changes, one after the other.
pub struct Prover<'a> {
    pub(super) parts: ProverParts<'a>,
    /// The scratch work tree, once it is there. Its owner keeps it for the next proof.
    tree: &'a mut Option<ProofTree>,
    pub(super) now: Progress,
}

/// What is known since a proof began.
#[derive(Default)]
pub(super) struct Progress {
    home: Home,
    until: Option<Instant>,
    /// How long the commands took on the commit as it is.
    pub(super) took: Duration,
    /// What the runs have cost.
    cost: ProofCost,
    /// What test commands have changed.
    traces: RunTraces,
    /// The tests that failed in one run and passed in the same run once more.
    flaky: BTreeSet<String>,
    /// The paths of the commit, those that the task changed first, once somebody has asked.
    pub(super) paths: Option<Vec<String>>,
    /// The files with tests, once somebody has asked.
    pub(super) tests: Option<Rc<[Source]>>,
}

/// A run of test commands on the commit with some of its files changed.
#[derive(Clone)]
pub(super) struct Run<'c> {
    pub(super) stage: ProofStage,
    /// What stands in the place of files of the commit.
    pub(super) files: Vec<PathEntry>,
    pub(super) commands: &'c [TestCommand],
    /// Whether they are to succeed. What gives an empty value may be the end of a loop, so where a failure is wanted, nobody waits much
    /// longer than for the commit as it is.
    pub(super) success: bool,
}

/// What is proven, the files that it changes, and the results with the whole change.
#[derive(Clone, Copy)]
pub(super) struct Basis<'r> {
    pub(super) subject: &'r ProofSubject,
    pub(super) files: &'r ChangedFiles,
    pub(super) clean: &'r TestResults,
}

impl<'a> Prover<'a> {
    /// A prover with the work tree of earlier proofs, if there is one.
    #[must_use]
    pub fn new(parts: ProverParts<'a>, tree: &'a mut Option<ProofTree>) -> Self {
        Self { parts, tree, now: Progress::default() }
    }

    /// Makes the runs that a change needs.
    ///
    /// # Errors
    /// If a work tree cannot be made or prepared, a command cannot be started, or the user asks to stop. That is not a
    /// verdict.
    pub fn prove(&mut self, subject: &ProofSubject) -> Result<Proof> {
        let files = ChangedFiles::read(self.parts.git, self.parts.repository, subject)?;
        let judges = |command: &TestCommand| command.kind.judges() && command.kind != TestType::Mutation;
        if !subject.commands.iter().any(judges) {
            return Ok(Proof::of_nothing(subject.expect, NothingRan::Untested));
        }
        self.begin(&subject.head)?;
        if let [first, ..] = self.tree().imports_outside() {
            let why = format!("Python would import {first} from your work tree");
            return Ok(Proof::of_nothing(subject.expect, NothingRan::Obstacle(why)));
        }
        let (report, clean) = self.run_clean(subject)?;
        self.now.took = clean.runtime();
        let basis = Basis { subject, files: &files, clean: &clean };
        let mut proof = Proof { expect: subject.expect, runs: vec![report], ..Proof::default() };
        self.add_doubts(&mut proof, basis);
        match proof.run(ProofRun::Clean) {
            // A claim is made all the same, so it is tried.
            _ if files.files.is_empty() => proof.nothing = Some(NothingRan::NoCode("it changes no file")),
            _ if files.are_documentation() => {
                proof.nothing = Some(NothingRan::NoCode("it changes only documentation"));
            }
            Some(RunWord::Pass) => {
                let old = self.add_old(&mut proof, basis)?;
                let red = self.add_red(&mut proof, basis)?;
                let old_passes = proof.run(ProofRun::Old) == Some(RunWord::Pass);
                let without = red.as_ref().filter(|red| red.accuses.is_none()).map(|red| &red.results);
                proof.found.extend(lost_tests(&clean, old.as_ref(), without, old_passes));
                proof.took_out = old.map(|old| judged::gone(&old, &clean)).unwrap_or_default();
                self.add_looks(&mut proof, basis)?;
                self.add_canary(&mut proof, basis)?;
                if let Some(red) = red {
                    self.confirm_red(&mut proof, &clean, red)?;
                }
            }
            word => {
                let verb = if word == Some(RunWord::Fail) { "pass" } else { "run" };
                let why = format!("the tests do not {verb} on a clean checkout");
                // What cannot be run as it was may have been weakened.
                let judging = files.changed_judging(subject).filter(|_| files.changes_existing(subject));
                let without = |run| ProofRunReport {
                    judging: judging.clone().filter(|_| run == ProofRun::Old),
                    ..ProofRunReport::without_run(run, RunWord::Skip, &why)
                };
                proof.runs.extend(ProofRun::ALL.into_iter().skip(1).map(without));
            }
        }
        if proof.nothing.is_none() {
            if !self.now.flaky.is_empty() {
                let seen =
                    "These tests failed once in the proof and then passed, without a change in between";
                let finding = Finding::new(Check::Flaky, Severity::Warning, seen);
                proof.found.push(finding.at(self.now.flaky.iter().take(NAMED)));
            }
            proof.found.extend(self.now.traces.findings(subject));
            judge_packages(&mut proof, &subject.packages, &files);
        }
        // Nothing of a canary may stay where a search could find it.
        self.tree().switch(&[])?;
        proof.cost = self.now.cost;
        Ok(proof)
    }

    /// Makes the clean run alone: the tests on the files of the commit as they are.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn clean(&mut self, subject: &ProofSubject) -> Result<ProofRunReport> {
        self.begin(&subject.head)?;
        Ok(self.run_clean(subject)?.0)
    }

    /// Runs the commands on the files of a commit as they are.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn run_commit(&mut self, subject: &ProofSubject) -> Result<TestResults> {
        self.begin(&subject.head)?;
        self.make(&Run {
            stage: ProofStage::Before,
            files: Vec::new(),
            commands: &subject.commands,
            success: true,
        })
    }

    pub(super) fn begin(&mut self, head: &CommitId) -> Result<()> {
        let until = self.parts.time.map(|time| Instant::now() + time);
        self.now = Progress { until, ..Progress::default() };
        let live = self.parts.watcher.begins(ProofStage::Setup, false);
        if let Some(tree) = self.tree {
            return tree.move_to(head, self.parts.users, &live);
        }
        *self.tree = Some(ProofTree::make(self.parts.users, head, &live)?);
        Ok(())
    }

    /// Whether the time for the runs is over.
    pub(super) fn is_late(&self) -> bool {
        self.now.until.is_some_and(|until| Instant::now() >= until)
    }

    pub(super) fn tree(&mut self) -> &mut ProofTree {
        self.tree.as_mut().expect(HAS_TREE)
    }

    /// The clean run. If it fails, it is made with the user's HOME: if it passes then, the tests need files of this machine.
    fn run_clean(&mut self, subject: &ProofSubject) -> Result<(ProofRunReport, TestResults)> {
        let stage = ProofStage::Run(ProofRun::Clean);
        let run = Run { stage, files: Vec::new(), commands: &subject.commands, success: true };
        let judge = |results: &TestResults| judged::clean(results, subject);
        let own = self.confirmed(&run, &judge)?;
        if matches!(own.0.verdict, RunWord::Pass | RunWord::None) {
            return Ok(own);
        }
        self.now.home = Home::Users;
        let results = self.make(&run)?;
        let report = judge(&results);
        if report.verdict == RunWord::Pass {
            return Ok((report, results));
        }
        self.now.home = Home::Own;
        Ok(own)
    }

    /// Why a task is no more than tested, as far as that is known after the clean run.
    fn add_doubts(&self, proof: &mut Proof, Basis { subject, clean, .. }: Basis<'_>) {
        let mut doubt = |why: &str| proof.doubts.push(why.to_owned());
        if subject.has_rewritten_tests {
            doubt("tests that failed in an earlier attempt were changed since");
        }
        // A summary is there, and nobody can tell what it says.
        if clean.outcome() == Outcome::Pass
            && clean.with_unknown_counts().any(|run| !run.frameworks.is_empty())
        {
            doubt("it is not known how many tests ran");
        }
        if self.now.home == Home::Users {
            doubt("the tests need the HOME of this machine");
            let seen = "The tests only pass with the HOME of this machine, so they depend on files that are in no commit";
            proof.found.push(Finding::new(Check::Prove, Severity::Warning, seen));
        }
        let differ = counts_differ(subject.recorded, clean.counts());
        proof.found.extend(differ.map(|differ| Finding::new(Check::Prove, Severity::Error, &differ)));
    }

    /// Makes a run.
    pub(super) fn make(&mut self, run: &Run<'_>) -> Result<TestResults> {
        let live = self.parts.watcher.begins(run.stage, false);
        self.perform(run, live)
    }

    fn perform(&mut self, run: &Run<'_>, live: LiveLine) -> Result<TestResults> {
        self.tree().switch(&run.files)?;
        let usual = self.parts.timeout;
        let most =
            if run.success { Duration::MAX } else { self.now.took.saturating_mul(PATIENCE).max(LEAST) };
        let bounded = |command: &TestCommand| {
            let timeout = Some(command.timeout.unwrap_or(usual).min(most));
            TestCommand { timeout, ..command.clone() }
        };
        let commands: Vec<TestCommand> = run.commands.iter().map(bounded).collect();
        let results = self.runner(live).run(&commands)?;
        self.now.traces.add_run(self.tree.as_mut().expect(HAS_TREE))?;
        self.now.cost.runs += 1;
        self.now.cost.time += results.runtime();
        Ok(results)
    }

    fn make_again(&mut self, run: &Run<'_>) -> Result<TestResults> {
        let live = self.parts.watcher.begins(run.stage, true);
        self.perform(run, live)
    }

    /// What runs commands in the work tree of the proof.
    pub(super) fn runner(&mut self, live: LiveLine) -> TestRunner<'a> {
        let home = self.now.home;
        let launch = self.tree().launch(home);
        let ProverParts { timeout, listener, .. } = self.parts;
        let shell = self.parts.shell.clone();
        // A run that accuses is repeated as a whole, or by its test alone.
        TestRunner { launch, shell, timeout, confirm: 0, live, listener, diff: None }
    }

    /// Makes a run and judges it, and if that accuses somebody, once more.
    pub(super) fn confirmed(
        &mut self,
        run: &Run<'_>,
        judge: &dyn Fn(&TestResults) -> ProofRunReport,
    ) -> Result<(ProofRunReport, TestResults)> {
        let results = self.make(run)?;
        let report = judge(&results);
        match report.verdict {
            RunWord::Fail => self.repeated(run, report, results, judge),
            _ => Ok((report, results)),
        }
    }

    /// Makes a run once more whose tests may have failed at random, and judges by what fails again. One test runs alone first: if it
    /// fails there, too, no other run is needed, and if not, it may still fail together with others.
    pub(super) fn repeated(
        &mut self,
        run: &Run<'_>,
        report: ProofRunReport,
        first: TestResults,
        judge: &dyn Fn(&TestResults) -> ProofRunReport,
    ) -> Result<(ProofRunReport, TestResults)> {
        let mut together = None;
        if let [test] = report.tests.as_slice()
            && let Some(commands) = alone(&first, test, run.commands)
        {
            let results = self.make_again(&Run { commands: &commands, success: false, ..run.clone() })?;
            let only = results.counts().filter(|counts| counts.ran() == 1);
            match (results.names().outcome_of(test), only) {
                (Some(TestOutcome::Failed), _) => return Ok((report, first)),
                (None, Some(only)) if only.failed == 1 => return Ok((report, first)),
                (Some(TestOutcome::Passed), _) | (None, Some(_)) => together = Some(test.clone()),
                // The selection has not found it.
                _ => {}
            }
        }
        let mut second = self.make_again(run)?;
        self.now.flaky.extend(second.forgive(&first));
        let mut report = judge(&second);
        if let Some(test) = together.filter(|test| report.tests.contains(test)) {
            report.seen.push_str(&format!(", {} only together with others", one_line(&test)));
        }
        Ok((report, second))
    }
}

/// The commands with the one that ran a test, if it failed there, running it alone; `None` if it is not known how.
fn alone(results: &TestResults, test: &str, commands: &[TestCommand]) -> Option<Vec<TestCommand>> {
    let has_failed = |run: &&TestRun| run.names.outcome_of(test) == Some(TestOutcome::Failed);
    let run = results.runs.iter().find(has_failed)?;
    let line = select_one(&run.command, test)?;
    let with_line = |command: &TestCommand| match command.kind {
        TestType::Setup | TestType::Teardown => Some(command.clone()),
        _ if command.kind != run.kind || command.command != run.command => None,
        _ => Some(TestCommand { command: line.clone(), ..command.clone() }),
    };
    Some(commands.iter().filter_map(with_line).collect())
}

const HAS_TREE: &str = "a proof begins by making its work tree";

/// How many tests a finding names.
const NAMED: usize = 10;

/// Why a run was not made.
pub(super) const TIME_IS_OVER: &str = "the proof ran out of time (arborist.prove.time)";
