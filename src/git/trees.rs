//! Looks up paths in the trees of commits, and reads blobs, with a git that is left running and that all clones of a [`Git`] share.

use std::collections::HashMap;
use std::sync::PoisonError;

use super::Git;
use super::cat_file::CatFile;
use super::output::first_lines;
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;

/// An entry of a tree.
#[derive(Clone, Debug)]
pub(super) struct TreeEntry {
    pub(super) mode: String,
    pub(super) name: Vec<u8>,
    pub(super) id: String,
}

/// The entries of a tree, whose ids have this length in bytes; `None` if it is damaged.
pub(super) fn tree_entries(mut rest: &[u8], length: usize) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let space = rest.iter().position(|&byte| byte == b' ')?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        let id = rest.get(end + 1..end + 1 + length)?;
        entries.push(TreeEntry {
            mode: String::from_utf8_lossy(&rest[..space]).into_owned(),
            name: rest.get(space + 1..end)?.to_vec(),
            id: id.iter().map(|byte| format!("{byte:02x}")).collect(),
        });
        rest = &rest[end + 1 + length..];
    }
    Some(entries)
}

/// The trees of a commit, as far as they were read for a question.
pub(super) struct Trees<'g> {
    git: &'g Git,
    root: String,
    read: HashMap<String, HashMap<Vec<u8>, TreeEntry>>,
}

impl Trees<'_> {
    /// The entry of a path, from the top; `None` if there is none.
    ///
    /// # Errors
    /// If a tree cannot be read.
    pub(super) fn at(&mut self, path: &[u8]) -> Result<Option<TreeEntry>> {
        let mut tree = self.root.clone();
        let mut found: Option<TreeEntry> = None;
        for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
            if let Some(folder) = found.take() {
                if folder.mode != "40000" {
                    return Ok(None);
                }
                tree = folder.id;
            }
            let entries = match self.read.get(&tree) {
                Some(entries) => entries,
                None => {
                    let raw = self.git.object(&tree, "tree")?;
                    // The name of the root is an id with more behind it.
                    let length = tree.split('^').next().map_or(0, str::len) / 2;
                    let entries = tree_entries(&raw, length);
                    let entries = entries.ok_or_else(|| unreadable(&tree, "it is damaged"))?;
                    let by_name = entries.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
                    self.read.entry(tree.clone()).or_insert(by_name)
                }
            };
            found = entries.get(name).cloned();
            if found.is_none() {
                return Ok(None);
            }
        }
        Ok(found)
    }
}

impl Git {
    /// Starts `git cat-file --batch`.
    ///
    /// # Errors
    /// [`Kind::Environment`] if git cannot be started.
    pub fn cat_file(&self) -> Result<CatFile> {
        self.command(["cat-file", "--batch"]).spawn().map(CatFile)
    }

    /// The trees of a commit.
    pub(super) fn trees(&self, commit: &CommitId) -> Trees<'_> {
        Trees { git: self, root: format!("{commit}^{{tree}}"), read: HashMap::new() }
    }

    /// Whether a commit has something at this path, from the top.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub fn has_path(&self, commit: &CommitId, path: &str) -> Result<bool> {
        Ok(self.trees(commit).at(path.as_bytes())?.is_some())
    }

    /// The content of a blob, named by its id or as `COMMIT:PATH`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn blob(&self, name: &str) -> Result<Vec<u8>> {
        let place = name.split_once(':').and_then(|(commit, path)| {
            let commit = CommitId::from_hex(commit.as_bytes())?;
            Some((commit, path))
        });
        let Some((commit, path)) = place else { return self.object(name, "blob") };
        match self.trees(&commit).at(path.as_bytes())? {
            Some(entry) => self.object(&entry.id, "blob"),
            None => Err(unreadable(name, "there is none")),
        }
    }

    /// Reads an object of this kind with a git that is left running.
    ///
    /// # Errors
    /// If it cannot be read, or is of another kind.
    pub(crate) fn object(&self, name: &str, kind: &str) -> Result<Vec<u8>> {
        let mut running = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let mut content = Vec::new();
        // Whatever ended a git that was running before, a new one is asked once.
        let was_running = running.is_some();
        let mut objects = match running.take() {
            Some(objects) => objects,
            None => self.cat_file()?,
        };
        let mut answer = objects.read(name, &mut content);
        if answer.is_err() && was_running && !self.limit.is_end_wanted() {
            objects = self.cat_file()?;
            answer = objects.read(name, &mut content);
        }
        match answer {
            Ok(found) => {
                *running = Some(objects);
                if found == kind {
                    Ok(content)
                } else {
                    Err(unreadable(name, &format!("it is a {found}, not a {kind}")))
                }
            }
            Err(words) => Err(unreadable(name, &words)),
        }
    }
}

fn unreadable(name: &str, why: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!("object {name} cannot be read: {}", first_lines(why, 5)),
        "Run `git fsck` to see what is damaged; a fetch from a good clone brings missing objects back.",
    )
}
