//! The folder of the hooks that ours replaced.

use std::path::{Path, PathBuf};

/// What the name of a folder of hooks ends in that were there before ours.
const REPLACED_HOOKS: &str = ".pre-arborist";

/// The folder of the hooks that were in `hooks_dir` before ours: `hooks.pre-arborist` beside `hooks`. The scripts in `hooks/`
/// find it in the same way.
#[must_use]
pub fn replaced_hooks_dir(hooks_dir: &Path) -> PathBuf {
    // Without the slash or the dot at the end, which would hide that the folder is a link.
    let folder: PathBuf = hooks_dir.components().collect();
    // Relative links in a folder start from its real place.
    let real =
        if folder.is_symlink() || folder.file_name().is_none() { folder.canonicalize().ok() } else { None };
    let mut replaced = real.unwrap_or(folder).into_os_string();
    replaced.push(REPLACED_HOOKS);
    replaced.into()
}
