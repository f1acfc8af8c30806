//! Answers small questions about the content of the index and of commits.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::Git;
use super::entries::{Entry, EntryKind};
use super::output::{names_in, paths_in, text_of};
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;

/// A path that a commit may contain.
#[derive(Clone, Copy, Debug)]
pub struct PathInCommit<'a> {
    /// The commit.
    pub commit: CommitId,
    /// The path, from the top.
    pub path: &'a str,
}

impl Git {
    /// Whether the index has a file at this path, from the top of the work tree.
    #[must_use]
    pub fn knows(&self, path: &str) -> bool {
        self.call(["ls-files", "--error-unmatch", "-z", "--", path])
            .is_ok_and(|output| output.status.success())
    }

    /// All paths that the index has.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn known_files(&self) -> Result<HashSet<Vec<u8>>> {
        Ok(self.index_entries()?.into_iter().map(|entry| entry.path).collect())
    }

    /// All paths that the index has in these folders, from the top.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn known_below(&self, folders: &[PathBuf]) -> Result<Vec<Vec<u8>>> {
        if folders.is_empty() {
            return Ok(Vec::new());
        }
        let options = ["ls-files", "-z", "--full-name", "--"].map(OsString::from);
        let args = options.into_iter().chain(folders.iter().map(OsString::from));
        Ok(paths_in(&self.demand(args)?))
    }

    /// All files of the work tree that git does not ignore, from the top.
    ///
    /// # Errors
    /// If git cannot list them.
    pub fn files_not_ignored(&self) -> Result<Vec<Vec<u8>>> {
        let args = ["ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard"];
        Ok(paths_in(&self.demand(args)?))
    }

    /// All files of a commit in these folders, from the top.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub fn files_in(&self, commit: &CommitId, folders: &[String]) -> Result<Vec<String>> {
        let id = commit.to_string();
        let mut args = vec!["ls-tree", "-r", "-z", "--name-only", "--full-tree", &id, "--"];
        args.extend(folders.iter().map(String::as_str));
        let listed = self.demand(args)?;
        Ok(names_in(&listed).map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// For each commit and path, whether the commit contains the path.
    ///
    /// # Errors
    /// If git fails.
    pub fn contain(&self, wanted: &[PathInCommit<'_>]) -> Result<Vec<bool>> {
        let names: String =
            wanted.iter().map(|PathInCommit { commit, path }| format!("{commit}:{path}\n")).collect();
        let answer = self.command(["cat-file", "--batch-check=found"]).stdin(names).demand()?;
        let lines = answer.split(|&byte| byte == b'\n').take(wanted.len());
        Ok(lines.map(|line| line == b"found").collect())
    }

    /// The ids of the blobs that `names` (`REVISION:PATH`) mean, in order; `None` if there is no such blob.
    ///
    /// # Errors
    /// If git fails.
    pub fn blob_ids(&self, names: &[String]) -> Result<Vec<Option<String>>> {
        let stdin: String = names.iter().flat_map(|name| [name, "\n"]).collect();
        let args = ["cat-file", "--batch-check=%(objecttype) %(objectname)"];
        let lines = text_of(&self.command(args).stdin(stdin).demand()?);
        Ok(lines.lines().map(|line| line.strip_prefix("blob ").map(str::to_owned)).collect())
    }

    /// Whether a text file of a commit contains this text of one line. The text is not passed as an argument, because
    /// other users of the machine could read it there.
    ///
    /// # Errors
    /// If the files cannot be searched.
    pub fn contains_text(&self, commit: &CommitId, text: &[u8]) -> Result<bool> {
        let commit = commit.to_string();
        let args = ["grep", "-q", "-I", "-F", "--no-recurse-submodules", "-f", "-", &commit];
        self.command(args).stdin(text).output()?.yes_or_no()
    }

    /// The text files of a commit that contain one of these texts, each of one line.
    ///
    /// # Errors
    /// If the files cannot be searched.
    pub fn files_with_any(&self, commit: &CommitId, texts: &[&str]) -> Result<Vec<Vec<u8>>> {
        let commit = commit.to_string();
        let args =
            ["grep", "-l", "-z", "-I", "-F", "--no-recurse-submodules", "--full-name", "-f", "-", &commit];
        let output = self.command(args).stdin(texts.join("\n")).output()?;
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(output.into_error());
        }
        let start = format!("{commit}:");
        Ok(names_in(&output.stdout)
            .filter_map(|name| Some(name.strip_prefix(start.as_bytes())?.to_vec()))
            .collect())
    }

    /// Whether a file or a link has the same content in the work tree as in a commit, no matter what the index says.
    /// False if it is missing in either. This git must be called at the top of the work tree.
    ///
    /// # Errors
    /// If git fails, or the file cannot be read.
    pub fn is_as_in(&self, commit: &CommitId, path: &[u8]) -> Result<bool> {
        let committed = self.entries(commit, &[path.to_vec()])?;
        committed.get(path).map_or(Ok(false), |entry| self.is_at(path, entry))
    }

    /// Whether a path in the work tree has the content of an entry, no matter what the index says. This git must be called
    /// at the top of the work tree.
    ///
    /// # Errors
    /// If git fails, or the file cannot be read.
    pub fn is_at(&self, path: &[u8], entry: &Entry) -> Result<bool> {
        let Entry { kind, id } = entry;
        let place = self.dir().join(OsStr::from_bytes(path));
        let Ok(metadata) = place.symlink_metadata() else { return Ok(false) };
        if metadata.is_symlink() != (*kind == EntryKind::Link) {
            return Ok(false);
        }
        if let Ok(target) = std::fs::read_link(&place) {
            return Ok(self.raw_id(target.as_os_str().as_bytes())? == *id);
        }
        if !metadata.is_file() {
            return Ok(false);
        }
        // Line ends that were committed before git was told to convert them are checked out as they are. In most files
        // there is nothing to convert.
        let hashed = self.call([OsStr::new("hash-object"), OsStr::new("--"), OsStr::from_bytes(path)])?;
        let filtered = hashed.status.success() && hashed.stdout.trim_ascii() == id.as_bytes();
        Ok(filtered || self.raw_ids(&[place])?.first() == Some(id))
    }

    /// The sizes of objects, in bytes and in order.
    ///
    /// # Errors
    /// If git fails, or does not have one of them.
    pub fn sizes(&self, ids: &[&str]) -> Result<Vec<u64>> {
        let stdin: String = ids.iter().flat_map(|id| [id, "\n"]).collect();
        let lines =
            text_of(&self.command(["cat-file", "--batch-check=%(objectsize)"]).stdin(stdin).demand()?);
        let size = |line: &str| {
            line.parse().map_err(|_| {
                Error::new(
                    Kind::Repository,
                    format!("git cannot read an object: {line}"),
                    "Look at the repository with `git fsck`, and run the same command again.",
                )
            })
        };
        lines.lines().map(size).collect()
    }

    /// The top of the work tree, or the git directory if there is no work tree.
    ///
    /// # Errors
    /// [`crate::error::Kind::Repository`] if there is no repository.
    pub fn top_or_git_dir(&self) -> Result<PathBuf> {
        match self.work_tree() {
            Ok(tree) => Ok(tree.top),
            Err(error) => {
                let output = self.call(["rev-parse", "--absolute-git-dir"])?;
                if output.status.success() { Ok(PathBuf::from(text_of(&output.stdout))) } else { Err(error) }
            }
        }
    }

    /// Deletes a reference, unless it changes at the same moment, and returns the id of its object.
    ///
    /// # Errors
    /// If there is no such reference, or git cannot delete it.
    pub fn delete_reference(&self, name: &str) -> Result<String> {
        let object = text_of(&self.demand(["rev-parse", "--quiet", "--verify", "--end-of-options", name])?);
        self.demand(["update-ref", "-d", name, &object])?;
        Ok(object)
    }

    /// The commit that `revision` names; `None` if it names none.
    ///
    /// # Errors
    /// If git fails.
    pub fn commit_named(&self, revision: &str) -> Result<Option<CommitId>> {
        let name = format!("{revision}^{{commit}}");
        let output = self.call(["rev-parse", "--quiet", "--verify", "--end-of-options", &name])?;
        Ok(CommitId::from_hex(output.stdout.trim_ascii_end()))
    }
}
