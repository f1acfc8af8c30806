//! Adds the dependencies that follow from the order of a source.

use std::collections::HashSet;

use super::imported::{ImportedPlan, Needed};

/// Which tasks follow from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// All tasks.
    Plan,
    /// The tasks of each phase, and the phases, unless the source states any dependency.
    Phases,
    /// The tasks of each phase, and the phases, but user stories do not depend on each other.
    Stories,
    /// Only those that are numbered.
    Numbered,
}

/// Makes every task from position `first` on depend on the task before it. A task in `parallel` does not depend on the tasks before it,
/// but the next task that is not in `parallel` depends on it, except in lists of which only the numbered items have an order. A task
/// that states its dependencies gets no others, and neither does one in `free`.
pub(super) fn order_tasks(
    plan: &mut ImportedPlan,
    first: usize,
    order: Order,
    [parallel, free]: [&HashSet<usize>; 2],
) {
    let mut before: Vec<usize> = Vec::new();
    let mut phase = None;
    for task in tasks(plan).into_iter().filter(|task| *task >= first) {
        let own_phase = root_of(plan, task);
        if matches!(order, Order::Phases | Order::Stories) && phase.replace(own_phase) != Some(own_phase) {
            before.clear();
        }
        if parallel.contains(&task) {
            if order != Order::Numbered {
                before.push(task);
            }
            continue;
        }
        if !free.contains(&task) {
            follow(plan, task, &before);
        }
        before = vec![task];
    }
}

/// Makes every phase from position `first` on depend on the phase before it. Phases in a row for which `is_parallel`
/// returns true do not depend on each other: each depends on the phases before the row, and the phase after the row
/// depends on all of them.
pub(super) fn order_phases(plan: &mut ImportedPlan, first: usize, is_parallel: impl Fn(&str) -> bool) {
    let has_task: HashSet<usize> = tasks(plan).into_iter().map(|task| root_of(plan, task)).collect();
    let is_phase = |node: &usize| plan.nodes[*node].parent.is_none() && has_task.contains(node);
    let roots: Vec<usize> = (first..plan.nodes.len()).filter(is_phase).collect();
    let (mut before, mut parallel) = (Vec::new(), Vec::new());
    for root in roots {
        let in_row = is_parallel(&plan.nodes[root].name);
        if !in_row && !parallel.is_empty() {
            before = std::mem::take(&mut parallel);
        }
        follow(plan, root, &before);
        if in_row {
            parallel.push(root);
            continue;
        }
        // One that states what comes first may be done beside those before it.
        let needs = &plan.nodes[root].needs;
        before
            .retain(|before| !needs.is_empty() && needs.iter().all(|need| need.on != Needed::Node(*before)));
        before.push(root);
    }
}

/// Makes a node depend on these, unless it states its dependencies.
fn follow(plan: &mut ImportedPlan, node: usize, before: &[usize]) {
    let node = &mut plan.nodes[node];
    if node.needs.is_empty() {
        node.follows.extend(before);
    }
}

/// The tasks without tasks below them, in the order of the source.
pub(super) fn tasks(plan: &ImportedPlan) -> Vec<usize> {
    let mut is_above = vec![false; plan.nodes.len()];
    // Parents come before their children.
    for at in (0..plan.nodes.len()).rev() {
        if (!plan.nodes[at].is_group || is_above[at])
            && let Some(parent) = plan.nodes[at].parent
        {
            is_above[parent] = true;
        }
    }
    (0..plan.nodes.len()).filter(|at| !plan.nodes[*at].is_group && !is_above[*at]).collect()
}

fn root_of(plan: &ImportedPlan, node: usize) -> usize {
    std::iter::successors(Some(node), |at| plan.nodes[*at].parent).last().unwrap_or(node)
}
