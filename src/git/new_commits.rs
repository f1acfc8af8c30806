//! Makes trees and commits without touching the work tree, the index or a branch.

use std::path::Path;

use super::entries::PathEntry;
use super::output::text_of;
use super::temporary_index::TemporaryIndex;
use super::{Git, Variable};
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;

/// A commit object to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    /// The id of its tree.
    pub tree: String,
    /// Its parents, in order.
    pub parents: Vec<CommitId>,
    /// Its whole message.
    pub message: Vec<u8>,
    /// Who wrote its change; the user if this is `None`.
    pub author: Option<Author>,
    /// When it is made, for both dates except that of a given author: seconds since the epoch and a time zone, as git
    /// stores them. Now, if this is `None`.
    pub date: Option<String>,
    /// Whether it is signed as git's configuration says.
    pub signed: bool,
}

/// The author of a commit, as git stores it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Author {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// Seconds since the epoch and a time zone.
    pub date: String,
}

/// What a commit records besides its parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Who wrote it.
    pub author: Author,
    /// Its message, in UTF-8 if the commit says in which other encoding it is.
    pub message: Vec<u8>,
    /// When it was made: seconds since the epoch and a time zone.
    pub date: String,
    /// The id of its tree.
    pub tree: String,
}

/// How the merge of two trees ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergedTree {
    /// The id of the tree.
    Clean(String),
    /// Files are in conflict.
    Conflicts(Conflicted),
}

/// A merge with conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflicted {
    /// The id of a tree in which these files have conflict markers.
    pub tree: String,
    /// The files, once each.
    pub files: Vec<String>,
}

/// A tree, and a change to apply to it, which is the difference between two other trees.
#[derive(Clone, Copy, Debug)]
pub struct TreeChange<'a> {
    /// The tree that is changed.
    pub onto: &'a str,
    /// The tree before the change.
    pub from: &'a str,
    /// The tree after the change.
    pub to: &'a str,
}

impl Git {
    /// The tree of a commit in which these paths have these entries.
    ///
    /// # Errors
    /// If the tree cannot be read or written.
    pub fn tree_with(&self, git_dir: &Path, commit: &CommitId, entries: &[PathEntry]) -> Result<String> {
        let index = TemporaryIndex::empty(git_dir)?;
        self.command(["read-tree", &format!("{commit}^{{tree}}")]).on_index(Some(&index)).demand()?;
        self.set_index_in(Some(&index), entries)?;
        Ok(text_of(&self.command(["write-tree"]).on_index(Some(&index)).demand()?))
    }

    /// Applies a change to a tree.
    ///
    /// # Errors
    /// [`Kind::Environment`] if this git cannot merge trees (before 2.38), or fails.
    pub fn apply_change(&self, change: TreeChange<'_>) -> Result<MergedTree> {
        let TreeChange { onto, from, to } = change;
        if from == to {
            return Ok(MergedTree::Clean(onto.to_owned()));
        }
        // The first version with `merge-tree` takes the base from the history, so there has to be one.
        let base = self.commit_of_tree(from, Vec::new())?;
        let ours = self.commit_of_tree(onto, vec![base])?;
        self.merge_of(&ours, &self.commit_of_tree(to, vec![base])?)
    }

    /// The tree of a merge in which the files that are in conflict are as they are in this tree.
    ///
    /// # Errors
    /// If a tree cannot be read or written.
    pub fn settled(&self, git_dir: &Path, conflicted: &Conflicted, tree: &str) -> Result<String> {
        let paths: Vec<Vec<u8>> = conflicted.files.iter().map(|file| file.clone().into_bytes()).collect();
        let mut files = self.entries(&self.commit_of_tree(tree, Vec::new())?, &paths)?;
        let entries: Vec<PathEntry> =
            paths.into_iter().map(|path| PathEntry { entry: files.remove(&path), path }).collect();
        self.tree_with(git_dir, &self.commit_of_tree(&conflicted.tree, Vec::new())?, &entries)
    }

    /// A commit to which nothing leads, because git asks for one.
    fn commit_of_tree(&self, tree: &str, parents: Vec<CommitId>) -> Result<CommitId> {
        let (tree, message, date) = (tree.to_owned(), b"merge\n".to_vec(), Some("0 +0000".to_owned()));
        self.new_commit(&NewCommit { tree, parents, message, author: None, date, signed: false })
    }

    /// Merges two commits, without touching anything but the store of objects.
    ///
    /// # Errors
    /// [`Kind::Environment`] if this git cannot merge trees (before 2.38), or fails.
    pub fn merge_of(&self, ours: &CommitId, theirs: &CommitId) -> Result<MergedTree> {
        let (ours, theirs) = (ours.to_string(), theirs.to_string());
        let args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", &ours, &theirs];
        let output = self.call(args)?;
        let mut fields =
            output.stdout.split(|&byte| byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
        let tree = fields.next().unwrap_or_default();
        match output.status.code() {
            Some(0) => Ok(MergedTree::Clean(tree)),
            Some(1) if !tree.is_empty() => {
                let mut files: Vec<String> = fields.filter(|path| !path.is_empty()).collect();
                files.sort();
                files.dedup();
                Ok(MergedTree::Conflicts(Conflicted { tree, files }))
            }
            _ => Err(Error::new(
                Kind::Environment,
                format!("git merge-tree failed: {}", crate::text::one_line(&output.stderr)),
                "Git 2.38 or newer is needed for this. Nothing was changed.",
            )),
        }
    }

    /// Makes a commit. No reference leads to it yet.
    ///
    /// # Errors
    /// If git refuses, for example because it cannot sign.
    pub fn new_commit(&self, new: &NewCommit) -> Result<CommitId> {
        let mut args = vec!["commit-tree".to_owned()];
        args.push(if new.signed { "-S" } else { "--no-gpg-sign" }.to_owned());
        args.extend(new.parents.iter().flat_map(|parent| ["-p".to_owned(), parent.to_string()]));
        args.extend(["-F".to_owned(), "-".to_owned(), new.tree.clone()]);
        let mut env = Vec::new();
        let mut set = |name, value: String| env.push(Variable { name, value: value.into() });
        if let Some(date) = &new.date {
            set("GIT_COMMITTER_DATE", format!("@{date}"));
        }
        if let Some(author) = &new.author {
            set("GIT_AUTHOR_NAME", author.name.clone());
            set("GIT_AUTHOR_EMAIL", author.email.clone());
            set("GIT_AUTHOR_DATE", format!("@{}", author.date));
        } else if let Some(date) = &new.date {
            set("GIT_AUTHOR_DATE", format!("@{date}"));
        }
        let id = self.command(&args).env(env).stdin(new.message.clone()).demand()?;
        CommitId::from_hex(id.trim_ascii_end()).ok_or_else(|| {
            Error::new(
                Kind::Environment,
                "git commit-tree gave no commit",
                "Nothing was changed. Run the same command again.",
            )
        })
    }

    /// Makes a commit with the same files on top of this one. No reference leads to it yet.
    ///
    /// # Errors
    /// As for [`Self::new_commit`], and if the tree cannot be read.
    pub fn commit_on(&self, on: CommitId, message: Vec<u8>, signed: bool) -> Result<CommitId> {
        let tree = self.tree_of(&on)?;
        self.new_commit(&NewCommit { tree, parents: vec![on], message, author: None, date: None, signed })
    }

    /// Whether git's configuration says that commits are signed.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn signs_commits(&self) -> Result<bool> {
        let on = self.call(["config", "--type=bool", "--get", "commit.gpgSign"])?;
        Ok(text_of(&on.stdout) == "true")
    }

    /// The id of the tree of a commit.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn tree_of(&self, commit: &CommitId) -> Result<String> {
        Ok(text_of(&self.demand(["rev-parse", "--verify", &format!("{commit}^{{tree}}")])?))
    }
}
