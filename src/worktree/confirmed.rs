//! The commands of plans that the user has confirmed in this repository. They are kept outside of the commits, because a
//! clone must not bring them along.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files::{Folder, LARGE};
use crate::git::WorkTree;

/// The file in our folder of the common git directory.
const NAME: &str = "confirmed-commands";

/// The commands that were confirmed in a repository, for all its work trees.
#[derive(Debug)]
pub struct ConfirmedCommands {
    common_dir: PathBuf,
    stored: Stored,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    /// The commands themselves: an edit of anything else in a plan needs no new confirmation.
    commands: BTreeSet<String>,
}

impl ConfirmedCommands {
    /// Reads them. A file that cannot be read confirms nothing.
    #[must_use]
    pub fn read(work_tree: &WorkTree) -> Self {
        let common_dir = work_tree.common_dir.clone();
        let bytes =
            Folder::own(&common_dir, "").and_then(|folder| folder.read(NAME, LARGE)).unwrap_or_default();
        Self { common_dir, stored: serde_json::from_slice(&bytes).unwrap_or_default() }
    }

    /// Whether a command was confirmed, letter by letter.
    #[must_use]
    pub fn contains(&self, command: &str) -> bool {
        self.stored.commands.contains(command)
    }

    /// Adds commands, and writes them down.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn confirm<'c>(mut self, commands: impl IntoIterator<Item = &'c str>) -> Result<()> {
        self.stored.commands.extend(commands.into_iter().map(str::to_owned));
        let text = serde_json::to_string_pretty(&self.stored).expect("texts can be written as JSON");
        Folder::make_own(&self.common_dir, "")
            .and_then(|folder| folder.replace(NAME, format!("{text}\n").as_bytes()))
            .map_err(|error| {
                Error::not_written(self.common_dir.join("arborist").join(NAME).display(), &error)
            })
    }
}
