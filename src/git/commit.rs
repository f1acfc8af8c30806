//! Makes one commit through the git program, and reads back what was really committed.
//!
//! The user's hooks, signing, filters and identity all apply, because git does the writing. What comes out is compared
//! with what was meant: a hook that changes a message, or a setting that git knows and we do not, must not pass unseen.

use std::ffi::OsString;
use std::path::Path;

use super::paths::{NUL, PathList};
use super::status::{ChangeKind, Staged};
use super::{Change, Git, Head, Pathspecs};
use crate::error::{Error, Kind, Result};
use crate::task::{CommitId, RawTrailer, StepMessage, trailers};

/// The command; the message comes by standard input and is committed as it is.
const COMMIT: &[&str] = &["commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--no-edit", "-F", "-"];

/// What else the index holds when a commit is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Staging {
    /// Nothing but what is committed now.
    Clean,
    /// Something that stays staged and out of the commit.
    Other,
}

impl Staging {
    /// What `changes`, taken before a step began, say about the index.
    #[must_use]
    pub fn of(changes: &[Change]) -> Self {
        let staged = |change: &Change| matches!(change.kind, ChangeKind::Tracked { staged: Staged::Yes, .. });
        if changes.iter().any(staged) { Self::Other } else { Self::Clean }
    }
}

/// A commit that is to be made.
#[derive(Debug)]
pub struct CommitRequest<'a> {
    /// Where the branch stands; anything else is refused.
    pub head: &'a Head,
    /// The paths whose present state is committed, from the top of the work tree.
    pub paths: &'a [Vec<u8>],
    /// The whole message.
    pub message: &'a str,
    /// What else the index holds.
    pub staging: Staging,
}

impl Git {
    /// Makes a step commit, and makes sure that it is the one that was meant.
    ///
    /// # Errors
    /// If git refuses, or if what it committed differs: another parent, another branch, other trailers.
    pub fn commit_step(
        &self,
        git_dir: &Path,
        request: &CommitRequest<'_>,
        meant: &StepMessage,
    ) -> Result<CommitId> {
        let (id, message) = self.commit(git_dir, request)?;
        let read: Vec<RawTrailer> = trailers(&message).into_iter().filter(is_ours).collect();
        let same = read.len() == meant.trailers().len()
            && read.iter().zip(meant.trailers()).all(|(read, (key, value))| {
                read.key == key.name().as_bytes() && read.value == value.as_bytes()
            });
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
                "A hook (prepare-commit-msg, commit-msg) or a setting rewrites messages here. Everything is kept in {}. \
                 Make the hook leave commits alone that begin with `task(` or `phase(`, undo this one with \
                 `git reset --soft HEAD~1`, and run the same command again.",
                id.short()
            ),
        ))
    }

    /// Makes a commit of the paths, and gives back its id and the message that it really has.
    ///
    /// # Errors
    /// If git refuses, or if the new commit is not on the branch or not on top of the old one.
    pub fn commit(&self, git_dir: &Path, request: &CommitRequest<'_>) -> Result<(CommitId, Vec<u8>)> {
        let list = PathList::write(git_dir, request.paths)?;
        self.stage(&list, request.paths)?;
        let mut args: Vec<OsString> = COMMIT.iter().map(Into::into).collect();
        if request.staging == Staging::Other {
            args.push("--only".into());
            if !request.paths.is_empty() {
                args.extend([list.option(), NUL.into()]);
            }
        }
        let answer = self.call_with(Pathspecs::Literal, &args, request.message.as_bytes().to_vec())?;
        if !answer.status.success() {
            let hooked = answer.status.code() == Some(1);
            let error = answer.into_error("git commit");
            return Err(if hooked && error.kind() == Kind::Surroundings {
                refused_by_hook(&error)
            } else {
                error
            });
        }
        self.read_back(request)
    }

    /// Takes a path that was staged for a commit which was refused out of the index again.
    pub fn forget(&self, path: &[u8]) {
        use std::os::unix::ffi::OsStrExt;
        let path = std::ffi::OsStr::from_bytes(path);
        // The refusal is the error that counts; what stays staged is shown by the next `git status`.
        let _ = self.call([
            std::ffi::OsStr::new("rm"),
            "--cached".as_ref(),
            "--quiet".as_ref(),
            "--".as_ref(),
            path,
        ]);
    }

    fn stage(&self, list: &PathList, paths: &[Vec<u8>]) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        let answer =
            self.call(["add".into(), "--all".into(), "--sparse".into(), list.option(), NUL.into()])?;
        if answer.status.success() { Ok(()) } else { Err(answer.into_error("git add")) }
    }

    fn read_back(&self, request: &CommitRequest<'_>) -> Result<(CommitId, Vec<u8>)> {
        let answer = self.call_with(Pathspecs::Literal, ["cat-file", "--batch"], b"HEAD\n".to_vec())?;
        let (id, raw) = parse_batch(&answer.stdout).ok_or_else(|| answer.into_error("git cat-file"))?;
        let header_end = find(&raw, b"\n\n").unwrap_or(raw.len());
        let parents: Vec<&[u8]> = raw[..header_end]
            .split(|byte| *byte == b'\n')
            .filter_map(|line| line.strip_prefix(b"parent "))
            .collect();
        let head = self.head()?;
        if head.branch != request.head.branch {
            return Err(Error::new(
                Kind::Unsafe,
                format!(
                    "the commit {} went to the branch {}, not to {}: something switched branches meanwhile",
                    id.short(),
                    head.branch_name(),
                    request.head.branch_name()
                ),
                format!(
                    "Nothing is lost. Go back with `git switch {}` and run the same command again.",
                    request.head.branch_name()
                ),
            ));
        }
        if parents != [request.head.commit.to_string().as_bytes()] {
            return Err(Error::new(
                Kind::Busy,
                format!(
                    "{} is not on top of {}: something else committed at the same moment",
                    id.short(),
                    request.head.commit.short()
                ),
                "Nothing is lost. Look at `git log --graph`, then run the same command again.",
            ));
        }
        Ok((id, raw.get(header_end + 2..).unwrap_or_default().to_vec()))
    }
}

fn is_ours(trailer: &RawTrailer) -> bool {
    trailer.key.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"arborist-"))
}

fn refused_by_hook(error: &Error) -> Error {
    Error::new(
        Kind::Surroundings,
        format!("{} (a hook of yours refused it)", error.what()),
        "Nothing was committed; the changes are staged and in the work tree. Make the hook pass, then run the same \
         command again.",
    )
}

/// `OID commit SIZE\n` and then the raw commit.
fn parse_batch(raw: &[u8]) -> Option<(CommitId, Vec<u8>)> {
    let end = raw.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&raw[..end]).ok()?;
    let mut fields = header.split(' ');
    let id = CommitId::from_hex(fields.next()?.as_bytes())?;
    let size: usize = fields.nth(1)?.parse().ok()?;
    Some((id, raw.get(end + 1..end + 1 + size)?.to_vec()))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
