//! Takes generated artifacts out of the tree again, in one commit: exactly those that step commits name and that nobody
//! has changed since.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use super::artifact;
use super::committed::{Branch, commit};
use super::garden::read_run;
use super::lock::Lock;
use super::plan::Plan;
use crate::error::{Error, Kind, Result};
use crate::git::{Change, ChangeKind, CommitRequest, Git, Head, Staging, WorkTree};
use crate::history::{Range, Repository, Standing, pick_steps};
use crate::task::{CommitId, TrailerKey, trailers};

/// From which commits artifacts are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// From those of the current run.
    Current,
    /// From all that HEAD can reach.
    All,
}

/// Why an artifact stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It was changed after its step commit.
    Changed,
    /// Its path is none that a step commit of ours could name, or leads through a link.
    Unsafe,
}

/// What a prune will do: a value that `--dry-run` prints and a real one carries out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruning {
    /// What is removed, sorted.
    pub remove: Vec<String>,
    /// What stays, and why, sorted.
    pub keep: Vec<(String, Kept)>,
}

/// Where artifacts are looked for.
#[derive(Clone, Copy)]
pub struct Orchard<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The work tree.
    pub work_tree: &'a WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// How the work tree is looked at; who only lists runs nothing that the repository names.
    pub status: fn(&Git) -> Result<Vec<Change>>,
}

impl Pruning {
    /// Decides what to remove.
    ///
    /// # Errors
    /// If history, index or work tree cannot be read.
    pub fn decide(orchard: &Orchard<'_>, runs: Runs) -> Result<Self> {
        let run = read_run(orchard.repository, orchard.plan)?;
        let range = match runs {
            Runs::Current => run.range.clone(),
            Runs::All => Range::whole(run.range.head()),
        };
        let named = named_artifacts(orchard.repository, &range)?;
        let mut pruning = Self::default();
        let (odd, plain): (Vec<_>, Vec<_>) = named.into_iter().partition(|(path, _)| !is_plain(path));
        pruning.keep.extend(odd.into_iter().map(|(path, _)| (path, Kept::Unsafe)));
        let blobs = Blobs::read(orchard.git, &plain)?;
        let changes = (orchard.status)(orchard.git)?;
        let dirty: HashMap<&[u8], &Change> =
            changes.iter().map(|change| (change.path.as_slice(), change)).collect();
        for (path, commits) in plain {
            let Some(now) = blobs.get("HEAD", &path) else { continue };
            let same = commits.iter().any(|commit| blobs.get(&commit.to_string(), &path) == Some(now));
            let touched =
                dirty.get(path.as_bytes()).is_some_and(|change| is_edited(change, &orchard.work_tree.top));
            if leads_through_link(&orchard.work_tree.top, &path) {
                pruning.keep.push((path, Kept::Unsafe));
            } else if same && !touched {
                pruning.remove.push(path);
            } else {
                pruning.keep.push((path, Kept::Changed));
            }
        }
        pruning.remove.sort();
        pruning.keep.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(pruning)
    }

    /// Removes the files and commits that; `None` if there was nothing to remove.
    ///
    /// # Errors
    /// [`Kind::Busy`] while a garden is at work; if git refuses the commit, the files are put back.
    pub fn carry_out(&self, orchard: &Orchard<'_>) -> Result<Option<CommitId>> {
        if self.remove.is_empty() {
            return Ok(None);
        }
        let (_lock, _) = Lock::take(orchard.work_tree, "prune")?;
        orchard.work_tree.check_nothing_in_progress()?;
        let head = orchard.repository.branch()?;
        let staging = Staging::of(&foreign(&orchard.git.status()?, &self.remove));
        let paths: Vec<Vec<u8>> = self.remove.iter().map(|path| path.clone().into_bytes()).collect();
        let message = self.message();
        // A prune that was cut short may have staged some of it: everything starts from what HEAD has.
        orchard.git.unstage(&orchard.work_tree.git_dir, (&head.commit, &paths))?;
        for path in &self.remove {
            artifact::unlink(&orchard.work_tree.top, path.as_bytes())?;
        }
        let request = CommitRequest { paths: &paths, message: &message, staging };
        let Orchard { git, work_tree, repository, .. } = *orchard;
        match commit(Branch { git, work_tree, repository, head: &head }, &request) {
            Ok((id, _)) => Ok(Some(id)),
            Err(error) => Err(put_back(orchard, (&head, &paths), error)),
        }
    }

    fn message(&self) -> String {
        let count = self.remove.len();
        format!("chore(arborist): prune {count} generated file{}\n", if count == 1 { "" } else { "s" })
    }
}

/// The files were unchanged, so what is put back is what was there.
fn put_back(orchard: &Orchard<'_>, (head, paths): (&Head, &[Vec<u8>]), error: Error) -> Error {
    let untouched = orchard.repository.branch().is_ok_and(|now| now.commit == head.commit);
    match orchard.git.restore(&orchard.work_tree.git_dir, (&head.commit, paths)) {
        Ok(()) if untouched => {
            Error::new(error.kind(), error.what(), format!("The files were put back. {}", error.remedy()))
        }
        _ => error,
    }
}

fn named_artifacts(repository: &Repository, range: &Range) -> Result<BTreeMap<String, Vec<CommitId>>> {
    let picked = pick_steps(repository, range, |_, message| {
        let paths: Vec<String> = trailers(message)
            .into_iter()
            .filter(|trailer| {
                matches!(
                    TrailerKey::from_name(&trailer.key),
                    Some(TrailerKey::Report | TrailerKey::TestLog | TrailerKey::ReviewLog)
                )
            })
            .filter_map(|trailer| String::from_utf8(trailer.value).ok())
            .collect();
        (!paths.is_empty()).then_some(paths)
    })?;
    let mut named: BTreeMap<String, Vec<CommitId>> = BTreeMap::new();
    for step in
        picked.into_iter().filter(|step| matches!(step.standing, Standing::Counts | Standing::Reverted))
    {
        for path in step.value {
            named.entry(path).or_default().push(step.id);
        }
    }
    Ok(named)
}

/// Whether a path is one that a step commit may name: relative, with `/`, and never through `..` or a git directory.
fn is_plain(path: &str) -> bool {
    let part = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    !path.is_empty() && !path.chars().any(|c| c.is_control() || c == '\\') && path.split('/').all(part)
}

/// Whether a file differs from HEAD in any way but by being gone already, as after a prune that was cut short.
fn is_edited(change: &Change, top: &Path) -> bool {
    let gone = top.join(String::from_utf8_lossy(&change.path).as_ref()).symlink_metadata().is_err();
    !(gone && matches!(change.kind, ChangeKind::Tracked { .. }))
}

fn leads_through_link(top: &Path, path: &str) -> bool {
    let mut at = top.to_owned();
    path.split('/').any(|part| {
        at.push(part);
        at.symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink())
    })
}

/// What is staged besides the paths that are removed.
fn foreign(changes: &[Change], remove: &[String]) -> Vec<Change> {
    let ours: HashSet<&[u8]> = remove.iter().map(String::as_bytes).collect();
    changes.iter().filter(|change| !ours.contains(change.path.as_slice())).cloned().collect()
}

/// The ids of blobs by revision and path, read in one go.
struct Blobs(HashMap<String, Option<String>>);

impl Blobs {
    fn read(git: &Git, artifacts: &[(String, Vec<CommitId>)]) -> Result<Self> {
        let mut names = Vec::new();
        for (path, commits) in artifacts {
            names.push(format!("HEAD:{path}"));
            names.extend(commits.iter().map(|commit| format!("{commit}:{path}")));
        }
        let ids = git.blob_ids(&names)?;
        if ids.len() != names.len() {
            return Err(Error::new(
                Kind::Surroundings,
                "git cat-file did not answer every question",
                "Run `git fsck` to see whether something is damaged.",
            ));
        }
        Ok(Self(names.into_iter().zip(ids).collect()))
    }

    fn get(&self, revision: &str, path: &str) -> Option<&str> {
        self.0.get(&format!("{revision}:{path}"))?.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_paths_inside_the_work_tree_are_artifacts() {
        for good in ["spec/logs/T001_test_x.log", "a", "spec/.hidden/x"] {
            assert!(is_plain(good), "{good}");
        }
        for bad in
            ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", ".git/config", "a/.GIT/x", "a\\b", "a\nb"]
        {
            assert!(!is_plain(bad), "{bad:?}");
        }
    }
}
