//! Runs tests that must fail: one that is added to the tests, and those that notice the change with other expected values. They show
//! that the runner, the assertions and the exit status work.
//!
//! Both are made in one run. A command that stops at the first failure has then shown nothing about the other, so the added test gets a run
//! of its own.

use std::collections::HashSet;
use std::rc::Rc;

use super::ProofSubject;
use super::files::started_by;
use super::judged::report;
use super::noticing::{self, CanaryEnd};
use super::prover::{Basis, ProofStage, Prover, Run, TIME_IS_OVER};
use super::report::{Proof, ProofRunReport};
use crate::error::Result;
use crate::git::{Entry, EntryKind, PathEntry};
use crate::plan::TestCommand;
use crate::record::{Check, Finding, ProofRun, RunWord, Severity};
use crate::suite::{Framework, TestNames, TestOutcome, TestResults, TestRun};
use crate::text::{one_line, simple_commands};
use crate::trust::awaited::asks_to_stop_early;
use crate::trust::canary::{Canary, SCRIPT_SAYS, canary, script_canary};
use crate::trust::files::{FileKind, kind_of};
use crate::trust::literals::{LiteralRun, changed_literals};
use crate::trust::scan::Source;

/// How many files with tests are looked at. Those that the task changed come first, and one of them is enough.
const MOST_FILES: usize = 200;

/// How many files with data and helpers of tests are looked at.
const MOST_DATA: usize = 1000;

/// The largest file that is looked at, and how large all of them may be together, in bytes.
const LARGEST: u64 = 1 << 20;
const LARGEST_TOGETHER: usize = 16 << 20;

/// How many values are changed.
const LITERALS: usize = 8;

/// A canary, the command that must notice it, and what became of it.
struct Placed {
    command: String,
    canary: Canary,
    end: CanaryEnd,
}

/// A run with canaries.
struct CanaryRun {
    results: TestResults,
    placed: Vec<Placed>,
}

/// What commands have shown before anybody works on what they test.
#[derive(Debug)]
pub struct Trial {
    /// Their results, without the test that was added.
    pub results: TestResults,
    /// Whether they show how the commands end without that test.
    pub is_whole: bool,
    /// The first command that does not fail although the added test does, and the file with that test.
    pub deaf: Option<(String, String)>,
}

impl Prover<'_> {
    /// Runs the commands on the files of a commit before anybody works on them, with one more test, which fails.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub fn try_commands(&mut self, subject: &ProofSubject) -> Result<Trial> {
        self.begin(&subject.head)?;
        // Everything is built here for the first time.
        self.now.took = self.parts.timeout;
        let files = self.test_files(subject)?;
        // Only the command lines say which programs they start.
        let mut placed = Vec::new();
        for TestCommand { command, .. } in subject.commands.iter().filter(|command| command.kind.judges()) {
            let found = Framework::guess(command);
            placed.extend(self.place(subject, &files, command, found.as_slice(), &TestNames::default())?);
        }
        let CanaryRun { mut results, placed } = self.run_with(subject, placed, None, None)?;
        let missed = placed.iter().find(|placed| placed.end == CanaryEnd::Missed);
        let deaf = missed.map(|missed| (one_line(&missed.command), missed.canary.path.clone()));
        let names = results.names();
        // What follows a failure did not run, and a failure without a name cannot be told from others.
        let mut is_whole = placed.iter().all(|Placed { command, canary, .. }| {
            names.with(TestOutcome::Failed).any(|name| name.contains(canary.name))
                && simple_commands(command).len() == 1
                && !asks_to_stop_early(command)
        });
        for run in &mut results.runs {
            run.forget(|name| placed.iter().any(|placed| name.contains(placed.canary.name)));
        }
        // A script that fails may be all that fails, and no output says so.
        if deaf.is_none() && results.runs.iter().any(|run| run.printed().contains(SCRIPT_SAYS)) {
            let (stage, commands) = (ProofStage::Run(ProofRun::Clean), &subject.commands);
            results = self.make(&Run { stage, files: Vec::new(), commands, success: true })?;
            is_whole = true;
        }
        self.tree().switch(&[])?;
        Ok(Trial { results, is_whole, deaf })
    }

    /// A test that must fail, and other values in the tests that notice the change.
    pub(super) fn add_canary(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<()> {
        let without = ProofRunReport::without_run;
        if self.is_late() {
            let late = |run| without(run, RunWord::Skip, TIME_IS_OVER);
            proof.runs.extend([ProofRun::Literals, ProofRun::Canary].map(late));
            return Ok(());
        }
        let files = self.test_files(basis.subject)?;
        let run = match self.add_literals(proof, basis, &files)? {
            Some(run) => run,
            None => {
                let placed = self.place_all(&files, basis)?;
                if placed.is_empty() {
                    let why = "there is no known test next to which a failing one could be added";
                    proof.runs.push(without(ProofRun::Canary, RunWord::NotApplicable, why));
                    return Ok(());
                }
                self.run_with(basis.subject, placed, None, Some(basis.clean))?
            }
        };
        judge_canaries(proof, &run);
        Ok(())
    }

    /// Other values in the tests that notice the change, together with canaries. Returns the run if it shows what became of them.
    fn add_literals(
        &mut self,
        proof: &mut Proof,
        basis: Basis<'_>,
        files: &[Source],
    ) -> Result<Option<CanaryRun>> {
        let Basis { subject, clean, .. } = basis;
        let evidence = proof.noticing();
        let mut literals = None;
        // A runner has to name the tests that fail.
        if !evidence.is_empty() && clean.judging().any(|run| !run.frameworks.is_empty()) {
            let is_beside = |path: &str| kind_of(path).is_test_side() && !has_tests(path);
            let beside = self.files(subject, MOST_DATA, is_beside)?;
            literals = changed_literals(files, &beside, &evidence, LITERALS);
        }
        let Some(literals) = literals else {
            let (verdict, why) = match evidence.as_slice() {
                [] => (RunWord::None, "no test is known that notices the change"),
                _ => (RunWord::NotApplicable, "no value was found that a test expects"),
            };
            proof.runs.push(ProofRunReport::without_run(ProofRun::Literals, verdict, why));
            return Ok(None);
        };
        let changed: Vec<Source> = files
            .iter()
            .filter_map(|file| match literals.files.iter().find(|(path, _)| *path == file.path) {
                Some((path, text)) => Source::read(path, text.as_str()),
                None => Some(file.clone()),
            })
            .collect();
        let placed = self.place_all(&changed, basis)?;
        let CanaryRun { results, placed } = self.run_with(subject, placed, Some(&literals), Some(clean))?;
        let canaries: Vec<&str> = placed.iter().map(|placed| placed.canary.name).collect();
        let report = noticing::literals(&results, clean, &evidence, &literals.changed, &canaries);
        let is_decided = |placed: &Placed| matches!(placed.end, CanaryEnd::Caught | CanaryEnd::Missed);
        let is_whole = report.verdict != RunWord::NotApplicable && placed.iter().all(is_decided);
        proof.runs.push(report);
        Ok(is_whole.then_some(CanaryRun { results, placed }))
    }

    /// A canary for each command that has a place for it. Each file gets one.
    fn place_all(&self, files: &[Source], Basis { subject, clean, .. }: Basis<'_>) -> Result<Vec<Placed>> {
        let place = |run: &TestRun| self.place(subject, files, &run.command, &run.frameworks, &run.names);
        clean.judging().filter_map(|run| place(run).transpose()).collect()
    }

    /// A canary for a command, if there is a place for it: in a file with tests or, where no program is known that runs them, beside the
    /// scripts that the command or a recipe of it runs.
    fn place(
        &self,
        subject: &ProofSubject,
        files: &[Source],
        command: &str,
        found: &[Framework],
        names: &TestNames,
    ) -> Result<Option<Placed>> {
        let canary = if found.iter().any(|framework| framework.language().is_some()) {
            found.iter().find_map(|framework| canary(*framework, files, names, command))
        } else {
            let started = started_by(self.parts.git, &subject.head, vec![command.to_owned()])?;
            started.texts().find_map(|text| script_canary(files, &text))
        };
        Ok(canary.map(|canary| Placed { command: command.to_owned(), canary, end: CanaryEnd::NotRun }))
    }

    /// Runs commands with canaries and, if they are given, other values in tests. `clean` are the results without them, if they are known.
    fn run_with(
        &mut self,
        subject: &ProofSubject,
        mut placed: Vec<Placed>,
        literals: Option<&LiteralRun>,
        clean: Option<&TestResults>,
    ) -> Result<CanaryRun> {
        let canaries = placed.iter().map(|placed| (&placed.canary.path, &placed.canary.content));
        let values = literals.iter().flat_map(|run| &run.files).map(|(path, content)| (path, content));
        let mut files: Vec<PathEntry> = Vec::new();
        for (path, content) in canaries.chain(values) {
            if files.iter().all(|known| known.path != path.as_bytes()) {
                files.push(self.entry(path, content.clone().into_bytes())?);
            }
        }
        let stage = ProofStage::Run(if literals.is_some() { ProofRun::Literals } else { ProofRun::Canary });
        let results = self.make(&Run { stage, files, commands: &subject.commands, success: false })?;
        for Placed { command, canary, end } in &mut placed {
            if let Some(run) = results.runs.iter().find(|run| run.command == *command) {
                let before = clean.and_then(|clean| clean.same(run)?.counts);
                *end = noticing::canary(run, before, canary.name, literals.is_none());
            }
        }
        Ok(CanaryRun { results, placed })
    }

    /// The files with tests of the commit.
    pub(super) fn test_files(&mut self, subject: &ProofSubject) -> Result<Rc<[Source]>> {
        if let Some(tests) = &self.now.tests {
            return Ok(Rc::clone(tests));
        }
        let tests: Rc<[Source]> = self.files(subject, MOST_FILES, has_tests)?.into();
        self.now.tests = Some(Rc::clone(&tests));
        Ok(tests)
    }

    /// Files of the commit: those that the task changed first.
    fn files(
        &mut self,
        subject: &ProofSubject,
        most: usize,
        is_wanted: fn(&str) -> bool,
    ) -> Result<Vec<Source>> {
        let git = self.parts.git;
        if self.now.paths.is_none() {
            let mut changed = HashSet::new();
            for own in &subject.own {
                changed.extend(git.paths_between(&own.before, &own.after)?);
            }
            let mut paths = git.paths_in(&subject.head)?;
            paths.sort_by_key(|path| !changed.contains(path));
            self.now.paths =
                Some(paths.into_iter().filter_map(|path| String::from_utf8(path).ok()).collect());
        }
        self.tree().switch(&[])?;
        let top = self.tree().top().to_owned();
        let mut room = LARGEST_TOGETHER;
        let read = self.now.paths.iter().flatten().filter(|path| is_wanted(path)).filter_map(|path| {
            let content = crate::files::read(&top.join(path), LARGEST).ok()?;
            room = room.checked_sub(content.len())?;
            Source::read(path, content)
        });
        Ok(read.take(most).collect())
    }

    /// A file of the commit with another content, or a new one.
    pub(super) fn entry(&mut self, path: &str, content: Vec<u8>) -> Result<PathEntry> {
        let head = self.tree().head();
        let path = path.as_bytes().to_vec();
        let git = self.parts.git;
        let kind = match git.entries(&head, std::slice::from_ref(&path))?.remove(&path) {
            // The content is that of a file. Where a link stood, it is the file to which the link leads.
            Some(known) if known.kind != EntryKind::Link => known.kind,
            None if content.starts_with(b"#!") => EntryKind::Executable,
            _ => EntryKind::File,
        };
        Ok(PathEntry { path, entry: Some(Entry { kind, id: git.write_blob(content)? }) })
    }
}

/// Whether a file may have tests. In Rust, source and tests may be in one file.
fn has_tests(path: &str) -> bool {
    kind_of(path) == FileKind::Test || path.ends_with(".rs")
}

/// Adds what the canaries have shown.
fn judge_canaries(proof: &mut Proof, CanaryRun { results, placed }: &CanaryRun) {
    let of = |wanted: CanaryEnd| placed.iter().filter(move |placed| placed.end == wanted);
    if let Some(Placed { command, canary, .. }) = of(CanaryEnd::NotRun).next() {
        let seen = format!("A test that was added to this file did not run with `{}`", one_line(command));
        let finding = Finding::new(Check::Canary, Severity::Warning, &seen);
        proof.found.push(finding.at([canary.path.clone()]));
    }
    let missed = of(CanaryEnd::Missed).next();
    let (verdict, seen) = match missed {
        Some(Placed { command, .. }) => {
            (RunWord::Fail, format!("a test that must fail did not make `{}` fail", one_line(command)))
        }
        None if of(CanaryEnd::Caught).next().is_some() => {
            (RunWord::Pass, "a test that must fail fails, and is counted".to_owned())
        }
        None => (RunWord::NotApplicable, "a failing test could not be added so that it runs".to_owned()),
    };
    let tests = missed.map(|missed| missed.canary.path.clone()).into_iter().collect();
    proof.runs.push(ProofRunReport { tests, ..report(ProofRun::Canary, results, verdict, seen) });
}
