//! Keeps secrets out of commits: new files that look like a secret are held back, other files are named.
//!
//! A file that history already has is committed all the same, because its name is the user's choice and a secret in it
//! may be intended. It is recorded as a finding, so that a person and the reviewer can look at it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Write;

use crate::config::SecretFiles;
use crate::engine::tree::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::git::{CatFile, Git, Staged};
use crate::record::{Check, CommitId, Finding, Severity};
use crate::worktree::path_kind::joined;
use crate::worktree::secret_search::SecretSearch;
use crate::worktree::suspects::{SEARCHED, Suspect, beginning};
use crate::worktree::{Obstacle, StepChanges};

/// The files to be committed that look like secrets.
#[derive(Default)]
pub(crate) struct SuspectFiles {
    /// The files that must not be committed.
    pub(crate) refused: Vec<RefusedFile>,
    /// The files that are committed anyway, and named.
    pub(crate) named: Vec<Suspect>,
}

/// A file that looks like a secret and must not be committed.
pub(crate) struct RefusedFile {
    pub(crate) path: Vec<u8>,
    /// The reason.
    pub(crate) suspect: Suspect,
}

/// The finding about files that may contain a secret and are committed anyway; `None` if there are none.
pub(crate) fn possible_secrets(files: &BTreeSet<String>) -> Option<Finding> {
    let named = || {
        Finding::new(Check::PossibleSecret, Severity::Warning, "These files may contain a secret").at(files)
    };
    (!files.is_empty()).then(named)
}

/// Takes new files that look like secrets out of the commit. Returns the other files that look like secrets: they are
/// committed, and named.
///
/// # Errors
/// If git cannot read the earlier version of a file.
pub(crate) fn hold_back_secrets(
    workspace: &Workspace<'_>,
    changed: &mut StepChanges,
    head: &CommitId,
) -> Result<Vec<Suspect>> {
    let SuspectFiles { refused, named } = suspects_among(workspace, &changed.selection.there, head)?;
    let paths: HashSet<&Vec<u8>> = refused.iter().map(|file| &file.path).collect();
    changed.selection.there.retain(|path| !paths.contains(path));
    // What tests left behind does not count against the runner.
    let left = refused.into_iter().filter(|file| !workspace.foreign.tests.has(&file.path));
    changed.obstacles.extend(left.map(|RefusedFile { path, suspect }| {
        let is_staged = workspace.tree_changes.is_staged(&path);
        Obstacle::LooksSecret(suspect, if is_staged { Staged::Yes } else { Staged::No })
    }));
    changed.obstacles.sort_by_key(ToString::to_string);
    Ok(named)
}

/// Looks for secrets in files of the work tree that are to be committed on top of `head`.
///
/// # Errors
/// If git cannot read the earlier version of a file.
pub(crate) fn suspects_among(
    workspace: &Workspace<'_>,
    paths: &[Vec<u8>],
    head: &CommitId,
) -> Result<SuspectFiles> {
    let run = workspace.run;
    let mut found = SuspectFiles::default();
    let setting = run.settings.secret_files;
    if setting == SecretFiles::Off {
        return Ok(found);
    }
    let search = run.secret_search();
    let mut before = FilesBefore::new(&run.git, head);
    for path in paths {
        let is_new = workspace.tree_changes.is_new(path);
        let by_name = is_new.then(|| search.by_name(path)).flatten();
        let suspect = match by_name {
            Some(suspect) => Some(suspect),
            None => before.suspect(search, path, &beginning(&joined(&run.work_tree.top, path)))?,
        };
        match suspect {
            Some(suspect) if is_new && setting == SecretFiles::Refuse => {
                found.refused.push(RefusedFile { path: path.clone(), suspect });
            }
            suspect => found.named.extend(suspect),
        }
    }
    Ok(found)
}

/// The files of a commit, read on demand.
pub(crate) struct FilesBefore<'a> {
    git: &'a Git,
    commit: &'a CommitId,
    objects: Option<CatFile>,
    /// For each text that was searched for in all files, whether it was found.
    contained: HashMap<Vec<u8>, bool>,
}

impl<'a> FilesBefore<'a> {
    pub(crate) fn new(git: &'a Git, commit: &'a CommitId) -> Self {
        Self { git, commit, objects: None, contained: HashMap::new() }
    }

    /// The file as a suspect, if this content has secrets that the file did not have in the commit. A secret of the
    /// environment does not count if any file of the commit contains it.
    pub(crate) fn suspect(
        &mut self,
        search: SecretSearch<'_>,
        path: &[u8],
        content: &[u8],
    ) -> Result<Option<Suspect>> {
        if search.by_content(path, content, b"").is_none() {
            return Ok(None);
        }
        let mut before = self.content(path)?.unwrap_or_default();
        // A value that the repository already contains, such as a password for tests, is not a secret in it.
        for value in search.values_in(content) {
            if self.contains(value)? {
                before.push(b'\n');
                before.extend_from_slice(value);
            }
        }
        Ok(search.by_content(path, content, &before))
    }

    /// Whether any file of the commit contains `text`, which is a single line.
    fn contains(&mut self, text: &[u8]) -> Result<bool> {
        if let Some(known) = self.contained.get(text) {
            return Ok(*known);
        }
        let found = self.git.contains_text(self.commit, text)?;
        self.contained.insert(text.to_vec(), found);
        Ok(found)
    }

    /// The beginning of a file in the commit; `None` if the commit does not contain it.
    pub(crate) fn content(&mut self, path: &[u8]) -> Result<Option<Vec<u8>>> {
        let known = self.git.entries(self.commit, &[path.to_vec()])?;
        known.get(path).map(|entry| self.beginning(&entry.id)).transpose()
    }

    /// The beginning of a file in git's object store: the part that is searched.
    pub(crate) fn beginning(&mut self, id: &str) -> Result<Vec<u8>> {
        let objects = match &mut self.objects {
            Some(objects) => objects,
            none => none.insert(self.git.cat_file()?),
        };
        let mut content = PrefixBuffer::default();
        objects.copy(id, &mut content).map_err(|why| {
            Error::new(
                Kind::Repository,
                format!("git cannot read the file {id}: {why}"),
                "The step was not committed. Look at the repository with `git fsck`, and run the same command again.",
            )
        })?;
        Ok(content.0)
    }
}

/// Keeps only the beginning of the data that is written to it: the part that is searched.
#[derive(Default)]
struct PrefixBuffer(Vec<u8>);

impl Write for PrefixBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let limit = usize::try_from(SEARCHED).unwrap_or(usize::MAX);
        let room = limit.saturating_sub(self.0.len());
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
