//! Removes generated artifacts from the tree in one commit: exactly the files that a step commit both names and added,
//! and that were not changed since.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use crate::engine::commit::{Branch, FailedCommit, commit};
use crate::error::{Error, Kind, Result};
use crate::git::{Change, ChangeKind, CommitRequest, Git, Head, Selection, Staging, WorkTree};
use crate::history::{Range, Repository, pick_steps};
use crate::record::{CommitId, CommitKind, RawTrailer, TrailerKey, trailers};
use crate::run::{Plan, read_run};
use crate::text::counted;
use crate::worktree::{Lock, unlink};

/// Which commits a prune covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PruneScope {
    /// The commits of the current run.
    Current,
    /// All commits that HEAD can reach.
    All,
}

/// Why an artifact is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepReason {
    /// It was changed after its step commit.
    Changed,
    /// The step commit that names it did not add it: it existed before.
    NotAdded,
    /// Its path cannot come from a step commit of ours, or leads through a link.
    Unsafe,
}

/// What a prune will do: a value that `--dry-run` prints and a real one carries out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrunePlan {
    /// The files to remove, sorted.
    pub remove: Vec<String>,
    /// The files to keep, and why, sorted.
    pub keep: Vec<(String, KeepReason)>,
}

/// The repository and the plan of a prune.
#[derive(Clone, Copy)]
pub struct PruneInputs<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The work tree.
    pub work_tree: &'a WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// How to look at the work tree. If the files are only listed, no program that the repository names is run.
    pub status: fn(&Git) -> Result<Vec<Change>>,
}

impl PrunePlan {
    /// Decides what to remove.
    ///
    /// # Errors
    /// If history, index or work tree cannot be read.
    pub fn decide(inputs: &PruneInputs<'_>, scope: PruneScope) -> Result<Self> {
        let run = read_run(inputs.repository, inputs.plan, inputs.work_tree)?;
        let range = match scope {
            PruneScope::Current => run.range.clone(),
            PruneScope::All => Range::whole(run.range.head()),
        };
        let named = named_artifacts(inputs.repository, &range)?;
        let mut prune_plan = Self::default();
        let (odd, plain): (Vec<_>, Vec<_>) = named.into_iter().partition(|named| !is_plain(&named.path));
        prune_plan.keep.extend(odd.into_iter().map(|named| (named.path, KeepReason::Unsafe)));
        let blobs = Blobs::read(inputs.git, &plain)?;
        let changes = (inputs.status)(inputs.git)?;
        let dirty: HashMap<&[u8], &Change> =
            changes.iter().map(|change| (change.path.as_slice(), change)).collect();
        let overlooked = inputs.git.overlooked_files(&inputs.work_tree.top)?;
        for NamedArtifact { path, steps } in plain {
            let Some(now) = blobs.get("HEAD", &path) else { continue };
            let (adding, other): (Vec<&NamingCommit>, Vec<_>) =
                steps.iter().partition(|step| step.adds(&path, &blobs));
            let has_it_now = |step: &&NamingCommit| blobs.get(&step.commit.to_string(), &path) == Some(now);
            let touched =
                dirty.get(path.as_bytes()).is_some_and(|change| is_edited(change, &inputs.work_tree.top))
                    || overlooked.iter().any(|changed| changed == path.as_bytes());
            if leads_through_link(&inputs.work_tree.top, &path) {
                prune_plan.keep.push((path, KeepReason::Unsafe));
            } else if adding.iter().any(has_it_now) && !touched {
                prune_plan.remove.push(path);
            } else if adding.is_empty() || other.iter().any(has_it_now) {
                prune_plan.keep.push((path, KeepReason::NotAdded));
            } else {
                prune_plan.keep.push((path, KeepReason::Changed));
            }
        }
        prune_plan.remove.sort();
        prune_plan.keep.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(prune_plan)
    }

    /// Removes the files and commits that, while the lock of the work tree is held.
    ///
    /// # Errors
    /// If git refuses the commit; the files are then put back.
    pub fn carry_out(&self, inputs: &PruneInputs<'_>, _held: &Lock) -> Result<CommitId> {
        inputs.work_tree.check_nothing_in_progress()?;
        let head = inputs.repository.branch()?;
        let staging = Staging::of(&foreign(&inputs.git.status()?, &self.remove));
        let gone: Vec<Vec<u8>> = self.remove.iter().map(|path| path.clone().into_bytes()).collect();
        let selection = Selection { there: Vec::new(), gone };
        let message = self.message();
        for path in &self.remove {
            unlink(&inputs.work_tree.top, path.as_bytes())?;
        }
        let request = CommitRequest { selection: &selection, message: &message, staging, merges: None };
        let PruneInputs { git, work_tree, repository, .. } = *inputs;
        match commit(Branch { git, work_tree, repository, head: &head }, &request) {
            Ok(id) => Ok(id),
            Err(failure) if matches!(failure.outcome, FailedCommit::NoCommit { .. }) => {
                Err(put_back(inputs, &head, &selection.gone, failure.error))
            }
            Err(failure) => Err(failure.error),
        }
    }

    fn message(&self) -> String {
        format!("chore(arborist): prune {}\n", counted(self.remove.len(), "generated file"))
    }
}

/// The files were unchanged, so this restores exactly what was there.
fn put_back(inputs: &PruneInputs<'_>, head: &Head, paths: &[Vec<u8>], error: Error) -> Error {
    match inputs.git.restore(&head.commit, paths) {
        Ok(()) => error.stating("The files were put back."),
        Err(_) => error,
    }
}

/// A path that step commits name as an artifact.
struct NamedArtifact {
    path: String,
    steps: Vec<NamingCommit>,
}

/// A step commit that names an artifact.
struct NamingCommit {
    commit: CommitId,
    parents: Vec<CommitId>,
}

impl NamingCommit {
    /// Whether the commit added the file. A file that a parent already had existed before the step, no matter what the
    /// step says about it.
    fn adds(&self, path: &str, blobs: &Blobs) -> bool {
        blobs.get(&self.commit.to_string(), path).is_some()
            && self.parents.iter().all(|parent| blobs.get(&parent.to_string(), path).is_none())
    }
}

fn named_artifacts(repository: &Repository, range: &Range) -> Result<Vec<NamedArtifact>> {
    let picked = pick_steps(repository, range, |kind, message| {
        let named = |trailer: RawTrailer| {
            let key = TrailerKey::from_name(&trailer.key)?;
            names_artifact(key, kind).then(|| String::from_utf8(trailer.value).ok())?
        };
        let paths: Vec<String> = trailers(message).into_iter().filter_map(named).collect();
        (!paths.is_empty()).then_some(paths)
    })?;
    let mut named: BTreeMap<String, Vec<NamingCommit>> = BTreeMap::new();
    for step in picked {
        let parents = repository.commit(&step.id)?.parents;
        for path in step.value {
            let commit = NamingCommit { commit: step.id, parents: parents.clone() };
            named.entry(path).or_default().push(commit);
        }
    }
    Ok(named.into_iter().map(|(path, steps)| NamedArtifact { path, steps }).collect())
}

/// Whether a key names an artifact in a commit of this step: reports belong to complete steps, logs to test or review
/// steps. We never write the key of another step, so its path is not ours.
fn names_artifact(key: TrailerKey, kind: &CommitKind) -> bool {
    let is_artifact = matches!(key, TrailerKey::Report | TrailerKey::TestLog | TrailerKey::ReviewLog);
    let step = match kind {
        CommitKind::Task(_, record) | CommitKind::Phase(_, record) => Some(record.step),
        CommitKind::UnknownStep(..) | CommitKind::Other => None,
    };
    is_artifact && step.is_none_or(|step| step.uses(key).next().is_some())
}

/// Whether a path is one that a step commit may name: relative, with `/`, and never through `..` or a git directory.
fn is_plain(path: &str) -> bool {
    let part = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    !path.is_empty() && !path.chars().any(|c| c.is_control() || c == '\\') && path.split('/').all(part)
}

/// Whether a file differs from HEAD. A file that is already gone, as after an interrupted prune, does not count.
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

/// The staged paths other than those that are removed.
fn foreign(changes: &[Change], remove: &[String]) -> Vec<Change> {
    let ours: HashSet<&[u8]> = remove.iter().map(String::as_bytes).collect();
    changes.iter().filter(|change| !ours.contains(change.path.as_slice())).cloned().collect()
}

/// The ids of blobs by revision and path, read in one go.
struct Blobs(HashMap<String, Option<String>>);

impl Blobs {
    fn read(git: &Git, artifacts: &[NamedArtifact]) -> Result<Self> {
        let mut names = Vec::new();
        for NamedArtifact { path, steps } in artifacts {
            names.push(format!("HEAD:{path}"));
            let commits = steps.iter().flat_map(|step| std::iter::once(&step.commit).chain(&step.parents));
            names.extend(commits.map(|commit| format!("{commit}:{path}")));
        }
        let ids = git.blob_ids(&names)?;
        if ids.len() != names.len() {
            return Err(Error::new(
                Kind::Environment,
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
