//! Folders of hooks beside the configured one: that which git uses in its place, and that of the hooks that ours replaced.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A folder of hooks in the place of the configured one.
#[derive(Clone, Debug)]
pub struct HooksFolder {
    /// The folder in which git looks for hooks.
    pub folder: PathBuf,
    /// The folders that are copies, each with what it is a copy of.
    pub copies: Vec<(PathBuf, PathBuf)>,
}

impl HooksFolder {
    /// The setting for git.
    pub(super) fn setting(&self) -> OsString {
        let mut setting = OsString::from("core.hooksPath=");
        setting.push(&self.folder);
        setting
    }

    /// What git or a hook has said, with the names of the files that the user knows.
    pub(super) fn as_known(&self, said: &str) -> String {
        self.copies.iter().fold(said.to_owned(), |said, (copy, original)| {
            said.replace(&*copy.to_string_lossy(), &original.to_string_lossy())
        })
    }
}

/// What the name of a folder of hooks ends in that were there before ours.
pub const REPLACED_HOOKS: &str = ".pre-arborist";

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
