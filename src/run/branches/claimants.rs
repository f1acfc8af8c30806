//! Finds who has claimed the tasks that have branches (docs/parallel.md).

use std::collections::{BTreeMap, HashSet};

use crate::error::Result;
use crate::history::{Repository, Run};
use crate::record::{CommitId, CommitKind, Step, StepFacts, TaskId, commit_kind};

/// How many commits of a branch are looked at.
const MOST: usize = 1000;

/// Who has claimed each task whose branch is not merged, if anybody has: the claimant that the newest claim on its branch
/// names. All branches are followed back side by side, because reading many commits at once is quicker.
///
/// # Errors
/// If a commit cannot be read.
pub fn claimants(repository: &Repository, run: &Run) -> Result<BTreeMap<TaskId, String>> {
    let mut seen: HashSet<CommitId> = run.range.anchor().into_iter().collect();
    let mut at: Vec<(&TaskId, CommitId)> =
        run.branches.tasks.iter().map(|(task, branch)| (task, branch.tip)).collect();
    let mut found = BTreeMap::new();
    for _ in 0..MOST {
        // A commit that several branches contain is not the claim of one of them.
        at.retain(|(_, id)| seen.insert(*id));
        if at.is_empty() {
            break;
        }
        let ids: Vec<CommitId> = at.iter().map(|(_, id)| *id).collect();
        let mut next = Vec::new();
        for ((task, _), commit) in at.into_iter().zip(repository.commits(&ids)?) {
            match look(task, &commit.message) {
                ClaimFound::Claim(claimant) => {
                    found.extend(claimant.map(|claimant| (task.clone(), claimant)));
                }
                ClaimFound::Beginning => {}
                ClaimFound::More => next.extend(commit.parents.first().map(|parent| (task, *parent))),
            }
        }
        at = next;
    }
    Ok(found)
}

/// What a commit says about who has claimed a task on whose branch it is.
enum ClaimFound {
    /// This claim counts.
    Claim(Option<String>),
    /// The branch began here: before, there are commits of other tasks.
    Beginning,
    /// An older commit may say it.
    More,
}

fn look(task: &TaskId, message: &[u8]) -> ClaimFound {
    match commit_kind(message) {
        CommitKind::Task(of, _) if of != *task => ClaimFound::Beginning,
        CommitKind::Task(_, record) if record.step == Step::CLAIM => {
            ClaimFound::Claim(StepFacts::of(message).claimant)
        }
        CommitKind::Phase(..) => ClaimFound::Beginning,
        CommitKind::Task(..) | CommitKind::UnknownStep(..) | CommitKind::Other => ClaimFound::More,
    }
}
