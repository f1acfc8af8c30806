//! Finds an operation in progress in a work tree, such as a merge or a rebase, which somebody has to finish.

use std::path::Path;

use super::WorkTree;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::record::CommitId;

/// An operation that takes several git commands.
#[derive(Debug, PartialEq, Eq)]
pub struct Operation {
    /// The file or folder in the git directory that exists as long as the operation lasts.
    marker: &'static str,
    /// The beginning of that file, if its name does not say which operation is in progress.
    first_word: Option<&'static str>,
    /// Its name in messages, for example `a merge`.
    pub name: &'static str,
    /// The command that finishes it and keeps its work, if there is one.
    go_on: Option<&'static str>,
    /// The commands of which one aborts it.
    take_back: &'static [&'static str],
}

/// The commits that are still to be picked or reverted. It is all there is after the first of several was committed by hand.
const SEQUENCER: &str = "sequencer/todo";

static OPERATIONS: [Operation; 9] = [
    Operation {
        marker: "MERGE_HEAD",
        first_word: None,
        name: "a merge",
        go_on: Some("git merge --continue"),
        take_back: &["git merge --abort"],
    },
    Operation {
        marker: "rebase-merge",
        first_word: None,
        name: "a rebase",
        go_on: Some("git rebase --continue"),
        take_back: &["git rebase --abort"],
    },
    Operation {
        marker: "rebase-apply",
        first_word: None,
        name: "a rebase or `git am`",
        go_on: None,
        take_back: &["git rebase --abort", "git am --abort"],
    },
    Operation {
        marker: "CHERRY_PICK_HEAD",
        first_word: None,
        name: "a cherry-pick",
        go_on: Some("git cherry-pick --continue"),
        take_back: &["git cherry-pick --abort"],
    },
    Operation {
        marker: "REVERT_HEAD",
        first_word: None,
        name: "a revert",
        go_on: Some("git revert --continue"),
        take_back: &["git revert --abort"],
    },
    Operation {
        marker: SEQUENCER,
        first_word: Some("pick"),
        name: "a cherry-pick",
        go_on: Some("git cherry-pick --continue"),
        take_back: &["git cherry-pick --abort"],
    },
    Operation {
        marker: SEQUENCER,
        first_word: Some("revert"),
        name: "a revert",
        go_on: Some("git revert --continue"),
        take_back: &["git revert --abort"],
    },
    Operation {
        marker: SEQUENCER,
        first_word: None,
        name: "a cherry-pick or a revert",
        go_on: None,
        take_back: &["git cherry-pick --abort", "git revert --abort"],
    },
    Operation {
        marker: "BISECT_LOG",
        first_word: None,
        name: "a bisect",
        go_on: None,
        take_back: &["git bisect reset"],
    },
];

impl Operation {
    /// Whether it is in progress in the work tree of this git directory.
    fn is_open_in(&self, git_dir: &Path) -> bool {
        let marker = git_dir.join(self.marker);
        match self.first_word {
            None => marker.exists(),
            Some(word) => {
                // A file that cannot be read is there too, and the row without a word finds it.
                let text = files::read(&marker, files::LARGE).unwrap_or_default();
                text.split(u8::is_ascii_whitespace).next() == Some(word.as_bytes())
            }
        }
    }

    /// The commands that abort it, for messages.
    #[must_use]
    pub fn taken_back_by(&self) -> String {
        alternatives(self.take_back.iter().copied())
    }

    /// All commands that end it, for messages.
    #[must_use]
    pub fn ended_by(&self) -> String {
        alternatives(self.go_on.into_iter().chain(self.take_back.iter().copied()))
    }
}

fn alternatives(commands: impl Iterator<Item = &'static str>) -> String {
    commands.map(|command| format!("`{command}`")).collect::<Vec<_>>().join(" or ")
}

impl WorkTree {
    /// The operation in progress here, if there is one.
    #[must_use]
    pub fn in_progress(&self) -> Option<&'static Operation> {
        OPERATIONS.iter().find(|operation| operation.is_open_in(&self.git_dir))
    }

    /// The commit that is being merged here, if there is exactly one.
    #[must_use]
    pub fn merge_head(&self) -> Option<CommitId> {
        let text = files::read(&self.git_dir.join("MERGE_HEAD"), files::LARGE).ok()?;
        CommitId::from_hex(text.trim_ascii_end())
    }

    /// Refuses a work tree in which an operation must be finished first.
    ///
    /// # Errors
    /// [`Kind::Repository`], naming what is in progress and how to end it.
    pub fn check_nothing_in_progress(&self) -> Result<()> {
        let Some(operation) = self.in_progress() else { return Ok(()) };
        Err(Error::new(
            Kind::Repository,
            format!("{} is in progress in {}", operation.name, self.top.display()),
            format!("Finish it first: {}.", operation.ended_by()),
        ))
    }
}
