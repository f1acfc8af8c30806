//! What an interrupted step left in the work tree: saved as a commit, named to the user, and taken out of the way.
//!
//! No byte is lost: nothing is removed before it is saved, and nothing that cannot be saved is touched.

use std::path::Path;

use chrono::Utc;

use super::artifact::unlink;
use super::work::{Dirt, Marks};
use crate::error::{Error, Kind, Result};
use crate::git::{Change, ChangeKind, Git, RESCUE, Rescued, WorkTree};
use crate::history::Repository;
use crate::task::CommitId;

/// Saves everything that is dirty now and was not like that in `before`, and puts those paths back as HEAD has them,
/// apart from those with changes of the user's own: paths that are in `before` and not among the `leftovers` of tests.
/// `None` if there is nothing of the kind.
///
/// # Errors
/// [`Kind::Repository`] if something cannot be saved: then nothing is changed. [`Kind::Busy`] if something is still writing.
pub fn rescue(
    git: &Git,
    (repository, work_tree): (&Repository, &WorkTree),
    (task, what): (&str, &str),
    (before, leftovers): (&Marks, &Marks),
) -> Result<Option<Rescued>> {
    let (dirt, changes) = Dirt::look(git, &work_tree.top)?;
    let left: Vec<&Change> = changes.iter().filter(|change| !before.holds(&dirt, &change.path)).collect();
    if left.is_empty() {
        return Ok(None);
    }
    refuse_what_cannot_be_saved(&dirt, before, &work_tree.top)?;
    let paths: Vec<Vec<u8>> = left.iter().map(|change| change.path.clone()).collect();
    let stamp = Utc::now().format("%Y%m%dT%H%M%S");
    let name = format!("{RESCUE}{task}/{stamp}");
    let message = format!("rescue({task}): what {what} left in the work tree\n");
    let rescued = git.save(&work_tree.git_dir, &paths, (&name, &message))?;
    let (again, _) = Dirt::look(git, &work_tree.top)?;
    if again.marks() != dirt.marks() {
        return Err(Error::new(
            Kind::Busy,
            format!("something is writing in {} while it is being put in order", work_tree.top.display()),
            format!(
                "Nothing was removed. What was there is saved in {}. Run the same command again.",
                rescued.name
            ),
        ));
    }
    let users = |path: &[u8]| before.knows(path) && !leftovers.knows(path);
    let ours: Vec<&Change> = left.into_iter().filter(|change| !users(&change.path)).collect();
    put_back(git, work_tree, (&repository.branch()?.commit, &ours))?;
    Ok(Some(rescued))
}

/// Puts the files that were saved back into the work tree, and gives back their paths.
///
/// # Errors
/// [`Kind::Repository`] if one of them has changes now that would be lost.
pub fn give_back(git: &Git, work_tree: &WorkTree, rescued: &Rescued) -> Result<Vec<Vec<u8>>> {
    let paths = git.changed_paths(&[(rescued.commit, None)])?;
    let dirty: Vec<String> =
        git.status()?.iter().filter(|change| paths.contains(&change.path)).map(Change::shown).collect();
    if !dirty.is_empty() {
        return Err(Error::new(
            Kind::Repository,
            format!("these files have changes of their own now: {}", dirty.join(", ")),
            "Nothing was touched. Commit or remove them, then run the same command again.",
        ));
    }
    git.check_out(&work_tree.git_dir, (&rescued.commit, &paths))?;
    Ok(paths)
}

/// The sentence that names saved work to the user.
#[must_use]
pub fn named(rescued: &Rescued, what: &str) -> String {
    let short = rescued.name.strip_prefix(RESCUE).unwrap_or(&rescued.name);
    format!("what {what} left in the work tree is saved: `git arborist rescue show {short}`")
}

fn refuse_what_cannot_be_saved(dirt: &Dirt, before: &Marks, top: &Path) -> Result<()> {
    let stuck = dirt.unsavable(before, top);
    if stuck.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::Repository,
        format!("an interrupted step left something that a commit cannot hold: {}", stuck.join("; ")),
        "Move it out of the work tree or commit it where it belongs, then run the same command again.",
    ))
}

/// Puts paths back as HEAD has them: what HEAD knows is restored, what it does not know is removed.
fn put_back(git: &Git, work_tree: &WorkTree, (head, left): (&CommitId, &[&Change])) -> Result<()> {
    let of = |untracked: bool| {
        let wanted = left.iter().filter(move |change| (change.kind == ChangeKind::Untracked) == untracked);
        wanted.map(|change| change.path.clone()).collect::<Vec<_>>()
    };
    for path in of(true) {
        unlink(&work_tree.top, &path)?;
    }
    let known = of(false);
    if known.is_empty() { Ok(()) } else { git.restore(&work_tree.git_dir, (head, &known)) }
}
