//! Records which files git ignored in the work tree before a step. A file that was there and has not changed since
//! belongs to the user, even if somebody has staged it meanwhile, as `git add --force .` does.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::path_kind::{PathKind, joined};
use super::path_states::Fingerprint;
use super::path_states::as_text;
use crate::error::Result;
use crate::git::{Change, ChangeKind, Git, InHead, PathEntry};
use crate::text::show_path;

/// How much the clock of the file system may be behind ours.
const CLOCK_STEP: Duration = Duration::from_millis(20);

/// What happened to these files. In a message, their names follow this text.
pub(crate) const UNSTAGED: &str = "staged during the step, but git ignores them and they were there before, unchanged; they are taken out of the index \
     again and stay on disk";

/// The paths that git ignored at one moment. Files in ignored folders are not listed, because there may be many.
/// Whether one was changed later shows in the time of its last status change, which programs cannot set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IgnoredBefore {
    /// Files, and entire folders, which end in `/`. Written as in a journal.
    paths: BTreeSet<String>,
    /// When this was recorded, in milliseconds since the epoch.
    noted: u64,
}

impl IgnoredBefore {
    /// Records what git ignores now.
    pub(crate) fn now(ignored_paths: &[Vec<u8>]) -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let noted = since_epoch.saturating_sub(CLOCK_STEP).as_millis();
        Self {
            paths: ignored_paths.iter().map(|path| as_text(path)).collect(),
            noted: u64::try_from(noted).unwrap_or(u64::MAX),
        }
    }

    /// Whether a path is a file or link that was ignored then and has not been changed since.
    pub(crate) fn holds(&self, top: &Path, path: &[u8]) -> bool {
        let noted = UNIX_EPOCH + Duration::from_millis(self.noted);
        self.covers(path)
            && matches!(PathKind::at(top, path), PathKind::File { .. } | PathKind::Link)
            && !Fingerprint::of(&joined(top, path)).changed_after(noted)
    }

    /// Takes files among these changes out of the index that were ignored at that moment, have not changed since, and were
    /// staged as new files. They stay on disk. Returns their paths for messages.
    ///
    /// # Errors
    /// If git cannot write the index.
    pub(crate) fn unstage(&self, changes: &[Change], git: &Git, top: &Path) -> Result<Vec<String>> {
        let is_staged = |change: &&Change| is_added_as_it_is(change) && self.holds(top, &change.path);
        let staged: Vec<&Change> = changes.iter().filter(is_staged).collect();
        let entries: Vec<PathEntry> =
            staged.iter().map(|change| PathEntry { path: change.path.clone(), entry: None }).collect();
        git.set_index(&entries)?;
        Ok(staged.iter().map(|change| show_path(&change.path)).collect())
    }

    /// Whether git ignored a path then, or a folder around it.
    pub(crate) fn covers(&self, path: &[u8]) -> bool {
        let folders =
            path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..=end]);
        !self.paths.is_empty()
            && std::iter::once(path).chain(folders).any(|part| self.paths.contains(&as_text(part)))
    }
}

/// Whether a file that HEAD does not have is in the index, with the content that it has on disk.
fn is_added_as_it_is(change: &Change) -> bool {
    matches!(change.kind, ChangeKind::Tracked { in_head: InHead::No, .. })
        && change.staged.as_ref().is_none_or(|version| !version.alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_user_until_it_changes_and_only_if_git_ignored_it() {
        let top = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(top.path().join("deps/lib")).unwrap();
        for file in [".env", "deps/lib/a", "deps.txt"] {
            std::fs::write(top.path().join(file), "").unwrap();
        }
        std::thread::sleep(CLOCK_STEP * 3);
        let before = IgnoredBefore::now(&[b".env".to_vec(), b"deps/".to_vec(), b"gone".to_vec()]);
        let held = |path: &str| before.holds(top.path(), path.as_bytes());
        assert!(held(".env") && held("deps/lib/a"));
        assert!(!held("deps.txt") && !held("gone") && !held("deps/lib"));
        std::thread::sleep(CLOCK_STEP);
        std::fs::write(top.path().join(".env"), "changed").unwrap();
        assert!(!held(".env") && held("deps/lib/a"));
    }
}
