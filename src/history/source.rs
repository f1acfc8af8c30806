//! The small interface for reading raw objects, which libgit2 and the git program share.

use std::collections::HashSet;

use super::raw::{Entry, ObjectId, RawCommit, tree_entries};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::record::{CommitId, IdPrefix};

/// The kinds of objects that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Commit,
    Tree,
    Blob,
}

impl ObjectKind {
    /// The kind's name, as git writes it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
        }
    }
}

/// A repository that can be read: its objects, and what is known about them without reading any.
pub(super) trait Source {
    /// Replaces the content of `into` with that of the object `id`. Replacements (`git replace`) and grafts are never
    /// applied.
    fn read(&mut self, id: &ObjectId, kind: ObjectKind, into: &mut Vec<u8>) -> Result<()>;

    /// How many objects were read so far.
    fn reads(&self) -> u64;

    /// The commit that `HEAD` names; `None` while its branch has no commit.
    fn head(&mut self) -> Result<Option<CommitId>>;

    /// The full name of the branch that `HEAD` names; `None` if it names a commit instead.
    fn branch(&mut self) -> Result<Option<String>>;

    /// The references with these full names and, where a name ends with `/`, those in that folder; and the object that each
    /// names: for an annotated tag, the tag object.
    fn references(&mut self, names: &[&str]) -> Result<Vec<(String, ObjectId)>>;

    /// The branch of this repository that a branch tracks. Both names are without `refs/heads/`.
    fn upstream(&mut self, branch: &str) -> Result<Option<String>>;

    /// The commits whose parents a shallow clone left out.
    fn shallow(&mut self) -> Result<HashSet<CommitId>>;

    /// The only object whose id begins with these digits; `None` if there is none, or more than one.
    fn find(&mut self, prefix: &IdPrefix) -> Result<Option<ObjectId>>;
}

/// The branch of this repository that the settings of another branch name as its upstream.
pub(super) fn local_upstream(remote: Option<&str>, merge: Option<&str>) -> Option<String> {
    merge?.strip_prefix("refs/heads/").filter(|_| remote == Some(".")).map(str::to_owned)
}

/// Reads a commit. It borrows from the buffer.
pub(super) fn read_commit<'b>(
    source: &mut dyn Source,
    id: &CommitId,
    buffer: &'b mut Vec<u8>,
) -> Result<RawCommit<'b>> {
    source.read(id, ObjectKind::Commit, buffer)?;
    RawCommit::parse(buffer).ok_or_else(|| unreadable(id, "it is not a commit"))
}

/// Reads the id of the root tree of a commit.
pub(super) fn tree_of(source: &mut dyn Source, commit: &CommitId) -> Result<ObjectId> {
    let mut buffer = Vec::new();
    Ok(read_commit(source, commit, &mut buffer)?.tree)
}

/// Reads the entries of a tree with their names, which borrow from the buffer.
pub(super) fn read_tree<'b>(
    source: &mut dyn Source,
    id: &ObjectId,
    buffer: &'b mut Vec<u8>,
) -> Result<Vec<(&'b [u8], Entry)>> {
    source.read(id, ObjectKind::Tree, buffer)?;
    let entries: Option<Vec<_>> = tree_entries(buffer, id.as_bytes().len()).collect();
    entries.ok_or_else(|| unreadable(id, "it is not a tree"))
}

/// The error for an object that is missing, broken, or of the wrong kind.
pub(super) fn unreadable(id: &ObjectId, why: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!("object {id} cannot be read: {}", why.trim()),
        "Run `git fsck` to see what is damaged; a fetch from a good clone brings missing objects back.",
    )
}

/// The error for a history that a shallow clone cut off at `boundary` before the answer was found.
pub(super) fn shallow_cut(boundary: &CommitId) -> Error {
    Error::new(
        Kind::Repository,
        format!(
            "the history is cut off at commit {} before the start of the run: this is a shallow clone",
            boundary.short()
        ),
        "Run `git fetch --unshallow` to get the rest of it.",
    )
}

/// Reads the list of a shallow clone's boundary commits: a file that full clones do not have.
pub(super) fn shallow_file(path: &std::path::Path) -> Result<HashSet<CommitId>> {
    let text = match files::read(path, files::LARGE) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(HashSet::new()),
        Err(error) => return Err(bad_shallow(path, &error.to_string())),
    };
    text.split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            CommitId::from_hex(line).ok_or_else(|| bad_shallow(path, "one of its lines is not an object id"))
        })
        .collect()
}

fn bad_shallow(path: &std::path::Path, why: &str) -> Error {
    Error::new(Kind::Repository, format!("{} cannot be read: {why}", path.display()), "Run `git fsck`.")
}
