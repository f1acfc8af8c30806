//! Calls that act on a list of paths, of any length and with any bytes in them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Git, Pathspecs};
use crate::error::{Error, Result};
use crate::task::CommitId;

impl Git {
    /// Puts paths back as `commit` has them, in index and work tree.
    ///
    /// # Errors
    /// If git refuses.
    pub fn restore(&self, git_dir: &Path, (commit, paths): (&CommitId, &[Vec<u8>])) -> Result<()> {
        self.restore_to(git_dir, (commit, paths), &["--staged", "--worktree"])
    }

    /// Puts paths into the work tree as `commit` has them; the index stays as it is.
    ///
    /// # Errors
    /// If git refuses.
    pub fn check_out(&self, git_dir: &Path, (commit, paths): (&CommitId, &[Vec<u8>])) -> Result<()> {
        self.restore_to(git_dir, (commit, paths), &["--worktree"])
    }

    fn restore_to(
        &self,
        git_dir: &Path,
        (commit, paths): (&CommitId, &[Vec<u8>]),
        targets: &[&str],
    ) -> Result<()> {
        let list = PathList::write(git_dir, paths)?;
        let mut args: Vec<OsString> = vec!["restore".into(), format!("--source={commit}").into()];
        args.extend(targets.iter().map(Into::into));
        args.extend([list.option(), NUL.into()]);
        self.demand(args).map(drop)
    }

    /// The ids of the blobs that `names` (`REVISION:PATH`) mean, in order; `None` where there is none.
    ///
    /// # Errors
    /// If git cannot be asked.
    pub fn blob_ids(&self, names: &[String]) -> Result<Vec<Option<String>>> {
        let stdin = names.iter().flat_map(|name| [name.as_bytes(), b"\n"].concat()).collect();
        let args = ["cat-file", "--batch-check=%(objecttype) %(objectname)"];
        let answer = self.call_with(Pathspecs::Literal, args, stdin)?;
        if !answer.status.success() {
            return Err(answer.into_error("git cat-file"));
        }
        let lines = String::from_utf8_lossy(&answer.stdout).into_owned();
        Ok(lines.lines().map(|line| line.strip_prefix("blob ").map(str::to_owned)).collect())
    }
}

/// Says that a list of paths is separated by NUL.
pub(super) const NUL: &str = "--pathspec-file-nul";

/// A list of paths in a file of the git directory, where no argument limit applies; removed when it is dropped.
pub(super) struct PathList {
    file: PathBuf,
}

impl PathList {
    pub(super) fn write(git_dir: &Path, paths: &[Vec<u8>]) -> Result<Self> {
        let dir = git_dir.join("arborist");
        let file = dir.join(format!("paths-{}", std::process::id()));
        let list = Self { file };
        let written = std::fs::create_dir_all(&dir).and_then(|()| std::fs::write(&list.file, paths.join(&0)));
        written.map_err(|error| Error::not_written(list.file.display(), &error))?;
        Ok(list)
    }

    /// The option that names the file.
    pub(super) fn option(&self) -> OsString {
        let mut option = OsString::from("--pathspec-from-file=");
        option.push(&self.file);
        option
    }
}

impl Drop for PathList {
    fn drop(&mut self) {
        // A file left behind does no harm, and there is nobody to tell.
        let _ = std::fs::remove_file(&self.file);
    }
}
