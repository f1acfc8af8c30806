//! Watches the commits that are made while a step is at work: a plan that was changed in them is not used until the user
//! has decided what to do with it.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::history::Repository;
use crate::record::CommitId;
use crate::text::{listed, pathspec_word, show_path};
use crate::worktree::branch_watch::taken_off_by;

/// How the message of a commit begins with which the user accepts the plan of another commit.
const ACCEPTS: &str = "Accept the plan of ";

/// The fewest digits of a commit id in such a message.
const FEWEST_DIGITS: usize = 7;

/// The plan when a step began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlanBefore {
    /// The newest commit of the branch.
    pub(crate) commit: CommitId,
    /// The files and links of the repository that make up the plan.
    pub(crate) files: Vec<Vec<u8>>,
}

/// The plan when a step began that did not end well, and the commits since then. If these have changed the plan, the
/// user has to decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnsettledPlan {
    before: PlanBefore,
    /// The newest commit when the step had ended.
    tip: CommitId,
}

/// A commit whose plan must not be used yet.
pub(crate) struct PlanCommit {
    pub(crate) commit: CommitId,
    /// What the user can do, as sentences.
    pub(crate) remedy: String,
    /// The changed files, for messages.
    pub(crate) files: String,
}

impl UnsettledPlan {
    /// What there is to decide, given the newest commit at the end of the step; `None` without new commits.
    pub(crate) fn new(before: PlanBefore, tip: CommitId) -> Option<Self> {
        (before.commit != tip).then_some(Self { before, tip })
    }

    /// The commit that has made the plan what it is in `head`, if that is one of the commits of the step and the user
    /// has not accepted its plan.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn commit_in(
        &self,
        git: &Git,
        repository: &Repository,
        head: &CommitId,
    ) -> Result<Option<PlanCommit>> {
        let Self { before: PlanBefore { commit: before, files }, tip } = self;
        for commit in [before, tip] {
            // A commit that no longer exists is on no branch, and neither is what was made on top of it.
            if git.commit_named(&commit.to_string())?.is_none() {
                return Ok(None);
            }
        }
        let (old, now) = (git.entries(before, files)?, git.entries(head, files)?);
        if old == now {
            return Ok(None);
        }
        // The commits of a merge may all differ from its result.
        let made = git.commits_changing(before, tip, files)?.into_iter().chain([*tip]);
        let mut same = Vec::new();
        for commit in made {
            if git.is_ancestor(&commit, head)? && git.entries(&commit, files)? == now {
                same.push(commit);
            }
        }
        let Some(commit) = same.first().copied() else { return Ok(None) };
        for later in git.commits_between(tip, head)? {
            if accepts(&repository.commit(&later)?.message, &same) {
                return Ok(None);
            }
        }
        let mut changed: Vec<&Vec<u8>> =
            files.iter().filter(|path| old.get(*path) != now.get(*path)).collect();
        changed.dedup();
        let were_there = changed.iter().all(|path| old.contains_key(*path));
        Ok(Some(PlanCommit::new(commit, before, &changed, were_there)))
    }

    /// Refuses to begin while there is such a commit.
    ///
    /// # Errors
    /// [`Kind::Repository`], naming the commit.
    pub(crate) fn check_decided(&self, git: &Git, repository: &Repository) -> Result<()> {
        let Some(head) = repository.head()? else { return Ok(()) };
        let Some(PlanCommit { commit, remedy, files }) = self.commit_in(git, repository, &head)? else {
            return Ok(());
        };
        let what = format!(
            "{files} is as the commit {} left it, which was made during a step of a run",
            commit.short()
        );
        Err(Error::new(Kind::Repository, what, remedy))
    }
}

impl PlanCommit {
    /// A commit that has changed these files since `before`; `were_there` says whether that one has them all.
    fn new(commit: CommitId, before: &CommitId, changed: &[&Vec<u8>], were_there: bool) -> Self {
        let shown: Vec<String> = changed.iter().map(|path| show_path(path)).collect();
        let words = shown.iter().map(|path| pathspec_word(path)).collect::<Vec<_>>().join(" ");
        let (short, before) = (commit.short(), before.short());
        let put_back = match were_there {
            true => format!(
                "; put only the plan back with `git restore --source={before} --staged --worktree -- {words} && git commit -m \
                 \"Put the plan back\" -- {words}`"
            ),
            false => String::new(),
        };
        let remedy = format!(
            "Look at it with `git show {short} -- {words}`. Then take it off the branch with {}{put_back}; or accept its plan with \
             `git commit --allow-empty -m \"{ACCEPTS}{short}\"`, or by committing a change of your own to it. No run begins \
             before that.",
            taken_off_by(&before)
        );
        Self { commit, remedy, files: listed(&shown) }
    }

    /// The error after the step that has made it.
    pub(crate) fn to_error(&self, step: &str) -> Error {
        let Self { commit, remedy, files } = self;
        let what = format!("{files} was changed during {step}, in the commit {}", commit.short());
        Error::new(Kind::Unsafe, what, remedy.clone())
    }
}

/// Whether a message accepts the plan of one of these commits.
fn accepts(message: &[u8], commits: &[CommitId]) -> bool {
    let message = String::from_utf8_lossy(message);
    let named = message.lines().filter_map(|line| line.strip_prefix(ACCEPTS)).map(str::trim_end);
    let mut named = named.filter(|id| id.len() >= FEWEST_DIGITS);
    named.any(|id| commits.iter().any(|commit| commit.to_string().starts_with(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_that_names_the_commit_accepts_its_plan() {
        let id = CommitId::from_hex(&[b'a'; 40]).unwrap();
        let accepts = |message: &str| accepts(message.as_bytes(), &[id]);
        assert!(accepts("Accept the plan of aaaaaaa\n"));
        assert!(accepts(&format!("Go on\n\nAccept the plan of {id} \n")));
        for message in [
            "Accept the plan of aaaaaab",
            "Accept the plan of aaaaaa",
            "Accept the plan of ",
            "Revert aaaaaaa",
        ] {
            assert!(!accepts(message), "{message}");
        }
    }
}
