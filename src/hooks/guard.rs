//! The guard of steps: no push drops steps, and users who rewrite a branch are told how to undo that.

use std::collections::BTreeSet;

use super::commits::CommitGraph;
use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::record::{CommitId, carries_step};
use crate::text::advice;

/// A reference that is about to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefChange {
    /// Its full name on the receiving side.
    pub name: String,
    /// The commit that it names there now; `None` if it is new.
    pub old: Option<CommitId>,
    /// The commit that it will name; `None` if it will be deleted.
    pub new: Option<CommitId>,
}

/// A step that would be dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostStep {
    /// The commit.
    pub id: CommitId,
    /// Its subject.
    pub subject: String,
}

/// Reads git's input for `pre-push`: local name, local id, remote name, remote id.
///
/// # Errors
/// [`Kind::Input`] for anything else.
pub fn pushed_updates(stdin: &str) -> Result<Vec<RefChange>> {
    updates(stdin, |words| match words {
        [_, new, name, old] => Some((*name, *old, *new)),
        _ => None,
    })
}

/// Reads git's input for `pre-receive`: old id, new id, name.
///
/// # Errors
/// [`Kind::Input`] for anything else.
pub fn received_updates(stdin: &str) -> Result<Vec<RefChange>> {
    updates(stdin, |words| match words {
        [old, new, name] => Some((*name, *old, *new)),
        _ => None,
    })
}

fn updates<'a>(
    stdin: &'a str,
    fields: impl Fn(&[&'a str]) -> Option<(&'a str, &'a str, &'a str)>,
) -> Result<Vec<RefChange>> {
    let parse = |line: &'a str| {
        let words: Vec<&str> = line.split(' ').collect();
        let (name, old, new) = fields(&words)?;
        Some(RefChange { name: name.to_owned(), old: id(old)?, new: id(new)? })
    };
    let lines = stdin.lines().filter(|line| !line.is_empty());
    lines.map(|line| parse(line).ok_or_else(|| not_from_git(line))).collect()
}

/// An id, or `None` for all zeros.
fn id(text: &str) -> Option<Option<CommitId>> {
    let id = CommitId::from_hex(text.as_bytes())?;
    Some((!text.bytes().all(|byte| byte == b'0')).then_some(id))
}

fn not_from_git(line: &str) -> Error {
    let line = crate::text::one_line(line);
    Error::new(
        Kind::Input,
        format!("`{line}` on standard input is not a reference update"),
        format!("Git runs this hook; {} sets it up.", advice::hooks_install()),
    )
}

/// The steps that become unreachable once `updates` are made; `others` are the commits of all other references.
///
/// # Errors
/// If git cannot read the commits.
pub(super) fn lost_steps(
    commits: &impl CommitGraph,
    updates: &[RefChange],
    others: &[CommitId],
) -> Result<Vec<LostStep>> {
    let gone: Vec<CommitId> = updates.iter().filter_map(|update| update.old).collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let news = updates.iter().filter_map(|update| update.new);
    let kept: BTreeSet<CommitId> = news.chain(others.iter().copied()).collect();
    let kept: Vec<CommitId> = kept.into_iter().collect();
    let mut lost = Vec::new();
    commits.between(&gone, &kept, &mut |commit| {
        if carries_step(commit.bytes) {
            lost.push(LostStep { id: commit.id, subject: subject(commit.bytes) });
        }
    })?;
    Ok(lost)
}

/// A line of git's input for `post-rewrite`.
struct RewrittenCommit {
    old: CommitId,
    new: Option<CommitId>,
}

/// The steps among the rewritten commits, from git's input for `post-rewrite` (old id, new id), and the former newest
/// commit of the branch.
///
/// # Errors
/// If git cannot read the commits.
pub fn rewritten_steps(git: &Git, stdin: &str) -> Result<Option<(Vec<LostStep>, CommitId)>> {
    let pair = |line: &str| {
        let mut ids = line.split(' ').map(|id| CommitId::from_hex(id.as_bytes()));
        Some(RewrittenCommit { old: ids.next()??, new: ids.next().flatten() })
    };
    let rewritten: Vec<RewrittenCommit> = stdin.lines().filter_map(pair).collect();
    let Some(newest) = rewritten.last().map(|commit| commit.old) else { return Ok(None) };
    // A rebase also lists the commits that it left as they were.
    let changed = rewritten.iter().filter(|commit| commit.new != Some(commit.old));
    let old: Vec<CommitId> = changed.map(|commit| commit.old).collect();
    if old.is_empty() {
        return Ok(None);
    }
    let mut lost = Vec::new();
    for (id, message) in git.messages(&old)? {
        if carries_step(&message) {
            lost.push(LostStep { id, subject: subject(&message) });
        }
    }
    Ok((!lost.is_empty()).then_some((lost, newest)))
}

fn subject(message: &[u8]) -> String {
    let line = message.split(|&byte| byte == b'\n').find(|line| !line.is_empty()).unwrap_or_default();
    crate::text::one_line(&String::from_utf8_lossy(line))
}
