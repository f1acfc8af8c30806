//! Makes one commit through the git program: the user's hooks, signing, filters and identity all apply, because git does
//! the writing.

use std::path::Path;

use super::staging::Selection;
use super::status::{ChangeKind, Staged};
use super::temporary_index::TemporaryIndex;
use super::{Change, Git, Pathspecs};
use crate::error::{Error, Kind, Result};

/// The command; the message comes by standard input and is committed as it is.
const COMMIT: &[&str] = &["commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--no-edit", "-F", "-"];

/// What else the index holds when a commit is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Staging {
    /// Nothing but what is committed now.
    Clean,
    /// Something that stays staged and out of the commit.
    Other,
}

impl Staging {
    /// What `changes`, taken before a step began, say about the index.
    #[must_use]
    pub fn of(changes: &[Change]) -> Self {
        let staged = |change: &Change| matches!(change.kind, ChangeKind::Tracked { staged: Staged::Yes, .. });
        if changes.iter().any(staged) { Self::Other } else { Self::Clean }
    }
}

/// A commit that is to be made.
#[derive(Debug)]
pub struct CommitRequest<'a> {
    /// What is committed.
    pub selection: &'a Selection,
    /// The whole message.
    pub message: &'a str,
    /// What else the index holds.
    pub staging: Staging,
}

impl Git {
    /// Makes a commit of the selected paths on the branch that is checked out.
    ///
    /// # Errors
    /// If git refuses. Whether the commit is the one that was meant is for the caller to find out.
    pub fn commit(&self, git_dir: &Path, request: &CommitRequest<'_>) -> Result<()> {
        // First in the index of the work tree, so that it fits the new commit at whatever moment we are killed.
        self.stage(request.selection)?;
        match request.staging {
            Staging::Clean => self.commit_index(None, request.message),
            Staging::Other => self.commit_alone(git_dir, request),
        }
    }

    /// Commits the selection on top of HEAD and nothing else. `git commit --only` would do so with patterns, which follow a
    /// link where a folder was, and takes hours for many paths.
    fn commit_alone(&self, git_dir: &Path, request: &CommitRequest<'_>) -> Result<()> {
        let index = TemporaryIndex::copy(git_dir)?;
        let answer = self.call_in(
            (Pathspecs::Literal, &[index.variable()]),
            ["read-tree", "--reset", "HEAD"],
            Vec::new(),
        )?;
        if !answer.status.success() {
            return Err(answer.into_error("git read-tree"));
        }
        self.stage_in(Some(&index), request.selection)?;
        self.commit_index(Some(&index), request.message)
    }

    fn commit_index(&self, index: Option<&TemporaryIndex>, message: &str) -> Result<()> {
        let env = index.map(TemporaryIndex::variable);
        let message = message.as_bytes().to_vec();
        let answer = self.call_in((Pathspecs::AsUserHasThem, env.as_slice()), COMMIT, message)?;
        if answer.status.success() {
            return Ok(());
        }
        let hooked = answer.status.code() == Some(1);
        let error = answer.into_error("git commit");
        Err(if hooked && error.kind() == Kind::Surroundings { refused_by_hook(&error) } else { error })
    }
}

fn refused_by_hook(error: &Error) -> Error {
    Error::new(
        Kind::Surroundings,
        format!("{} (a hook of yours refused it)", error.what()),
        "Nothing was committed; the changes are staged and in the work tree. Make the hook pass, then run the same \
         command again.",
    )
}
