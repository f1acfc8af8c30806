//! Makes what a change adds hollow, and looks whether a test notices.

use std::collections::HashSet;

use super::before::RedRun;
use super::files::{ChangedFiles, FileUndo, ProofFile};
use super::prover::{Basis, ProofStage, Prover, Run};
use crate::error::Result;
use crate::git::{Entry, EntryKind, PathEntry};
use crate::suite::Language;
use crate::trust::files::{FileKind, kind_of};
use crate::trust::hollow::{Hollow, hollowed, without_stubs};
use crate::trust::inline::only_tests;
use crate::trust::scan::{Source, has_name, names_in};

/// How large a file may be that is read, in bytes.
const LARGEST: usize = 256 << 10;

/// The source that the change touches.
#[derive(Default)]
pub(super) struct Change {
    sources: Vec<ChangedSource>,
    /// The names in the lines that it takes out.
    gone: HashSet<String>,
    /// The names that were there without it.
    before: HashSet<String>,
    /// The names in tests.
    tests: HashSet<String>,
}

/// A file of source that the change touches.
struct ChangedSource {
    source: Source,
    kind: EntryKind,
    /// The lines that were added or changed, counted from 1.
    changed: Vec<usize>,
}

impl Prover<'_> {
    /// Runs the commands with everything hollow that the change adds: a test must fail then that passes with the change. None if nothing
    /// can be made hollow.
    pub(super) fn hollow<'r>(&mut self, basis: Basis<'r>, change: &Change) -> Result<Option<RedRun<'r>>> {
        let (mut files, mut names, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for (hollow, ChangedSource { source, kind, .. }) in change.hollow() {
            kept.extend(hollow.kept);
            if !hollow.names.is_empty() {
                let id = self.parts.git.write_blob(hollow.content.into_bytes())?;
                let entry = Some(Entry { kind: *kind, id });
                files.push(PathEntry { path: source.path.clone().into_bytes(), entry });
                names.extend(hollow.names);
            }
        }
        if files.is_empty() || self.is_late() {
            return Ok(None);
        }
        let Change { tests, .. } = change;
        let accuses =
            (names.contains(&String::new()) || names_any(tests, &names)) && !names_any(tests, &kept);
        let run = Run { stage: ProofStage::Hollow, files, commands: &basis.subject.commands, success: false };
        let results = self.make(&run)?;
        Ok(Some(RedRun { run, results, accuses: Some(accuses) }))
    }

    /// The source from before the change, in which functions that did nothing but fail give empty values instead. Otherwise every
    /// test that calls one would notice the change, whatever it compares.
    pub(super) fn source_before(&self, files: &ChangedFiles) -> Result<Vec<PathEntry>> {
        let mut entries = files.red_entries();
        for file in &files.files {
            let (FileUndo::Put(Some(before)), Some(now)) = (&file.red, &file.now) else { continue };
            if let Some(source) = self.source(file, before, Some(now))?
                && let Some(hollow) = without_stubs(&source.source, &source.changed)
            {
                let id = self.parts.git.write_blob(hollow.content.into_bytes())?;
                let entry = Some(Entry { kind: before.kind, id });
                entries.retain(|entry| entry.path != file.path);
                entries.push(PathEntry { path: file.path.clone(), entry });
            }
        }
        Ok(entries)
    }

    /// The source files of the change, before and after it.
    pub(super) fn change(&mut self, Basis { files, subject, .. }: Basis<'_>) -> Result<Change> {
        let mut change = Change::default();
        for file in &files.files {
            let FileUndo::Put(before) = &file.red else { continue };
            if let Some(now) = &file.now {
                change.sources.extend(self.source(file, now, before.as_ref())?);
            }
            let Some(before) = before else { continue };
            if let Some(ChangedSource { source, changed, .. }) =
                self.source(file, before, file.now.as_ref())?
            {
                // What a whole file takes with it has a new place, where nothing of it loads without the change.
                let lines = (1..).zip(source.text.lines()).filter(|_| file.now.is_some());
                let gone = lines.filter(|(line, _)| changed.binary_search(line).is_ok());
                change.gone.extend(gone.flat_map(|(_, line)| names_in(line)).map(str::to_owned));
                change.before.extend(names_in(&source.text).map(str::to_owned));
            }
        }
        for file in self.test_files(subject)?.iter() {
            let text = match kind_of(&file.path) {
                FileKind::Test => Some(file.text.clone()),
                _ => only_tests(&file.path, file.text.as_bytes())
                    .map(|text| String::from_utf8_lossy(&text).into_owned()),
            };
            change.tests.extend(text.iter().flat_map(|text| names_in(text)).map(str::to_owned));
        }
        Ok(change)
    }

    /// A version of a file with the lines that another one does not have. None if it is no source.
    fn source(
        &self,
        file: &ProofFile,
        version: &Entry,
        other: Option<&Entry>,
    ) -> Result<Option<ChangedSource>> {
        let Ok(path) = String::from_utf8(file.path.clone()) else { return Ok(None) };
        if version.kind == EntryKind::Link || Language::of(&path).is_none() {
            return Ok(None);
        }
        let content = self.parts.git.blob(&version.id)?;
        let Some(source) = Source::read(path, content).filter(|source| source.text.len() <= LARGEST) else {
            return Ok(None);
        };
        let count = source.text.split_inclusive('\n').count();
        let changed = match other {
            None => (1..=count).collect(),
            Some(other) => {
                let lines = self.parts.git.lines_not_in(&other.id, &version.id)?.into_iter().flatten();
                lines.map(|place| place + 1).filter(|line| *line <= count).collect()
            }
        };
        Ok(Some(ChangedSource { source, kind: version.kind, changed }))
    }
}

impl Change {
    /// The files in which what was added is hollow.
    fn hollow(&self) -> impl Iterator<Item = (Hollow, &ChangedSource)> {
        let all = self.sources.iter();
        all.filter_map(|file| Some((hollowed(&file.source, &file.changed, &self.gone)?, file)))
    }

    /// Whether a test names what the change adds. What was only moved is there without the change.
    pub(super) fn is_named_by_tests(&self) -> bool {
        let mut added: Vec<String> = self.hollow().flat_map(|(hollow, _)| hollow.names).collect();
        added.retain(|name| !has_name(&self.before, name));
        names_any(&self.tests, &added)
    }
}

/// Whether one of these names is among those that a text has. A field is named with its object.
fn names_any(known: &HashSet<String>, names: &[String]) -> bool {
    names.iter().any(|name| !name.contains('.') && has_name(known, name))
}
