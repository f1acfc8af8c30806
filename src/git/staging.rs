//! Updates the index from the work tree. No other module does.
//!
//! This is done path by path, without patterns: first removed files are taken out, then present ones are put in. So a
//! folder may have become a link or a file, a path may be ignored or already staged, and the time depends only on the
//! number of paths.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::settings::Version;
use super::temporary_index::TemporaryIndex;
use super::{Git, GitOutput};
use crate::error::Result;
use crate::process::other_processes;

/// Paths that a commit takes from the work tree, relative to its top, in bytes as in git.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Paths that exist in the work tree and are committed as they are: files, links and submodules.
    pub there: Vec<Vec<u8>>,
    /// Paths that the commit removes.
    pub gone: Vec<Vec<u8>>,
}

impl Selection {
    /// A selection of one file that exists in the work tree.
    #[must_use]
    pub fn file(path: &str) -> Self {
        Self { there: vec![path.as_bytes().to_vec()], gone: Vec::new() }
    }

    /// All paths.
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.there.iter().chain(&self.gone).map(Vec::as_slice)
    }

    /// These paths and those of another selection.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.there.extend(other.there);
        self.gone.extend(other.gone);
        self
    }

    /// The number of paths.
    #[must_use]
    pub fn len(&self) -> usize {
        self.there.len() + self.gone.len()
    }

    /// Whether there are no paths.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A path that git cannot add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAddable {
    /// In bytes as git has it.
    pub path: Vec<u8>,
    /// git's words.
    pub why: String,
}

/// The option that puts paths into the index as they are in the work tree.
const ADD: &str = "--add";

/// git's messages for a path that it cannot add because of the path itself.
const REFUSALS: [&str; 4] =
    ["error: open(\"", "would be replaced by", "appears as both a file and as a directory", PASSED_OVER];

/// From how many files on their content goes into one pack: as many as make git keep what it has fetched as a pack
/// (`fetch.unpackLimit`). Writing each into a separate file takes many times as long.
const MANY: usize = 100;

/// git writes files of more than this many bytes into a pack at once, and all of them into the same.
const INTO_A_PACK: [&str; 2] = ["-c", "core.bigFileThreshold=1"];

/// How the name of a pack begins that git has not finished yet.
const UNFINISHED_PACK: &[u8] = b"tmp_pack_";

/// How much older than the clock the time of a file may be that was written just now.
const CLOCK_STEP: Duration = Duration::from_secs(1);

/// The first git that does not begin a separate pack for each file of `update-index`.
const WITH_ONE_PACK: Version = Version { major: 2, minor: 37 };

/// git's message when it skips a path whose name it reserves for itself. It does not fail then.
const PASSED_OVER: &str = "Ignoring path ";

impl Git {
    /// Updates the index from the work tree at these paths. Everything else in the index stays as it is.
    ///
    /// # Errors
    /// If git cannot write the index or cannot add one of the paths. In that case, no existing path has been added.
    pub fn stage(&self, selection: &Selection) -> Result<()> {
        self.stage_in(None, selection)
    }

    /// The same for another index.
    pub(super) fn stage_in(&self, index: Option<&TemporaryIndex>, selection: &Selection) -> Result<()> {
        for (how, paths) in [("--force-remove", &selection.gone), (ADD, &selection.there)] {
            if paths.is_empty() {
                continue;
            }
            let output = self.update_index(index, how, paths)?;
            if !succeeded(&output) {
                return Err(output.into_error());
            }
        }
        Ok(())
    }

    /// The selected paths that git cannot add because of the files themselves (a file that cannot be read, or line ends that
    /// `core.safecrlf` forbids to convert), each with git's words. Empty if all can be added, or if something else
    /// hinders git. The index stays as it is.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn not_addable(&self, git_dir: &Path, selection: &Selection) -> Result<Vec<NotAddable>> {
        let index = TemporaryIndex::copy(git_dir)?;
        self.stage_in(Some(&index), &Selection { there: Vec::new(), gone: selection.gone.clone() })?;
        self.not_addable_to(&index, &selection.there)
    }

    fn not_addable_to(&self, index: &TemporaryIndex, paths: &[Vec<u8>]) -> Result<Vec<NotAddable>> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let output = self.update_index(Some(index), ADD, paths)?;
        if succeeded(&output) || !REFUSALS.iter().any(|words| output.stderr.contains(words)) {
            return Ok(Vec::new());
        }
        if let [path] = paths {
            let why = super::first_lines(&output.stderr, 1);
            let why = ["fatal: ", "error: "].iter().find_map(|start| why.strip_prefix(start)).unwrap_or(&why);
            return Ok(vec![NotAddable { path: path.clone(), why: why.to_owned() }]);
        }
        let (first, second) = paths.split_at(paths.len() / 2);
        let mut found = self.not_addable_to(index, first)?;
        found.extend(self.not_addable_to(index, second)?);
        Ok(found)
    }

    fn update_index(
        &self,
        index: Option<&TemporaryIndex>,
        how: &str,
        paths: &[Vec<u8>],
    ) -> Result<GitOutput> {
        let is_packed = how == ADD && paths.len() >= MANY && self.is_at_least(WITH_ONE_PACK)?;
        let settings: &[&str] = if is_packed { &INTO_A_PACK } else { &[] };
        let began = SystemTime::now();
        let call = self.command(settings.iter().chain(&["update-index", how, "-z", "--stdin"]));
        let output = call.on_index(index).stdin(terminated(paths)).output();
        if is_packed && !output.as_ref().is_ok_and(|output| output.status.success()) {
            // The failure itself says more.
            let _ = self.remove_unfinished_packs(began);
        }
        output
    }

    /// Removes the packs that a git has begun since this moment and that nobody writes any more: on a full disk, nothing else would ever
    /// make room for another try. Where processes cannot be seen, they stay until git collects its garbage.
    fn remove_unfinished_packs(&self, since: SystemTime) -> Result<()> {
        let folder = self.demand(["rev-parse", "--path-format=absolute", "--git-path", "objects/pack"])?;
        let folder = PathBuf::from(OsStr::from_bytes(folder.trim_ascii_end()));
        let Some(processes) = other_processes() else { return Ok(()) };
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let is_unfinished = entry.file_name().as_bytes().starts_with(UNFINISHED_PACK);
            let is_new = || {
                let modified = entry.metadata().and_then(|meta| meta.modified());
                modified.is_ok_and(|time| time + CLOCK_STEP >= since)
            };
            if is_unfinished && is_new() && !processes.iter().any(|process| process.has_open(&entry.path())) {
                // If it cannot be removed, it only takes up space.
                let _ = std::fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}

fn succeeded(output: &GitOutput) -> bool {
    output.status.success() && !output.stderr.contains(PASSED_OVER)
}

/// Paths as git reads them from standard input with `-z`.
pub(super) fn terminated<P: AsRef<[u8]>>(paths: &[P]) -> Vec<u8> {
    paths.iter().flat_map(|path| [path.as_ref(), b"\0"]).flatten().copied().collect()
}
