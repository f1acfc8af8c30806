//! Makes a commit and reads it back: a hook that changes a message or switches branches, or a setting that git knows and we
//! do not, must not pass unseen.

use crate::error::{Error, Kind, Result};
use crate::git::{CommitRequest, Git, Head, WorkTree};
use crate::history::Repository;
use crate::task::{CommitId, RawTrailer, StepMessage, trailers};

/// Where commits are made.
#[derive(Clone, Copy)]
pub(super) struct Branch<'a> {
    /// git, called at the top of the work tree.
    pub(super) git: &'a Git,
    /// The work tree.
    pub(super) work_tree: &'a WorkTree,
    /// Its history.
    pub(super) repository: &'a Repository,
    /// Where the branch stands; on anything else no commit is built.
    pub(super) head: &'a Head,
}

/// Makes a step commit, and makes sure that it is the one that was meant.
///
/// # Errors
/// If git refuses, or if what it committed differs: another parent, another branch, other trailers.
pub(super) fn commit_step(
    branch: Branch<'_>,
    request: &CommitRequest<'_>,
    meant: &StepMessage,
) -> Result<CommitId> {
    let (id, message) = commit(branch, request)?;
    let read: Vec<RawTrailer> = trailers(&message).into_iter().filter(is_ours).collect();
    let same = read.len() == meant.trailers().len()
        && read
            .iter()
            .zip(meant.trailers())
            .all(|(read, (key, value))| read.key == key.name().as_bytes() && read.value == value.as_bytes());
    let subject = message.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if same && subject == meant.subject().as_bytes() {
        return Ok(id);
    }
    Err(Error::new(
        Kind::Repository,
        format!(
            "the commit {} was changed while it was made: its subject or trailers are not those of this step",
            id.short()
        ),
        format!(
            "A hook (prepare-commit-msg, commit-msg) or a setting rewrites messages here. Everything is kept in {}. Make \
             the hook leave commits alone that begin with `task(` or `phase(`, undo this one with `git reset --soft \
             HEAD~1`, and run the same command again.",
            id.short()
        ),
    ))
}

/// Makes a commit of the paths, and gives back its id and the message that it really has.
///
/// # Errors
/// If git refuses, or if the new commit is not on the branch or not on top of the old one.
pub(super) fn commit(branch: Branch<'_>, request: &CommitRequest<'_>) -> Result<(CommitId, Vec<u8>)> {
    let Branch { git, work_tree, repository, head } = branch;
    git.commit(&work_tree.git_dir, request)?;
    let now = repository.branch()?;
    let id = now.commit;
    if now.branch != head.branch {
        return Err(Error::new(
            Kind::Unsafe,
            format!(
                "the commit {} went to the branch {}, not to {}: something switched branches meanwhile",
                id.short(),
                now.branch_name(),
                head.branch_name()
            ),
            format!(
                "Nothing is lost. Go back with `git switch {}` and run the same command again.",
                head.branch_name()
            ),
        ));
    }
    let made = repository.commit(&id)?;
    if made.parents != [head.commit] {
        return Err(Error::new(
            Kind::Busy,
            format!(
                "{} is not on top of {}: something else committed at the same moment",
                id.short(),
                head.commit.short()
            ),
            "Nothing is lost. Look at `git log --graph`, then run the same command again.",
        ));
    }
    Ok((id, made.message))
}

fn is_ours(trailer: &RawTrailer) -> bool {
    trailer.key.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"arborist-"))
}
