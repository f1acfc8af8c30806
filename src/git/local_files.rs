//! The files of a repository that are read in this process where their meaning is certain, because to start git takes longer
//! than to read them. Wherever something is unusual, git is asked.

use std::path::PathBuf;

/// Where git would read in one work tree.
#[derive(Clone, Debug, Default)]
pub struct LocalFiles {
    /// The index; `None` if only git can tell which one it uses.
    pub index: Option<PathBuf>,
    /// The files of the configuration, in git's order; `None` if only git can tell which files it reads.
    pub config: Option<Vec<ConfigFile>>,
}

/// A file of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// `system`, `global` or `local`.
    pub(super) scope: &'static str,
    /// Its path, as git names it.
    pub(super) name: String,
    /// Its absolute path.
    pub(super) place: PathBuf,
}
