//! Makes one commit through the git program: the user's hooks, signing, filters and identity all apply, because git does
//! the writing.

use std::ffi::OsString;
use std::path::Path;

use super::paths::{NUL, PathList};
use super::status::{ChangeKind, Staged};
use super::{Change, Git, Pathspecs};
use crate::error::{Error, Kind, Result};

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
    /// The paths whose present state is committed, from the top of the work tree.
    pub paths: &'a [Vec<u8>],
    /// The whole message.
    pub message: &'a str,
    /// What else the index holds.
    pub staging: Staging,
}

impl Git {
    /// Makes a commit of the paths on the branch that is checked out. Where git ignores the one path that is asked for,
    /// the commit is made without it.
    ///
    /// # Errors
    /// If git refuses. Whether what came out is what was meant, the caller has to see.
    pub fn commit(&self, git_dir: &Path, request: &CommitRequest<'_>) -> Result<()> {
        let list = PathList::write(git_dir, request.paths)?;
        let staged = self.stage(&list, request.paths)?;
        let mut args: Vec<OsString> = COMMIT.iter().map(Into::into).collect();
        if request.staging == Staging::Other {
            args.push("--only".into());
            if staged == Added::All && !request.paths.is_empty() {
                args.extend([list.option(), NUL.into()]);
            }
        }
        let answer = self.call_with(Pathspecs::Literal, &args, request.message.as_bytes().to_vec())?;
        if answer.status.success() {
            return Ok(());
        }
        let hooked = answer.status.code() == Some(1);
        let error = answer.into_error("git commit");
        Err(if hooked && error.kind() == Kind::Surroundings { refused_by_hook(&error) } else { error })
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

    /// Which of these paths git cannot add for what they are themselves (a file that cannot be read, line ends that
    /// `core.safecrlf` does not let it convert), each with git's words; nothing where all can be added, or where git is
    /// hindered by something else. What can be added is.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn not_addable(&self, git_dir: &Path, paths: &[Vec<u8>]) -> Result<Vec<NotAddable>> {
        let answer = {
            let list = PathList::write(git_dir, paths)?;
            self.call(["add".into(), "--all".into(), "--sparse".into(), list.option(), NUL.into()])?
        };
        if answer.status.success() || !REFUSALS.iter().any(|words| answer.stderr.contains(words)) {
            return Ok(Vec::new());
        }
        if let [path] = paths {
            let why = super::first_lines(&answer.stderr, 1);
            let why = ["fatal: ", "error: "].iter().find_map(|start| why.strip_prefix(start)).unwrap_or(&why);
            return Ok(vec![NotAddable { path: path.clone(), why: why.to_owned() }]);
        }
        let (first, second) = paths.split_at(paths.len() / 2);
        let mut found = self.not_addable(git_dir, first)?;
        found.extend(self.not_addable(git_dir, second)?);
        Ok(found)
    }

    fn stage(&self, list: &PathList, paths: &[Vec<u8>]) -> Result<Added> {
        if paths.is_empty() {
            return Ok(Added::All);
        }
        let answer =
            self.call(["add".into(), "--all".into(), "--sparse".into(), list.option(), NUL.into()])?;
        // Of several paths git may have added some.
        let ignored = paths.len() == 1 && answer.stderr.contains(IGNORED);
        match answer.status.code() {
            Some(0) => Ok(Added::All),
            Some(1) if ignored => Ok(Added::Nothing),
            _ => Err(answer.into_error("git add")),
        }
    }
}

/// What `git add` says of paths that the user has told it to ignore.
const IGNORED: &str = "paths are ignored by one of your .gitignore files";

/// What `git add` says of a path that it cannot add for what it is, whatever else is well.
const REFUSALS: [&str; 2] = ["error: open(\"", "would be replaced by"];

/// A path that git cannot add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAddable {
    /// In bytes as git has it.
    pub path: Vec<u8>,
    /// git's words.
    pub why: String,
}

/// What became of the paths that were to be added to the index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Added {
    All,
    Nothing,
}

fn refused_by_hook(error: &Error) -> Error {
    Error::new(
        Kind::Surroundings,
        format!("{} (a hook of yours refused it)", error.what()),
        "Nothing was committed; the changes are staged and in the work tree. Make the hook pass, then run the same \
         command again.",
    )
}
