//! Makes what a change adds hollow, and looks whether a test notices.

use super::ProofSubject;
use super::canary::FileRead;
use super::files::{ChangedFiles, FileUndo, ProofFile};
use super::noticing::{HollowJudge, HollowRun};
use super::prover::{Basis, Prover, Run};
use crate::error::Result;
use crate::git::{Entry, EntryKind, PathEntry};
use crate::trust::files::{FileKind, kind_of};
use crate::trust::hollow::{Extent, Hollow, hollowed, without_stubs};
use crate::trust::inline::only_tests;
use crate::trust::language::Language;
use crate::trust::scan::words;

/// How large a file may be that is read, in bytes.
const LARGEST: usize = 256 << 10;

/// The source that the change touches.
#[derive(Default)]
struct Change {
    sources: Vec<ChangedSource>,
    /// The lines that it takes out.
    gone: Vec<u8>,
    /// What was there without it.
    before: Vec<u8>,
}

/// A file of source that the change touches.
#[derive(Clone)]
struct ChangedSource {
    path: Vec<u8>,
    kind: EntryKind,
    content: Vec<u8>,
    /// The lines that were added or changed, counted from 1.
    changed: Vec<usize>,
}

impl Prover<'_> {
    /// Runs the commands with everything hollow that the change adds, or else what it touches: a test must fail then that passes with the
    /// change. None if nothing can be made hollow.
    pub(super) fn hollow(&mut self, basis: Basis<'_>) -> Result<Option<HollowRun>> {
        let Basis { subject, files, .. } = basis;
        let Change { sources, gone, .. } = self.change(files)?;
        let hollow = |extent| {
            let hollow = |source: ChangedSource| Some((source.hollow(&gone, extent)?, source));
            sources.iter().cloned().filter_map(hollow).collect::<Vec<_>>()
        };
        // What existed before gives empty values only where nothing else can.
        let (mut extent, mut parts) = (Extent::Added, hollow(Extent::Added));
        if parts.iter().all(|(hollow, _)| hollow.names.is_empty()) {
            (extent, parts) = (Extent::Touched, hollow(Extent::Touched));
        }
        let (mut entries, mut names, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for (hollow, ChangedSource { path, kind, .. }) in parts {
            kept.extend(hollow.kept);
            if !hollow.names.is_empty() {
                let entry = Some(Entry { kind, id: self.parts.git.write_blob(hollow.content)? });
                entries.push(PathEntry { path, entry });
                names.extend(hollow.names);
            }
        }
        if entries.is_empty() || self.is_late() {
            return Ok(None);
        }
        let tests = self.texts_of_tests(subject)?;
        let accuses =
            (names.contains(&String::new()) || names_any(&tests, &names)) && !names_any(&tests, &kept);
        let run = Run { what: "hollow", files: entries, commands: &subject.commands, success: false };
        let results = self.make(&run)?;
        Ok(Some(HollowRun { files: run.files, results, judge: HollowJudge { extent, accuses } }))
    }

    /// Whether a test names what the change adds. What was only moved is there without the change.
    pub(super) fn tests_name_added(&mut self, basis: Basis<'_>) -> Result<bool> {
        let Basis { subject, files, .. } = basis;
        let Change { sources, gone, before } = self.change(files)?;
        let hollow = sources.iter().filter_map(|source| source.hollow(&gone, Extent::Added));
        let mut added: Vec<String> = hollow.flat_map(|hollow| hollow.names).collect();
        added.retain(|name| words(&before, name).next().is_none());
        Ok(!added.is_empty() && names_any(&self.texts_of_tests(subject)?, &added))
    }

    /// What the files with tests say in their tests.
    fn texts_of_tests(&mut self, subject: &ProofSubject) -> Result<Vec<Vec<u8>>> {
        let tests = self.test_files(subject)?.into_iter();
        let text = |FileRead { path, content }: FileRead| match kind_of(&path) {
            FileKind::Test => Some(content),
            _ => only_tests(&path, &content),
        };
        Ok(tests.filter_map(text).collect())
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

    /// The source files of the change, before and after it.
    fn change(&self, files: &ChangedFiles) -> Result<Change> {
        let mut change = Change::default();
        for file in &files.files {
            let FileUndo::Put(before) = &file.red else { continue };
            if let Some(now) = &file.now {
                change.sources.extend(self.source(file, now, before.as_ref())?);
            }
            let Some(before) = before else { continue };
            if let Some(ChangedSource { content, changed, .. }) =
                self.source(file, before, file.now.as_ref())?
            {
                let lines = (1..).zip(content.split(|byte| *byte == b'\n'));
                // What a whole file takes with it has a new place, where nothing of it loads without the change.
                let gone =
                    lines.filter(|(line, _)| file.now.is_some() && changed.binary_search(line).is_ok());
                change.gone.extend(gone.flat_map(|(_, line)| [line, b"\n"].concat()));
                change.before.extend(content);
            }
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
    fn hollow(&self, gone: &[u8], extent: Extent) -> Option<Hollow> {
        hollowed(&String::from_utf8_lossy(&self.path), &self.content, &self.changed, gone, extent)
    }
}

/// Whether a text has one of these names. A field is named with its object.
fn names_any(texts: &[Vec<u8>], names: &[String]) -> bool {
    let is_named = |name: &&String| {
        !name.is_empty() && !name.contains('.') && texts.iter().any(|text| words(text, name).next().is_some())
    };
    names.iter().any(|name| is_named(&name))
}
