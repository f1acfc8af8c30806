//! Notices when a program changes files outside of the repository from which reviewers take instructions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha1_smol::Sha1;

use crate::files;

/// What the files say from which agents take instructions or programs outside of a repository: a digest of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Instructions {
    places: Vec<PathBuf>,
    digests: BTreeMap<PathBuf, String>,
}

impl Instructions {
    /// What is at these places now, and in the folders among them.
    pub(crate) fn at(places: Vec<PathBuf>) -> Self {
        let mut digests = BTreeMap::new();
        let mut left = places.clone();
        while let Some(path) = left.pop() {
            // Below a place, no link is followed.
            let is_link = path.is_symlink() && !places.contains(&path);
            if let (false, Ok(entries)) = (is_link, path.read_dir()) {
                left.extend(entries.flatten().map(|entry| entry.path()));
            } else if let Ok(bytes) = files::read(&path, files::LARGE) {
                digests.insert(path, Sha1::from(bytes).digest().to_string());
            } else if path.is_symlink() {
                digests.insert(path.clone(), format!("{:?}", path.read_link()));
            }
        }
        Self { places, digests }
    }

    /// Reads them again, and returns those that have changed.
    pub(crate) fn reread(&mut self) -> Vec<PathBuf> {
        let before = std::mem::take(&mut self.digests);
        *self = Self::at(std::mem::take(&mut self.places));
        let paths: BTreeSet<&PathBuf> = before.keys().chain(self.digests.keys()).collect();
        paths.into_iter().filter(|path| before.get(*path) != self.digests.get(*path)).cloned().collect()
    }
}
