//! Copies folders with packages from the user's work tree into a scratch work tree.

use std::collections::HashSet;
use std::io::Result as IoResult;
use std::path::{Path, PathBuf};

use super::super::copy::Copying;
use super::super::{Scratches, not_copied};
use super::DependencyListing;
use super::moved::TreeMove;
use crate::error::{Error, Result};
use crate::files::{self, Folder};
use crate::git::WorkTree;
use crate::process::{Cancel, CancelLevel};

/// Files in which tools note full paths, in a virtual environment: `*` matches any characters of a name.
const WITH_PATHS: [&str; 8] = [
    "pyvenv.cfg",
    "bin/*",
    "lib/python*/site-packages/*.pth",
    "lib/python*/site-packages/*.egg-link",
    "lib/python*/site-packages/__editable__*.py",
    "lib/python*/site-packages/*.dist-info/direct_url.json",
    "lib64/python*/site-packages/*.pth",
    // Node, where links would not do.
    ".bin/*",
];

/// What to do about packages that cannot be copied.
const REMEDY: &str = "Make room, and close programs that write there, or set arborist.worktree.setup; then run the same command \
                      again.";

impl Scratches {
    /// The folders of a listing that have to be copied into scratch work trees: none if `arborist.worktree.setup` makes them,
    /// and none that [`prepare`](Self::prepare) copies anyway.
    ///
    /// # Errors
    /// If git cannot read the user's work tree.
    pub fn folders_to_install(&self, listing: &DependencyListing) -> Result<Vec<PathBuf>> {
        if self.setup.is_some() || listing.folders().is_empty() {
            return Ok(Vec::new());
        }
        let copied: HashSet<PathBuf> = self.ignored_to_copy()?.into_iter().collect();
        // A pattern for a few files in a folder, as `*.pem` for certificates, does not bring the folder.
        let is_copied = |folder: &PathBuf| !copied.is_empty() && listing.is_all_of(folder, &copied);
        Ok(listing.folders().iter().filter(|folder| !is_copied(folder)).cloned().collect())
    }
}

/// Copies these folders, given from the top, with everything in them. What an earlier call has put there is replaced. Folders
/// that are gone from the user's work tree are left out.
///
/// Where the file system can share the content of copies, they cost little. Links keep their targets, but those that lead into
/// the user's work tree by a full path lead into the other one afterwards, and so do scripts and settings of virtual environments.
///
/// # Errors
/// [`Kind::Environment`](crate::error::Kind::Environment), naming what cannot be copied; [`Kind::Stopped`](crate::error::Kind)
/// if `cancel` was requested.
pub(in crate::worktree::scratch) fn install(
    from: &WorkTree,
    to: &WorkTree,
    folders: &[PathBuf],
    cancel: &Cancel,
) -> Result<()> {
    let copying = Copying { from: &from.top, to: &to.top, cancel };
    let change = TreeMove { from: &from.top, to: &to.top };
    for folder in folders {
        if from.top.join(folder).symlink_metadata().is_err() {
            continue;
        }
        let copied = replace(&copying, folder).and_then(|()| rewrite_paths(&change, &to.top.join(folder)));
        copied.map_err(|error| not_copied(folder, &error, REMEDY))?;
        if cancel.level() != CancelLevel::None {
            // The copy may have stopped half way.
            return Err(Error::stopped(None, ""));
        }
    }
    Ok(())
}

/// Copies these paths in folders with packages, and other files, once more, and removes those that are gone from the user's work
/// tree.
///
/// # Errors
/// As for [`install`].
pub(in crate::worktree::scratch) fn install_again(
    copying: &Copying<'_>,
    paths: &[PathBuf],
    folders: &[PathBuf],
) -> Result<()> {
    let change = TreeMove { from: copying.from, to: copying.to };
    for path in paths {
        replace(copying, path).map_err(|error| not_copied(path, &error, REMEDY))?;
    }
    for folder in folders.iter().filter(|folder| paths.iter().any(|path| path.starts_with(folder))) {
        rewrite_paths(&change, &copying.to.join(folder))
            .map_err(|error| not_copied(folder, &error, REMEDY))?;
    }
    match copying.cancel.level() {
        CancelLevel::None => Ok(()),
        _ => Err(Error::stopped(None, "")),
    }
}

fn replace(copying: &Copying<'_>, folder: &Path) -> IoResult<()> {
    Folder::open(copying.to)?.remove_below(folder)?;
    copying.copy(folder)
}

/// Rewrites the files of a copied folder in which tools have noted full paths.
fn rewrite_paths(change: &TreeMove<'_>, folder: &Path) -> IoResult<()> {
    let mut files = Vec::new();
    for form in WITH_PATHS {
        find(folder, &form.split('/').collect::<Vec<_>>(), &mut files)?;
    }
    for file in files {
        let meta = file.symlink_metadata()?;
        // A link leads to a program outside, or to a file that is rewritten itself.
        if !meta.is_file() {
            continue;
        }
        let Ok(text) = files::read(&file, files::SMALL) else { continue };
        let Some(moved) = change.text(&text) else { continue };
        // It may be read-only. Its time is new, so what was compiled from it does not count any more.
        std::fs::remove_file(&file)?;
        std::fs::write(&file, moved)?;
        std::fs::set_permissions(&file, meta.permissions())?;
    }
    Ok(())
}

/// Finds what lies below a folder by the forms of the parts of its path.
fn find(folder: &Path, forms: &[&str], found: &mut Vec<PathBuf>) -> IoResult<()> {
    let Some((form, rest)) = forms.split_first() else { return Ok(()) };
    // Most folders have nothing of that kind, and a link leads to what is found otherwise.
    if !folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if super::packages::fits(form, &entry.file_name().to_string_lossy()) {
            if rest.is_empty() {
                found.push(entry.path());
            } else {
                find(&entry.path(), rest, found)?;
            }
        }
    }
    Ok(())
}
