//! Refuses commits that a runner made itself and that contain files with uncommitted changes of the user
//! (`--allow-dirty`). `git commit --all`, for example, commits the user's changes too.

use super::unit::WorkUnit;
use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::record::{CommitId, Step};
use crate::run::undecided::WrongCommit;
use crate::text::{listed, pathspec_word, show_path};
use crate::worktree::branch_watch::who;

/// The commits of a step that contain files with uncommitted changes of the user.
#[derive(Debug)]
pub(crate) struct UsersFiles {
    step: Step,
    /// The head of the branch before them.
    base: CommitId,
    /// The oldest of them, and its files.
    first: FilesOfUser,
    /// The others.
    more: Vec<FilesOfUser>,
    /// The files that the user had staged.
    staged: Vec<String>,
}

/// Files of the user in one commit.
#[derive(Debug)]
struct FilesOfUser {
    commit: CommitId,
    /// The paths, for messages.
    files: Vec<String>,
}

impl UsersFiles {
    /// Looks for files of the user in these commits, oldest first, which a worker made in a step. Commits from before
    /// the step was begun again do not count: the user may have changed their files since.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(crate) fn in_commits(git: &Git, unit: &WorkUnit, made: &[CommitId]) -> Result<Option<Self>> {
        let users = &unit.opened.foreign.users;
        if made.is_empty() || users.is_empty() {
            return Ok(None);
        }
        // A unit of an older version does not say at which commit it was begun again.
        let base = unit.opened.tip.unwrap_or(unit.head.commit);
        let (mut found, mut staged) = (Vec::new(), Vec::new());
        for commit in made {
            if base != unit.head.commit && git.is_ancestor(commit, &base)? {
                continue;
            }
            let mut paths: Vec<Vec<u8>> =
                git.entries_made_by(&[*commit])?.into_iter().map(|entry| entry.path).collect();
            paths.retain(|path| users.has(path));
            staged.extend(paths.iter().filter(|path| users.is_staged(path)).map(|path| show_path(path)));
            let files: Vec<String> = paths.iter().map(|path| show_path(path)).collect();
            if !files.is_empty() {
                found.push(FilesOfUser { commit: *commit, files });
            }
        }
        staged.sort();
        staged.dedup();
        let mut found = found.into_iter();
        let Some(first) = found.next() else { return Ok(None) };
        Ok(Some(Self { step: unit.step, base, first, more: found.collect(), staged }))
    }

    /// The entry in the journal by which the next run refuses these commits.
    pub(crate) fn wrong(&self) -> WrongCommit {
        WrongCommit { commit: self.first.commit.to_string(), what: self.what(), remedy: self.remedy() }
    }

    /// The error for the user.
    pub(crate) fn to_error(&self) -> Error {
        let (commit, who) = (self.first.commit.short(), who(self.step));
        Error::new(
            Kind::Unsafe,
            format!("the commit {commit}, which {who} made, {}", self.what()),
            self.remedy(),
        )
    }

    fn what(&self) -> String {
        let more =
            self.more.iter().map(|it| format!("; so does {}: {}", it.commit.short(), listed(&it.files)));
        format!(
            "contains files that had uncommitted changes of yours: {}{}",
            listed(&self.first.files),
            more.collect::<String>()
        )
    }

    fn remedy(&self) -> String {
        let words: Vec<String> = self.staged.iter().map(|path| pathspec_word(path)).collect();
        let stage = if words.is_empty() {
            String::new()
        } else {
            format!(", stage again what you had staged with `git add -- {}`", words.join(" "))
        };
        format!(
            "The commit probably contains these changes too. Look at it with `git show {}`. Take it back with `git reset {}`, which \
             leaves every file as it is{stage}, and run the same command again: the run saves \
             everything else that the step left behind under refs/arborist/rescue/.",
            self.first.commit.short(),
            self.base.short()
        )
    }
}
