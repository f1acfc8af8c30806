//! What a runner or a test must leave as it is: configuration, hooks, and every branch but the one that is worked on.
//!
//! Files are compared before git is called again, for a changed setting or hook would run with the next call (faults.md,
//! Guard).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::config::CONFIG_FILE;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::{Git, Head, WorkTree};
use crate::history::Repository;
use crate::task::CommitId;

/// What a repository's own files and references were at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Surroundings {
    hooks_dir: PathBuf,
    files: BTreeMap<PathBuf, Vec<u8>>,
    references: BTreeMap<String, CommitId>,
}

/// Over this size, in bytes, a file is told by its size and time.
const WHOLE: u64 = 1 << 20;

impl Surroundings {
    /// Notes how things are now.
    ///
    /// # Errors
    /// If git cannot list the references.
    pub(super) fn note(git: &Git, (repository, work_tree): (&Repository, &WorkTree)) -> Result<Self> {
        let references = guarded(repository)?;
        let hooks_dir = git.hooks_dir()?;
        Ok(Self { files: read_all(work_tree, &hooks_dir), references, hooks_dir })
    }

    /// Refuses to go on if `who` changed what it must not.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming it.
    pub(super) fn check(
        &self,
        (git, repository): (&Git, &Repository),
        work_tree: &WorkTree,
        (who, head): (&str, &Head),
    ) -> Result<()> {
        if !work_tree.git_dir.is_dir() || !work_tree.top.is_dir() {
            return Err(gone(work_tree, who));
        }
        let now = read_all(work_tree, &self.hooks_dir);
        if now != self.files {
            return Err(changed_files(&self.files, &now, who));
        }
        self.check_references((git, repository), (who, head))
    }

    /// Whether git has hooks here that it may run.
    pub(super) fn has_hooks(&self) -> bool {
        self.files.keys().any(|file| file.parent() == Some(&self.hooks_dir))
    }

    /// Branches may be added, and others may go forward (somebody works on them in another work tree, or fetches); none
    /// may go away or back, no tag may move, and nothing may be stashed.
    fn check_references(
        &self,
        (git, repository): (&Git, &Repository),
        (who, head): (&str, &Head),
    ) -> Result<()> {
        let now = guarded(repository)?;
        for (name, old) in self.references.iter().filter(|(name, _)| **name != head.branch) {
            let back = match now.get(name) {
                Some(new) if new == old => continue,
                Some(new) if name.starts_with("refs/heads/") => !git.is_ancestor(old, new)?,
                Some(_) | None => true,
            };
            if back {
                let kept = git.keep(old, "replaced")?;
                return Err(Error::new(
                    Kind::Unsafe,
                    format!("{who} moved or deleted {name}, which was {}", old.short()),
                    format!(
                        "Nothing is lost: {kept} keeps it. `git update-ref {name} {old}` puts it back; then run the same \
                         command again."
                    ),
                ));
            }
        }
        if now.contains_key("refs/stash") && !self.references.contains_key("refs/stash") {
            return Err(Error::new(
                Kind::Unsafe,
                format!("{who} stashed changes, so the work tree does not show its work"),
                "Nothing is lost. `git stash pop` brings them back; then run the same command again.",
            ));
        }
        Ok(())
    }
}

/// What others fetch, and what is ours, may change at any time and is not among these.
fn guarded(repository: &Repository) -> Result<BTreeMap<String, CommitId>> {
    Ok(repository.references()?.into_iter().collect())
}

fn read_all(work_tree: &WorkTree, hooks_dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for file in [
        "config",
        "config.worktree",
        "info/attributes",
        "info/exclude",
        "info/grafts",
        "objects/info/alternates",
    ] {
        for folder in [&work_tree.common_dir, &work_tree.git_dir] {
            take(&folder.join(file), &mut files);
        }
    }
    take(&work_tree.top.join(CONFIG_FILE), &mut files);
    let hooks = std::fs::read_dir(hooks_dir).into_iter().flatten().flatten();
    for hook in hooks.filter(|hook| hook.path().extension().is_none_or(|ending| ending != "sample")) {
        take(&hook.path(), &mut files);
    }
    files
}

/// Content and mode of a file, or what a link points at.
fn take(path: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::MetadataExt;
    let Ok(meta) = path.symlink_metadata() else { return };
    let content = if meta.is_symlink() {
        std::fs::read_link(path).map(|target| target.as_os_str().as_bytes().to_vec()).unwrap_or_default()
    } else if meta.is_file() && meta.len() <= WHOLE {
        files::read(path, WHOLE).unwrap_or_default()
    } else {
        format!("{} {}", meta.len(), meta.mtime()).into_bytes()
    };
    let mut told = meta.mode().to_le_bytes().to_vec();
    told.extend(content);
    files.insert(path.to_owned(), told);
}

fn changed_files(before: &BTreeMap<PathBuf, Vec<u8>>, now: &BTreeMap<PathBuf, Vec<u8>>, who: &str) -> Error {
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let other = now.iter().filter(|(path, content)| before.get(*path) != Some(content)).map(|(path, _)| path);
    let mut names: Vec<String> = gone.chain(other).map(|path| path.display().to_string()).collect();
    names.sort();
    Error::new(
        Kind::Unsafe,
        format!("{who} changed what decides how things are done here: {}", names.join(", ")),
        "The step was not committed, and git was not called since. Look at those files and put them back, then run the same \
         command again.",
    )
}

fn gone(work_tree: &WorkTree, who: &str) -> Error {
    Error::new(
        Kind::Unsafe,
        format!("{who} removed {} or its git directory", work_tree.top.display()),
        "What was committed may still be in other clones or in backups. Do not write anything there before you have looked.",
    )
}
