//! Makes what a change adds hollow, and looks whether a test notices.

use super::before::not_loaded;
use super::canary::FileRead;
use super::files::{ChangedFiles, FileUndo, ProofFile};
use super::judged::{ran_as_many, report};
use super::noticing::Evidence;
use super::prover::{Basis, Prover, Run};
use super::report::ProofRunReport;
use crate::error::Result;
use crate::git::{Entry, EntryKind, PathEntry};
use crate::record::{Outcome, ProofRun, RunWord};
use crate::trust::files::{FileKind, kind_of};
use crate::trust::hollow::{Extent, Hollow, hollowed, without_stubs};
use crate::trust::inline::only_tests;
use crate::trust::language::Language;
use crate::trust::scan::words;

/// How large a file may be that is read, in bytes.
const LARGEST: usize = 256 << 10;

/// When tests notice that, as the end of a clause.
const GIVEN: &str = "if what the change adds gives empty values";

/// A file of source that the change touches.
struct ChangedSource {
    path: Vec<u8>,
    kind: EntryKind,
    content: Vec<u8>,
    /// The lines that were added or changed, counted from 1.
    changed: Vec<usize>,
}

impl Prover<'_> {
    /// Runs the commands with everything hollow that the change adds, or else what it touches: a test must fail then that passes with the change. None if
    /// nothing can be made hollow.
    pub(super) fn hollow(&mut self, basis: Basis<'_>) -> Result<Option<ProofRunReport>> {
        let Basis { subject, files, clean } = basis;
        let sources = self.sources(files)?;
        let (mut changed, mut lines, mut others) = (Vec::new(), 0, 0);
        // What existed before gives empty values only where nothing else can.
        let extent = match sources.iter().any(|source| source.hollow(Extent::Whole).is_some()) {
            true => Extent::Whole,
            false => Extent::Touched,
        };
        for source in sources {
            let Some(hollow) = source.hollow(extent) else {
                others += source.changed.len();
                continue;
            };
            lines += hollow.lines;
            others += hollow.others;
            let id = self.parts.git.write_blob(hollow.content)?;
            changed.push(PathEntry { path: source.path, entry: Some(Entry { kind: source.kind, id }) });
        }
        if changed.is_empty() || self.is_late() {
            return Ok(None);
        }
        let run = Run { what: "hollow", files: changed, commands: &subject.commands, success: false };
        let results = self.make(&run)?;
        let evidence = Evidence::of(&results, clean);
        let passes = results.outcome() == Outcome::Pass && ran_as_many(&results, clean);
        Ok(Some(match () {
            // A test that fails without a function that was there before may have noticed that one, and not its change.
            () if !evidence.is_empty() && extent == Extent::Touched => not_loaded(&results),
            () if !evidence.is_empty() => evidence.report(&results, clean, GIVEN),
            // Where most of the change was left as it is, tests may notice that.
            () if passes && others <= lines => {
                let seen = format!("no test notices the change: all pass {GIVEN}");
                report(ProofRun::Red, &results, RunWord::Fail, seen)
            }
            () => not_loaded(&results),
        }))
    }

    /// Whether a test names what the change adds. What was only moved is there without the change.
    pub(super) fn tests_name_added(&mut self, basis: Basis<'_>) -> Result<bool> {
        let Basis { subject, files, .. } = basis;
        let mut added: Vec<String> = Vec::new();
        for source in self.sources(files)? {
            added.extend(source.hollow(Extent::Whole).into_iter().flat_map(|hollow| hollow.names));
        }
        for file in &files.files {
            if let FileUndo::Put(Some(before)) = &file.red
                && before.kind != EntryKind::Link
            {
                let before = self.parts.git.blob(&before.id)?;
                added.retain(|name| words(&before, name).next().is_none());
            }
        }
        added.retain(|name| !name.is_empty());
        if added.is_empty() {
            return Ok(false);
        }
        let tests = self.test_files(subject)?;
        let is_named = |text: &[u8]| added.iter().any(|name| words(text, name).next().is_some());
        Ok(tests.iter().any(|FileRead { path, content }| match kind_of(path) {
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
                && let Some(hollow) = without_stubs(&file.shown(), &source.content, &source.changed)
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
    fn hollow(&self, extent: Extent) -> Option<Hollow> {
        hollowed(&String::from_utf8_lossy(&self.path), &self.content, &self.changed, extent)
    }
}
