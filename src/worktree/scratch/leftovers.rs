//! Removes scratch work trees: after use, and those that killed commands have left behind.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::record::{ScratchRecord, ScratchRecords};
use super::remove::remove_folder;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::WorkTree;
use crate::text::advice;

/// A scratch work tree that a command uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScratchInUse {
    /// Its folder.
    pub folder: PathBuf,
    /// The command, its process and the time since when it is in use.
    pub shown: String,
}

/// The scratch work trees of a repository, after those that are not used any more were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// The folders of those that were removed.
    pub removed: Vec<PathBuf>,
    /// Why others could not be removed.
    pub stuck: Vec<Error>,
    /// Those that are in use.
    pub in_use: Vec<ScratchInUse>,
}

/// Removes the scratch work trees that killed commands have left behind, and ends the programs that still run in them.
///
/// # Errors
/// If another process removes some at this moment and does not end.
pub fn remove_leftovers(work_tree: &WorkTree) -> Result<Leftovers> {
    let records = ScratchRecords::of(&work_tree.common_dir);
    let mut found = Leftovers::default();
    if records.all().is_empty() {
        return Ok(found);
    }
    // A record that is just being made seems to be unused.
    let unused: Vec<ScratchRecord> = {
        let _turn = records.turn()?;
        let mut unused = Vec::new();
        for record in records.all() {
            match record.used_by() {
                None => unused.push(record),
                Some(shown) => {
                    let folder = record.tree().unwrap_or_default();
                    found.in_use.push(ScratchInUse { folder, shown });
                }
            }
        }
        unused
    };
    for record in unused {
        let tree = record.tree();
        let survivors = record.end_programs();
        if let Some(survivor) = survivors.first() {
            found.stuck.push(Error::new(
                Kind::Environment,
                format!(
                    "{survivor}, which a killed command has left in a scratch work tree, could not be ended"
                ),
                "End it, then run the same command again.",
            ));
            continue;
        }
        match remove(&record, &work_tree.common_dir) {
            Ok(()) => found.removed.extend(tree),
            Err(error) => found.stuck.push(error),
        }
    }
    Ok(found)
}

/// Removes a scratch work tree: its folder, what git knows of it, and at the end its record.
pub(super) fn remove(record: &ScratchRecord, common_dir: &Path) -> Result<()> {
    let tree = record.tree();
    let removed = tree.as_deref().map_or(Ok(()), remove_folder);
    if let Some(temporary) = record.temporary() {
        // What is left of it is in a folder for temporary files, which the system clears.
        let _ = remove_folder(&temporary);
    }
    let records = ScratchRecords::of(common_dir);
    let _turn = records.turn()?;
    let linked = common_dir.join("worktrees");
    let git_dir = linked.join(&record.name);
    let forgotten = if leads_to(&git_dir, tree.as_deref()) { remove_folder(&git_dir) } else { Ok(()) };
    // As git does it after the last one.
    let _ = std::fs::remove_dir(linked);
    let not_removed = |path: &Path, error: &std::io::Error| {
        Error::new(
            Kind::Environment,
            format!("the scratch work tree {} could not be removed: {error}", path.display()),
            format!("Remove it by hand; {} tells whether anything is left.", advice::doctor()),
        )
    };
    match (&tree, removed, forgotten) {
        (Some(tree), Err(error), _) => return Err(not_removed(tree, &error)),
        (_, _, Err(error)) => return Err(not_removed(&git_dir, &error)),
        _ => {}
    }
    if let Some(place) = tree.as_deref().and_then(Path::parent) {
        // Another one may be there.
        let _ = std::fs::remove_dir(place);
    }
    record.remove().map_err(|error| not_removed(&git_dir, &error))
}

/// Whether a git directory belongs to this work tree. If git was killed while it made it, it may not say so yet.
fn leads_to(git_dir: &Path, tree: Option<&Path>) -> bool {
    let Ok(link) = files::read(&git_dir.join("gitdir"), files::SMALL) else { return git_dir.is_dir() };
    let named = git_dir.join(OsStr::from_bytes(link.trim_ascii_end()));
    let (named, tree) = (named.parent().map(Path::to_owned), tree.map(Path::to_owned));
    let real = |path: Option<PathBuf>| path.map(|path| real_path(&path));
    tree.is_some() && real(named) == real(tree)
}

/// A path without links in the folders above it. The last part may be gone.
fn real_path(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.zip(path.file_name()).map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name))
}
