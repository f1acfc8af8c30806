//! The states of changed paths, as stored in a journal, and how a change of a path is noticed without reading its content.
//! Each byte of a path is written as the character with the same number, so that every path survives.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::git::{Change, ChangeKind, Git, InHead, PathEntry};
use crate::text::listed;

/// The state of a path at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PathState {
    pub(super) on_disk: Fingerprint,
    /// The id of the staged object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) staged: Option<String>,
}

/// The states of paths that differed from HEAD.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PathStates(BTreeMap<String, PathState>);

impl PathStates {
    /// Whether a path was recorded in exactly this state.
    pub(super) fn has(&self, path: &[u8], state: &PathState) -> bool {
        self.0.get(&as_text(path)) == Some(state)
    }

    /// Whether a path was recorded.
    #[must_use]
    pub fn contains(&self, path: &[u8]) -> bool {
        self.0.contains_key(&as_text(path))
    }

    /// The paths that were recorded.
    pub fn paths(&self) -> impl Iterator<Item = Vec<u8>> {
        self.0.keys().map(|text| as_path(text))
    }

    /// The paths that were recorded, and what was on disk there.
    pub(super) fn files(&self) -> impl Iterator<Item = (Vec<u8>, Fingerprint)> {
        self.0.iter().map(|(text, state)| (as_path(text), state.on_disk))
    }

    /// Adds the states that were recorded at another time. They win if a path is in both.
    pub fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether no path was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'p> FromIterator<(&'p [u8], PathState)> for PathStates {
    fn from_iter<I: IntoIterator<Item = (&'p [u8], PathState)>>(states: I) -> Self {
        Self(states.into_iter().map(|(path, state)| (as_text(path), state)).collect())
    }
}

/// The paths that git ignored at one moment: files, and entire folders, which end in `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct IgnoredPaths(BTreeSet<String>);

impl IgnoredPaths {
    pub(crate) fn of(paths: &[Vec<u8>]) -> Self {
        Self(paths.iter().map(|path| as_text(path)).collect())
    }

    /// Takes files out of the index that git ignored then, and that a step has staged all the same, as `git add --force .` does: they
    /// are not its work. `changes` are those of the work tree. Returns what is said about that, if there were any.
    ///
    /// # Errors
    /// If git cannot write the index.
    pub(crate) fn take_out_of_index(&self, git: &Git, changes: &[Change]) -> Result<Option<String>> {
        let is_added_as_it_is = |change: &&Change| {
            matches!(change.kind, ChangeKind::Tracked { in_head: InHead::No, .. })
                && change.staged.as_ref().is_none_or(|version| !version.alone)
        };
        let staged = changes.iter().filter(|change| is_added_as_it_is(change) && self.covers(&change.path));
        let staged: Vec<&Change> = staged.collect();
        if staged.is_empty() {
            return Ok(None);
        }
        let out = staged.iter().map(|change| PathEntry { path: change.path.clone(), entry: None });
        git.set_index(&out.collect::<Vec<_>>())?;
        let shown: Vec<String> = staged.iter().map(|change| change.shown()).collect();
        Ok(Some(format!(
            "staged during the step, but git ignores them; they are taken out of the index again and stay on disk: {}",
            listed(&shown)
        )))
    }

    /// Whether git ignored a path then, or a folder around it.
    pub(super) fn covers(&self, path: &[u8]) -> bool {
        let folders =
            path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..=end]);
        std::iter::once(path).chain(folders).any(|part| self.0.contains(&as_text(part)))
    }
}

/// A path as text.
pub(crate) fn as_text(path: &[u8]) -> String {
    path.iter().map(|byte| char::from(*byte)).collect()
}

/// The path that [`as_text`] wrote. A journal is only evidence, so any other text counts as an unknown path.
pub(crate) fn as_path(text: &str) -> Vec<u8> {
    text.chars().map_while(|character| u8::try_from(character).ok()).collect()
}

/// Paths as the keys of a JSON object.
pub(super) mod as_map_of_text {
    use std::collections::{BTreeMap, HashMap};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{as_path, as_text};

    pub(crate) fn serialize<S: Serializer, T: Serialize>(
        map: &HashMap<Vec<u8>, T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(map.iter().map(|(path, value)| (as_text(path), value)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<HashMap<Vec<u8>, T>, D::Error> {
        let map = BTreeMap::<String, T>::deserialize(deserializer)?;
        Ok(map.into_iter().map(|(text, value)| (as_path(&text), value)).collect())
    }
}

/// Properties that change with the content of a path and can be compared without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Fingerprint {
    Missing,
    Present { inode: u64, size: u64, mode: u32, modified: (i64, i64), changed: (i64, i64) },
}

impl Fingerprint {
    pub(crate) fn of(path: &Path) -> Self {
        path.symlink_metadata().map_or(Self::Missing, |meta| Self::Present {
            inode: meta.ino(),
            size: meta.size(),
            mode: meta.mode(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}
