//! The files that a task changed, told apart into tests and source.

use std::collections::BTreeSet;
use std::path::Path;

use super::subject::Subject;
use super::undone::Undone;
use crate::error::Result;
use crate::git::{Entry, EntryKind, Git};
use crate::history::{Repository, TreeComparison, changed_paths};
use crate::trust::files::{FileKind, kind_of};
use crate::trust::inline::{Combined, combine, test_part};
use crate::trust::language::Language;

/// What a run does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Undo {
    /// Nothing.
    Keep,
    /// It puts this in its place.
    Put(Option<Entry>),
    /// It cannot be told what the file would be; why, as a clause.
    Unknown(&'static str),
}

/// A file that the change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedFile {
    /// From the top, as the bytes that git uses.
    pub(super) path: Vec<u8>,
    pub(super) kind: FileKind,
    /// The file at the commit that is judged.
    pub(super) now: Option<Entry>,
    /// The file without the change.
    pub(super) without: Option<Entry>,
    /// What the red run does to it.
    pub(super) red: Undo,
    /// What the old run does to it.
    pub(super) old: Undo,
}

/// All files that a change touches.
#[derive(Debug)]
pub(super) struct ChangedFiles {
    pub(super) files: Vec<ChangedFile>,
}

impl ChangedFile {
    pub(super) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.path).into_owned()
    }

    /// Whether it is code that has nothing but tests and was not there before. Such a file weakens no other test.
    pub(super) fn is_new_test(&self) -> bool {
        self.without.is_none() && self.kind == FileKind::Test
    }
}

impl ChangedFiles {
    /// Reads which files a change touches, and what they are without it.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(super) fn read(git: &Git, repository: &Repository, subject: &Subject) -> Result<Self> {
        let mut paths = BTreeSet::new();
        for own in &subject.own {
            let comparison = TreeComparison { commit: own.after, base: Some(own.before) };
            paths.extend(changed_paths(repository, &[comparison])?);
        }
        paths.retain(|path| !subject.without.iter().any(|file| file.as_bytes() == path.as_slice()));
        let paths: Vec<Vec<u8>> = paths.into_iter().collect();
        let mut now = git.entries(&subject.head, &paths)?;
        let undone = Undone::read(git, subject, &paths)?;
        let mut files = Vec::new();
        for path in paths {
            let now = now.remove(&path);
            let without = undone.entry(git, &path, now.as_ref())?;
            // Nothing is left of a change that was taken back, and a submodule is not ours to change.
            if now == without || is_submodule(now.as_ref()) || is_submodule(without.as_ref()) {
                continue;
            }
            let kind = kind_of(&String::from_utf8_lossy(&path));
            let mut file = ChangedFile { path, kind, now, without, red: Undo::Keep, old: Undo::Keep };
            if kind.is_test_side() {
                file.old = Undo::Put(file.without.clone());
            } else if !matches!(kind, FileKind::Ci | FileKind::Arborist) && !is_documentation(&file.shown()) {
                split(git, &mut file)?;
            }
            files.push(file);
        }
        Ok(Self { files })
    }

    /// Whether nothing is changed that tests could notice: only documentation, and definitions of what CI services run.
    pub(super) fn are_documentation(&self) -> bool {
        self.files.iter().all(|file| file.red == Undo::Keep && file.old == Undo::Keep)
    }

    /// The files with changed tests, apart from those that the task may change.
    pub(super) fn protected_tests<'s>(&'s self, subject: &Subject) -> impl Iterator<Item = &'s ChangedFile> {
        let allowed = subject.may_change.clone();
        self.files
            .iter()
            .filter(|file| file.old != Undo::Keep)
            .filter(move |file| !allowed.iter().any(|pattern| pattern.matches(&file.shown())))
    }
}

fn is_submodule(entry: Option<&Entry>) -> bool {
    entry.is_some_and(|entry| entry.kind == EntryKind::Submodule)
}

/// Whether a file is written for people and has no effect on what programs do.
fn is_documentation(path: &str) -> bool {
    let path = Path::new(path);
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let ending = path.extension().and_then(|ending| ending.to_str());
    let known = ["md", "markdown", "rst", "adoc", "asciidoc"];
    let names = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CHANGELOG", "CONTRIBUTING", "README"];
    ending.is_some_and(|ending| known.iter().any(|known| ending.eq_ignore_ascii_case(known)))
        || names.contains(&name) && ending.is_none_or(|ending| ending == "txt")
}

/// Tells the tests in a file of source from the source itself.
fn split(git: &Git, file: &mut ChangedFile) -> Result<()> {
    file.red = Undo::Put(file.without.clone());
    let path = file.shown();
    let is_text = |entry: &Option<Entry>| entry.as_ref().is_none_or(|entry| entry.kind != EntryKind::Link);
    if Language::of(&path).is_none() || !is_text(&file.now) || !is_text(&file.without) {
        return Ok(());
    }
    let read = |entry: &Option<Entry>| entry.as_ref().map(|entry| git.blob(&entry.id)).transpose();
    let (now, without) = (read(&file.now)?, read(&file.without)?);
    let has_tests = |bytes: &Option<Vec<u8>>| {
        bytes.as_ref().is_some_and(|bytes| test_part(&path, bytes).is_none_or(|parts| !parts.is_empty()))
    };
    if !has_tests(&now) && !has_tests(&without) {
        return Ok(());
    }
    let kind = file.now.as_ref().or(file.without.as_ref()).map_or(EntryKind::File, |entry| entry.kind);
    let put = |combined: Combined| -> Result<Undo> {
        match combined {
            Combined::File(bytes) => {
                let entry = Some(Entry { kind, id: git.write_blob(bytes)? });
                Ok(if entry == file.now { Undo::Keep } else { Undo::Put(entry) })
            }
            Combined::NotApplicable(why) => Ok(Undo::Unknown(why)),
        }
    };
    // Without the file there is nothing that its tests could test, so its tests alone stay.
    let (red, old) = (
        now.as_deref()
            .map(|now| put(combine(&path, now, without.as_deref().unwrap_or_default())))
            .transpose()?,
        now.as_deref()
            .map(|now| put(combine(&path, without.as_deref().unwrap_or_default(), now)))
            .transpose()?,
    );
    file.red = red.unwrap_or(Undo::Put(file.without.clone()));
    file.old = old.unwrap_or(Undo::Keep);
    Ok(())
}
