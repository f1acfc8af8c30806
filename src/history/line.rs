//! Shows the messages of a range that is one line of commits: the common case, in one process and one pass.

use super::raw::RawCommit;
use super::repository::Repository;
use super::source::{ObjectKind, Source, unreadable};
use crate::error::Result;
use crate::task::CommitId;

/// Commit dates may be out of order by so many seconds before a start that is not met is taken to lie elsewhere.
const SLACK: i64 = 86_400;

/// What `look` makes of every commit from `head` down to `until` (or to the first of all), newest first.
///
/// `None` where the range is no single line of commits, where it may not be, or where a shallow clone ends on the way:
/// then git has to say what belongs to it.
///
/// # Errors
/// If a commit cannot be read.
pub fn read_line<T>(
    repository: &Repository,
    (head, until): (CommitId, Option<CommitId>),
    look: impl Fn(CommitId, &[u8]) -> Option<T>,
) -> Result<Option<Vec<T>>> {
    repository.read_with(|source| {
        let mut line = Line { source, data: Vec::new() };
        if !line.source.shallow()?.is_empty() {
            return Ok(None);
        }
        let oldest = until.map(|until| line.read(until, |commit| commit.time)).transpose()?;
        let oldest = oldest.map(|time| time.saturating_sub(SLACK));
        let (mut seen, mut here) = (Vec::new(), head);
        loop {
            if Some(here) == until {
                return Ok(Some(seen));
            }
            let step = line.read(here, |commit| {
                if !commit.other_parents.is_empty() || oldest.is_some_and(|oldest| commit.time < oldest) {
                    return None;
                }
                seen.extend(look(here, commit.message));
                Some(commit.parent)
            })?;
            match step {
                None => return Ok(None),
                // The start, if there is one, was not met.
                Some(None) => return Ok(until.is_none().then_some(seen)),
                Some(Some(parent)) => here = parent,
            }
        }
    })
}

struct Line<'a> {
    source: &'a mut dyn Source,
    data: Vec<u8>,
}

impl Line<'_> {
    fn read<R>(&mut self, id: CommitId, take: impl FnOnce(&RawCommit<'_>) -> R) -> Result<R> {
        self.source.read(&id, ObjectKind::Commit, &mut self.data)?;
        let commit = RawCommit::parse(&self.data).ok_or_else(|| unreadable(&id, "it is no commit"))?;
        Ok(take(&commit))
    }
}
