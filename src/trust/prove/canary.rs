//! Runs tests that must fail: one that is added to the task's tests, and those whose expected values are changed. They show
//! that the runner, the assertions and the exit status work.

use super::judged::{self, CanaryEnd};
use super::prover::{Basis, Prover, WantedRuns};
use super::report::{DeafCommand, ProofRun, ProofRunReport};
use crate::error::Result;
use crate::git::{Entry, EntryKind, PathEntry};
use crate::plan::{TestCommand, TestType};
use crate::record::{Check, Counts, Finding, RunWord, Severity};
use crate::suite::{TestOutcome, TestResults, TestRun};
use crate::text::one_line;
use crate::trust::canary::{Canary, TestFile, canary, script_canary};
use crate::trust::files::{FileKind, kind_of};
use crate::trust::literals::changed_literals;

/// How many files with tests are looked at. Those that the task changed come first, and one of them is enough.
const MOST_FILES: usize = 200;

/// The largest file with tests that is looked at, in bytes.
const LARGEST: u64 = 1 << 20;

/// How many values are changed.
const LITERALS: usize = 8;

/// A file with tests.
struct LoadedTests {
    path: String,
    content: Vec<u8>,
}

/// A canary, and the commands that must notice it.
struct PlacedCanary {
    canary: Canary,
    /// The number of tests without it.
    before: Option<Counts>,
    commands: Vec<TestCommand>,
}

impl Prover<'_> {
    /// Runs every command that has a place for it with one more test, which fails.
    pub(super) fn run_canaries(&mut self, basis: Basis<'_>) -> Result<(ProofRunReport, Option<Finding>)> {
        let without =
            |seen: &str| ProofRunReport::without_run(ProofRun::Canary, RunWord::NotApplicable, seen);
        let placed = self.placed(basis)?;
        let mut caught = None;
        let mut finding = None;
        for placed in &placed {
            let results = self.run_with(placed)?;
            let report =
                |verdict, seen: &str| judged::report(ProofRun::Canary, &results, verdict, seen.to_owned());
            let command = placed.shown();
            match judged::canary(&results, placed.before, placed.canary.name) {
                CanaryEnd::Caught => {
                    caught = Some(report(RunWord::Pass, "a test that must fail fails, and is counted"));
                }
                CanaryEnd::Missed => {
                    let seen = format!("a test that must fail did not make `{command}` fail");
                    let report = report(RunWord::Fail, &seen);
                    return Ok((ProofRunReport { tests: vec![placed.canary.path.clone()], ..report }, None));
                }
                CanaryEnd::NotRun if placed.canary.is_new_file => {}
                CanaryEnd::NotRun => {
                    let seen = format!("A test that was added to this file did not run with `{command}`");
                    finding = Some(
                        Finding::new(Check::Canary, Severity::Warning, &seen)
                            .at([placed.canary.path.clone()]),
                    );
                }
                CanaryEnd::NotLoaded => {}
            }
        }
        let none = match placed.is_empty() {
            true => "there is no known test next to which a failing one could be added",
            false => "a failing test could not be added so that it runs",
        };
        Ok((caught.unwrap_or_else(|| without(none)), finding))
    }

    /// The first command that succeeds although a failing test was added to those that it runs.
    pub(super) fn deaf_command(&mut self, basis: Basis<'_>) -> Result<Option<DeafCommand>> {
        let placed = self.placed(basis)?;
        for placed in placed.iter().filter(|placed| !placed.canary.is_new_file) {
            let results = self.run_with(placed)?;
            let end = judged::canary(&results, placed.before, placed.canary.name);
            if end == CanaryEnd::Missed && results.runs.iter().all(TestRun::ended_well) {
                return Ok(Some(DeafCommand { command: placed.shown(), file: placed.canary.path.clone() }));
            }
        }
        Ok(None)
    }

    fn placed(&mut self, basis: Basis<'_>) -> Result<Vec<PlacedCanary>> {
        let files = self.test_files(basis)?;
        Ok(basis.clean.runs.iter().filter_map(|run| place(&files, run, basis)).collect())
    }

    fn run_with(&mut self, placed: &PlacedCanary) -> Result<TestResults> {
        let Canary { path, content, is_executable, .. } = &placed.canary;
        let mut changed = [self.entry(path, content.clone())?];
        if let [PathEntry { entry: Some(entry), .. }] = &mut changed
            && *is_executable
        {
            entry.kind = EntryKind::Executable;
        }
        self.run_on(
            ProofRun::Canary.word(),
            &changed,
            WantedRuns { commands: &placed.commands, success: false },
        )
    }

    /// Changes values that the tests which notice the change expect. Then at least one of these tests must fail.
    pub(super) fn change_literals(
        &mut self,
        basis: Basis<'_>,
        evidence: &[String],
    ) -> Result<Option<Finding>> {
        let judging = basis.clean.runs.iter().filter(|run| run.kind.judges());
        let known: Vec<_> = judging.filter_map(|run| Some((run, run.frameworks.first()?))).collect();
        if known.is_empty() {
            return Ok(None);
        }
        let files = self.test_files(basis)?;
        for (run, framework) in known {
            let known: Vec<TestFile<'_>> = files.iter().map(LoadedTests::as_file).collect();
            let Some(trial) = changed_literals(*framework, &known, evidence, LITERALS) else { continue };
            let changed: Vec<PathEntry> = trial
                .files
                .into_iter()
                .map(|(path, content)| self.entry(&path, content))
                .collect::<Result<_>>()?;
            let commands = with_surroundings(&basis.subject.commands, run);
            let wanted = WantedRuns { commands: &commands, success: false };
            let results = self.run_on("literals", &changed, wanted)?;
            let names = results.names();
            let is_noticed = names.with(TestOutcome::Failed).next().is_some()
                || results.counts().is_some_and(|counts| counts.failed > 0);
            let has_run = judged::ran_as_many_of(&results, run);
            if !is_noticed && has_run {
                let seen = "The tests still pass if the values that they expect here are changed";
                let places = trial.changed.iter().map(|literal| literal.place.clone());
                let finding = Finding::new(Check::InsensitiveTests, Severity::Warning, seen);
                return Ok(Some(finding.at(places)));
            }
        }
        Ok(None)
    }

    /// The files with tests of the commit: those that the task changed first.
    fn test_files(&mut self, basis: Basis<'_>) -> Result<Vec<LoadedTests>> {
        let mut changed = Vec::new();
        for own in &basis.subject.own {
            changed.extend(self.parts.git.paths_between(&own.before, &own.after)?);
        }
        let all = self.parts.git.paths_in(&basis.subject.head)?;
        let tree = self.tree();
        tree.switch(&[])?;
        let top = tree.top().to_owned();
        let (first, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|path| changed.contains(path));
        let named = first.into_iter().chain(others).map(String::from_utf8);
        let tests = named.filter_map(std::result::Result::ok).filter(|path| has_tests(path));
        let loaded = tests.filter_map(|path| {
            let content = crate::files::read(&top.join(&path), LARGEST).ok()?;
            Some(LoadedTests { path, content })
        });
        Ok(loaded.take(MOST_FILES).collect())
    }

    fn entry(&self, path: &str, content: Vec<u8>) -> Result<PathEntry> {
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

impl PlacedCanary {
    /// The command that must notice it.
    fn shown(&self) -> String {
        let judging = self.commands.iter().find(|command| command.kind.judges());
        judging.map(|command| one_line(&command.command)).unwrap_or_default()
    }
}

/// Whether a file may have tests. In Rust, source and tests may be in one file.
fn has_tests(path: &str) -> bool {
    kind_of(path) == FileKind::Test || path.ends_with(".rs")
}

/// The canary for a command, if there is a place for it.
fn place(files: &[LoadedTests], run: &TestRun, basis: Basis<'_>) -> Option<PlacedCanary> {
    if !run.kind.judges() || run.kind == TestType::Mutation {
        return None;
    }
    let known: Vec<TestFile<'_>> = files.iter().map(LoadedTests::as_file).collect();
    let canary = match run.frameworks.as_slice() {
        // Commands without counts beside some with counts are linters.
        [] if basis.clean.counts().is_some() => None,
        [] => script_canary(&known, &run.command),
        frameworks => {
            frameworks.iter().find_map(|framework| canary(*framework, &known, &run.names, &run.command))
        }
    }?;
    Some(PlacedCanary {
        canary,
        before: run.counts,
        commands: with_surroundings(&basis.subject.commands, run),
    })
}

/// A command, with those of type setup and teardown around it.
fn with_surroundings(commands: &[TestCommand], run: &TestRun) -> Vec<TestCommand> {
    let is_wanted = |command: &&TestCommand| match command.kind {
        TestType::Setup | TestType::Teardown => true,
        kind => kind == run.kind && command.command == run.command,
    };
    commands.iter().filter(is_wanted).cloned().collect()
}
