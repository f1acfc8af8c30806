//! Adds the dependencies that follow from the order of a source.

use std::collections::HashSet;

use super::imported::{ImportedKind, ImportedPlan, Need, Needed, Why};

/// Which tasks follow from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// The tasks of each phase.
    Phases,
    /// All tasks.
    Plan,
}

/// Makes every task from position `first` on depend on the one before it. Tasks in `parallel` depend on nothing by their order, but the next task
/// that is not among them waits for them. A task that states its dependencies has no others.
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
            let need = |on: &usize| Need { on: Needed::Node(*on), why: Why::TaskOrder, place };
            let needs: Vec<Need> = before.iter().map(need).collect();
            plan.nodes[task].needs.extend(needs);
        }
        before.clear();
        before.push(task);
    }
}

/// Makes every phase from position `first` on depend on the one before it. Phases that `is_alongside` names depend on the last one that it does
/// not name, and the phase after them waits for all of them.
pub(super) fn order_phases(plan: &mut ImportedPlan, first: usize, is_alongside: impl Fn(&str) -> bool) {
    let has_task: HashSet<usize> = tasks(plan).into_iter().map(|task| root_of(plan, task)).collect();
    let roots: Vec<usize> = (first..plan.nodes.len())
        .filter(|node| plan.nodes[*node].parent.is_none() && has_task.contains(node))
        .collect();
    let mut gate: Vec<usize> = Vec::new();
    let mut alongside: Vec<usize> = Vec::new();
    for root in roots {
        let beside = is_alongside(&plan.nodes[root].name);
        if !beside && !alongside.is_empty() {
            gate = std::mem::take(&mut alongside);
        }
        if !states_needs(plan, root) {
            let place = plan.nodes[root].place;
            let needs = gate.iter().map(|on| Need { on: Needed::Node(*on), why: Why::PhaseOrder, place });
            let needs: Vec<Need> = needs.collect();
            plan.nodes[root].needs.extend(needs);
        }
        if beside {
            alongside.push(root);
        } else {
            gate = vec![root];
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
