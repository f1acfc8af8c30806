//! Finds the commit that wrote or removed a line.

use super::Git;
use super::output::text_of;
use crate::error::Result;
use crate::record::CommitId;

/// A line of a file in a commit.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The commit.
    pub commit: CommitId,
    /// The file, from the top.
    pub path: &'a str,
    /// The number of the line, from 1.
    pub number: u32,
}

impl Git {
    /// The commit that wrote a line, whatever has changed in its white space since. `None` if there is no such line.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn writer_of(&self, line: Line<'_>) -> Result<Option<CommitId>> {
        self.blame(&[], &line.commit.to_string(), line)
    }

    /// The commit between `base` and `head` that removed a line, which `base` has. `None` if it is still there, or is not known.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn remover_of(&self, line: Line<'_>, head: CommitId) -> Result<Option<CommitId>> {
        let range = format!("{}..{head}", line.commit);
        let Some(last) = self.blame(&["--reverse"], &range, line)? else { return Ok(None) };
        let range = format!("{last}..{head}");
        let args = ["rev-list", "--reverse", "--topo-order", "--ancestry-path", &range, "--", line.path];
        let commits = text_of(&self.demand(args)?);
        Ok(commits.lines().next().and_then(|id| CommitId::from_hex(id.as_bytes())))
    }

    fn blame(&self, how: &[&str], revision: &str, line: Line<'_>) -> Result<Option<CommitId>> {
        let lines = format!("{0},{0}", line.number);
        let mut args = vec!["blame", "-w", "--porcelain", "-L", &lines];
        args.extend(how);
        args.extend([revision, "--", line.path]);
        let output = self.call(args)?;
        let id = output.stdout.split(|byte| *byte == b' ').next().unwrap_or_default();
        Ok(CommitId::from_hex(id).filter(|_| output.status.success()))
    }
}
