//! Saves the contents of the work tree as a separate commit, byte for byte, without touching index, branch or files.

use std::path::Path;

use super::entries::PathEntry;
use super::output::text_of;
use super::raw::FoundPath;
use super::temporary_index::TemporaryIndex;
use super::{Git, NewCommit};
use crate::error::Result;
use crate::record::CommitId;

/// Where saved work is kept.
pub const RESCUE: &str = "refs/arborist/rescue/";

/// A reference to saved work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescued {
    /// The full name of the reference.
    pub name: String,
    /// The commit that holds it.
    pub commit: CommitId,
    /// When it was saved, in seconds since the epoch.
    pub time: i64,
    /// The subject of the commit.
    pub subject: String,
}

/// The work to be saved.
#[derive(Debug)]
pub struct RescueRequest<'a> {
    /// The reference for it; a number is appended if the name is taken.
    pub name: String,
    /// The message of the commit.
    pub message: String,
    /// The commit that the work was done on.
    pub base: &'a CommitId,
    /// The files of the work tree.
    pub found: Vec<FoundPath>,
    /// The entries of the index that are not in the work tree.
    pub staged: Vec<PathEntry>,
}

impl Git {
    /// Saves files of the work tree `top` as a commit on top of its base, and creates a reference to it under
    /// [`RESCUE`]. Files are saved byte for byte: filters and the conversion of line ends are not applied, even if
    /// attributes ask for them. Other content of the index becomes the second parent. Returns `None` if there is
    /// nothing to save.
    ///
    /// # Errors
    /// If a file cannot be read or an object cannot be written. Then nothing has changed.
    pub fn save(&self, git_dir: &Path, top: &Path, saving: &RescueRequest<'_>) -> Result<Option<Rescued>> {
        let base = saving.base.to_string();
        let index = TemporaryIndex::empty(git_dir)?;
        let tree_of = |entries: &[PathEntry]| -> Result<String> {
            self.command(["read-tree", "--reset", &base]).on_index(Some(&index)).demand()?;
            self.set_index_in(Some(&index), entries)?;
            Ok(text_of(&self.command(["write-tree"]).on_index(Some(&index)).demand()?))
        };
        let tree = tree_of(&self.raw_entries(git_dir, top, &saving.found)?)?;
        if self.tree_of(saving.base)? == tree && saving.staged.is_empty() {
            return Ok(None);
        }
        let subject = saving.message.lines().next().unwrap_or_default().to_owned();
        let mut parents = vec![*saving.base];
        let commit_of = |tree: &str, parents: &[CommitId], message: String| {
            self.new_commit(&NewCommit {
                tree: tree.to_owned(),
                parents: parents.to_vec(),
                message: message.into_bytes(),
                author: None,
                date: None,
                signed: false,
            })
        };
        if !saving.staged.is_empty() {
            let tree = tree_of(&saving.staged)?;
            let message = format!("{subject}: what was staged beside it\n");
            parents.push(commit_of(&tree, &parents, message)?);
        }
        let commit = commit_of(&tree, &parents, saving.message.clone())?;
        let name = self.free_name(&saving.name)?;
        // An empty old value: the reference must be new.
        self.demand(["update-ref", &name, &commit.to_string(), ""])?;
        Ok(Some(Rescued { name, commit, time: 0, subject }))
    }

    /// Everything that was saved, newest first.
    ///
    /// # Errors
    /// If git cannot read the references.
    pub fn rescued(&self) -> Result<Vec<Rescued>> {
        // A deleted tag is kept as a reference to its object.
        let format =
            "%(refname)%00%(objectname)%00%(*objectname)%00%(creatordate:unix)%00%(contents:subject)";
        let out =
            self.demand(["for-each-ref", "--sort=-creatordate", &format!("--format={format}"), RESCUE])?;
        let lines = String::from_utf8_lossy(&out).into_owned();
        let entry = |line: &str| {
            let mut fields = line.split('\0');
            let (name, object, tagged) = (fields.next()?, fields.next()?, fields.next()?);
            let commit = if tagged.is_empty() { object } else { tagged };
            Some(Rescued {
                name: name.to_owned(),
                commit: CommitId::from_hex(commit.as_bytes())?,
                time: fields.next()?.parse().unwrap_or(0),
                subject: fields.next()?.to_owned(),
            })
        };
        Ok(lines.lines().filter_map(entry).collect())
    }

    /// Whether two saved commits have the same content and the same base.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn hold_the_same(&self, one: &CommitId, other: &CommitId) -> Result<bool> {
        for part in ["^{tree}", "^1", "^2^{tree}"] {
            let named = |commit: &CommitId| {
                let name = format!("{commit}{part}");
                self.call(["rev-parse", "--quiet", "--verify", "--end-of-options", &name])
            };
            if named(one)?.stdout != named(other)?.stdout {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The name with `-2`, `-3` and so on appended if it is taken.
    fn free_name(&self, name: &str) -> Result<String> {
        let taken: Vec<String> = self.rescued()?.into_iter().map(|rescued| rescued.name).collect();
        let names = std::iter::once(name.to_owned()).chain((2..).map(|copy| format!("{name}-{copy}")));
        let free = names.take(10_000).find(|name| !taken.contains(name));
        Ok(free.unwrap_or_else(|| name.to_owned()))
    }
}
