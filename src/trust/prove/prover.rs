//! Makes the runs of a proof, one after the other, in a scratch work tree that is switched between them.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::ProofSubject;
use super::files::{ChangedFiles, FileUndo, ProofFile};
use super::hunk_report::HunkLimits;
use super::judged;
use super::report::{NothingRan, Proof, ProofRun, ProofRunReport};
use super::traces::RunTraces;
use crate::error::{Error, Result};
use crate::git::{Git, PathEntry};
use crate::history::Repository;
use crate::plan::{TestCommand, TestType};
use crate::process::{Launch, LiveLine};
use crate::record::{Check, CommitId, Finding, ProofCost, RunWord, Severity};
use crate::suite::{NamesWanted, NoResults, TestListener, TestResults, TestRunner};
use crate::trust::counts::{counts_differ, lost_tests};
use crate::worktree::{Home, ProofTree, UsersTree};

/// How many times as long as on the commit as it is commands may take if something is undone, and how long they may take at
/// least. A loop without its end would go on up to the timeout; a cold cache or a busy machine makes a run a few times slower.
const PATIENCE: u32 = 10;
const LEAST: Duration = Duration::from_secs(10);

/// Follows the progress of a proof.
pub trait ProofWatcher {
    /// A run begins. The line that it returns will show what the programs are doing.
    fn begins(&self, run: &str) -> LiveLine;

    /// There is something that the user ought to know.
    fn warns(&self, text: &str);
}

/// How test commands are run.
#[derive(Clone)]
pub struct Judge<'a> {
    /// The shell that runs the commands.
    pub shell: PathBuf,
    /// How long a command may take that sets no timeout.
    pub timeout: Duration,
    /// Follows the commands.
    pub listener: &'a dyn TestListener,
}

/// What a proof is made with.
pub struct ProverParts<'a> {
    /// git, called at the top of the user's work tree.
    pub git: &'a Git,
    /// Its history.
    pub repository: &'a Repository,
    /// The user's work tree, after which the scratch work tree is made.
    pub users: UsersTree<'a>,
    /// Runs the test commands.
    pub judge: Judge<'a>,
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
    home: Home,
    until: Option<Instant>,
    /// How long the commands took on the commit as it is.
    pub(super) took: Duration,
    /// What the runs since the beginning of this proof have cost.
    cost: ProofCost,
    /// The paths of the commit, once somebody has asked.
    pub(super) paths: Option<Rc<Vec<String>>>,
    /// What test commands have changed.
    traces: RunTraces,
}

/// Which commands run, and what they must do.
#[derive(Clone, Copy)]
pub(super) struct WantedRuns<'c> {
    pub(super) commands: &'c [TestCommand],
    /// Whether they must succeed. Where a failure is wanted, there is nothing to confirm.
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
        Self {
            parts,
            tree,
            home: Home::Own,
            until: None,
            took: Duration::ZERO,
            cost: ProofCost::default(),
            paths: None,
            traces: RunTraces::default(),
        }
    }

    /// Makes the runs that a change needs.
    ///
    /// # Errors
    /// If a work tree cannot be made or prepared, a command cannot be started, or the user asks to stop. That is not a
    /// verdict.
    pub fn prove(&mut self, subject: &ProofSubject, hunks: Option<HunkLimits>) -> Result<Proof> {
        let files = ChangedFiles::read(self.parts.git, self.parts.repository, subject)?;
        if is_untested(subject) {
            return Ok(Proof::of_nothing(subject.expect, NothingRan::Untested));
        }
        self.begin(&subject.head)?;
        if let [first, ..] = self.tree().imports_outside() {
            let why = format!("Python would import {first} from your work tree");
            return Ok(Proof::of_nothing(subject.expect, NothingRan::Obstacle(why)));
        }
        let CleanRun { results: clean, flaky } = self.run_clean(subject)?;
        self.took = clean.runtime();
        let basis = Basis { subject, files: &files, clean: &clean };
        let mut proof = self.clean_proof(subject, &clean);
        proof.found.extend(judged::flaky_tests(&flaky));
        match (no_code(&files), proof.run(ProofRun::Clean)) {
            // A claim is made all the same, so it is tried.
            (Some(why), _) => proof.nothing = Some(NothingRan::NoCode(why)),
            (None, Some(RunWord::Pass)) => {
                let old = self.add_old(&mut proof, basis)?;
                let red = self.add_red(&mut proof, basis)?;
                let old_passes = proof.run(ProofRun::Old) == Some(RunWord::Pass);
                proof.found.extend(lost_tests(&clean, old.as_ref(), red.as_ref(), old_passes));
                proof.took_out = old.map(|old| judged::gone(&old, &clean)).unwrap_or_default();
                self.add_looks(&mut proof, basis)?;
                let noticing = proof.noticing();
                self.add_canary(&mut proof, basis, &noticing)?;
                if let Some(red) = &red {
                    self.confirm_evidence(&mut proof, basis, red)?;
                }
                if let Some(limits) = hunks {
                    proof.hunks = Some(self.try_hunks(basis, limits, &[])?);
                }
            }
            (None, word) => {
                let why = match word {
                    Some(RunWord::Fail) => "the tests do not pass on a clean checkout",
                    _ => "the tests do not run on a clean checkout",
                };
                let others = ProofRun::ALL.into_iter().filter(|run| *run != ProofRun::Clean);
                proof.runs.extend(others.map(|run| ProofRunReport::without_run(run, RunWord::Skip, why)));
                // What cannot be run as it was may have been weakened.
                let old = proof.runs.iter_mut().find(|report| report.run == ProofRun::Old);
                if let Some(old) = old.filter(|_| files.changes_existing(subject)) {
                    old.judging = files.changed_judging(subject);
                }
            }
        }
        if proof.nothing.is_none() {
            proof.found.extend(std::mem::take(&mut self.traces).findings(subject));
            judge_packages(&mut proof, &subject.packages, &files);
        }
        // Nothing of a canary may stay where a search could find it.
        self.tree().switch(&[])?;
        proof.cost = self.cost;
        Ok(proof)
    }

    /// Makes the clean run alone: the tests on the files of the commit as they are.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn clean(&mut self, subject: &ProofSubject) -> Result<ProofRunReport> {
        self.begin(&subject.head)?;
        Ok(judged::clean(&self.run_clean(subject)?.results, subject))
    }

    /// Runs the commands on the files of a commit as they are.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn run_commit(&mut self, subject: &ProofSubject) -> Result<TestResults> {
        self.begin(&subject.head)?;
        self.run_on("before", &[], WantedRuns { commands: &subject.commands, success: true })
    }

    pub(super) fn begin(&mut self, head: &CommitId) -> Result<()> {
        self.until = self.parts.time.map(|time| Instant::now() + time);
        self.home = Home::Own;
        self.cost = ProofCost::default();
        self.paths = None;
        self.traces = RunTraces::default();
        let live = self.parts.watcher.begins("setup");
        if let Some(tree) = self.tree {
            return tree.move_to(head, self.parts.users, &live);
        }
        *self.tree = Some(ProofTree::make(self.parts.users, head, &live)?);
        Ok(())
    }

    /// Whether the time for the runs is over.
    pub(super) fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// The commit that is proven.
    pub(super) fn head(&self) -> Option<CommitId> {
        self.tree.as_ref().map(ProofTree::head)
    }

    pub(super) fn tree(&mut self) -> &mut ProofTree {
        self.tree.as_mut().expect(HAS_TREE)
    }

    /// What the programs of the next run have in common.
    pub(super) fn launch(&mut self) -> Launch {
        let home = self.home;
        self.tree().launch(home)
    }

    /// The clean run. If it fails, it is repeated; if it fails again, it is made with the user's HOME: if it passes then, the tests
    /// need files of this machine.
    fn run_clean(&mut self, subject: &ProofSubject) -> Result<CleanRun> {
        let passes = |results: &TestResults| judged::clean(results, subject).verdict == RunWord::Pass;
        let wanted = WantedRuns { commands: &subject.commands, success: true };
        let first = self.run_on(ProofRun::Clean.word(), &[], wanted)?;
        if passes(&first) {
            return Ok(CleanRun { results: first, flaky: Vec::new() });
        }
        let second = self.run_on(ProofRun::Clean.word(), &[], wanted)?;
        if passes(&second) {
            let fails = judged::fallen(&second.names());
            let flaky = judged::fallen(&first.names()).into_iter().filter(|test| !fails.contains(test));
            return Ok(CleanRun { results: second, flaky: flaky.collect() });
        }
        self.home = Home::Users;
        let with_users = self.run_on(ProofRun::Clean.word(), &[], wanted)?;
        if passes(&with_users) {
            return Ok(CleanRun { results: with_users, flaky: Vec::new() });
        }
        self.home = Home::Own;
        Ok(CleanRun { results: second, flaky: Vec::new() })
    }

    fn clean_proof(&self, subject: &ProofSubject, clean: &TestResults) -> Proof {
        let mut proof = Proof {
            expect: subject.expect,
            runs: vec![judged::clean(clean, subject)],
            evidence: None,
            hunks: None,
            found: Vec::new(),
            notes: Vec::new(),
            nothing: None,
            doubts: Vec::new(),
            took_out: Vec::new(),
            cost: ProofCost::default(),
        };
        if subject.has_rewritten_tests {
            proof.doubts.push("tests that failed in an earlier attempt were changed since");
        }
        // A summary is there, and nobody can tell what it says.
        let is_made = proof.run(ProofRun::Clean) == Some(RunWord::Pass);
        if is_made && clean.with_unknown_counts().any(|run| !run.frameworks.is_empty()) {
            proof.doubts.push("it is not known how many tests ran");
        }
        if self.home == Home::Users {
            proof.doubts.push("the tests need the HOME of this machine");
            let seen = "The tests only pass with the HOME of this machine, so they depend on files that are in no commit";
            proof.found.push(Finding::new(Check::Prove, Severity::Warning, seen));
        }
        if let Some(differ) = counts_differ(subject.recorded, clean.counts()) {
            proof.found.push(Finding::new(Check::Prove, Severity::Error, &differ));
        }
        proof
    }

    /// Runs commands on the commit with these files changed.
    pub(super) fn run_on(
        &mut self,
        what: &str,
        changed: &[PathEntry],
        wanted: WantedRuns<'_>,
    ) -> Result<TestResults> {
        let live = self.parts.watcher.begins(what);
        self.tree().switch(changed)?;
        let launch = self.launch();
        let judge = &self.parts.judge;
        let runner = TestRunner {
            launch,
            shell: judge.shell.clone(),
            timeout: judge.timeout,
            // A failure that accuses is repeated as a whole, or by its test alone.
            confirm: 0,
            live,
            listener: judge.listener,
            names: NamesWanted::All,
            diff: None,
        };
        let results = runner.run(&self.bounded(wanted)).map_err(no_results)?;
        self.traces.add_run(self.tree.as_mut().expect(HAS_TREE))?;
        self.cost.runs += 1;
        self.cost.time += results.runtime();
        Ok(results)
    }

    /// The commands, each with its time. What is taken out may be the end of a loop, so where a failure is wanted, nobody waits
    /// much longer than for the commit as it is.
    fn bounded(&self, wanted: WantedRuns<'_>) -> Vec<TestCommand> {
        let usual = self.parts.judge.timeout;
        let most = if wanted.success { Duration::MAX } else { self.took.saturating_mul(PATIENCE).max(LEAST) };
        let bounded = |command: &TestCommand| {
            let timeout = Some(command.timeout.unwrap_or(usual).min(most));
            TestCommand { timeout, ..command.clone() }
        };
        wanted.commands.iter().map(bounded).collect()
    }
}

/// The clean run, and the tests that failed in it and then passed.
struct CleanRun {
    results: TestResults,
    flaky: Vec<String>,
}

const HAS_TREE: &str = "a proof begins by making its work tree";

/// Why a run was not made.
pub(super) const TIME_IS_OVER: &str = "the proof ran out of time (arborist.prove.time)";

pub(super) fn no_results(none: NoResults) -> Error {
    none.error(|| Error::stopped(None, "Run the same command again."))
}

/// Whether there is no command that judges.
fn is_untested(subject: &ProofSubject) -> bool {
    !subject.commands.iter().any(|command| command.kind.judges() && command.kind != TestType::Mutation)
}

/// Why no run with another version of the change can show anything.
fn no_code(files: &ChangedFiles) -> Option<&'static str> {
    if files.files.is_empty() {
        Some("it changes no file")
    } else {
        files.are_documentation().then_some("it changes only documentation")
    }
}

pub(super) fn cannot_be_split(file: &ProofFile, undo: &FileUndo) -> String {
    let why = if let FileUndo::Unknown(why) = undo { why } else { "" };
    format!("the tests in {} cannot be told from its source: {why}", file.shown())
}

/// How many changed packages a finding names.
const NAMED: usize = 10;

/// Judges by the packages that were changed during the task what the runs have shown. Without a file that names them, nobody can
/// repeat the runs.
pub(super) fn judge_packages(proof: &mut Proof, packages: &[String], files: &ChangedFiles) {
    let Some(clean) = proof.runs.iter_mut().find(|report| report.run == ProofRun::Clean) else { return };
    if packages.is_empty() || clean.verdict != RunWord::Pass {
        return;
    }
    if files.name_packages() {
        let note = "All runs were made with packages that were installed during the task.";
        return proof.notes.push(note.to_owned());
    }
    clean.verdict = RunWord::NotApplicable;
    clean.seen = "the tests pass with installed packages that were changed during the task and that no file of the commit \
                  names (`arborist.worktree.setup` can reinstall them)"
        .to_owned();
    let is_inner = |path: &str| packages.iter().any(|other| is_below(path, other));
    clean.tests = packages.iter().filter(|path| !is_inner(path)).take(NAMED).cloned().collect();
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
