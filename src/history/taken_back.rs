//! Which steps of a run a revert takes back together with its landed commits (docs/landing.md).

use std::collections::HashSet;

use super::graph::{Known, Node};
use super::reading::{Entry, Reading};
use super::verdicts::{LandingVerdict, Verdicts};
use crate::record::CommitId;

/// The steps that are taken back although no revert names them: those that a reverted landed commit stands for, where both had come
/// together in a commit that the revert is not an ancestor of. The files of that commit have the work once, and the revert removes
/// it from them. Where the two have never been together, the merge of the run brings the work again.
pub(super) fn taken_back(graph: &Known, reading: &Reading, verdicts: &Verdicts) -> HashSet<Node> {
    let mut taken = HashSet::new();
    let reverted = reading.reverted_by.iter();
    for (landed, revert) in reverted.flat_map(|(node, by)| by.iter().map(move |revert| (*node, *revert))) {
        for (task, steps) in shown(landed, verdicts) {
            // All landed commits of a task are one change.
            let others =
                reading.entries.iter().filter(|entry| entry.landing.is_some() && entry.name == *task);
            let others =
                others.filter(|entry| entry.is_reverted).flat_map(|entry| shown(entry.node, verdicts));
            let of_others = others.filter(|(other, _)| *other == task).flat_map(|(_, steps)| steps);
            let contained: HashSet<CommitId> = steps.iter().chain(of_others).copied().collect();
            let is_step = |entry: &&Entry| entry.landing.is_none() && !entry.is_phase && entry.name == *task;
            let of_task = reading.entries.iter().filter(is_step).map(|entry| entry.node);
            let steps = of_task.filter(|node| contained.contains(&graph.commit(*node).id));
            taken.extend(steps.filter(|&step| were_together(graph, reading, [landed, step], revert)));
        }
    }
    taken
}

/// The steps of each task for which the claims of a landed commit stand.
fn shown(landed: Node, verdicts: &Verdicts) -> impl Iterator<Item = (&String, &Vec<CommitId>)> {
    verdicts.get(&landed).into_iter().flatten().flat_map(|verdict| match verdict {
        LandingVerdict::Shown(steps) => Some(steps).into_iter().flatten(),
        LandingVerdict::Believed | LandingVerdict::Disbelieved => None.into_iter().flatten(),
    })
}

/// Whether a commit of the range that does not descend from `revert` is or descends from both of these.
fn were_together(graph: &Known, reading: &Reading, both: [Node; 2], revert: Node) -> bool {
    const ALL: u8 = 0b11;
    const REVERT: u8 = 0b100;
    let mut behind = vec![0_u8; graph.len()];
    both.iter().enumerate().for_each(|(at, node)| behind[*node] |= 1 << at);
    behind[revert] |= REVERT;
    reading.order.iter().rev().any(|&node| {
        let of_parents = graph.known_parents(node).fold(0, |bits, parent| bits | behind[parent]);
        behind[node] |= of_parents;
        behind[node] & (ALL | REVERT) == ALL
    })
}
