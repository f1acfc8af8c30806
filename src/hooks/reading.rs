//! Shows the messages of many commits: read in this process where that can be, else by git.

use std::collections::HashMap;

use crate::error::Result;
use crate::git::{Git, Message, Revisions};
use crate::history::{Behind, Repository, Stored, read_between};
use crate::record::CommitId;

/// What `look` makes of the commits that `revisions` name, in the order of `git rev-list --topo-order`, whoever reads. It
/// must be a pure function, for it may be shown other commits too.
///
/// # Errors
/// If git cannot read them.
pub(super) fn look_at_all<T: Send>(
    git: &Git,
    revisions: &Revisions,
    look: impl Fn(&Message<'_>) -> Option<T> + Sync,
) -> Result<Vec<T>> {
    if let Some(ends) = ends_of(revisions)
        && let Some(entries) = read_here(git, ends, &look)
    {
        return with_recoded(git, entries, look);
    }
    let mut seen = Vec::new();
    git.each_message(&git.lines_of(revisions)?, |message| seen.extend(look(&message)))?;
    Ok(seen)
}

/// What is known of a commit.
enum Entry<T> {
    Seen(T),
    /// git has to recode the message first; and how many parents there are.
    Recoded(Box<(CommitId, usize)>),
}

/// The ends of a range that has two at the most.
fn ends_of(revisions: &Revisions) -> Option<(Behind, CommitId)> {
    let id = |text: &str| CommitId::from_hex(text.as_bytes());
    match revisions {
        Revisions::Newest { head, count, .. } => Some((Behind::Ancestor(*count), *head)),
        Revisions::Lines(lines) => match lines.as_slice() {
            [head] => Some((Behind::Nothing, id(head)?)),
            [head, start] => Some((Behind::Commit(id(start.strip_prefix('^')?)?), id(head)?)),
            _ => None,
        },
    }
}

fn read_here<T: Send>(
    git: &Git,
    ends: (Behind, CommitId),
    look: impl Fn(&Message<'_>) -> Option<T> + Sync,
) -> Option<Vec<Entry<T>>> {
    // git has the last word on what cannot be opened.
    let repository = Repository::open(git.place(), git.program()).ok()?;
    read_between(&repository, ends, |commit| {
        let Stored { id, parents, message, is_recoded } = *commit;
        if is_recoded {
            return Some(Entry::Recoded(Box::new((id, parents))));
        }
        look(&Message { id, parents, bytes: message }).map(Entry::Seen)
    })
}

/// Looks at those commits too that git has to recode.
fn with_recoded<T>(
    git: &Git,
    entries: Vec<Entry<T>>,
    look: impl Fn(&Message<'_>) -> Option<T>,
) -> Result<Vec<T>> {
    let recoded: Vec<CommitId> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Seen(_) => None,
            Entry::Recoded(commit) => Some(commit.0),
        })
        .collect();
    let messages: HashMap<CommitId, Vec<u8>> =
        if recoded.is_empty() { HashMap::new() } else { git.messages(&recoded)?.into_iter().collect() };
    let seen = entries.into_iter().filter_map(|entry| match entry {
        Entry::Seen(seen) => Some(seen),
        Entry::Recoded(commit) => {
            let (id, parents) = *commit;
            look(&Message { id, parents, bytes: messages.get(&id)? })
        }
    });
    Ok(seen.collect())
}
