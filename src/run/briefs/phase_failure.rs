//! What the failed tests of a phase tell: the prompts of its tasks get their output, and people the tasks to reopen.

use std::collections::HashSet;

use crate::error::Result;
use crate::git::Git;
use crate::history::{FollowedRun, Repository, Run, pick_steps};
use crate::plan::NodeIx;
use crate::record::{CommitKind, Step, TaskId};
use crate::run::plan::Plan;
use crate::run::steps::feedback::{body_of, files_of};
use crate::workflow::{Feedback, FeedbackSource};

/// How many tasks are named at most.
const SUSPECTS: usize = 3;

/// The output of the last failed tests of a phase, for the next attempt at one of its tasks; `None` if the phase is complete,
/// or its tests have not failed.
///
/// # Errors
/// If history cannot be read.
pub(crate) fn phase_feedback(repository: &Repository, run: &Run, phase: &TaskId) -> Result<Option<Feedback>> {
    let pick = |kind: &CommitKind, message: &[u8]| match kind {
        CommitKind::Phase(id, record) if id == phase => {
            Some((record.step == Step::PHASE_TEST).then(|| body_of(message)))
        }
        _ => None,
    };
    let newest = pick_steps(repository, &run.range, pick)?.into_iter().next();
    let output = newest.and_then(|picked| picked.value);
    let title = Step::PHASE_TEST.row().feedback.expect("the table has a title for it");
    Ok(output.map(|text| Feedback { source: FeedbackSource::Failure, title, text, attempt: None }))
}

/// The tasks of phases that have failed to which the output of the failed tests points, because it names a file that they
/// have changed; all tasks of these phases if it points to none. At most a few, the last ones of the plan first.
///
/// # Errors
/// If history cannot be read.
pub(crate) fn suspects(
    git: &Git,
    plan: &Plan,
    followed: &FollowedRun<'_>,
    phases: &[NodeIx],
) -> Result<Vec<TaskId>> {
    let run = followed.run();
    let (mut named, mut all) = (Vec::new(), Vec::new());
    for phase in phases {
        let Some(step) = run.failed_phases.get(&plan.tree.node(*phase).id) else { continue };
        let output = body_of(&followed.repository().commit(&step.id)?.message);
        let leaves: HashSet<NodeIx> = plan.tree.leaves_below(*phase).collect();
        for leaf in plan.tree.order().iter().rev().filter(|leaf| leaves.contains(leaf)) {
            let id = &plan.tree.node(*leaf).id;
            let files = files_of(git, followed.repository(), &followed.steps_of(id)?)?;
            if files.iter().any(|file| output.contains(file.as_str())) {
                named.push(id.clone());
            }
            all.push(id.clone());
        }
    }
    let mut suspects = if named.is_empty() { all } else { named };
    suspects.truncate(SUSPECTS);
    Ok(suspects)
}
