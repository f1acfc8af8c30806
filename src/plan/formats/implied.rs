//! Adds the dependencies that follow from the order of a source.

use std::collections::HashSet;

use super::imported::{ImportedKind, ImportedPlan, Needed, Prerequisite, Why};

/// Which tasks follow from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// The tasks of each phase.
    Phases,
    /// All tasks.
    Plan,
}

/// Makes every task from position `first` on depend on the task before it `within` its phase or the plan. A task in
/// `parallel` does not depend on the tasks before it, but the next task that is not in `parallel` depends on it. A task
/// that states its dependencies gets no others.
pub(super) fn order_tasks(plan: &mut ImportedPlan, first: usize, within: Within, parallel: &HashSet<usize>) {
    let tasks = tasks(plan).into_iter().filter(|task| *task >= first);
    let tasks: Vec<usize> = tasks.collect();
    let mut before: Vec<usize> = Vec::new();
    let mut phase = None;
    for task in tasks {
        let own_phase = root_of(plan, task);
        if within == Within::Phases && phase != Some(own_phase) {
            before.clear();
            phase = Some(own_phase);
        }
        if parallel.contains(&task) {
            before.push(task);
            continue;
        }
        if !states_needs(plan, task) {
            let place = plan.nodes[task].place;
            let need = |on: &usize| Prerequisite { on: Needed::Node(*on), why: Why::Order, place };
            let needs: Vec<Prerequisite> = before.iter().map(need).collect();
            plan.nodes[task].needs.extend(needs);
        }
        before.clear();
        before.push(task);
    }
}

/// Makes every phase from position `first` on depend on the phase before it. Phases in a row for which `is_parallel`
/// returns true do not depend on each other: each depends on the phases before the row, and the phase after the row
/// depends on all of them.
pub(super) fn order_phases(plan: &mut ImportedPlan, first: usize, is_parallel: impl Fn(&str) -> bool) {
    let has_task: HashSet<usize> = tasks(plan).into_iter().map(|task| root_of(plan, task)).collect();
    let roots: Vec<usize> = (first..plan.nodes.len())
        .filter(|node| plan.nodes[*node].parent.is_none() && has_task.contains(node))
        .collect();
    let mut before: Vec<usize> = Vec::new();
    let mut parallel: Vec<usize> = Vec::new();
    for root in roots {
        let in_row = is_parallel(&plan.nodes[root].name);
        if !in_row && !parallel.is_empty() {
            before = std::mem::take(&mut parallel);
        }
        if !states_needs(plan, root) {
            let place = plan.nodes[root].place;
            let needs =
                before.iter().map(|on| Prerequisite { on: Needed::Node(*on), why: Why::Order, place });
            let needs: Vec<Prerequisite> = needs.collect();
            plan.nodes[root].needs.extend(needs);
        }
        if in_row {
            parallel.push(root);
        } else {
            before = vec![root];
        }
    }
}

fn states_needs(plan: &ImportedPlan, node: usize) -> bool {
    plan.nodes[node].needs.iter().any(|need| need.why == Why::Stated)
}

/// The tasks without tasks below them, in the order of the source.
fn tasks(plan: &ImportedPlan) -> Vec<usize> {
    let mut is_above = vec![false; plan.nodes.len()];
    // Parents come before their children.
    for at in (0..plan.nodes.len()).rev() {
        if (plan.nodes[at].kind == ImportedKind::Task || is_above[at])
            && let Some(parent) = plan.nodes[at].parent
        {
            is_above[parent] = true;
        }
    }
    (0..plan.nodes.len()).filter(|at| plan.nodes[*at].kind == ImportedKind::Task && !is_above[*at]).collect()
}

fn root_of(plan: &ImportedPlan, node: usize) -> usize {
    std::iter::successors(Some(node), |at| plan.nodes[*at].parent).last().unwrap_or(node)
}
