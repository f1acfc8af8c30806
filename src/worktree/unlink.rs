//! Removes single files of a work tree.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::error::{Error, Result};
use crate::files::Folder;
use crate::git::Git;

/// Removes a file or link without following links on the way, and then the folders that are left empty. A file that is
/// already gone is not an error, and neither is one whose folder has become a file or a link.
pub(crate) fn unlink(top: &Path, path: &[u8]) -> Result<()> {
    let path = Path::new(OsStr::from_bytes(path));
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let remove = || -> std::io::Result<()> {
        let top = Folder::open(top)?;
        top.inner(folder)?.remove_file(name)?;
        for folder in folder.ancestors() {
            let (Some(above), Some(name)) = (folder.parent(), folder.file_name()) else { break };
            if top.inner(above)?.remove_empty(name).is_err() {
                break;
            }
        }
        Ok(())
    };
    match remove() {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(Error::not_written(path.display(), &error))
        }
        _ => Ok(()),
    }
}

/// The same for what was a file, or a submodule: its folder is removed with all else that is not tracked.
pub(crate) fn unlink_file(top: &Path, path: &[u8]) -> Result<()> {
    let is_folder = top.join(OsStr::from_bytes(path)).symlink_metadata().is_ok_and(|meta| meta.is_dir());
    if is_folder { Ok(()) } else { unlink(top, path) }
}

/// Whether a file says how git writes others.
pub(crate) fn is_attributes(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next() == Some(b".gitattributes")
}

/// Writes all files of the index anew, because with other attributes git writes the same content in another way. Returns their
/// paths.
pub(crate) fn write_anew(git: &Git, top: &Path) -> Result<Vec<Vec<u8>>> {
    let tracked = git.tracked_paths()?.into_iter().filter(|(_, is_submodule)| !is_submodule);
    let others: Vec<Vec<u8>> = tracked.map(|(path, _)| path).filter(|path| !is_attributes(path)).collect();
    others.iter().try_for_each(|path| unlink_file(top, path))?;
    git.check_out_index(&others)?;
    Ok(others)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_removed_with_the_folders_that_it_leaves_empty_and_nothing_is_removed_beyond_links() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("top");
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::create_dir_all(dir.path().join("elsewhere")).unwrap();
        fs::write(top.join("a/b/file"), "").unwrap();
        fs::write(top.join("now-a-file"), "").unwrap();
        fs::write(dir.path().join("elsewhere/file"), "").unwrap();
        std::os::unix::fs::symlink("../elsewhere", top.join("now-a-link")).unwrap();
        for path in ["a/b/file", "a/b/file", "never/there", "now-a-file/file", "now-a-link/file"] {
            unlink(&top, path.as_bytes()).unwrap_or_else(|error| panic!("{path}: {error:?}"));
        }
        assert!(!top.join("a").exists());
        assert!(top.join("now-a-file").exists());
        assert!(dir.path().join("elsewhere/file").exists());
    }
}
