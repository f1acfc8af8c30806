//! Makes sure that the repository itself still exists before anything in it is compared. Otherwise git would answer as
//! if settings and files had changed, or answer for another repository around this one.

use std::ffi::OsStr;
use std::fs::write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::changed_by::ChangedBy;
use super::changed_by::SnapshotSource;
use super::references::References;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::WorkTree;
use crate::text::{listed, shell_word};

/// The file in the git directory in which the references are kept if the repository has lost them.
const LOST_REFERENCES: &str = "arborist/lost-references";

/// Checks that the repository has everything that it needs, no matter what else was changed.
///
/// # Errors
/// [`Kind::Unsafe`], naming the missing parts and what can be done.
pub(super) fn check_intact(
    source: SnapshotSource<'_>,
    references: &References,
    changed_by: ChangedBy<'_>,
) -> Result<()> {
    let missing = MissingParts { work_tree: source.work_tree, paths: missing(source.work_tree) };
    if missing.paths.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::Unsafe,
        missing.what(changed_by.who),
        format!("The step was not committed. {}", missing.remedy(references, changed_by)),
    ))
}

/// Makes sure that the newest commit still exists. Otherwise the repository was replaced by another one, or emptied.
///
/// # Errors
/// [`Kind::Unsafe`].
pub(super) fn check_same(source: SnapshotSource<'_>, changed_by: ChangedBy<'_>) -> Result<()> {
    let ChangedBy { who, head, .. } = changed_by;
    let WorkTree { git_dir, common_dir, .. } = source.work_tree;
    if source.git.has_object(&head.commit)? {
        return Ok(());
    }
    // A new repository would not contain the files of a run.
    let what = if git_dir.join("arborist").is_dir() {
        format!("objects were removed from {}", common_dir.join("objects").display())
    } else {
        format!("the repository {} was replaced by another", git_dir.display())
    };
    Err(Error::new(
        Kind::Unsafe,
        format!(
            "{what} while {who} was at work: {}, the newest commit of {}, is gone",
            head.commit.short(),
            head.branch_name()
        ),
        format!("The step was not committed. {}", history_is_gone(source.work_tree)),
    ))
}

/// The missing parts of a repository.
struct MissingParts<'a> {
    work_tree: &'a WorkTree,
    /// The outermost paths.
    paths: Vec<PathBuf>,
}

/// The outermost of the paths without which there is no work tree or no repository.
fn missing(work_tree: &WorkTree) -> Vec<PathBuf> {
    let WorkTree { top, git_dir, common_dir } = work_tree;
    let folders = [top.clone(), common_dir.clone(), git_dir.clone()];
    let folders = folders.into_iter().chain(["objects", "refs"].map(|name| common_dir.join(name)));
    let mut missing: Vec<PathBuf> = Vec::new();
    let files = std::iter::once(git_dir.join("HEAD")).chain(link_of(work_tree));
    let gone =
        folders.filter(|path| !path.is_dir()).chain(files.filter(|path| path.symlink_metadata().is_err()));
    for path in gone {
        if !missing.iter().any(|outer| path.starts_with(outer)) {
            // Without a slash at the end.
            missing.push(path.components().collect());
        }
    }
    missing
}

/// The file that leads from a linked work tree to its git directory.
fn link_of(work_tree: &WorkTree) -> Option<PathBuf> {
    // The git directory names it, if there is one.
    let named = files::read(&work_tree.git_dir.join("gitdir"), files::SMALL).ok()?;
    Some(work_tree.git_dir.join(OsStr::from_bytes(named.trim_ascii_end())))
}

impl MissingParts<'_> {
    fn what(&self, who: &str) -> String {
        let names: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        let verb = if names.len() == 1 { "was" } else { "were" };
        format!("{} {verb} removed while {who} was at work", listed(&names))
    }

    fn has(&self, path: &Path) -> bool {
        self.paths.iter().any(|missing| path.starts_with(missing))
    }

    fn remedy(&self, references: &References, changed_by: ChangedBy<'_>) -> String {
        let WorkTree { top, git_dir, common_dir } = self.work_tree;
        let refs = common_dir.join("refs");
        if self.has(&common_dir.join("objects")) {
            return history_is_gone(self.work_tree);
        }
        if self.has(top) || self.has(git_dir) {
            return format!("What was committed is still in {}.", common_dir.display());
        }
        let mut commands = Vec::new();
        if let Some(link) = link_of(self.work_tree).filter(|link| self.has(link)) {
            commands.push(writes("gitdir: ", &git_dir.display().to_string(), &link));
        }
        if self.has(&git_dir.join("HEAD")) {
            commands.push(writes("ref: ", &changed_by.head.branch, &git_dir.join("HEAD")));
        }
        if self.has(&refs) {
            commands.push(format!("mkdir {}", shell_word(&refs.display().to_string())));
            let kept = git_dir.join(LOST_REFERENCES);
            commands.push(match write(&kept, references.as_updates()) {
                Ok(()) => format!("git update-ref --stdin < {}", shell_word(&kept.display().to_string())),
                Err(_) => {
                    let branch = shell_word(&changed_by.head.branch);
                    format!("git update-ref {branch} {}", changed_by.head.commit)
                }
            });
        }
        let commands: Vec<String> = commands.iter().map(|command| format!("`{command}`")).collect();
        format!(
            "No commit is lost. {} put back what was removed. Then run the same command again.",
            commands.join(" and ")
        )
    }
}

/// A command that writes a file of one line.
fn writes(label: &str, value: &str, file: &Path) -> String {
    let file = file.display().to_string();
    format!("printf '{label}%s\\n' {} > {}", shell_word(value), shell_word(&file))
}

fn history_is_gone(work_tree: &WorkTree) -> String {
    let files = if work_tree.top.is_dir() {
        format!(
            " The files in {} are as they were left: copy those that you need to another place before you do anything else.",
            work_tree.top.display()
        )
    } else {
        String::new()
    };
    format!(
        "The history is gone from here, and nothing on this machine can bring it back unless there is a backup or another clone.\
         {files} Then put {} back from a backup, or clone the repository again from where you have pushed it.",
        work_tree.common_dir.display()
    )
}
