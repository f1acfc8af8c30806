//! Tells whether a command was started from inside: by an agent or a test of a run here, or by a program that takes units of
//! work from here. What a person decides does not come from there.

use std::ffi::OsString;
use std::path::Path;

use super::scratch::tags_of_scratches;
use crate::files::Folder;
use crate::git::WorkTree;
use crate::process::{Instance, Tag, descends_from, is_within_job, program_at_input};

/// The folder with a note of each client, named by our process that serves it.
const CLIENTS: &str = "clients";
/// The largest entry that is read, in bytes.
const LONGEST: u64 = 4096;

/// From where a command was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// From a step of a run: by its agent, its reviewer or its test.
    Step,
    /// From a program that takes units of work from here.
    Client,
}

impl Inside {
    /// From where this process was started; `None` if from neither.
    #[must_use]
    pub fn of(work_tree: &WorkTree) -> Option<Self> {
        if is_within_job(&tags_of(&work_tree.common_dir)) {
            return Some(Self::Step);
        }
        let folder = Folder::own(&work_tree.common_dir, CLIENTS).ok()?;
        let is_client = |name: &OsString| {
            let note = folder.read(name, LONGEST).ok();
            let Some(client) = note.and_then(|text| serde_json::from_slice::<Instance>(&text).ok()) else {
                return false;
            };
            if client.is_provably_gone() && name.to_str().is_some_and(|name| name.parse::<u32>().is_ok()) {
                // It is of no use any more, and does no harm if it cannot be removed.
                let _ = folder.remove_file(name);
            }
            !client.is_provably_gone() && descends_from(&client)
        };
        folder.names().ok()?.iter().any(is_client).then_some(Self::Client)
    }
}

/// The note that a program takes units of work from here. It counts for as long as that program lives, unless it has closed
/// the connection.
#[derive(Debug)]
pub struct ConnectedClient {
    folder: Folder,
    name: String,
}

impl ConnectedClient {
    /// Notes the program at the other end of our standard input, if it is known.
    #[must_use]
    pub fn note(work_tree: &WorkTree) -> Option<Self> {
        let client = program_at_input()?;
        let (folder, name) =
            (Folder::make_own(&work_tree.common_dir, CLIENTS).ok()?, std::process::id().to_string());
        let text = serde_json::to_vec(&client).expect("numbers and texts are JSON");
        folder.replace(&name, &text).ok()?;
        Some(Self { folder, name })
    }

    /// Removes it: the program has closed the connection.
    pub fn forget(self) {
        // It counts for no longer than that program lives.
        let _ = self.folder.remove_file(&self.name);
    }
}

/// The tags of all work trees of a repository, those in which tests and reviewers work included.
fn tags_of(common_dir: &Path) -> Vec<Tag> {
    let linked = std::fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let own = std::iter::once(common_dir.to_owned()).chain(linked.map(|entry| entry.path()));
    own.map(|git_dir| Tag::of_folder(&git_dir)).chain(tags_of_scratches(common_dir)).collect()
}
