//! Finds commits to which nothing leads any more, without the help of reflogs.

use std::collections::HashSet;
use std::time::Duration;

use super::output::commits_in;
use super::{Git, REPLACED, RESCUE};
use crate::error::Result;
use crate::process::CallLimit;
use crate::record::CommitId;

/// How long each call of the search may take: it reads the names of all objects.
const LIMIT: Duration = Duration::from_secs(20);

impl Git {
    /// The commits on top of `base` that no reference leads to, newest first, each followed by its parents. Those references
    /// do not count that keep what a reference named before a program moved it.
    ///
    /// # Errors
    /// If git needs too long, or a history is incomplete.
    pub(crate) fn lost_commits(&self, base: &CommitId) -> Result<Vec<Vec<CommitId>>> {
        let git = self.clone().with_limit(CallLimit::within(LIMIT));
        let format = "--batch-check=%(objecttype) %(objectname)";
        let objects = git.demand(["cat-file", "--batch-all-objects", "--unordered", format])?;
        let mut wanted = format!("^{base}\n").into_bytes();
        for line in objects.split_inclusive(|byte| *byte == b'\n') {
            wanted.extend(line.strip_prefix(b"commit ").unwrap_or_default());
        }
        let args = ["rev-list", "--date-order", "--parents", "--ancestry-path", "--stdin"];
        let above = git.command(args).stdin(wanted).demand()?;
        let kept = format!("--exclude={RESCUE}{REPLACED}/*");
        let named = git.demand(["rev-list", &kept, "--all", &format!("^{base}")])?;
        let named: HashSet<CommitId> = commits_in(&named).into_iter().collect();
        let ids = |line: &[u8]| -> Vec<CommitId> {
            line.split(|byte| *byte == b' ').filter_map(CommitId::from_hex).collect()
        };
        let above = above.split(|byte| *byte == b'\n').map(ids);
        Ok(above.filter(|ids| ids.first().is_some_and(|commit| !named.contains(commit))).collect())
    }
}
