//! Looks at single references and stashes, and restores references that were deleted.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::output::{paths_in, text_of};
use super::{Git, Variable};
use crate::error::Result;
use crate::record::CommitId;

/// A stash entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stash {
    /// Its commit.
    pub commit: CommitId,
    /// Its name for git commands, for example `stash@{0}`.
    pub name: String,
    /// The branch on which it was made, without `refs/heads/`; empty if its subject does not name one.
    pub branch: String,
}

impl Git {
    /// The stash entries, newest first.
    ///
    /// # Errors
    /// If git cannot read the stash.
    pub fn stashes(&self) -> Result<Vec<Stash>> {
        let format = "--format=%H %s";
        let mut listed = self.demand(["log", "-g", format, "refs/stash", "--"])?;
        if listed.is_empty() {
            // Without a reflog, only the newest entry exists.
            listed = self.demand(["log", "-1", format, "refs/stash", "--"])?;
        }
        let entry = |(number, line): (usize, &str)| {
            let (id, subject) = line.split_once(' ')?;
            let commit = CommitId::from_hex(id.as_bytes())?;
            let on = ["WIP on ", "On "].iter().find_map(|start| subject.strip_prefix(start));
            let branch = on.and_then(|rest| rest.split_once(':')).map(|(branch, _)| branch.to_owned());
            Some(Stash { commit, name: format!("stash@{{{number}}}"), branch: branch.unwrap_or_default() })
        };
        Ok(text_of(&listed).lines().enumerate().filter_map(entry).collect())
    }

    /// The files whose changes a stash has, those that git did not know included.
    ///
    /// # Errors
    /// If git cannot read it.
    pub fn stashed_paths(&self, stash: &CommitId) -> Result<Vec<Vec<u8>>> {
        let changed = |from: &str, to: &str| -> Result<Vec<Vec<u8>>> {
            let args = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", "--no-renames"];
            let ends = [from, to].into_iter().filter(|end| !end.is_empty());
            Ok(paths_in(&self.demand(args.into_iter().chain(ends))?))
        };
        let mut paths = changed(&format!("{stash}^1"), &stash.to_string())?;
        if let Some(untracked) = self.commit_named(&format!("{stash}^3"))? {
            paths.extend(changed("", &untracked.to_string())?);
        }
        Ok(paths)
    }

    /// Applies a stash, which stays. What was staged is staged again where git can do that. Whether git has done it.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn apply_stash(&self, stash: &CommitId) -> Result<bool> {
        let stash = stash.to_string();
        let with_index = self.call(["stash", "apply", "--index", "--quiet", &stash])?.status.success();
        Ok(with_index || self.call(["stash", "apply", "--quiet", &stash])?.status.success())
    }

    /// Whether the files are as a stash has them, so that it was applied. `false` if it has files that git does not know, which git
    /// does not compare.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn is_as_stashed(&self, stash: &CommitId, paths: &[Vec<u8>]) -> Result<bool> {
        if paths.is_empty() || self.commit_named(&format!("{stash}^3"))?.is_some() {
            return Ok(false);
        }
        let stash = stash.to_string();
        let args = ["--literal-pathspecs", "diff", "--quiet", "--no-ext-diff", &stash, "--"];
        let paths = paths.iter().map(|path| OsStr::from_bytes(path));
        Ok(self.call(args.into_iter().map(OsStr::new).chain(paths))?.status.success())
    }

    /// Whether the repository has an object. A missing object is not fetched.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn has_object(&self, object: &CommitId) -> Result<bool> {
        let no_fetch = Variable { name: "GIT_NO_LAZY_FETCH", value: "1".into() };
        let output = self.command(["cat-file", "-e", &object.to_string()]).env([no_fetch]).output()?;
        // Any other status means that git could not look.
        Ok(output.status.code() != Some(1))
    }

    /// Whether some reference leads to an object. An annotated tag counts only if a reference names it directly.
    ///
    /// # Errors
    /// If git cannot list the references.
    pub fn is_reachable(&self, object: &CommitId) -> Result<bool> {
        let object = object.to_string();
        let which = match text_of(&self.demand(["cat-file", "-t", &object])?).as_str() {
            "commit" => "--contains",
            _ => "--points-at",
        };
        let found = self.demand(["for-each-ref", "--count=1", "--format=%(refname)", which, &object])?;
        Ok(!found.is_empty())
    }

    /// Restores a missing reference to an object. No hook is run.
    ///
    /// # Errors
    /// If git cannot write it, the object is gone, or the reference names something else now.
    pub fn put_back(&self, name: &str, object: &CommitId) -> Result<()> {
        let named = self.call(["rev-parse", "--quiet", "--verify", name])?;
        let id = object.to_string();
        if named.status.success() && text_of(&named.stdout) == id {
            return Ok(());
        }
        // An empty old value: it must not be there.
        self.command(["update-ref", name, &id, ""]).without_hooks().demand().map(drop)
    }
}
