//! Runs tests that must fail: one that is added to the tests, and those that notice the change with other expected values. They show
//! that the runner, the assertions and the exit status work.
//!
//! Both are made in one run. A command that stops at the first failure has then shown nothing about the other, so the added test gets a run
//! of its own.

use std::collections::HashSet;
use std::rc::Rc;

use super::ProofSubject;
use super::judged::{self, CanaryEnd};
use super::prover::{Basis, Prover, TIME_IS_OVER, WantedRuns};
use super::report::{Proof, ProofRun, ProofRunReport};
use crate::error::Result;
use crate::git::{Entry, EntryKind, PathEntry};
use crate::plan::{TestCommand, TestType};
use crate::record::{Check, Counts, Finding, RunWord, Severity};
use crate::suite::{Framework, TestNames, TestOutcome, TestResults, TestRun};
use crate::text::{one_line, simple_commands};
use crate::trust::awaited::asks_to_stop_early;
use crate::trust::canary::{Canary, TestFile, canary, script_canary};
use crate::trust::files::{FileKind, kind_of};
use crate::trust::literals::{LiteralRun, changed_literals};

/// How many files with tests are looked at. Those that the task changed come first, and one of them is enough.
const MOST_FILES: usize = 200;

/// How many files with data and helpers of tests are looked at.
const MOST_DATA: usize = 1000;

/// The largest file with tests that is looked at, in bytes.
const LARGEST: u64 = 1 << 20;

/// How many values are changed.
const LITERALS: usize = 8;

/// A file with tests.
pub(super) struct LoadedTests {
    pub(super) path: String,
    pub(super) content: Vec<u8>,
}

/// A canary, and the command that must notice it.
struct PlacedCanary {
    canary: Canary,
    command: String,
    kind: TestType,
    /// The number of tests without it, if it is known.
    before: Option<Counts>,
}

/// What commands have shown before anybody works on what they test.
#[derive(Debug)]
pub struct Trial {
    /// Their results, without the test that was added.
    pub results: TestResults,
    /// Whether they show how the commands end without that test.
    pub is_whole: bool,
    /// The first command that does not fail although the added test does.
    pub deaf: Option<DeafCommand>,
}

/// A command that does not fail although a test does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeafCommand {
    /// The command, on one line.
    pub command: String,
    /// The file to which a failing test was added.
    pub file: String,
}

/// What became of the canary of a command.
struct CanaryResult<'p> {
    placed: &'p PlacedCanary,
    end: CanaryEnd,
}

impl Prover<'_> {
    /// Runs the commands on the files of a commit before anybody works on them, with one more test, which fails.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn try_commands(&mut self, subject: &ProofSubject) -> Result<Trial> {
        self.begin(&subject.head)?;
        // Everything is built here for the first time.
        self.took = self.parts.judge.timeout;
        let trial = self.try_with_canary(subject)?;
        self.tree().switch(&[])?;
        Ok(trial)
    }

    /// A test that must fail, and other values in the tests of `evidence`, which notice the change.
    pub(super) fn add_canary(
        &mut self,
        proof: &mut Proof,
        basis: Basis<'_>,
        evidence: &[String],
    ) -> Result<()> {
        let without = ProofRunReport::without_run;
        if self.is_late() {
            proof.runs.push(without(ProofRun::Literals, RunWord::Skip, TIME_IS_OVER));
            proof.runs.push(without(ProofRun::Canary, RunWord::Skip, TIME_IS_OVER));
            return Ok(());
        }
        let mut files = self.test_files(basis.subject)?;
        let is_beside = |path: &str| kind_of(path).is_test_side() && !has_tests(path);
        let beside = self.files(basis.subject, is_beside, MOST_DATA)?;
        let trial = literals(&files, &beside, basis, evidence);
        for (path, content) in trial.iter().flat_map(|trial| &trial.files) {
            let file = files.iter_mut().find(|file| file.path == *path);
            file.into_iter().for_each(|file| file.content.clone_from(content));
        }
        let placed = place_all(&files, &basis.clean.runs);
        let Some(trial) = trial else {
            let why = match evidence {
                [] => (RunWord::None, "no test is known that notices the change"),
                _ => (RunWord::NotApplicable, "no value was found that a test expects"),
            };
            proof.runs.push(without(ProofRun::Literals, why.0, why.1));
            return self.canary_alone(proof, basis, &placed);
        };
        let results = self.run_changed(basis.subject.commands.as_slice(), &placed, Some(&trial))?;
        let places: Vec<String> = trial.changed.iter().map(|literal| literal.place.clone()).collect();
        let canaries: Vec<&str> = placed.iter().map(|placed| placed.canary.name).collect();
        let report = judged::literals(&results, basis.clean, evidence, &places, &canaries);
        let is_whole = report.verdict != RunWord::NotApplicable;
        proof.runs.push(report);
        let ends = canary_ends(&placed, &results, false);
        let is_decided =
            |result: &CanaryResult<'_>| matches!(result.end, CanaryEnd::Caught | CanaryEnd::Missed);
        if is_whole && ends.iter().all(is_decided) || placed.is_empty() {
            judge_canaries(proof, &results, &ends);
            return Ok(());
        }
        // What is placed next to changed values must not stay there.
        let files = self.test_files(basis.subject)?;
        self.canary_alone(proof, basis, &place_all(&files, &basis.clean.runs))
    }

    fn canary_alone(&mut self, proof: &mut Proof, basis: Basis<'_>, placed: &[PlacedCanary]) -> Result<()> {
        if placed.is_empty() {
            let why = "there is no known test next to which a failing one could be added";
            proof.runs.push(ProofRunReport::without_run(ProofRun::Canary, RunWord::NotApplicable, why));
            return Ok(());
        }
        let results = self.run_changed(&basis.subject.commands, placed, None)?;
        judge_canaries(proof, &results, &canary_ends(placed, &results, true));
        Ok(())
    }

    /// Runs commands with one more test, which fails. Only the command lines say which programs they start.
    fn try_with_canary(&mut self, subject: &ProofSubject) -> Result<Trial> {
        let files = self.test_files(subject)?;
        let known: Vec<TestFile<'_>> = files.iter().map(LoadedTests::as_file).collect();
        let judging = subject.commands.iter().filter(|command| command.kind.judges());
        let placed: Vec<PlacedCanary> = judging
            .filter_map(|command| {
                let line = &command.command;
                let canary = match Framework::guess(line) {
                    Some(framework) => canary(framework, &known, &TestNames::default(), line),
                    None => script_canary(&known, line),
                };
                Some(PlacedCanary {
                    canary: canary?,
                    command: line.clone(),
                    kind: command.kind,
                    before: None,
                })
            })
            .collect();
        let mut results = self.run_changed(&subject.commands, &placed, None)?;
        let mut trial_is_whole = true;
        let mut deaf = None;
        for PlacedCanary { canary, command, .. } in &placed {
            let Some(run) = results.runs.iter().find(|run| run.command == *command) else { continue };
            let is_it = |outcome| run.names.with(outcome).any(|name| name.contains(canary.name));
            if run.passed() && is_it(TestOutcome::Passed) || run.hides_failures() {
                deaf = deaf.or(Some(DeafCommand { command: one_line(command), file: canary.path.clone() }));
            }
            // What follows a failure did not run, and a failure without a name cannot be told from others.
            trial_is_whole &= is_it(TestOutcome::Failed)
                && simple_commands(command).len() == 1
                && !asks_to_stop_early(command);
        }
        for run in &mut results.runs {
            placed.iter().for_each(|placed| run.forget(placed.canary.name));
        }
        Ok(Trial { results, is_whole: trial_is_whole, deaf })
    }

    /// Runs commands with canaries and, if they are given, other values in tests.
    fn run_changed(
        &mut self,
        commands: &[TestCommand],
        placed: &[PlacedCanary],
        literals: Option<&LiteralRun>,
    ) -> Result<TestResults> {
        let mut changed = Vec::new();
        for PlacedCanary { canary: Canary { path, content, is_executable, .. }, .. } in placed {
            let mut entry = self.entry(path, content.clone())?;
            if let Some(entry) = entry.entry.as_mut().filter(|_| *is_executable) {
                entry.kind = EntryKind::Executable;
            }
            if !changed.iter().any(|known: &PathEntry| known.path == entry.path) {
                changed.push(entry);
            }
        }
        for (path, content) in literals.into_iter().flat_map(|trial| &trial.files) {
            if !changed.iter().any(|known| known.path == path.as_bytes()) {
                changed.push(self.entry(path, content.clone())?);
            }
        }
        let run = if literals.is_some() { ProofRun::Literals } else { ProofRun::Canary };
        self.run_on(run.word(), &changed, WantedRuns { commands, success: false })
    }

    /// The files with tests of the commit.
    pub(super) fn test_files(&mut self, subject: &ProofSubject) -> Result<Vec<LoadedTests>> {
        self.files(subject, has_tests, MOST_FILES)
    }

    /// Files of the commit: those that the task changed first.
    fn files(
        &mut self,
        subject: &ProofSubject,
        is_wanted: impl Fn(&str) -> bool,
        most: usize,
    ) -> Result<Vec<LoadedTests>> {
        let paths = self.paths(subject)?;
        let tree = self.tree();
        tree.switch(&[])?;
        let top = tree.top().to_owned();
        let loaded = paths.iter().filter(|path| is_wanted(path)).filter_map(|path| {
            let content = crate::files::read(&top.join(path), LARGEST).ok()?;
            Some(LoadedTests { path: path.clone(), content })
        });
        Ok(loaded.take(most).collect())
    }

    /// The paths of the commit that are text: those that the task changed first.
    fn paths(&mut self, subject: &ProofSubject) -> Result<Rc<Vec<String>>> {
        if let Some(known) = &self.paths {
            return Ok(Rc::clone(known));
        }
        let mut changed = HashSet::new();
        for own in &subject.own {
            changed.extend(self.parts.git.paths_between(&own.before, &own.after)?);
        }
        let all = self.parts.git.paths_in(&subject.head)?;
        let (first, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|path| changed.contains(path));
        let paths = first.into_iter().chain(others).filter_map(|path| String::from_utf8(path).ok());
        let paths = Rc::new(paths.collect());
        self.paths = Some(Rc::clone(&paths));
        Ok(paths)
    }

    pub(super) fn entry(&self, path: &str, content: Vec<u8>) -> Result<PathEntry> {
        let paths = [path.as_bytes().to_vec()];
        let git = self.parts.git;
        let known = self.head().map(|head| git.entries(&head, &paths)).transpose()?;
        let known = known.and_then(|mut known| known.remove(&paths[0]));
        // The content is that of a file. Where a link stood, it is the file to which the link leads.
        let kind = known.map(|entry| entry.kind).filter(|kind| *kind != EntryKind::Link);
        let kind = kind.unwrap_or(EntryKind::File);
        let [path] = paths;
        Ok(PathEntry { path, entry: Some(Entry { kind, id: git.write_blob(content)? }) })
    }
}

impl LoadedTests {
    fn as_file(&self) -> TestFile<'_> {
        TestFile { path: &self.path, content: &self.content }
    }
}

/// Whether a file may have tests. In Rust, source and tests may be in one file.
fn has_tests(path: &str) -> bool {
    kind_of(path) == FileKind::Test || path.ends_with(".rs")
}

/// Other values in the tests that notice the change, if there are some and a runner names those that fail.
fn literals(
    files: &[LoadedTests],
    beside: &[LoadedTests],
    basis: Basis<'_>,
    evidence: &[String],
) -> Option<LiteralRun> {
    let is_named = |run: &TestRun| run.kind.judges() && !run.frameworks.is_empty();
    let [tests, beside] =
        [files, beside].map(|files| files.iter().map(LoadedTests::as_file).collect::<Vec<_>>());
    basis.clean.runs.iter().any(is_named).then(|| changed_literals(&tests, &beside, evidence, LITERALS))?
}

/// A canary for each command that has a place for it. Each file gets one.
fn place_all(files: &[LoadedTests], runs: &[TestRun]) -> Vec<PlacedCanary> {
    let known: Vec<TestFile<'_>> = files.iter().map(LoadedTests::as_file).collect();
    // Commands without counts beside some with counts are linters.
    let has_counts = runs.iter().any(|run| run.kind.judges() && run.counts.is_some());
    let place = |run: &TestRun| {
        let canary = match run.frameworks.as_slice() {
            [] if has_counts => None,
            [] => script_canary(&known, &run.command),
            frameworks => {
                frameworks.iter().find_map(|framework| canary(*framework, &known, &run.names, &run.command))
            }
        }?;
        Some(PlacedCanary { canary, command: run.command.clone(), kind: run.kind, before: run.counts })
    };
    runs.iter().filter(|run| run.kind.judges()).filter_map(place).collect()
}

/// What became of the canaries in these results. `alone` says that nothing else was changed.
fn canary_ends<'p>(placed: &'p [PlacedCanary], results: &TestResults, alone: bool) -> Vec<CanaryResult<'p>> {
    let result = |placed: &'p PlacedCanary| {
        let PlacedCanary { canary, command, kind, before } = placed;
        let run = results.runs.iter().find(|run| run.kind == *kind && run.command == *command);
        let end = run.map_or(CanaryEnd::NotRun, |run| judged::canary(run, *before, canary.name, alone));
        CanaryResult { placed, end }
    };
    placed.iter().map(result).collect()
}

/// Adds what the canaries have shown.
fn judge_canaries(proof: &mut Proof, results: &TestResults, ends: &[CanaryResult<'_>]) {
    let report = |verdict, seen: String| judged::report(ProofRun::Canary, results, verdict, seen);
    let of = |end: CanaryEnd| ends.iter().find(move |result| result.end == end);
    let not_run =
        |result: &&CanaryResult<'_>| result.end == CanaryEnd::NotRun && !result.placed.canary.is_new_file;
    if let Some(CanaryResult { placed, .. }) = ends.iter().find(not_run) {
        let seen =
            format!("A test that was added to this file did not run with `{}`", one_line(&placed.command));
        let finding = Finding::new(Check::Canary, Severity::Warning, &seen);
        proof.found.push(finding.at([placed.canary.path.clone()]));
    }
    proof.runs.push(match (of(CanaryEnd::Missed), of(CanaryEnd::Caught)) {
        (Some(CanaryResult { placed, .. }), _) => {
            let command = one_line(&placed.command);
            let seen = format!("a test that must fail did not make `{command}` fail");
            ProofRunReport { tests: vec![placed.canary.path.clone()], ..report(RunWord::Fail, seen) }
        }
        (None, Some(_)) => report(RunWord::Pass, "a test that must fail fails, and is counted".to_owned()),
        (None, None) => {
            let seen = "a failing test could not be added so that it runs";
            report(RunWord::NotApplicable, seen.to_owned())
        }
    });
}
