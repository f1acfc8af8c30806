//! Finds who has claimed the tasks that have branches (docs/parallel.md).

use std::collections::{BTreeMap, HashSet};

use crate::error::Result;
use crate::history::{Repository, Run};
use crate::record::{CommitId, CommitKind, Step, StepFacts, TaskId, commit_kind};

/// How many commits of a branch are looked at.
const MOST: usize = 1000;

/// Who has claimed each task whose branch is not merged, if anybody has.
///
/// # Errors
/// If a commit cannot be read.
pub fn claimants(repository: &Repository, run: &Run) -> Result<BTreeMap<TaskId, String>> {
    let mut search = Search { repository, seen: run.range.anchor().into_iter().collect() };
    let mut found = BTreeMap::new();
    for (task, branch) in &run.branches.tasks {
        if let Some(claimant) = search.claimant_of(task, branch.tip)? {
            found.insert(task.clone(), claimant);
        }
    }
    Ok(found)
}

struct Search<'a> {
    repository: &'a Repository,
    /// The commits that were looked at. What several branches contain is no claim of one of them.
    seen: HashSet<CommitId>,
}

impl Search<'_> {
    /// The claimant that the newest claim on a branch names. Before the branch began, there are commits of other tasks.
    fn claimant_of(&mut self, task: &TaskId, tip: CommitId) -> Result<Option<String>> {
        let mut next = Some(tip);
        for _ in 0..MOST {
            let Some(id) = next.filter(|id| self.seen.insert(*id)) else { break };
            let commit = self.repository.commit(&id)?;
            match commit_kind(&commit.message) {
                CommitKind::Task(of, _) if of != *task => break,
                CommitKind::Task(_, record) if record.step == Step::CLAIM => {
                    return Ok(StepFacts::of(&commit.message).claimant);
                }
                CommitKind::Phase(..) => break,
                CommitKind::Task(..) | CommitKind::UnknownStep(..) | CommitKind::Other => {}
            }
            next = commit.parents.first().copied();
        }
        Ok(None)
    }
}
