//! What a scratch work tree needs that is switched from one state of its files to the next.

use std::path::{Path, PathBuf};

use super::Git;
use super::linked::UNDISTURBED;
use super::output::paths_in;
use crate::error::Result;
use crate::record::CommitId;

/// Settings that hold whatever tests have configured: nothing but git itself says what has changed, in the index that
/// we have written, and no hook runs.
const SETTINGS: &[&str] = &[
    "core.checkStat=default",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.ignoreStat=false",
    "core.sparseCheckout=false",
    "core.splitIndex=false",
    "core.trustctime=true",
    "core.untrackedCache=false",
    "submodule.recurse=false",
];

/// A submodule of a linked work tree.
#[derive(Clone, Debug)]
pub struct FilledSubmodule {
    /// Its folder, from the top.
    pub path: PathBuf,
    /// git, for this submodule.
    pub git: Git,
}

impl Git {
    /// This git, believing nothing that tests can write.
    #[must_use]
    pub fn distrusting_tests(self) -> Self {
        self.with_settings(SETTINGS)
    }

    /// The submodules that are filled in this linked work tree, and theirs.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn filled_submodules(&self, git_dir: &Path) -> Result<Vec<FilledSubmodule>> {
        let mut found = Vec::new();
        let modules = git_dir.join("modules");
        if !modules.is_dir() {
            return Ok(found);
        }
        for (name, path) in self.submodules_listed()? {
            let (inner_dir, folder) = (modules.join(name), self.dir().join(&path));
            if !inner_dir.is_dir() || !folder.join(".git").is_file() {
                continue;
            }
            let git = self.in_linked_tree(&folder, &inner_dir);
            for inner in git.filled_submodules(&inner_dir)? {
                found.push(FilledSubmodule { path: path.join(inner.path), ..inner });
            }
            found.push(FilledSubmodule { path, git });
        }
        Ok(found)
    }

    /// Takes back what was changed in the tracked files of this work tree.
    ///
    /// # Errors
    /// As for [`Git::move_linked_tree`].
    pub fn reset_linked_tree(&self) -> Result<()> {
        self.reset_to("HEAD")
    }

    /// The tracked files of the work tree that differ from the index, or are gone.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn changed_since_index(&self) -> Result<Vec<Vec<u8>>> {
        // Without this, files with another time would count as changed. It ends with 0 only if no file has changed.
        if self.call(["update-index", "--ignore-submodules", "--refresh"])?.status.success() {
            return Ok(Vec::new());
        }
        let args = ["diff-files", "-z", "--name-only", "--ignore-submodules=all"];
        Ok(paths_in(&self.demand(args)?))
    }

    /// The paths that differ between two commits or trees.
    ///
    /// # Errors
    /// If an object is missing.
    pub fn paths_between(&self, from: &impl ToString, to: &impl ToString) -> Result<Vec<Vec<u8>>> {
        let (from, to) = (from.to_string(), to.to_string());
        Ok(paths_in(&self.demand(["diff-tree", "-r", "-z", "--name-only", "--no-renames", &from, &to])?))
    }

    /// Gives a linked work tree the files of another commit. Files that are the same are not written.
    ///
    /// # Errors
    /// If git fails: the disk is full, a filter fails, an object is missing.
    pub fn move_linked_tree(&self, commit: &CommitId) -> Result<()> {
        self.reset_to(&commit.to_string())
    }

    fn reset_to(&self, commit: &str) -> Result<()> {
        let args = ["reset", "--hard", "--quiet", "--no-recurse-submodules", commit];
        self.command(UNDISTURBED.into_iter().chain(args)).with_hooks_of_user().demand().map(drop)
    }
}
