//! Looks at what judges beside tests: checkers with their configuration of before, files that a command names as they were
//! before, and commands in an empty folder. What a look sees is a warning, because honest changes need such lines, too.

use std::collections::BTreeSet;
use std::time::Duration;

use super::ProofSubject;
use super::files::{ChangedFiles, FileUndo, ProofFile, content, is_text, put};
use super::judged::{not_loaded, report};
use super::prover::{Basis, ProofStage, Prover, Run};
use super::report::Proof;
use crate::error::Result;
use crate::git::{Git, PathEntry};
use crate::plan::{Expect, TestCommand};
use crate::process::{ExitReason, LiveLine};
use crate::record::{Check, Finding, Outcome, ProofRun, RunWord, Severity};
use crate::suite::{Failure, TestResults, TestRunner, Unheard};
use crate::text::{listed, one_line, pathspec_word, show_path};
use crate::trust::cannot_fail::{is_deaf, is_tried};
use crate::trust::checkers::{OldChecks, Started, found_something, may_check};
use crate::trust::files::{FileKind, is_documentation};
use crate::worktree::{EmptyFolder, packages_changed};

/// How many files that commands name are looked at.
const NAMED_FILES: usize = 3;

/// How many changed lines of a file a finding shows.
const LINES: usize = 6;

/// How long a command may take where there is nothing to do.
const EMPTY: Duration = Duration::from_secs(30);

impl Prover<'_> {
    /// Looks at what judges beside tests, where the change touched it.
    pub(super) fn add_looks(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<()> {
        let expect = basis.subject.expect;
        // Where awaited tests fail in any case, a failure says nothing.
        if !expect.needs_no_proof() && expect != Expect::Tests && basis.clean.outcome() == Outcome::Pass {
            self.look_at_checks(proof, basis)?;
            self.look_at_named_files(proof, basis)?;
            self.look_in_empty_folder(proof, basis)?;
        }
        Ok(())
    }

    /// The commands with all configuration of checkers, and all libraries for tests, as they were before.
    fn look_at_checks(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<()> {
        let Basis { subject, files, .. } = basis;
        let mine = files.files.iter().filter(|file| !file.is_allowed(subject));
        let old = mine.map(|file| old_checks(self.parts.git, &files.started, file));
        let old: Vec<(PathEntry, OldChecks)> = old.filter_map(Result::transpose).collect::<Result<_>>()?;
        if old.is_empty() || self.is_late() {
            return Ok(());
        }
        let mut entries: Vec<PathEntry> = old.iter().map(|(entry, _)| entry.clone()).collect();
        if old.iter().any(|(_, checks)| checks.checkers.is_empty()) {
            // Libraries belong to the versions that lock and manifest name.
            let is_pin = |entry: &PathEntry| {
                packages_changed(&[entry.path.as_slice()]) || entry.path.ends_with(b"vendor/modules.txt")
            };
            entries.extend(files.files.iter().map(before).filter(is_pin));
        }
        let checkers: BTreeSet<&str> =
            old.iter().flat_map(|(_, checks)| checks.checkers.iter().copied()).collect();
        let results = self.failing(ProofStage::OldChecks, &entries, &subject.commands)?;
        if results.is_none_or(|results| !has_judged(&results, &checkers)) {
            return Ok(());
        }
        let names: Vec<String> = checkers.iter().map(|name| (*name).to_owned()).collect();
        let what = match names.as_slice() {
            [] => "these libraries for tests".to_owned(),
            names => format!("the configuration of {}", listed(names)),
        };
        let lines = old.iter().flat_map(|(entry, checks)| {
            let path = show_path(&entry.path);
            checks.lines.iter().take(LINES).map(move |line| format!("{path}: {line}"))
        });
        let seen = format!("The commands fail with {what} as before the change");
        let finding = Finding::new(Check::LooserChecks, Severity::Warning, &seen);
        let look = shown_by(subject, old.iter().map(|(entry, _)| entry));
        proof.found.push(finding.at(lines).look(&look));
        proof.doubts.push("it needs what it changed in the configuration of checks".to_owned());
        Ok(())
    }

    /// The commands with a file that one of them names as it was before. If a part of them fails that names it, and everything else
    /// passes, the file is no part of the program, but judges it.
    fn look_at_named_files(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<()> {
        let Basis { subject, files, .. } = basis;
        for (before, rest) in files.named(subject).into_iter().take(NAMED_FILES) {
            if self.is_late() {
                return Ok(());
            }
            let failed =
                self.failing(ProofStage::ChangedCheck, std::slice::from_ref(&before), &subject.commands)?;
            let failed = failed.as_ref().and_then(TestResults::first_failed);
            if failed.is_none_or(|run| not_loaded(run).is_some()) {
                continue;
            }
            let mut entries = vec![before.clone()];
            for (path, text) in rest.recipes.iter().filter(|recipe| !files.started.recipes.contains(recipe)) {
                entries.push(self.entry(path, text.clone().into_bytes())?);
            }
            let mut commands = subject.commands.clone();
            commands
                .iter_mut()
                .zip(&rest.commands)
                .for_each(|(command, rest)| command.command.clone_from(rest));
            let run =
                Run { stage: ProofStage::ChangedCheck, files: entries, commands: &commands, success: true };
            if self.make(&run)?.outcome() == Outcome::Pass {
                let seen = "A command fails with this file, which it starts or reads, as before the change";
                let finding = Finding::new(Check::ChangedCheck, Severity::Warning, seen);
                let look = shown_by(subject, [&before]);
                proof.found.push(finding.at([show_path(&before.path)]).look(&look));
                proof.doubts.push("it changed a file that a command checks it with".to_owned());
            }
        }
        Ok(())
    }

    /// The commands in an empty folder outside of every project, with a HOME of their own. If a test failed without the change, they
    /// can fail.
    fn look_in_empty_folder(&mut self, proof: &mut Proof, basis: Basis<'_>) -> Result<()> {
        if proof.run(ProofRun::Red) == Some(RunWord::Pass) || self.is_late() {
            return Ok(());
        }
        let judging = basis.subject.commands.iter().filter(|command| command.kind.judges());
        let mut deaf = Vec::new();
        for command in judging.filter(|command| is_tried(&command.command)) {
            // Without a place for it, nothing is known.
            let Some(folder) = EmptyFolder::make() else { continue };
            let runner = self.runner(LiveLine::new());
            let runner = TestRunner { launch: folder.launch(&runner.launch), listener: &Unheard, ..runner };
            let command = TestCommand { timeout: Some(EMPTY), coverage: None, ..command.clone() };
            let results = runner.run(&[command])?;
            let runs = results.runs.iter().filter(|run| is_deaf(run));
            deaf.extend(runs.map(|run| format!("`{}`", one_line(&run.command))));
        }
        if !deaf.is_empty() {
            let seen = "This command also succeeds in an empty folder, so its success says nothing";
            proof.found.push(Finding::new(Check::CannotFail, Severity::Warning, seen).at(deaf));
            proof.doubts.push("its command cannot fail".to_owned());
        }
        Ok(())
    }

    /// The results of the commands with these files, if they fail, and fail again.
    fn failing(
        &mut self,
        stage: ProofStage,
        files: &[PathEntry],
        commands: &[TestCommand],
    ) -> Result<Option<TestResults>> {
        let run = Run { stage, files: files.to_vec(), commands, success: true };
        let failed = |results: &TestResults| match results.outcome() {
            Outcome::Pass => report(ProofRun::Clean, results, RunWord::Pass, ""),
            _ => report(ProofRun::Clean, results, RunWord::Fail, ""),
        };
        let (report, results) = self.confirmed(&run, &failed)?;
        Ok((report.verdict == RunWord::Fail).then_some(results))
    }
}

impl ChangedFiles {
    /// The changed files of source that a command names, as they were before, and what the commands are without the parts that
    /// name them. None if all changed source is named, or nothing else judges.
    fn named(&self, subject: &ProofSubject) -> Vec<(PathEntry, Started)> {
        let is_source = |file: &&ProofFile| {
            let path = file.shown();
            file.kind == FileKind::Other && !is_documentation(&path) && !self.started.configures(&path)
        };
        let source: Vec<&ProofFile> = self.files.iter().filter(is_source).collect();
        let named = source.iter().filter_map(|file| {
            let is_changed =
                [&file.now, &file.without].into_iter().all(|entry| entry.as_ref().is_some_and(is_text));
            let rest = self.started.without(&file.shown())?;
            (is_changed && !file.is_allowed(subject)).then_some((before(file), rest))
        });
        let named: Vec<_> = named.collect();
        if named.len() == source.len() { Vec::new() } else { named }
    }
}

/// A file as it was before.
fn before(file: &ProofFile) -> PathEntry {
    PathEntry { path: file.path.clone(), entry: file.without.clone() }
}

/// The command that shows what a change did to files.
fn shown_by<'e>(subject: &ProofSubject, files: impl IntoIterator<Item = &'e PathEntry>) -> String {
    let base = subject.own.first().map_or(subject.head, |own| own.before);
    let words = files.into_iter().map(|entry| format!(" {}", pathspec_word(&show_path(&entry.path))));
    format!("git diff {} {} --{}", base.short(), subject.head.short(), words.collect::<String>())
}

/// A file as it was before, with what checks the code in it.
fn old_checks(git: &Git, started: &Started, file: &ProofFile) -> Result<Option<(PathEntry, OldChecks)>> {
    let path = file.shown();
    if !may_check(&path) || !file.now.iter().chain(&file.without).all(is_text) {
        return Ok(None);
    }
    let (base, head) = (content(git, file.without.as_ref())?, content(git, file.now.as_ref())?);
    let Some(checks) = started.old_checks(&path, base.as_deref(), head.as_deref()) else { return Ok(None) };
    let undo = match &checks.content {
        Some(content) => put(git, file, content.clone())?,
        None => FileUndo::Put(None),
    };
    let FileUndo::Put(entry) = undo else { return Ok(None) };
    Ok(Some((PathEntry { path: file.path.clone(), entry }, checks)))
}

/// Whether commands failed because a checker, or a test, has found something, and not because something could not be loaded.
fn has_judged(results: &TestResults, checkers: &BTreeSet<&str>) -> bool {
    let Some(run) = results.first_failed() else { return false };
    let ExitReason::Exited(status) = run.result.exit_reason else { return false };
    match run.failure() {
        Some(Failure::Tests) => true,
        Some(Failure::NotRun) | None => false,
        Some(Failure::Unclear) if checkers.is_empty() => not_loaded(run).is_none(),
        Some(_) => found_something(checkers, status, &run.printed()),
    }
}
