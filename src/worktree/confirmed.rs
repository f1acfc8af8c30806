//! The commands of plans that the user has confirmed in this repository. They are kept outside of the commits, because a
//! clone must not bring them along.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files;
use crate::git::WorkTree;

/// The commands that were confirmed in a repository, for all its work trees.
#[derive(Debug)]
pub struct ConfirmedCommands {
    file: PathBuf,
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
        let file = work_tree.common_dir.join("arborist").join("confirmed-commands");
        let bytes = files::read(&file, files::LARGE).unwrap_or_default();
        Self { file, stored: serde_json::from_slice(&bytes).unwrap_or_default() }
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
        let folder = self.file.parent().expect("the file is in a folder");
        std::fs::create_dir_all(folder)
            .and_then(|()| files::replace(&self.file, format!("{text}\n").as_bytes()))
            .map_err(|error| Error::not_written(self.file.display(), &error))
    }
}
