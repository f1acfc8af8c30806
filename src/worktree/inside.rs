//! Tells whether a command was started from inside: by an agent or a test of a run here, or by a program that takes units of
//! work from here. What a person decides does not come from there.

use std::path::{Path, PathBuf};

use super::scratch::tags_of_scratches;
use crate::files;
use crate::git::WorkTree;
use crate::process::{Instance, Tag, descends_from, is_within_job, program_at_input};

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
        let mut clients = entries(&work_tree.common_dir).filter_map(|entry| Some((read(&entry)?, entry)));
        let is_client = |(client, entry): (Instance, PathBuf)| {
            if client.is_provably_gone() {
                // It is of no use any more, and does no harm if it cannot be removed.
                let _ = std::fs::remove_file(entry);
                return false;
            }
            descends_from(&client)
        };
        clients.any(is_client).then_some(Self::Client)
    }
}

/// The note that a program takes units of work from here. It counts for as long as that program lives, unless it has closed
/// the connection.
#[derive(Debug)]
pub struct ConnectedClient(PathBuf);

impl ConnectedClient {
    /// Notes the program at the other end of our standard input, if it is known.
    #[must_use]
    pub fn note(work_tree: &WorkTree) -> Option<Self> {
        let client = program_at_input()?;
        let folder = folder_in(&work_tree.common_dir);
        std::fs::create_dir_all(&folder).ok()?;
        let entry = folder.join(std::process::id().to_string());
        let text = serde_json::to_vec(&client).expect("numbers and texts are JSON");
        files::replace(&entry, &text).ok().map(|()| Self(entry))
    }

    /// Removes it: the program has closed the connection.
    pub fn forget(self) {
        // It counts for no longer than that program lives.
        let _ = std::fs::remove_file(self.0);
    }
}

/// The tags of all work trees of a repository, those in which tests and reviewers work included.
fn tags_of(common_dir: &Path) -> Vec<Tag> {
    let linked = std::fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let own = std::iter::once(common_dir.to_owned()).chain(linked.map(|entry| entry.path()));
    own.map(|git_dir| Tag::of_folder(&git_dir)).chain(tags_of_scratches(common_dir)).collect()
}

fn entries(common_dir: &Path) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder_in(common_dir)).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn read(entry: &Path) -> Option<Instance> {
    serde_json::from_slice(&files::read(entry, LONGEST).ok()?).ok()
}

fn folder_in(common_dir: &Path) -> PathBuf {
    common_dir.join("arborist").join("clients")
}
