//! Shows the messages of a range that is one line of commits: the common case, in one process and one pass.

use super::raw::RawCommit;
use super::repository::{Backend, Repository};
use super::source::{ObjectKind, Source, unreadable};
use crate::error::Result;
use crate::task::CommitId;

/// Commit dates may be out of order by so many seconds before a start that is not met is taken to lie elsewhere.
const SLACK: i64 = 86_400;

/// Where a line of commits ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// With the first commit of all.
    Root,
    /// Above this commit.
    Above(CommitId),
    /// With the commit of this number, counted from the head; every one of them must be there.
    After(usize),
}

/// What was seen of a line of commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<T> {
    /// What was made of its commits, the newest first.
    pub seen: Vec<T>,
    /// The first commit that was not shown: git has to say what lies behind it, and whether any of this belongs to the
    /// range at all, for its start may be beside the line.
    pub rest: Option<CommitId>,
}

/// What `look` makes of the commits from `head` down to `end`, newest first, as far as they are one line and each message
/// is for git what it is for us. A message that holds a NUL ends there, as git has it.
///
/// `None` where git alone can say which commits there are: in a shallow clone, in a repository that libgit2 cannot open,
/// and where the line ends before `end`.
///
/// # Errors
/// If a commit cannot be read.
pub fn read_line<T>(
    repository: &Repository,
    (head, end): (CommitId, LineEnd),
    look: impl Fn(CommitId, &[u8]) -> Option<T>,
) -> Result<Option<Line<T>>> {
    // One question for each commit to a git that runs beside us takes longer than to let it read all.
    if repository.backend() == Backend::Program {
        return Ok(None);
    }
    repository.read_with(|source| {
        let mut reader = Reader { source, data: Vec::new() };
        if !reader.source.shallow()?.is_empty() {
            return Ok(None);
        }
        let oldest = match end {
            LineEnd::Above(start) => reader.read(start, |commit| commit.time)?.saturating_sub(SLACK),
            LineEnd::Root | LineEnd::After(_) => i64::MIN,
        };
        let (mut seen, mut here) = (Vec::new(), head);
        for number in 0.. {
            if end == LineEnd::Above(here) || end == LineEnd::After(number) {
                return Ok(Some(Line { seen, rest: None }));
            }
            let next = reader.read(here, |commit| {
                if !commit.other_parents.is_empty() || commit.has_encoding || commit.time < oldest {
                    return Next::NotOurs;
                }
                let message = commit.message;
                let end = memchr::memchr(0, message).unwrap_or(message.len());
                seen.extend(look(here, &message[..end]));
                commit.parent.map_or(Next::Nothing, Next::Parent)
            })?;
            match next {
                Next::Parent(parent) => here = parent,
                Next::NotOurs => return Ok(Some(Line { seen, rest: Some(here) })),
                Next::Nothing => break,
            }
        }
        let all = end == LineEnd::Root;
        Ok(all.then_some(Line { seen, rest: None }))
    })
}

/// What follows a commit.
enum Next {
    Parent(CommitId),
    /// It was the first of all.
    Nothing,
    /// git has to read this one.
    NotOurs,
}

struct Reader<'a> {
    source: &'a mut dyn Source,
    data: Vec<u8>,
}

impl Reader<'_> {
    fn read<R>(&mut self, id: CommitId, take: impl FnOnce(&RawCommit<'_>) -> R) -> Result<R> {
        self.source.read(&id, ObjectKind::Commit, &mut self.data)?;
        let commit = RawCommit::parse(&self.data).ok_or_else(|| unreadable(&id, "it is no commit"))?;
        Ok(take(&commit))
    }
}
