//! Tells in which order branches were merged into the branch of the run, and which merges failed before.

use std::collections::{HashMap, HashSet};

use super::RunInput;
use super::facts::MergeFact;
use crate::plan::NodeIx;
use crate::record::{CommitId, TaskId};
use crate::report::show::StepView;

/// What happened, on one line.
pub(in crate::report) fn merge_line(merge: &MergeFact) -> String {
    let by = merge.claimant.as_ref().map(|claimant| format!(", by {claimant}")).unwrap_or_default();
    let commit = merge.commit.short();
    match &merge.reason {
        None => format!("{} was merged ({commit}{by})", merge.of()),
        Some(why) => format!("{} could not be merged: {why} ({commit}{by})", merge.of()),
    }
}

/// The merges of tasks and phases that are shown, in the order of the branch of the run. A failed one follows the merge because of
/// which it failed.
pub(super) fn merges(input: &RunInput<'_>) -> Vec<MergeFact> {
    let tree = input.tasks.plan_view.tree;
    let steps: Steps<'_> = input
        .tasks
        .leaves
        .iter()
        .map(|leaf| (&tree.node(*leaf).id, input.tasks.steps_of(*leaf)))
        .flat_map(|(task, steps)| steps.iter().map(move |step| (step.commit, StepOfTask { task, step })))
        .collect();
    // The sort is stable: what could not be merged into a commit comes after the merge that made it.
    let mut found = merged(input, &steps);
    found.extend(not_merged(input, &steps));
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, fact)| fact).collect()
}

/// The steps of the tasks that are shown, by their commits.
type Steps<'a> = HashMap<CommitId, StepOfTask<'a>>;

/// A step of a task that is shown.
struct StepOfTask<'a> {
    task: &'a TaskId,
    step: &'a StepView,
}

/// The merges, each with its place on the branch of the run.
fn merged(input: &RunInput<'_>, steps: &Steps<'_>) -> Vec<(usize, MergeFact)> {
    let tree = input.tasks.plan_view.tree;
    let phases: HashSet<NodeIx> = input.tasks.leaves.iter().map(|leaf| tree.phase_of(*leaf)).collect();
    let shown_phases = phases.into_iter().map(|phase| &tree.node(phase).id);
    let markers: HashMap<CommitId, &TaskId> =
        shown_phases.filter_map(|phase| Some((input.markers.get(phase)?.id, phase))).collect();
    let mut found = Vec::new();
    for (place, line) in input.line.iter().rev().enumerate() {
        let Some((commit, parents)) = line.split_first() else { continue };
        // A step that merges the branch of the run is no merge of a branch into it.
        let Some(tip) = parents.get(1).filter(|_| !steps.contains_key(commit)) else { continue };
        let (task, phase, claimant) = match (steps.get(tip), markers.get(tip)) {
            (Some(StepOfTask { task, step }), _) => {
                (Some(task.to_string()), None, step.facts.claimant.clone())
            }
            (None, Some(phase)) => (None, Some(phase.to_string()), None),
            (None, None) => continue,
        };
        let fact = MergeFact { task, phase, commit: *commit, merged: true, reason: None, claimant };
        found.push((place, fact));
    }
    found
}

/// The failed merges by their times, each with the place of the commit into which the task was to be merged.
fn not_merged(input: &RunInput<'_>, steps: &Steps<'_>) -> Vec<(usize, MergeFact)> {
    let commits = input.line.iter().rev().enumerate();
    let places: HashMap<CommitId, usize> =
        commits.filter_map(|(place, line)| Some((*line.first()?, place))).collect();
    let failed = steps.values().filter_map(|StepOfTask { task, step }| {
        let onto = step.facts.not_merged_onto()?;
        let fact = MergeFact {
            task: Some(task.to_string()),
            phase: None,
            commit: step.commit,
            merged: false,
            reason: step.facts.not_merged.clone(),
            claimant: step.facts.claimant.clone(),
        };
        Some((places.get(&onto).copied().unwrap_or(usize::MAX), step.time, fact))
    });
    let mut failed: Vec<_> = failed.collect();
    failed.sort_by(|a, b| (a.0, a.1, &a.2.task).cmp(&(b.0, b.1, &b.2.task)));
    failed.into_iter().map(|(place, _, fact)| (place, fact)).collect()
}
