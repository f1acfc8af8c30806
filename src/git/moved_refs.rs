//! Looks at references that something else has moved, and makes them name what they have to name.

use super::output::commits_in;
use super::{Git, RESCUE};
use crate::error::Result;
use crate::record::CommitId;

/// How many entries of a reflog are looked at.
const MOST_LOGGED: &str = "--max-count=200";

/// Why a commit is kept that a reference named before a program moved it ([`Git::keep`]).
pub const REPLACED: &str = "replaced";

/// Why a commit is kept that a worker had not pushed when somebody else took its task over ([`Git::keep`]).
pub const SUPERSEDED: &str = "superseded";

impl Git {
    /// Makes a reference name a commit, or removes it, whatever it is now: it may lead to another reference, or be broken. No hook
    /// is run.
    ///
    /// # Errors
    /// If git cannot write it, or the commit is gone.
    pub fn set_reference(&self, name: &str, commit: Option<&CommitId>) -> Result<()> {
        let id = commit.map(ToString::to_string);
        let mut args = vec!["update-ref", "--no-deref"];
        match &id {
            Some(id) => args.extend(["-m", "arborist: put back", name, id]),
            None => args.extend(["-d", name]),
        }
        let Err(error) = self.command(&args).without_hooks().demand() else { return Ok(()) };
        // git refuses to write a reference whose file it cannot read.
        let file = self.dir().join(self.path_of(name)?);
        if std::fs::remove_file(file).is_err() {
            return Err(error);
        }
        if commit.is_none() {
            return Ok(());
        }
        self.command(&args).without_hooks().demand().map(drop)
    }

    /// Puts HEAD on a branch, by its full name. Index and work tree stay as they are.
    ///
    /// # Errors
    /// If git cannot write it.
    pub fn set_head(&self, branch: &str) -> Result<()> {
        let args = ["symbolic-ref", "-m", "arborist: put back", "HEAD", branch];
        self.command(args).without_hooks().demand().map(drop)
    }

    /// What a reference has named, as its reflog knows, newest first; nothing without a reflog.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn logged(&self, name: &str) -> Result<Vec<CommitId>> {
        let output = self.call([
            "log",
            "--walk-reflogs",
            "--no-show-signature",
            "--format=%H",
            MOST_LOGGED,
            name,
            "--",
        ])?;
        Ok(commits_in(&output.stdout))
    }

    /// Keeps a commit from being forgotten: a reference under [`RESCUE`] names it from now on. No hook is run.
    ///
    /// # Errors
    /// If git cannot write the reference.
    pub fn keep(&self, commit: &CommitId, why: &str) -> Result<String> {
        let name = format!("{RESCUE}{why}/{}", commit.short());
        self.set_reference(&name, Some(commit))?;
        Ok(name)
    }

    /// Whether a commit was kept for this reason.
    ///
    /// # Errors
    /// If git cannot read the references.
    pub fn keeps_any(&self, why: &str) -> Result<bool> {
        Ok(!self.demand(["for-each-ref", "--count=1", &format!("{RESCUE}{why}")])?.is_empty())
    }
}
