//! Finds paths at which a commit would be the same as HEAD, even though the index or the work tree seems to differ.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::Git;
use super::entries::{Entry, PathEntry};
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
        let listed = self.command(["ls-files", "-z", "--stage"]).on_index(Some(index)).demand()?;
        Ok(names_in(&listed).filter_map(parse).collect())
    }
}

/// One record of `git ls-files -z --stage`: `MODE ID STAGE<tab>PATH`.
fn parse(record: &[u8]) -> Option<(Vec<u8>, Entry)> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut fields = record[..tab].split(|byte| *byte == b' ');
    let (mode, id) = (fields.next()?, fields.next()?);
    Some((record[tab + 1..].to_vec(), Entry::parse(mode, id)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_the_index_is_read() {
        let id = "d".repeat(40);
        let (path, entry) = parse(format!("100755 {id} 0\ta b").as_bytes()).unwrap();
        assert_eq!((path.as_slice(), entry.id), (&b"a b"[..], id));
        assert_eq!(parse(b""), None);
    }
}
