//! Tells in which order branches were merged into the branch of the run, and which merges failed before.

use std::collections::{HashMap, HashSet};

use super::facts::MergeFact;
use super::input::RunInput;
use crate::plan::NodeIx;
use crate::record::{CommitId, StepFacts, TaskId};
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

/// The merges of tasks and phases that are shown, in the order of the branch of the run. A failed one stands after the merge
/// because of which it failed.
pub(super) fn merges(input: &RunInput<'_>) -> Vec<MergeFact> {
    let tree = input.plan_view.tree;
    let steps: HashMap<CommitId, (&TaskId, &StepView)> = input
        .leaves
        .iter()
        .map(|leaf| (&tree.node(*leaf).id, input.steps_of(*leaf)))
        .flat_map(|(id, steps)| steps.iter().map(move |step| (step.commit, (id, step))))
        .collect();
    let phases: HashSet<NodeIx> = input.leaves.iter().map(|leaf| tree.phase_of(*leaf)).collect();
    let shown_phases = phases.into_iter().map(|phase| &tree.node(phase).id);
    let markers: HashMap<CommitId, &TaskId> =
        shown_phases.filter_map(|phase| Some((input.markers.get(phase)?.id, phase))).collect();
    let mut place: HashMap<CommitId, usize> = HashMap::new();
    let mut found: Vec<(usize, MergeFact)> = Vec::new();
    for (at, line) in input.line.iter().rev().enumerate() {
        let Some((commit, parents)) = line.split_first() else { continue };
        place.insert(*commit, at);
        // A step that merges the branch of the run is no merge of a branch into it.
        let Some(tip) = parents.get(1).filter(|_| !steps.contains_key(commit)) else { continue };
        let fact = |task: Option<&TaskId>, phase: Option<&TaskId>, facts: Option<&StepFacts>| MergeFact {
            task: task.map(ToString::to_string),
            phase: phase.map(ToString::to_string),
            commit: *commit,
            merged: true,
            reason: None,
            claimant: facts.and_then(|facts| facts.claimant.clone()),
        };
        match (steps.get(tip), markers.get(tip)) {
            (Some((task, step)), _) => found.push((at, fact(Some(task), None, Some(&step.facts)))),
            (None, Some(phase)) => found.push((at, fact(None, Some(phase), None))),
            (None, None) => {}
        }
    }
    let failed = steps.values().filter_map(|(task, step)| {
        let onto = step.facts.not_merged_onto?;
        let fact = MergeFact {
            task: Some(task.to_string()),
            phase: None,
            commit: step.commit,
            merged: false,
            reason: step.facts.not_merged.clone(),
            claimant: step.facts.claimant.clone(),
        };
        Some((place.get(&onto).copied().unwrap_or(usize::MAX), step.time, fact))
    });
    let mut failed: Vec<_> = failed.collect();
    failed.sort_by(|a, b| (a.0, a.1, &a.2.task).cmp(&(b.0, b.1, &b.2.task)));
    // The sort is stable: what could not be merged into a commit comes after the merge that made it.
    found.extend(failed.into_iter().map(|(at, _, fact)| (at, fact)));
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, fact)| fact).collect()
}
