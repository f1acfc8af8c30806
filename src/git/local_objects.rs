//! Reads commits and trees in this process, where libgit2 is certain to give the answer of git: to start git takes longer than
//! to read them. Objects never change, so only what is missing needs git, which may fetch it or name the damage.

use std::collections::BTreeSet;

use git2::{DiffDelta, ObjectType, Oid, Repository, Sort, Tree, TreeEntry};

use super::Git;
use super::entries::Entry;
use crate::record::CommitId;

/// The repository of a git, opened by libgit2.
pub(super) struct LocalObjects(Repository);

impl Git {
    /// The objects of this repository; `None` if git has to be asked.
    pub(super) fn local_objects(&self) -> Option<LocalObjects> {
        Repository::open_bare(self.local.common_dir.as_deref()?).ok().map(LocalObjects)
    }
}

impl LocalObjects {
    /// The entry of a commit at a path; the outer `None` if git has to be asked. Folders have no entry.
    pub(super) fn entry(&self, commit: &CommitId, path: &[u8]) -> Option<Option<Entry>> {
        Some(self.found(commit, path)?.as_ref().and_then(entry_of))
    }

    /// Whether a commit has a file or folder at a path; `None` if git has to be asked.
    pub(super) fn has(&self, commit: &CommitId, path: &[u8]) -> Option<bool> {
        let Some(found) = self.found(commit, path)? else { return Some(false) };
        // git also looks for the object.
        self.0.odb().ok()?.exists(found.id()).then_some(true)
    }

    /// The paths of all files in a commit, in git's order; `None` if git has to be asked.
    pub(super) fn paths(&self, commit: &CommitId) -> Option<Vec<Vec<u8>>> {
        let mut paths = Vec::new();
        self.walk(&self.tree(commit)?, &mut Vec::new(), &mut |path, _| paths.push(path.to_vec()))?;
        Some(paths)
    }

    /// The paths that differ between two commits, in git's order; `None` if git has to be asked.
    pub(super) fn paths_between(&self, from: &CommitId, to: &CommitId) -> Option<Vec<Vec<u8>>> {
        let (from, to) = (self.tree(from)?, self.tree(to)?);
        let diff = self.0.diff_tree_to_tree(Some(&from), Some(&to), None).ok()?;
        let paths = |delta: DiffDelta<'_>| {
            let of_both = [delta.old_file(), delta.new_file()];
            of_both.map(|file| file.path_bytes().map(<[u8]>::to_vec)).into_iter().flatten()
        };
        let paths: BTreeSet<Vec<u8>> = diff.deltas().flat_map(paths).collect();
        Some(paths.into_iter().collect())
    }

    /// The content of a blob, named by its id or as `COMMIT:PATH`; `None` if git has to be asked.
    pub(super) fn blob(&self, name: &str) -> Option<Vec<u8>> {
        let id = match name.split_once(':') {
            None => Oid::from_str(name).ok().filter(|id| id.to_string() == name)?,
            Some((commit, path)) => {
                self.found(&CommitId::from_hex(commit.as_bytes())?, path.as_bytes())??.id()
            }
        };
        Some(self.0.find_blob(id).ok()?.content().to_vec())
    }

    /// Whether there is a reference in this folder; `None` if git has to be asked.
    pub(super) fn has_references(&self, folder: &str) -> Option<bool> {
        let mut found = self.0.references_glob(&format!("{folder}*")).ok()?;
        Some(found.next().transpose().ok()?.is_some())
    }

    /// All paths in a commit and their entries; `None` if git has to be asked.
    pub(super) fn entries(&self, commit: &CommitId) -> Option<Vec<(Vec<u8>, Entry)>> {
        let mut entries = Vec::new();
        let mut add = |path: &[u8], found: &TreeEntry<'_>| {
            entries.extend(entry_of(found).map(|entry| (path.to_vec(), entry)));
        };
        self.walk(&self.tree(commit)?, &mut Vec::new(), &mut add)?;
        Some(entries)
    }

    /// The commits of `base..head`, or all that lead to `head`, whose messages contain this text, newest first; `None` if git
    /// has to be asked.
    pub(super) fn commits_saying(
        &self,
        text: &str,
        base: Option<&CommitId>,
        head: &CommitId,
    ) -> Option<Vec<CommitId>> {
        self.has_all_parents().then_some(())?;
        let finder = memchr::memmem::Finder::new(text);
        let mut walk = self.0.revwalk().ok()?;
        walk.set_sorting(Sort::TOPOLOGICAL).ok()?;
        walk.push(oid(head)?).ok()?;
        if let Some(base) = base {
            walk.hide(oid(base)?).ok()?;
        }
        let mut found = Vec::new();
        for id in walk {
            let commit = self.0.find_commit(id.ok()?).ok()?;
            if finder.find(commit.message_bytes()).is_some() {
                found.push(CommitId::from_bytes(commit.id().as_bytes())?);
            }
        }
        Some(found)
    }

    /// Whether a commit is another one or an ancestor of it; `None` if git has to be asked.
    pub(super) fn is_ancestor(&self, ancestor: &CommitId, commit: &CommitId) -> Option<bool> {
        self.has_all_parents().then_some(())?;
        let [ancestor, commit] = [ancestor, commit].map(oid);
        let (ancestor, commit) = (ancestor?, commit?);
        // git also looks for the commits.
        self.0.find_commit(commit).ok()?;
        Some(ancestor == commit || self.0.graph_descendant_of(commit, ancestor).ok()?)
    }

    /// Whether the parents of each commit are those that its object names.
    fn has_all_parents(&self) -> bool {
        ["shallow", "info/grafts"].iter().all(|name| !self.0.path().join(name).exists())
    }

    fn tree(&self, commit: &CommitId) -> Option<Tree<'_>> {
        self.0.find_commit(oid(commit)?).and_then(|commit| commit.tree()).ok()
    }

    /// What a commit has at a path; the outer `None` if git has to be asked.
    fn found(&self, commit: &CommitId, path: &[u8]) -> Option<Option<TreeEntry<'static>>> {
        let mut tree = self.tree(commit)?;
        let mut names = path.split(|byte| *byte == b'/').peekable();
        while let Some(name) = names.next() {
            // git gives these names a meaning of its own, and no name contains a zero.
            if matches!(name, b"" | b"." | b"..") || name.contains(&0) {
                return None;
            }
            let Some(found) = tree.get_name_bytes(name).map(|entry| entry.to_owned()) else {
                return Some(None);
            };
            if names.peek().is_none() {
                return Some(Some(found));
            }
            if found.kind() != Some(ObjectType::Tree) {
                return Some(None);
            }
            tree = self.0.find_tree(found.id()).ok()?;
        }
        None
    }

    /// Visits all files below a tree that is this folder.
    fn walk(
        &self,
        tree: &Tree<'_>,
        folder: &mut Vec<u8>,
        visit: &mut impl FnMut(&[u8], &TreeEntry<'_>),
    ) -> Option<()> {
        for entry in tree {
            let length = folder.len();
            folder.extend_from_slice(entry.name_bytes());
            if entry.kind() == Some(ObjectType::Tree) {
                folder.push(b'/');
                self.walk(&self.0.find_tree(entry.id()).ok()?, folder, visit)?;
            } else {
                visit(folder, &entry);
            }
            folder.truncate(length);
        }
        Some(())
    }
}

fn entry_of(found: &TreeEntry<'_>) -> Option<Entry> {
    Entry::parse(format!("{:06o}", found.filemode_raw()).as_bytes(), found.id().to_string().as_bytes())
}

fn oid(commit: &CommitId) -> Option<Oid> {
    Oid::from_bytes(commit.as_bytes()).ok()
}
