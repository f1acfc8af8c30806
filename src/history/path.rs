//! Paths inside the repository, and the lookup of a path in the tree of a commit.

use std::collections::HashMap;
use std::rc::Rc;

use super::raw::{Entry, ObjectId, tree_entries};
use super::source::{ObjectKind, Source, unreadable};
use crate::error::Result;

/// A path from the top of the work tree, with `/` between its parts, none of them empty, `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath {
    parts: Vec<Vec<u8>>,
}

impl RepoPath {
    /// The path written with `/`; `None` if it is empty, absolute, or has a part that is empty, `.` or `..`.
    #[must_use]
    pub fn new(path: &[u8]) -> Option<Self> {
        let parts: Vec<_> = path.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
        let plain = |part: &Vec<u8>| !matches!(part.as_slice(), b"" | b"." | b"..");
        parts.iter().all(plain).then_some(Self { parts })
    }

    /// The path, with `/` between its parts.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.parts.join(&b'/')
    }

    /// The last part.
    pub(super) fn name(&self) -> &[u8] {
        self.parts.last().map(Vec::as_slice).unwrap_or_default()
    }
}

/// Looks one path up in many root trees. It remembers what it found in each, and the folders that it read last, because most
/// folders on the way are the same in neighbouring commits.
pub(super) struct PathLookup {
    path: Rc<RepoPath>,
    roots: HashMap<ObjectId, Option<Entry>>,
    known: Vec<Option<(ObjectId, Option<Entry>)>>,
    buffer: Vec<u8>,
}

impl PathLookup {
    /// A lookup of `path` that has read nothing.
    pub(super) fn new(path: Rc<RepoPath>) -> Self {
        let known = vec![None; path.parts.len()];
        Self { path, roots: HashMap::new(), known, buffer: Vec::new() }
    }

    /// The entry at the path under `root`.
    pub(super) fn entry(&mut self, source: &mut dyn Source, root: ObjectId) -> Result<Option<Entry>> {
        if let Some(found) = self.roots.get(&root) {
            return Ok(*found);
        }
        let found = self.look_up(source, root)?;
        self.roots.insert(root, found);
        Ok(found)
    }

    fn look_up(&mut self, source: &mut dyn Source, root: ObjectId) -> Result<Option<Entry>> {
        let mut tree = root;
        let mut found = None;
        for (level, part) in self.path.parts.iter().enumerate() {
            found = match self.known[level] {
                Some((id, entry)) if id == tree => entry,
                _ => {
                    source.read(&tree, ObjectKind::Tree, &mut self.buffer)?;
                    let mut entries = tree_entries(&self.buffer, tree.as_bytes().len());
                    let is_meant =
                        |entry: &Option<(&[u8], Entry)>| entry.is_none_or(|(name, _)| name == part);
                    let entry = match entries.find(is_meant) {
                        Some(None) => return Err(unreadable(&tree, "it is not a tree")),
                        found => found.flatten().map(|(_, entry)| entry),
                    };
                    self.known[level] = Some((tree, entry));
                    entry
                }
            };
            match found {
                Some(entry) if entry.is_directory() => tree = entry.id,
                _ if level + 1 < self.path.parts.len() => return Ok(None),
                _ => {}
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_an_empty_part_or_a_way_up_is_none() {
        for good in ["task-tree.json", "a/b/c.json", "..a/b."] {
            assert!(RepoPath::new(good.as_bytes()).is_some(), "{good}");
        }
        for bad in ["", "/a", "a/", "a//b", "./a", "a/../b", ".."] {
            assert!(RepoPath::new(bad.as_bytes()).is_none(), "{bad}");
        }
        assert!(RepoPath::new(b"\xff/\xfe").is_some());
    }
}
