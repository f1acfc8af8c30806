//! Takes out or changes one statement of the change after the other, and looks whether a test notices it.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use super::files::{ChangedFiles, FileUndo};
use super::hunk_report::{HunkLimits, HunkReport, LineRange};
use super::judged::ran_as_many;
use super::noticing::evidence;
use super::prover::{Basis, Prover, WantedRuns};
use crate::error::Result;
use crate::git::{Entry, EntryKind, PathEntry};
use crate::plan::{TestCommand, TestType};
use crate::record::Outcome;
use crate::suite::TestResults;
use crate::trust::language::Language;
use crate::trust::statements::{Operator, Statement, statements, variants};

/// How large a file with statements may be, in bytes: each of them is found by reading the whole file again.
const LARGEST: usize = 256 << 10;

/// How many statements are emptied at once at most, for the same reason.
const MOST_EMPTIED: usize = 200;

/// A statement of the change to one file.
struct ChangePiece {
    path: Vec<u8>,
    kind: EntryKind,
    content: Rc<Vec<u8>>,
    statement: Statement,
}

/// What became of a statement.
enum StatementOutcome {
    /// By these tests.
    Noticed(Vec<String>),
    Unnoticed,
    /// Nothing in its place could be loaded.
    Unclear,
}

/// The command that is run for each statement, and its results with the whole change.
struct StatementTrial<'c> {
    commands: Vec<TestCommand>,
    clean: &'c TestResults,
    /// Whether one statement that is noticed decides, so that a test that fails at random must not.
    is_evidence: bool,
}

impl Prover<'_> {
    /// Takes out the largest statements of the change to the source, each alone, and runs the first unit test command.
    /// `clean` are the results with the whole change.
    ///
    /// # Errors
    /// As for [`Prover::prove`].
    pub(super) fn try_hunks(&mut self, basis: Basis<'_>, limits: HunkLimits) -> Result<HunkReport> {
        let Basis { subject, files, clean } = basis;
        let Some(commands) = first_unit_command(&subject.commands, clean) else {
            let not_applicable = Some("it has no test command of type unit");
            return Ok(HunkReport { not_applicable, ..HunkReport::default() });
        };
        let trial = StatementTrial { commands, clean, is_evidence: limits.one_is_enough };
        let mut pieces = self.pieces(files)?;
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.statement.size));
        let mut report = HunkReport { all: pieces.len(), ..HunkReport::default() };
        let began = Instant::now();
        for (number, piece) in pieces.iter().take(limits.most).enumerate() {
            if began.elapsed() >= limits.time || self.is_late() {
                break;
            }
            let what = format!("statement {} of {}", number + 1, report.all.min(limits.most));
            let notice = self.try_piece(piece, &trial, &what)?;
            match &notice {
                StatementOutcome::Unclear => report.unclear += 1,
                StatementOutcome::Noticed(by) => {
                    report.judged += 1;
                    report.noticed_by.extend(by.iter().cloned());
                }
                StatementOutcome::Unnoticed => {
                    report.judged += 1;
                    report.unnoticed.push(piece.lines());
                }
            }
            if limits.one_is_enough && matches!(notice, StatementOutcome::Noticed(_)) {
                break;
            }
        }
        Ok(report)
    }

    /// Tries the variants of a statement until one of them can be loaded.
    fn try_piece(
        &mut self,
        piece: &ChangePiece,
        trial: &StatementTrial<'_>,
        what: &str,
    ) -> Result<StatementOutcome> {
        let path = String::from_utf8_lossy(&piece.path).into_owned();
        for variant in variants(&path, &piece.content, &piece.statement) {
            let id = self.parts.git.write_blob(variant.content)?;
            let entry = Some(Entry { kind: piece.kind, id });
            let changed = [PathEntry { path: piece.path.clone(), entry }];
            let wanted = WantedRuns { commands: &trial.commands, success: false };
            let results = self.run_on(what, &changed, wanted)?;
            let mut noticed_by = evidence(&results, trial.clean);
            if trial.is_evidence && !noticed_by.is_empty() {
                let again = evidence(&self.run_on(what, &changed, wanted)?, trial.clean);
                noticed_by.retain(|name| again.contains(name));
            }
            if !noticed_by.is_empty() && ran_as_many(&results, trial.clean) {
                let names = noticed_by.iter().map(|noticing| noticing.name().to_owned());
                return Ok(StatementOutcome::Noticed(names.collect()));
            }
            if results.outcome() == Outcome::Pass {
                return Ok(StatementOutcome::Unnoticed);
            }
        }
        Ok(StatementOutcome::Unclear)
    }

    /// Runs the tests with every value that the change returns replaced by the empty one, all at once. Returns the statements, if
    /// all tests that notice the change pass then: they compare nothing, or with what is equal to everything.
    pub(super) fn find_hollow_tests(
        &mut self,
        basis: Basis<'_>,
        evidence: &[String],
    ) -> Result<Vec<LineRange>> {
        if evidence.is_empty() {
            return Ok(Vec::new());
        }
        let mut pieces = self.pieces(basis.files)?;
        if pieces.len() > MOST_EMPTIED {
            return Ok(Vec::new());
        }
        // From the end of a file to its beginning, so that the lines of the others stay where they are.
        pieces.sort_by(|one, other| {
            (&one.path, other.statement.first).cmp(&(&other.path, one.statement.first))
        });
        let mut emptied: BTreeMap<Vec<u8>, (EntryKind, Vec<u8>)> = BTreeMap::new();
        let mut places = Vec::new();
        for piece in &pieces {
            let path = String::from_utf8_lossy(&piece.path).into_owned();
            let (_, content) =
                emptied.entry(piece.path.clone()).or_insert_with(|| (piece.kind, piece.content.to_vec()));
            let mut all = variants(&path, content, &piece.statement).into_iter();
            if let Some(variant) = all.find(|variant| variant.operator == Operator::EmptyValue) {
                *content = variant.content;
                places.push(piece.lines());
            }
        }
        if places.is_empty() || self.is_late() {
            return Ok(Vec::new());
        }
        let entry = |(path, (kind, content))| {
            let id = self.parts.git.write_blob(content)?;
            Ok(PathEntry { path, entry: Some(Entry { kind, id }) })
        };
        let changed: Vec<PathEntry> = emptied.into_iter().map(entry).collect::<Result<_>>()?;
        let wanted = WantedRuns { commands: &basis.subject.commands, success: false };
        let results = self.run_on("empty values", &changed, wanted)?;
        let all_pass = results.outcome() == Outcome::Pass && ran_as_many(&results, basis.clean);
        places.reverse();
        Ok(if all_pass { places } else { Vec::new() })
    }

    /// The statements of the change to the source.
    fn pieces(&self, files: &ChangedFiles) -> Result<Vec<ChangePiece>> {
        let mut pieces = Vec::new();
        for file in &files.files {
            let (FileUndo::Put(before), Some(now)) = (&file.red, &file.now) else { continue };
            let content = self.parts.git.blob(&now.id)?;
            // Only in source that programs run can a statement be missed.
            let is_source = Language::of(&file.shown()).is_some() && content.len() <= LARGEST;
            if now.kind == EntryKind::Link || content.contains(&0) || !is_source {
                continue;
            }
            let changed = self.changed_lines(before.as_ref(), now, &content)?;
            let content = Rc::new(content);
            let found = statements(&file.shown(), &content, &changed);
            pieces.extend(found.into_iter().map(|statement| ChangePiece {
                path: file.path.clone(),
                kind: now.kind,
                content: Rc::clone(&content),
                statement,
            }));
        }
        Ok(pieces)
    }

    /// The numbers of the lines that the change added or changed, from 1.
    fn changed_lines(&self, before: Option<&Entry>, now: &Entry, content: &[u8]) -> Result<Vec<usize>> {
        let count = content.split_inclusive(|byte| *byte == b'\n').count();
        let Some(before) = before else { return Ok((1..=count).collect()) };
        let changed = self.parts.git.lines_not_in(&before.id, &now.id)?;
        let lines = changed.into_iter().flatten().map(|place| place + 1);
        Ok(lines.filter(|line| *line <= count).collect())
    }
}

impl ChangePiece {
    fn lines(&self) -> LineRange {
        LineRange {
            file: String::from_utf8_lossy(&self.path).into_owned(),
            first: self.statement.first,
            last: self.statement.last,
        }
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
