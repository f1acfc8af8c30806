//! What other tasks have done that an agent should know: those on which its task builds, and the newest ones.

use crate::error::Result;
use crate::git::Git;
use crate::history::{FollowedRun, StepValidity, TaskStep};
use crate::plan::NodeIx;
use crate::record::{Outcome, Quote, QuoteKind, State};
use crate::run::plan::Plan;
use crate::run::steps::feedback::files_of;
use crate::text::clean;
use crate::workflow::DoneTask;

/// How many tasks on which one builds are described.
const DEPENDENCIES: usize = 20;
/// How many others are.
const OTHERS: usize = 8;

/// The tasks that are complete: those on which a task builds, then the newest others.
///
/// # Errors
/// If history or an object cannot be read.
pub(crate) fn done_before(
    git: &Git,
    plan: &Plan,
    followed: &FollowedRun<'_>,
    leaf: NodeIx,
) -> Result<Vec<DoneTask>> {
    let run = followed.run();
    let is_complete = |other: &NodeIx| plan.state(&run, *other) == State::Complete;
    let direct = plan.tree.dependencies(leaf).into_iter();
    let direct = direct.flat_map(|node| plan.tree.leaves_below(node)).filter(is_complete);
    let mut told: Vec<NodeIx> = direct.take(DEPENDENCIES).collect();
    let dependencies = told.len();
    let time = |other: &NodeIx| run.tasks.get(&plan.tree.node(*other).id).map(|step| step.time);
    let is_other = |other: &NodeIx| *other != leaf && !told.contains(other) && is_complete(other);
    let mut others: Vec<NodeIx> = plan.tree.order().iter().rev().copied().filter(is_other).collect();
    others.sort_by_key(|other| std::cmp::Reverse(time(other)));
    told.extend(others.into_iter().take(OTHERS));
    let fact = |(place, other): (usize, NodeIx)| {
        let node = plan.tree.node(other);
        let steps = followed.steps_of(&node.id)?;
        Ok(DoneTask {
            id: node.id.clone(),
            name: node.name.clone(),
            is_dependency: place < dependencies,
            files: files_of(git, followed.repository(), &steps)?,
            note: note_of(&steps),
        })
    };
    told.into_iter().enumerate().map(fact).collect()
}

/// What the agents of a task have left for later ones: the newest note of a step that counts and has passed.
fn note_of(steps: &[TaskStep]) -> String {
    let is_work = |step: &&TaskStep| {
        step.validity == StepValidity::Counts
            && step.step.record.step.changes_files()
            && step.step.record.outcome == Outcome::Pass
    };
    let notes = steps.iter().filter(is_work).map(|step| {
        clean(
            Quote::first_in(QuoteKind::Notes, &step.message)
                .map(|quote| quote.text)
                .unwrap_or_default()
                .as_bytes(),
        )
    });
    notes.into_iter().find(|note| !note.is_empty()).unwrap_or_default()
}
