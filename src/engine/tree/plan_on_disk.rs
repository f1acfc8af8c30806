//! Compares the plan on disk with the committed one, also where git was told to overlook changes.

use std::collections::HashSet;

use crate::error::Result;
use crate::git::Git;
use crate::record::CommitId;
use crate::run::Plan;
use crate::text::{listed, pathspec_word, shell_word, show_path};
use crate::worktree::changes::WorktreeChanges;

/// The files of a plan that are in the commit `head` and differ from it on disk, or that are `changes` without being in
/// it. If only the index differs, the run reads the committed content. Files that git ignores need not be committed.
///
/// # Errors
/// If git fails.
pub(crate) fn uncommitted_files(
    git: &Git,
    head: &CommitId,
    plan: &Plan,
    changes: &WorktreeChanges,
) -> Result<Vec<Vec<u8>>> {
    let committed = git.entries(head, plan.files())?;
    let mut found = Vec::new();
    for path in plan.files() {
        let differs = match committed.get(path) {
            Some(entry) => !git.is_at(path, entry)?,
            None => changes.has(path),
        };
        if differs && !found.contains(path) {
            found.push(path.clone());
        }
    }
    Ok(found)
}

/// A sentence on how to let git see the changes of those of these files in which it was told to overlook them; empty if
/// there are none.
///
/// # Errors
/// If git cannot read the index.
pub(crate) fn how_to_reveal(git: &Git, paths: &[Vec<u8>]) -> Result<String> {
    let overlooked: HashSet<Vec<u8>> = git.overlooked_paths()?.into_iter().collect();
    let shown: Vec<String> =
        paths.iter().filter(|path| overlooked.contains(*path)).map(|path| show_path(path)).collect();
    if shown.is_empty() {
        return Ok(String::new());
    }
    // This command takes paths from the current folder, and no patterns.
    let place = |path: &String| shell_word(&git.dir().join(path).display().to_string());
    let places = shown.iter().map(place).collect::<Vec<_>>().join(" ");
    Ok(format!(
        "git was told to overlook changes in {}; first run `git update-index --no-skip-worktree -- {places} && git \
         update-index --no-assume-unchanged -- {places}`. ",
        listed(&shown)
    ))
}

/// These paths as arguments of git commands.
pub(crate) fn pathspec_words(paths: &[Vec<u8>]) -> String {
    paths.iter().map(|path| pathspec_word(&show_path(path))).collect::<Vec<_>>().join(" ")
}
