//! Makes the functions of the change hollow, or takes out one statement of it after the other, and looks whether a test notices.

use std::collections::BTreeSet;
use std::time::Instant;

use super::files::{ChangedFiles, FileUndo, ProofFile};
use super::hunk_report::{HunkLimits, HunkReport, LineRange};
use super::judged::ran_as_many;
use super::noticing::Evidence;
use super::prover::{Basis, Prover, Run};
use crate::error::Result;
use crate::git::{Entry, EntryKind, PathEntry};
use crate::plan::{TestCommand, TestType};
use crate::record::Outcome;
use crate::suite::TestResults;
use crate::trust::files::{FileKind, kind_of};
use crate::trust::inline::only_tests;
use crate::trust::language::Language;
use crate::trust::scan::{is_word, words};
use crate::trust::statements::{Statement, hollowed, statements, variants, without_stubs};

/// How large a file with statements may be, in bytes: each of them is found by reading the whole file again.
const LARGEST: usize = 256 << 10;

/// A file of source that the change touches.
struct ChangedSource {
    path: Vec<u8>,
    kind: EntryKind,
    content: Vec<u8>,
    /// The lines that were added or changed, counted from 1.
    changed: Vec<usize>,
}

/// What the run has shown in which the added functions give empty values.
pub(super) struct HollowRun {
    /// What fails then, and passes with the change.
    pub(super) noticed_by: Evidence,
    /// Whether everything was loaded, and passed.
    pub(super) all_pass: bool,
    /// Where these functions are.
    pub(super) places: Vec<LineRange>,
    pub(super) results: TestResults,
}

/// What became of a statement.
enum StatementOutcome {
    /// By these tests.
    Noticed(Vec<String>),
    Unnoticed,
    /// Nothing in its place could be loaded.
    Unclear,
}

impl Prover<'_> {
    /// Takes out the largest statements of the change to the source, each alone, and runs the first unit test command. It is
    /// known of those in `judged` whether a test notices them.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub(super) fn try_hunks(
        &mut self,
        basis: Basis<'_>,
        limits: HunkLimits,
        judged: &[LineRange],
    ) -> Result<HunkReport> {
        let Basis { subject, files, clean } = basis;
        let Some(commands) = first_unit_command(&subject.commands, clean) else {
            let not_applicable = Some("it has no test command of type unit");
            return Ok(HunkReport { not_applicable, ..HunkReport::default() });
        };
        let sources = self.sources(files)?;
        let mut pieces: Vec<(&ChangedSource, Statement)> = Vec::new();
        for source in &sources {
            let mut found = statements(&source.shown(), &source.content, &source.changed);
            let is_in =
                |statement: &Statement| judged.iter().any(|place| place.has(&source.lines_of(statement)));
            found.retain(|statement| !is_in(statement));
            pieces.extend(found.into_iter().map(|statement| (source, statement)));
        }
        pieces.sort_by_key(|(_, statement)| std::cmp::Reverse(statement.size));
        let mut report = HunkReport { all: pieces.len(), ..HunkReport::default() };
        let began = Instant::now();
        for (number, (source, statement)) in pieces.iter().take(limits.most).enumerate() {
            if began.elapsed() >= limits.time || self.is_late() {
                break;
            }
            let what = format!("statement {} of {}", number + 1, report.all.min(limits.most));
            let notice = self.try_statement(source, statement, &commands, clean, &what)?;
            match &notice {
                StatementOutcome::Unclear => report.unclear += 1,
                StatementOutcome::Noticed(by) => {
                    report.judged += 1;
                    report.noticed_by.extend(by.iter().cloned());
                }
                StatementOutcome::Unnoticed => {
                    report.judged += 1;
                    report.unnoticed.push(source.lines_of(statement));
                }
            }
            if limits.one_is_enough && matches!(notice, StatementOutcome::Noticed(_)) {
                break;
            }
        }
        Ok(report)
    }

    /// Tries the variants of a statement until one of them can be loaded.
    fn try_statement(
        &mut self,
        source: &ChangedSource,
        statement: &Statement,
        commands: &[TestCommand],
        clean: &TestResults,
        what: &str,
    ) -> Result<StatementOutcome> {
        for variant in variants(&source.shown(), &source.content, statement) {
            let id = self.parts.git.write_blob(variant)?;
            let entry = Some(Entry { kind: source.kind, id });
            let files = vec![PathEntry { path: source.path.clone(), entry }];
            let results = self.make(&Run { what, files, commands, success: false })?;
            let Evidence { mut tests, mut commands } = Evidence::of(&results, clean);
            tests.append(&mut commands);
            if !tests.is_empty() && ran_as_many(&results, clean) {
                return Ok(StatementOutcome::Noticed(tests.into_iter().collect()));
            }
            if results.outcome() == Outcome::Pass {
                return Ok(StatementOutcome::Unnoticed);
            }
        }
        Ok(StatementOutcome::Unclear)
    }

    /// Runs the commands with all functions of the change that were added hollow at once. None if it added none that can be.
    pub(super) fn try_hollow(&mut self, basis: Basis<'_>) -> Result<Option<HollowRun>> {
        let Basis { subject, files, clean } = basis;
        let (mut changed, mut places) = (Vec::new(), Vec::new());
        for source in self.sources(files)? {
            let Some(hollow) = hollowed(&source.shown(), &source.content, &source.changed) else { continue };
            let of = |(first, last)| LineRange { file: source.shown(), first, last };
            places.extend(hollow.places.into_iter().map(of));
            let id = self.parts.git.write_blob(hollow.content)?;
            changed.push(PathEntry { path: source.path, entry: Some(Entry { kind: source.kind, id }) });
        }
        if places.is_empty() || self.is_late() {
            return Ok(None);
        }
        let commands = &subject.commands;
        let results = self.make(&Run { what: "hollow", files: changed, commands, success: false })?;
        Ok(Some(HollowRun {
            noticed_by: Evidence::of(&results, clean),
            all_pass: results.outcome() == Outcome::Pass && ran_as_many(&results, clean),
            places,
            results,
        }))
    }

    /// Whether a test names a function that the change adds. One that was only moved is there without the change.
    pub(super) fn tests_name_added(&mut self, basis: Basis<'_>) -> Result<bool> {
        let Basis { subject, files, .. } = basis;
        let mut added = BTreeSet::new();
        for source in self.sources(files)? {
            let Some(hollow) = hollowed(&source.shown(), &source.content, &source.changed) else { continue };
            let text = String::from_utf8_lossy(&source.content);
            let heads = hollow.places.iter().filter_map(|(first, _)| text.lines().nth(first - 1));
            added.extend(heads.filter_map(declared).map(str::to_owned));
        }
        for file in &files.files {
            if let FileUndo::Put(Some(before)) = &file.red
                && before.kind != EntryKind::Link
                && !added.is_empty()
            {
                let before = self.parts.git.blob(&before.id)?;
                added.retain(|name| words(&before, name).next().is_none());
            }
        }
        if added.is_empty() {
            return Ok(false);
        }
        let tests = self.test_files(subject)?;
        let is_named = |text: &[u8]| added.iter().any(|name| words(text, name).next().is_some());
        Ok(tests.iter().any(|(path, content)| match kind_of(path) {
            FileKind::Test => is_named(content),
            _ => only_tests(path, content).is_some_and(|tests| is_named(&tests)),
        }))
    }

    /// The source from before the change, in which functions that did nothing but fail give empty values instead. Otherwise every
    /// test that calls one would notice the change, whatever it compares.
    pub(super) fn source_before(&self, files: &ChangedFiles) -> Result<Vec<PathEntry>> {
        let mut entries = files.red_entries();
        for file in &files.files {
            let (FileUndo::Put(Some(before)), Some(now)) = (&file.red, &file.now) else { continue };
            if let Some(source) = self.source(file, before, Some(now))?
                && let Some(hollow) = without_stubs(&source.shown(), &source.content, &source.changed)
            {
                let entry = Some(Entry { kind: before.kind, id: self.parts.git.write_blob(hollow.content)? });
                entries.retain(|entry| entry.path != file.path);
                entries.push(PathEntry { path: source.path, entry });
            }
        }
        Ok(entries)
    }

    /// The source files of the change.
    fn sources(&self, files: &ChangedFiles) -> Result<Vec<ChangedSource>> {
        let mut sources = Vec::new();
        for file in &files.files {
            let (FileUndo::Put(before), Some(now)) = (&file.red, &file.now) else { continue };
            sources.extend(self.source(file, now, before.as_ref())?);
        }
        Ok(sources)
    }

    /// A version of a file with the lines that another one does not have. None if it is no source.
    fn source(
        &self,
        file: &ProofFile,
        version: &Entry,
        other: Option<&Entry>,
    ) -> Result<Option<ChangedSource>> {
        // Only in source that programs run can a statement be missed.
        if version.kind == EntryKind::Link || Language::of(&file.shown()).is_none() {
            return Ok(None);
        }
        let content = self.parts.git.blob(&version.id)?;
        if content.contains(&0) || content.len() > LARGEST {
            return Ok(None);
        }
        let count = content.split_inclusive(|byte| *byte == b'\n').count();
        let changed = match other {
            None => (1..=count).collect(),
            Some(other) => {
                let lines = self.parts.git.lines_not_in(&other.id, &version.id)?.into_iter().flatten();
                lines.map(|place| place + 1).filter(|line| *line <= count).collect()
            }
        };
        Ok(Some(ChangedSource { path: file.path.clone(), kind: version.kind, content, changed }))
    }
}

impl ChangedSource {
    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.path).into_owned()
    }

    fn lines_of(&self, statement: &Statement) -> LineRange {
        LineRange { file: self.shown(), first: statement.first, last: statement.last }
    }
}

/// The first command of type unit whose tests are counted, or else the first one, with what has to run before and after it.
/// Commands without counts beside some with counts are linters.
fn first_unit_command(commands: &[TestCommand], clean: &TestResults) -> Option<Vec<TestCommand>> {
    let units = || commands.iter().filter(|command| command.kind == TestType::Unit);
    let counts = |unit: &&TestCommand| {
        clean.runs.iter().any(|run| run.command == unit.command && run.counts.is_some())
    };
    let unit = units().find(counts).or_else(|| units().next())?;
    let around = |kind| commands.iter().filter(move |command| command.kind == kind).cloned();
    Some(around(TestType::Setup).chain([unit.clone()]).chain(around(TestType::Teardown)).collect())
}

/// The name that the first line of a function declares: `def name(`, `const name = (`, `func (t T) name(`.
fn declared(head: &str) -> Option<&str> {
    let head = head.split_once(" = ").map_or(head, |(name, _)| name);
    let is_name = |word: &&str| word.bytes().next_back().is_some_and(is_word);
    let before_parameters = head.split('(').map(|part| part.split('<').next().unwrap_or(part).trim_end());
    let mut names = before_parameters
        .filter(is_name)
        .map(|part| part.rsplit(|sign: char| !sign.is_alphanumeric() && sign != '_').next().unwrap_or(part));
    names.find(|name| !["func", "function", "fn", "def"].contains(name))
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn the_first_line_of_a_function_says_its_name() {
        for (head, name) in [
            ("def price(amount, rate):", "price"),
            ("    async def _load(self):", "_load"),
            ("export function price(amount) {", "price"),
            ("export const price = (amount) => {", "price"),
            ("pub fn price<T: Into<f64>>(amount: T) -> f64 {", "price"),
            ("func (t *Table) Price(amount int) int {", "Price"),
            ("func Price(amount int) int {", "Price"),
            ("price() {", "price"),
        ] {
            assert_eq!(declared(head), Some(name), "{head}");
        }
    }
}
