//! Removes single files of a work tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

use crate::error::{Error, Result};

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::RDONLY).union(OFlags::CLOEXEC);

/// Removes a file or link without following links on the way, and then the folders that are left empty. A file that is
/// already gone is not an error.
pub(crate) fn unlink(top: &Path, path: &[u8]) -> Result<()> {
    let path = Path::new(OsStr::from_bytes(path));
    let shown = path.display().to_string();
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let mut dir = rustix::fs::openat(CWD, top, FOLDER, Mode::empty())
        .map_err(|error| Error::not_written(&shown, &error.into()))?;
    for part in folder.components() {
        match rustix::fs::openat(&dir, part.as_os_str(), FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(inner) => dir = inner,
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(Error::not_written(&shown, &error.into())),
        }
    }
    match rustix::fs::unlinkat(&dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(Error::not_written(&shown, &error.into())),
    }
    let mut empty = top.join(folder);
    while empty != top && std::fs::remove_dir(&empty).is_ok() && empty.pop() {}
    Ok(())
}
