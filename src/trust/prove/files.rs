//! The files that a task changed: which of them judge, and what each run puts in their place.

use std::collections::{BTreeSet, HashMap};

use super::ProofSubject;
use super::report::JudgingFiles;
use crate::error::Result;
use crate::git::{Entry, EntryKind, Git, PathEntry};
use crate::history::{Repository, TreeComparison, changed_paths};
use crate::record::CommitId;
use crate::text::{pathspec_word, show_path};
use crate::trust::checkers::Started;
use crate::trust::files::{FileKind, is_documentation, judges, kind_in_change};
use crate::trust::inline::{combine, is_test_module, test_part};
use crate::trust::mixed::with_runners_of;

/// How many files a remedy names.
const NAMED: usize = 10;

/// What a run does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileUndo {
    /// Nothing.
    Keep,
    /// It puts this in its place.
    Put(Option<Entry>),
    /// What the file would be is not known; why, as a clause.
    Unknown(&'static str),
}

/// A file that the change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProofFile {
    /// From the top, as the bytes that git uses.
    pub(super) path: Vec<u8>,
    pub(super) kind: FileKind,
    /// The file at the commit that is judged.
    pub(super) now: Option<Entry>,
    /// The file without the change.
    pub(super) without: Option<Entry>,
    /// What the red run does to it.
    pub(super) red: FileUndo,
    /// What the old run does to it.
    pub(super) old: FileUndo,
    /// Whether the source may need the file as the change left it, although it judges.
    pub(super) is_mixed: bool,
}

/// All files that a change touches.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    pub(super) files: Vec<ProofFile>,
    /// What the commands start.
    pub(super) started: Started,
}

impl ProofFile {
    pub(super) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.path).into_owned()
    }

    /// Whether the plan lets the task change it.
    pub(super) fn is_allowed(&self, subject: &ProofSubject) -> bool {
        subject.may_change.iter().any(|pattern| pattern.matches(&self.shown()))
    }

    fn entry(&self, undo: &FileUndo) -> Option<PathEntry> {
        match undo {
            FileUndo::Put(entry) => Some(PathEntry { path: self.path.clone(), entry: entry.clone() }),
            FileUndo::Keep | FileUndo::Unknown(_) => None,
        }
    }
}

impl ChangedFiles {
    /// Reads which files a change touches, and what they are without it.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(super) fn read(git: &Git, repository: &Repository, subject: &ProofSubject) -> Result<Self> {
        let mut paths = BTreeSet::new();
        for own in &subject.own {
            let comparison = TreeComparison { commit: own.after, base: Some(own.before) };
            paths.extend(changed_paths(repository, &[comparison])?);
        }
        paths.retain(|path| !subject.without.iter().any(|file| file.as_bytes() == path.as_slice()));
        let paths: Vec<Vec<u8>> = paths.into_iter().collect();
        let mut now = git.entries(&subject.head, &paths)?;
        let parts = subject.own.iter().rev();
        let parts =
            parts.map(|own| Ok([git.entries(&own.before, &paths)?, git.entries(&own.after, &paths)?]));
        let parts: Vec<Part> = parts.collect::<Result<_>>()?;
        let commands = subject.commands.iter().map(|command| command.command.clone()).collect();
        let started = started_by(git, &subject.head, commands)?;
        let mut files = Vec::new();
        // The commit before says what a file was: declarations in the change could turn source into tests.
        let base = subject.own.first().map_or(subject.head, |own| own.before);
        for path in paths {
            let (now, shown) = (now.remove(&path), String::from_utf8_lossy(&path).into_owned());
            let without = undone(git, &parts, &path, now.as_ref())?;
            // A submodule with tests is as it was before in the old run. Of others, only the commit is known, and not the source.
            let mut both = now.iter().chain(&without);
            let is_submodule = both.any(|entry| entry.kind == EntryKind::Submodule);
            // Nothing is left of a change that was taken back.
            if now == without || is_submodule && !judges(&shown, &subject.protected) {
                continue;
            }
            let told_by = if without.is_some() { base } else { subject.head };
            let kind = match kind_in_change(&shown, without.is_some()) {
                FileKind::Other if holds_test_module(git, &told_by, &shown)? => FileKind::Test,
                // A folder that is a package is no place from which modules are imported by their bare names.
                FileKind::Shadow
                    if shown.starts_with("src/")
                        && !git.entries(&base, &[b"src/__init__.py".to_vec()])?.is_empty() =>
                {
                    FileKind::Other
                }
                kind => kind,
            };
            let (red, old, is_mixed) = (FileUndo::Keep, FileUndo::Keep, false);
            let file = ProofFile { path, kind, now, without, red, old, is_mixed };
            files.push(with_roles(git, subject, &started, file)?);
        }
        Ok(Self { files, started })
    }

    /// Whether nothing is changed that tests could notice: only documentation, instructions for agents, and definitions of
    /// what CI services run.
    pub(super) fn are_documentation(&self) -> bool {
        let is_read = |file: &ProofFile| {
            matches!(file.kind, FileKind::Ci | FileKind::Arborist | FileKind::Instructions)
                || file.kind == FileKind::Other && is_documentation(&file.shown())
        };
        self.files.iter().all(is_read)
    }

    /// Why one of the runs does not know what to put in the place of a file, as a clause.
    pub(super) fn unknown(&self, undo: fn(&ProofFile) -> &FileUndo) -> Option<String> {
        self.files.iter().find_map(|file| match undo(file) {
            FileUndo::Unknown(why) => {
                Some(format!("the tests in {} cannot be told from its source: {why}", file.shown()))
            }
            FileUndo::Keep | FileUndo::Put(_) => None,
        })
    }

    /// The files that judge as they were before, except for those that the task may change.
    pub(super) fn old_entries(&self, subject: &ProofSubject) -> Vec<PathEntry> {
        self.judging(subject).filter_map(|file| file.entry(&file.old)).collect()
    }

    /// The files that the old run takes back.
    pub(super) fn judging<'s>(&'s self, subject: &'s ProofSubject) -> impl Iterator<Item = &'s ProofFile> {
        self.files.iter().filter(move |file| file.old != FileUndo::Keep && !file.is_allowed(subject))
    }

    /// How to take back the change to files that judge, apart from those that the task may change, and how to allow it.
    pub(super) fn changed_judging(&self, subject: &ProofSubject) -> Option<JudgingFiles> {
        let base = subject.own.first()?.before.short();
        let (changed, added): (Vec<_>, Vec<_>) =
            self.judging(subject).partition(|file| file.without.is_some());
        let [changed, added] =
            [changed, added].map(|files| files.into_iter().take(NAMED).map(ProofFile::shown).collect());
        let command = |start: &str, paths: &Vec<String>| {
            let words: String = paths.iter().map(|path| format!(" {}", pathspec_word(path))).collect();
            (!words.is_empty()).then(|| format!("{start} --{words}"))
        };
        let restore = command(&format!("git restore --source={base}"), &changed);
        let remove = command("git rm -q -f", &added);
        let undo = restore.into_iter().chain(remove).collect::<Vec<_>>().join(" && ");
        let paths: Vec<String> = changed.iter().chain(&added).map(|path| format!("{path:?}")).collect();
        Some(JudgingFiles { undo, allow: format!("\"may_change\": [{}]", paths.join(", ")) })
    }

    /// Whether the change touched files that judge and were there before: new attributes change how git writes those.
    pub(super) fn changes_existing(&self, subject: &ProofSubject) -> bool {
        self.judging(subject).any(|file| file.without.is_some() || file.path.ends_with(b".gitattributes"))
    }

    /// The same without files that the changed source may need: build files, and added tests with their data.
    pub(super) fn old_entries_that_load(&self, subject: &ProofSubject) -> Vec<PathEntry> {
        // A module that shadows another one, and what runs tests, is no part of the source.
        let is_needed = |file: &&ProofFile| {
            let may_be = matches!(file.kind, FileKind::Test | FileKind::TestData);
            file.is_mixed || may_be && file.without.is_none()
        };
        let kept = self.judging(subject).filter(|file| !is_needed(file));
        kept.filter_map(|file| file.entry(&file.old)).collect()
    }

    /// The source as it was before.
    pub(super) fn red_entries(&self) -> Vec<PathEntry> {
        self.files.iter().filter_map(|file| file.entry(&file.red)).collect()
    }
}

/// The versions of files before and after a part of a change.
type Part = [HashMap<Vec<u8>, Entry>; 2];

/// A file without the change that has these parts, the newest first, if it is `now` with it. Where others changed it in between, only the
/// lines of the change are taken back. If that is not possible, the file is as it was before the first part.
fn undone(git: &Git, parts: &[Part], path: &[u8], now: Option<&Entry>) -> Result<Option<Entry>> {
    let versions = parts.iter().map(|[before, after]| (before.get(path), after.get(path)));
    let changes: Vec<_> = versions.filter(|(before, after)| before != after).collect();
    let mut current = now.cloned();
    for (before, after) in &changes {
        let merged = match (&current, after, before) {
            (current, after, before) if current.as_ref() == *after => Some(before.cloned()),
            (Some(mine), Some(base), Some(other)) => git.merge_blobs(mine, base, other)?.map(Some),
            _ => None,
        };
        let Some(merged) = merged else { return Ok(changes.last().and_then(|(oldest, _)| oldest.cloned())) };
        current = merged;
    }
    Ok(current)
}

/// Whether a file of Rust holds a module that is declared for tests alone.
fn holds_test_module(git: &Git, commit: &CommitId, path: &str) -> Result<bool> {
    let Some(stem) = path.strip_suffix(".rs") else { return Ok(false) };
    let module = stem.strip_suffix("/mod").unwrap_or(stem);
    let (folder, name) = module.rsplit_once('/').unwrap_or(("", module));
    let parents = ["/lib.rs", "/main.rs", "/mod.rs", ".rs"]
        .map(|end| format!("{folder}{end}").trim_start_matches('/').as_bytes().to_vec());
    for entry in git.entries(commit, &parents)?.into_values() {
        if is_test_module(&String::from_utf8_lossy(&git.blob(&entry.id)?), name) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads what commands start at a commit.
pub(super) fn started_by(git: &Git, commit: &CommitId, commands: Vec<String>) -> Result<Started> {
    Started::read(commands, |paths| {
        let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
        let found = git.entries(commit, &paths)?.into_iter().filter(|(_, entry)| is_text(entry));
        found.map(|(path, entry)| Ok((show_path(&path), git.blob(&entry.id)?))).collect()
    })
}

/// Whether an entry is a file, whose content can be looked at.
pub(super) fn is_text(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::File | EntryKind::Executable)
}

/// Says what the runs do to a file.
fn with_roles(git: &Git, subject: &ProofSubject, started: &Started, file: ProofFile) -> Result<ProofFile> {
    let path = file.shown();
    let is_protected = subject.protected.iter().any(|pattern| pattern.matches(&path));
    let has_text = file.now.iter().chain(&file.without).all(is_text);
    let is_mixed = file.kind == FileKind::Mixed;
    let before = FileUndo::Put(file.without.clone());
    // A look uses the configuration of a checker as it was before. The same file may be that of the tests.
    let is_shared = path.rsplit('/').next() == Some("setup.cfg");
    if started.configures(&path) && has_text && file.kind != FileKind::Other && !is_protected && !is_shared {
        return Ok(file);
    }
    if file.kind.judges() || is_protected {
        return Ok(ProofFile { old: before, ..file });
    }
    if is_documentation(&path) {
        return Ok(file);
    }
    if !has_text {
        // A link has no keys that could be put back, so the whole file judges.
        let old = if is_mixed { before.clone() } else { FileUndo::Keep };
        return Ok(ProofFile { red: before, old, ..file });
    }
    if !is_mixed && !path.ends_with(".rs") {
        return Ok(ProofFile { red: before, ..file });
    }
    let (base, head) = (content(git, file.without.as_ref())?, content(git, file.now.as_ref())?);
    if is_mixed {
        let (base, head) = (base.as_deref(), head.as_deref());
        // A file that is gone stays away.
        let red = head.and_then(|head| with_runners_of(&path, Some(head), base));
        let red = red.map_or(Ok(FileUndo::Keep), |bytes| put(git, &file, bytes))?;
        return Ok(match with_runners_of(&path, base, head) {
            Some(bytes) => ProofFile { red, old: put(git, &file, bytes)?, ..file },
            // If that cannot load, the file stays as the task left it, and a pass is the warning `mixed-file`.
            None => ProofFile { red, old: before, is_mixed, ..file },
        });
    }
    // The tests in a file of Rust stay where the source is undone. Without the file there is nothing that they could test.
    let (Some(head), base) = (head, base.unwrap_or_default()) else {
        return Ok(ProofFile { red: before, ..file });
    };
    let has_tests = |bytes: &[u8]| test_part(&path, bytes).is_none_or(|parts| !parts.is_empty());
    if !has_tests(&head) && !has_tests(&base) {
        return Ok(ProofFile { red: before, ..file });
    }
    let undo = |combined: std::result::Result<Vec<u8>, &'static str>| match combined {
        Ok(bytes) => put(git, &file, bytes),
        Err(why) => Ok(FileUndo::Unknown(why)),
    };
    let (red, old) = (undo(combine(&path, &head, &base))?, undo(combine(&path, &base, &head))?);
    Ok(ProofFile { red, old, ..file })
}

pub(super) fn content(git: &Git, entry: Option<&Entry>) -> Result<Option<Vec<u8>>> {
    entry.map(|entry| git.blob(&entry.id)).transpose()
}

/// What to do to a file so that it has this content.
pub(super) fn put(git: &Git, file: &ProofFile, content: Vec<u8>) -> Result<FileUndo> {
    let kind = file.now.as_ref().or(file.without.as_ref()).map_or(EntryKind::File, |entry| entry.kind);
    let entry = Some(Entry { kind, id: git.write_blob(content)? });
    Ok(if entry == file.now { FileUndo::Keep } else { FileUndo::Put(entry) })
}
