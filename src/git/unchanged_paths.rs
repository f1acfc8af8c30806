//! Finds paths at which a commit would be the same as HEAD, even though the index or the work tree seems to differ.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::Git;
use super::entries::{Entry, PathEntry};
use super::index_entries::IndexEntry;
use super::output::names_in;
use super::staging::Selection;
use super::temporary_index::TemporaryIndex;
use crate::error::Result;
use crate::record::CommitId;

impl Git {
    /// The selected paths at which a commit on top of `head` would change nothing: only the index differs there, or the
    /// conversion of line ends or a filter turns the file into what it was before. Empty if git cannot add one of the
    /// paths: the commit will fail for the same reason, and its error will say so.
    ///
    /// # Errors
    /// If the commit or an index cannot be read.
    pub fn without_change(
        &self,
        git_dir: &Path,
        head: &CommitId,
        selection: &Selection,
    ) -> Result<HashSet<Vec<u8>>> {
        let paths: Vec<Vec<u8>> = selection.paths().map(<[u8]>::to_vec).collect();
        if paths.is_empty() {
            return Ok(HashSet::new());
        }
        let before = self.entries(head, &paths)?;
        let index = TemporaryIndex::empty(git_dir)?;
        // git consults the index about line ends, and about modes on file systems that have none.
        let entry = |path: &Vec<u8>| PathEntry { path: path.clone(), entry: before.get(path).cloned() };
        self.set_index_in(Some(&index), &paths.iter().map(entry).collect::<Vec<_>>())?;
        if self.stage_in(Some(&index), selection).is_err() {
            return Ok(HashSet::new());
        }
        let after = self.entries_in(&index)?;
        Ok(paths.into_iter().filter(|path| before.get(path) == after.get(path)).collect())
    }

    /// All entries of an index.
    fn entries_in(&self, index: &TemporaryIndex) -> Result<HashMap<Vec<u8>, Entry>> {
        let listed = self.command(["ls-files", "-z", "-v", "--stage"]).on_index(Some(index)).demand()?;
        let entries = names_in(&listed).filter_map(IndexEntry::parse);
        Ok(entries.filter_map(|found| Some((found.path, found.entry?))).collect())
    }
}
