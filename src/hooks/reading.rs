//! Shows the messages of many commits: read in this process as far as they are one line, and by git from there on.

use crate::error::Result;
use crate::git::{Git, Message, Revisions};
use crate::history::{Line, LineEnd, Repository, read_line};
use crate::task::CommitId;

/// What `look` makes of the commits that `revisions` name, children before their parents: the order of `git rev-list
/// --topo-order`, whoever reads.
///
/// # Errors
/// If git cannot read them.
pub(super) fn look_at_all<T>(
    git: &Git,
    revisions: &Revisions,
    look: impl Fn(&Message<'_>) -> Option<T>,
) -> Result<Vec<T>> {
    if let Some((head, end)) = line_of(revisions)
        && let Some(Line { mut seen, rest }) = line(git, (head, end), &look)
    {
        let Some(rest) = rest else { return Ok(seen) };
        if let Some(more) = go_on(git, (head, end), rest, &look) {
            seen.extend(more);
            return Ok(seen);
        }
    }
    let mut seen = Vec::new();
    git.each_message(&git.lines_of(revisions)?, |message| seen.extend(look(&message)))?;
    Ok(seen)
}

/// The ends of a range that may be one line of commits.
fn line_of(revisions: &Revisions) -> Option<(CommitId, LineEnd)> {
    let id = |text: &str| CommitId::from_hex(text.as_bytes());
    match revisions {
        Revisions::Newest { head, count, .. } => Some((*head, LineEnd::After(*count))),
        Revisions::Lines(lines) => match lines.as_slice() {
            [head] => Some((id(head)?, LineEnd::Root)),
            [head, start] => Some((id(head)?, LineEnd::Above(id(start.strip_prefix('^')?)?))),
            _ => None,
        },
    }
}

/// What can be read in this process; nothing where that fails, for git has the last word on what is broken.
fn line<T>(
    git: &Git,
    ends: (CommitId, LineEnd),
    look: impl Fn(&Message<'_>) -> Option<T>,
) -> Option<Line<T>> {
    let repository = Repository::open(git.place(), git.program()).ok()?;
    read_line(&repository, ends, |id, bytes| look(&Message { id, parents: 1, bytes })).ok()?
}

/// What git makes of the range from `rest` on, a commit on the line down from its head. `None` if it does not belong to the
/// range, or that cannot be said: then the range may end above it. If it does belong to it, all commits above it do too, for
/// whatever reaches one of them reaches `rest` as well; and nothing comes between them.
fn go_on<T>(
    git: &Git,
    (head, end): (CommitId, LineEnd),
    rest: CommitId,
    look: impl Fn(&Message<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let start = match end {
        LineEnd::Root => None,
        LineEnd::Above(start) => Some(format!("^{start}")),
        LineEnd::After(count) => Some(format!("^{head}~{count}")),
    };
    let lines: Vec<String> = std::iter::once(rest.to_string()).chain(start).collect();
    let (mut seen, mut first) = (Vec::new(), None);
    let read = git.each_message(&lines, |message| {
        first.get_or_insert(message.id);
        seen.extend(look(&message));
    });
    (read.is_ok() && first == Some(rest)).then_some(seen)
}
