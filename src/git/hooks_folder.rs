//! The folder of hooks that git uses in the place of the one that is configured.

use std::ffi::OsString;
use std::path::PathBuf;

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
