//! Makes one commit, or one that reverts others, through the git program: the user's hooks, signing, filters and identity
//! all apply, because git does the writing.

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Git;
use super::change::{Change, ChangeKind, Staged};
use super::hook_log::{HookLog, HookRefusal, HookRuns};
use super::staging::Selection;
use super::temporary_index::TemporaryIndex;
use crate::error::{Error, Result};
use crate::files;
use crate::record::CommitId;

/// The command; the message comes by standard input and is committed as it is.
const COMMIT: &[&str] = &["commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--no-edit", "-F", "-"];

/// Other staged changes in the index when a commit is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Staging {
    /// There are none besides those that are committed now.
    Clean,
    /// There are some, which stay staged and out of the commit.
    Other,
}

impl Staging {
    /// The state of the index according to `changes`, which were recorded before a step began.
    #[must_use]
    pub fn of(changes: &[Change]) -> Self {
        let staged = |change: &Change| matches!(change.kind, ChangeKind::Tracked { staged: Staged::Yes, .. });
        if changes.iter().any(staged) { Self::Other } else { Self::Clean }
    }
}

/// A commit to be made.
#[derive(Debug)]
pub struct CommitRequest<'a> {
    /// The paths to commit.
    pub selection: &'a Selection,
    /// The whole message.
    pub message: &'a str,
    /// Other staged changes in the index.
    pub staging: Staging,
    /// The commit that is its second parent, if it is a merge.
    pub merges: Option<&'a CommitId>,
}

/// The outcome of `git commit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Committing {
    /// git has made a commit, and ran these hooks.
    Made(HookRuns),
    /// A hook refused it.
    Refused(HookRefusal),
}

impl Git {
    /// Makes a commit of the selected paths on the branch that is checked out.
    ///
    /// # Errors
    /// If git refuses or does not end. The caller must find out whether there is a commit nevertheless, and whether it
    /// is the intended one.
    pub fn commit(&self, git_dir: &Path, request: &CommitRequest<'_>) -> Result<Committing> {
        // The index of the work tree is updated first, so that it matches the new commit no matter when we are killed.
        self.stage(request.selection)?;
        let merge = request.merges.map(|merged| MergeInProgress::begin(git_dir, merged)).transpose()?;
        let committing = match request.staging {
            Staging::Clean => self.commit_index(git_dir, None, request.message),
            Staging::Other => self.commit_alone(git_dir, request),
        };
        if let Some(merge) = merge {
            merge.end()?;
        }
        committing
    }

    /// Commits all changes with this message, with the user's hooks and settings. Returns false if nothing has changed.
    ///
    /// # Errors
    /// If git or a hook refuses.
    pub fn commit_all(&self, message: &str) -> Result<bool> {
        if self.status()?.is_empty() {
            return Ok(false);
        }
        self.demand(["add", "--all"])?;
        self.command(["commit", "--quiet", "--file=-"]).with_hooks_of_user().stdin(message).demand()?;
        Ok(true)
    }

    /// Commits only the selection on top of HEAD. `git commit --only` would do the same with patterns, but these follow
    /// a link in the place of a folder, and many of them take hours.
    fn commit_alone(&self, git_dir: &Path, request: &CommitRequest<'_>) -> Result<Committing> {
        let index = TemporaryIndex::copy(git_dir)?;
        self.command(["read-tree", "--reset", "HEAD"]).on_index(Some(&index)).demand()?;
        self.stage_in(Some(&index), request.selection)?;
        let committing = self.commit_index(git_dir, Some(&index), request.message)?;
        if matches!(&committing, Committing::Made(hooks) if !hooks.names().is_empty()) {
            self.follow_head(request.selection)?;
        }
        Ok(committing)
    }

    /// Updates the index of the work tree with changes that hooks made to the selected files. They are in HEAD, and in
    /// a temporary index that is gone.
    fn follow_head(&self, selection: &Selection) -> Result<()> {
        let ours: HashSet<&[u8]> = selection.paths().collect();
        let mut differing = self.committed_beside_index()?;
        differing.retain(|entry| ours.contains(entry.path.as_slice()));
        self.set_index(&differing)
    }

    fn commit_index(
        &self,
        git_dir: &Path,
        index: Option<&TemporaryIndex>,
        message: &str,
    ) -> Result<Committing> {
        let log = HookLog::new(git_dir);
        let call = self.command(COMMIT).with_hooks_of_user().env(log.variables()).on_index(index);
        let output = call.stdin(message).output()?;
        let hooks = log.read();
        match hooks.refusal(&output) {
            _ if output.status.success() => Ok(Committing::Made(hooks)),
            Some(refusal) => Ok(Committing::Refused(refusal)),
            None => Err(output.into_error()),
        }
    }
}

/// The files by which git knows that the next commit is a merge.
pub struct MergeInProgress<'a> {
    git_dir: &'a Path,
}

impl<'a> MergeInProgress<'a> {
    const FILES: [&'static str; 3] = ["MERGE_MODE", "MERGE_MSG", "MERGE_HEAD"];

    fn begin(git_dir: &'a Path, merged: &CommitId) -> Result<Self> {
        for (name, content) in [("MERGE_MODE", "no-ff".to_owned()), ("MERGE_HEAD", format!("{merged}\n"))] {
            let path = git_dir.join(name);
            files::replace(&path, content.as_bytes())
                .map_err(|error| Error::not_written(path.display(), &error))?;
        }
        Ok(Self { git_dir })
    }

    /// The merge that a killed process has begun in this git directory.
    #[must_use]
    pub fn left_in(git_dir: &'a Path) -> Self {
        Self { git_dir }
    }

    /// Removes the files that are left. git has removed them if it has made the commit.
    ///
    /// # Errors
    /// If they cannot be removed.
    pub fn end(self) -> Result<()> {
        for name in Self::FILES {
            let path = self.git_dir.join(name);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::not_written(path.display(), &error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
