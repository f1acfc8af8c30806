//! A folder, and a link to one, that exist while git makes a commit. What a killed process has left of one is removed by the next run.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io::{ErrorKind, Result, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::files::{self, Folder};
use crate::git::REPLACED_HOOKS;

/// The beginning of the names of these folders. In a work tree, a dot is before it.
const NAME: &str = "arborist-hooks-";
/// The file that keeps git from showing the folder, and that is locked as long as the folder is in use.
pub(super) const MARK: &str = ".gitignore";

/// A name for such a folder that no one can guess before it exists.
pub(super) fn new_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{NAME}{}-{now:x}", std::process::id())
}

/// A folder of ours, which is removed when this value is dropped.
#[derive(Debug)]
pub(super) struct CopyFolder {
    path: PathBuf,
    /// Its mark, locked; `None` as long as the folder may be another's.
    mark: Option<File>,
}

impl CopyFolder {
    /// Makes a folder that does not exist yet.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn make(path: PathBuf) -> Result<Self> {
        let mut folder = Self { path, mark: None };
        loop {
            // Another run that begins at this moment may take it for what is left of one.
            DirBuilder::new().mode(0o700).create(&folder.path)?;
            let path = folder.path.join(MARK);
            let mut mark = match files::open_own(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                mark => mark?,
            };
            mark.lock()?;
            if path.exists() {
                mark.write_all(b"*\n")?;
                folder.mark = Some(mark);
                return Ok(folder);
            }
        }
    }
}

impl Drop for CopyFolder {
    fn drop(&mut self) {
        if self.mark.is_some() {
            // The next run tries again.
            let _ = Folder::around(&self.path).and_then(|(place, name)| place.remove_all(name));
        }
    }
}

/// A link to a folder of ours, which is removed when this value is dropped.
#[derive(Debug)]
pub(super) struct CopyLink(PathBuf);

impl CopyLink {
    /// Makes a link that does not exist yet.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn make(path: PathBuf, to: &Path) -> Result<Self> {
        symlink(to, &path).map(|()| Self(path))
    }
}

impl Drop for CopyLink {
    fn drop(&mut self) {
        // The next run tries again.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Removes the folders and links directly in `place` that killed processes have left there. The next run tries again to remove
/// what stays.
pub(super) fn remove_left_in(place: &Path) {
    let Ok(folder) = Folder::open(place) else { return };
    for name in folder.names().unwrap_or_default().iter().filter(|name| name.to_str().is_some_and(is_name)) {
        let _ = match folder.has_folder(name) {
            true => remove_left(&folder, name),
            // Its folder was removed first.
            false if !place.join(name).exists() => folder.remove_file(name),
            false => Ok(()),
        };
    }
}

/// Whether [`new_name`] makes such names. Beside a copy may be one of the hooks that were there before ours.
fn is_name(name: &str) -> bool {
    let name = name.strip_suffix(REPLACED_HOOKS).unwrap_or(name);
    let parts = name.trim_start_matches('.').strip_prefix(NAME).and_then(|rest| rest.split_once('-'));
    parts
        .is_some_and(|(process, hex)| process.parse::<u32>().is_ok() && u128::from_str_radix(hex, 16).is_ok())
}

fn remove_left(place: &Folder, name: &OsStr) -> Result<()> {
    let folder = place.inner(Path::new(name))?;
    match folder.has(MARK).then(|| folder.open_own(MARK)).transpose()? {
        Some(mark) => match mark.try_lock() {
            Ok(()) => place.remove_all(name),
            // It is in use.
            Err(_) => Ok(()),
        },
        // Its process was killed when it had just begun to make the folder, or had almost removed it. One with anything in it is not
        // ours.
        _ => place.remove_empty(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_in_use_stays_and_what_is_left_of_one_goes() {
        let place = tempfile::tempdir().unwrap();
        let there = |name: &str| place.path().join(name).exists();
        let used = CopyFolder::make(place.path().join("arborist-hooks-1-a")).unwrap();
        let left = [
            "arborist-hooks-2-b",
            ".arborist-hooks-3-c",
            "arborist-hooks-2-b.pre-arborist",
            "arborist-hooks-4-d",
        ];
        for name in left {
            std::fs::create_dir_all(place.path().join(name)).unwrap();
        }
        for name in &left[..2] {
            std::fs::write(place.path().join(name).join(MARK), "*\n").unwrap();
            std::fs::create_dir(place.path().join(name).join("hooks")).unwrap();
        }
        for others in ["arborist-hooks-5-e", "hooks"] {
            std::fs::create_dir(place.path().join(others)).unwrap();
            std::fs::write(place.path().join(others).join("file"), "").unwrap();
        }
        remove_left_in(place.path());
        assert!(left.iter().all(|name| !there(name)));
        assert!(there("arborist-hooks-1-a") && there("arborist-hooks-5-e/file") && there("hooks/file"));
        drop(used);
        assert!(!there("arborist-hooks-1-a"));
    }
}
