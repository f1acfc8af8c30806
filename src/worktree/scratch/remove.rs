//! Removes folders with everything in them, whatever programs have done to their permissions.

use std::io::{ErrorKind, Result};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

/// How often the removal is tried again while something still writes there.
const TRIES: u32 = 5;
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// Removes a folder, including folders in it that were made read-only. Links are removed and never followed. A folder that
/// is already gone is not an error.
///
/// # Errors
/// If something in it cannot be removed even then: it belongs to another user, is immutable, or is a mount point.
pub(in crate::worktree) fn remove_folder(folder: &Path) -> Result<()> {
    let mut tried = 0;
    loop {
        tried += 1;
        match std::fs::remove_dir_all(folder) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound && folder.symlink_metadata().is_err() => {
                return Ok(());
            }
            Err(error) if tried >= TRIES => return Err(error),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => make_writable(folder),
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// Lets us remove what is in a folder and in those below it, as far as they are ours.
fn make_writable(folder: &Path) {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(meta) = folder.symlink_metadata() else { continue };
        let mode = meta.permissions().mode();
        if mode & 0o700 != 0o700 {
            // If it is not ours, the removal says so.
            let _ = std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode | 0o700));
        }
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        open.extend(
            entries
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_only_folders_are_removed_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, outside) = (dir.path().join("folder"), dir.path().join("outside"));
        std::fs::create_dir_all(folder.join("a/b")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("kept"), "").unwrap();
        std::fs::write(folder.join("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink(&outside, folder.join("a/link")).unwrap();
        for name in ["a/b", "a"] {
            std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o500)).unwrap();
        }
        remove_folder(&folder).unwrap();
        assert!(!folder.exists() && outside.join("kept").exists());
        remove_folder(&folder).unwrap();
    }
}
