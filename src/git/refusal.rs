//! Turns a refusal or a timeout of git into an error: the exit status and the message.

use std::path::PathBuf;

use super::output::{GitOutput, first_lines};
use super::stale_locks::LockFile;
use crate::error::{Error, Kind};

impl GitOutput {
    /// Turns this answer into an error with git's own words and our advice.
    pub(crate) fn into_error(self) -> Error {
        if let Some(lock) = lock_in_the_way(&self.stderr).and_then(LockFile::in_the_way) {
            return lock.busy();
        }
        // After the name of a lock file, git gives its own advice.
        let lines = if is_about_another_git(&self.stderr) { 1 } else { 5 };
        let said = first_lines(&self.stderr, lines);
        let answer = format!("{}\n{}", self.stderr, self.status);
        let what = if said.is_empty() {
            format!("{} failed ({})", self.call, self.status)
        } else {
            format!("{} failed: {said}", self.call)
        };
        error_of(what, &answer)
    }

    /// Whether git has failed because another git is temporarily in its way: it holds a lock file, packs objects, or makes a
    /// linked work tree.
    pub(super) fn meets_another_git(&self) -> bool {
        !self.status.success() && is_about_another_git(&self.stderr)
    }
}

/// The error that this answer of git means.
fn error_of(what: String, answer: &str) -> Error {
    if FULL_DISK.iter().any(|sign| answer.contains(sign)) {
        return Error::of_full_disk(what);
    }
    let (kind, remedy) = classify(answer);
    Error::new(kind, what, remedy)
}

/// Turns what git says about a repository into an error. The first line says what is wrong, and the rest is the remedy.
pub(super) fn about_repository(stderr: &str) -> Error {
    let mut lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("git failed without a message");
    let first = ["fatal: ", "error: "].iter().find_map(|head| first.strip_prefix(head)).unwrap_or(first);
    let rest: Vec<_> = lines.collect();
    let remedy = if !rest.is_empty() {
        rest.join("\n")
    } else if first.contains("not a git repository") {
        "Go to a folder of a repository, or make one with `git init`.".to_owned()
    } else {
        "Run `git status` to see what git says about this repository.".to_owned()
    };
    Error::new(Kind::Repository, first, remedy)
}

/// How the error of a git command begins that did not end by itself.
const HUNG: &str = "git did not end";

/// What is wrong if a git command that asks another machine did not end by itself; `None` for any other error.
pub(super) fn silence(error: &Error) -> Option<String> {
    let time = error.what().strip_prefix(HUNG)?.split(',').next()?;
    Some(format!("{HUNG}{time}"))
}

/// The error for a git command that did not end by itself.
pub(super) fn hung(time: &str) -> Error {
    Error::new(
        Kind::Environment,
        format!("{HUNG} {time}, and was ended: one of your hooks, filters or signing programs hangs"),
        "Correct it, or give it more time with `git config arborist.hookTimeout SECONDS`, then run the same command \
         again.",
    )
}

const UNWRITABLE: &str = "Make the repository writable for you, then run the same command again.";

/// What git says on a full disk. Whatever else it says then follows from that.
const FULL_DISK: [&str; 6] = [
    "No space left on device",
    // Git does not say why it could not write the lock file of a reference.
    "couldn't write '",
    "Out of diskspace",
    "Disk quota exceeded",
    "File too large",
    "SIGXFSZ",
];

/// A group of messages of git.
struct MessageGroup {
    signs: &'static [&'static str],
    kind: Kind,
    remedy: &'static str,
}

/// What git's standard error says, in the C locale, and what it means. The first row that fits counts.
static MEANINGS: [MessageGroup; 10] = [
    MessageGroup {
        // Our messages are never empty, but on a full disk, git reads back a message that it could not write.
        signs: &["Aborting commit due to empty commit message"],
        kind: Kind::Environment,
        remedy: "The disk is full, or a hook (prepare-commit-msg, commit-msg) empties the message. Make room or correct the \
             hook, then run the same command again.",
    },
    MessageGroup {
        // If the folder of a reference cannot be written, the reference is not locked.
        signs: &[".lock': Permission denied", ".lock': Read-only file system"],
        kind: Kind::Environment,
        remedy: UNWRITABLE,
    },
    MessageGroup {
        signs: &[LOCKED[0], LOCKED[1], "cannot lock ref", FOLDER_VANISHED],
        kind: Kind::Busy,
        remedy: "Another program is using git here. Wait until it has ended (an editor may be open), then run the same command \
             again.",
    },
    MessageGroup {
        signs: &["detected dubious ownership"],
        kind: Kind::Repository,
        remedy: "Run the `git config` command that git names above.",
    },
    MessageGroup {
        signs: &["failed to sign", "signing failed", "gpg failed"],
        kind: Kind::Environment,
        remedy: "Make signing work without a terminal (for example with an agent that holds the key), or turn it off \
             with `git config commit.gpgsign false`.",
    },
    MessageGroup {
        signs: &["Please tell me who you are", "empty ident", "unable to auto-detect email"],
        kind: Kind::Environment,
        remedy: "Run `git config user.name \"Your Name\"` and `git config user.email you@example.com`.",
    },
    MessageGroup {
        signs: &["Permission denied", "Read-only file system"],
        kind: Kind::Environment,
        remedy: UNWRITABLE,
    },
    MessageGroup {
        signs: &["would be replaced by"],
        kind: Kind::Environment,
        remedy: "`core.safecrlf` does not let git convert the line ends of the file that it names. Correct the file, or \
             `git config core.safecrlf warn`; then run the same command again.",
    },
    MessageGroup {
        signs: &["will not add file alias"],
        kind: Kind::Environment,
        remedy: "Two names differ only in case, which `core.ignoreCase` does not allow here. Rename one of the files that \
             git names, then run the same command again.",
    },
    MessageGroup {
        signs: &["unable to read", "is corrupt", "loose object", "bad object", "bad tree object"],
        kind: Kind::Repository,
        remedy: "Run `git fsck` to see what is damaged.",
    },
];

/// Derives the kind of the error and the remedy from git's standard error. Only the caller knows what happened to commits and
/// files, and says so.
fn classify(stderr: &str) -> (Kind, &'static str) {
    let fits = |meaning: &&MessageGroup| meaning.signs.iter().any(|sign| stderr.contains(sign));
    match MEANINGS.iter().find(fits) {
        Some(meaning) => (meaning.kind, meaning.remedy),
        None => (Kind::Environment, "See what git says above, then run the same command again."),
    }
}

/// git's messages for a lock file in its way: for files, and for tables of references.
const LOCKED: [&str; 2] = [".lock': File exists", "cannot lock references"];

/// git's message if a concurrent `git gc` has removed the empty folder in which it was about to create an object.
const FOLDER_VANISHED: &str = "unable to create temporary file: No such file or directory";

/// The words of git's message about a linked work tree that another git has only half made.
const HALF_MADE: [&str; 3] = ["failed to read", "/worktrees/", "commondir"];

fn is_about_another_git(stderr: &str) -> bool {
    LOCKED.iter().chain([&FOLDER_VANISHED]).any(|words| stderr.contains(words))
        || HALF_MADE.iter().all(|words| stderr.contains(words))
}

/// The lock file that git names in its message.
fn lock_in_the_way(stderr: &str) -> Option<PathBuf> {
    let (before, _) = stderr.split_once("': File exists")?;
    let (_, path) = before.rsplit_once("Unable to create '")?;
    path.ends_with(".lock").then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_known_whatever_else_git_says() {
        for sign in FULL_DISK {
            let answer = format!("error: {sign}\nfatal: cannot lock ref 'HEAD'");
            let error = error_of("git failed".to_owned(), &answer);
            assert!(error.is_of_full_disk() && error.kind() == Kind::Environment, "{sign}");
        }
        assert!(!error_of(String::new(), "fatal: cannot lock ref 'HEAD'").is_of_full_disk());
    }

    #[test]
    fn what_git_says_decides_the_exit_status() {
        let cases = [
            ("fatal: Unable to create '/r/.git/index.lock': File exists.", Kind::Busy),
            ("fatal: detected dubious ownership in repository at '/r'", Kind::Repository),
            ("error: gpg failed to sign the data", Kind::Environment),
            (
                "error: object file .git/objects/aa/bb is empty\nfatal: loose object aabb is corrupt",
                Kind::Repository,
            ),
            (
                "fatal: cannot lock ref 'HEAD': Unable to create '/r/.git/refs/heads/main.lock': Permission denied",
                Kind::Environment,
            ),
            ("fatal: cannot lock ref 'HEAD': is at 1 but expected 2", Kind::Busy),
            (
                "error: unable to create temporary file: No such file or directory\nfatal: failed to write commit object",
                Kind::Busy,
            ),
            ("something new", Kind::Environment),
        ];
        for (stderr, kind) in cases {
            assert_eq!(classify(stderr).0, kind, "{stderr}");
        }
    }

    #[test]
    fn a_lock_file_in_the_way_is_known_by_what_git_says() {
        let said = "fatal: update_ref failed for ref 'refs/heads/a': cannot lock ref 'refs/heads/a': Unable to create \
                    '/r/.git/refs/heads/a.lock': File exists.\n\nAnother git process seems to be running";
        assert_eq!(lock_in_the_way(said), Some(PathBuf::from("/r/.git/refs/heads/a.lock")));
        assert_eq!(lock_in_the_way("fatal: cannot lock ref 'HEAD': is at 1 but expected 2"), None);
    }

    #[test]
    fn a_work_tree_that_is_half_made_is_waited_for() {
        assert!(is_about_another_git("fatal: failed to read /r/.git/worktrees/slot-2/commondir: Success"));
        assert!(!is_about_another_git("fatal: failed to read /r/.git/config: Permission denied"));
    }
}
