//! Puts tasks that are records into a plan, each below what it is a part of.

use std::collections::HashMap;

use super::account::{Lines, Use};
use super::imported::{ImportedNode, ImportedPlan, Needed, Place};
use crate::text::counted;

/// Whose records are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    TaskMaster,
    /// Its stories need no id, and a number as a priority is a place in the order.
    Ralph,
    /// It keeps finished tasks. They are left out, and ids that are not there are taken for those of finished ones.
    Tracker,
}

/// A task as far as its own record tells.
#[derive(Debug)]
pub(super) struct Issue {
    /// Its id in the source; empty if it has none.
    pub(super) id: String,
    pub(super) node: ImportedNode,
    /// Its place among the others: the smallest number comes first.
    pub(super) rank: f64,
    /// The id of what it is a part of, and the line that says so, if one does.
    pub(super) above: Option<(String, Option<u32>)>,
    pub(super) is_closed: bool,
    pub(super) lines: Lines,
    pub(super) uses: Vec<(Lines, Use)>,
}

/// Adds the open issues to the plan in the order of their ranks, each after the one that it is a part of, and accounts for their lines.
/// Those that are closed are left out, and dependencies on them count as met.
pub(super) fn add_issues(plan: &mut ImportedPlan, mut issues: Vec<Issue>, tool: Tool) {
    for issue in issues.iter().filter(|issue| issue.id.is_empty() && tool != Tool::Ralph) {
        plan.fault(issue.node.place, "this task has no id", "Give it one.");
    }
    issues.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    let closed = issues.iter().filter(|issue| issue.is_closed);
    if let Some(first) = closed.clone().map(|issue| issue.node.place).min() {
        let (tasks, are) =
            (counted(closed.clone().count(), "task"), if closed.count() == 1 { "is" } else { "are" });
        let what = format!("{tasks} {are} closed or given up, and left out");
        plan.warn(first, what, "Dependencies on what is closed count as met.");
    }
    // Some tools write the same id in small letters elsewhere.
    let mut by_id: HashMap<String, usize> = HashMap::new();
    for (at, issue) in issues.iter().enumerate() {
        by_id.entry(issue.id.to_lowercase()).or_insert(at);
    }
    let ids: Vec<String> = issues.iter().map(|issue| issue.id.clone()).collect();
    let is_closed: Vec<bool> = issues.iter().map(|issue| issue.is_closed).collect();
    let above: Vec<Option<usize>> =
        issues.iter().map(|issue| by_id.get(&issue.above.as_ref()?.0.to_lowercase()).copied()).collect();
    // Where each is in the plan: a closed one is where what is above it is.
    let mut nodes: Vec<Option<Option<usize>>> = vec![None; issues.len()];
    let mut is_begun = vec![false; issues.len()];
    for start in 0..issues.len() {
        let mut chain = Vec::new();
        let mut next = Some(start);
        while let Some(at) = next.filter(|at| !std::mem::replace(&mut is_begun[*at], true)) {
            chain.push(at);
            next = above[at];
        }
        for at in chain.into_iter().rev() {
            let parent = above[at].map(|above| nodes[above]);
            let Issue { id, node, above, lines, uses, .. } = &mut issues[at];
            let place = node.place;
            if let (None | Some(None), Some((above, Some(line)))) = (parent, above) {
                let which =
                    if parent.is_none() { "is not among these tasks" } else { "is a part of it in turn" };
                let what = format!("{id} is a part of {above}, which {which}");
                plan.warn(Place { line: *line, ..place }, what, "In the plan, it is a part of nothing.");
            }
            let parent = parent.flatten().flatten();
            if is_closed[at] {
                plan.account.take(place.file, *lines, Use::LeftOut);
                nodes[at] = Some(parent);
                continue;
            }
            node.parent = parent;
            for mut need in std::mem::take(&mut node.needs) {
                let Needed::Id(on) = &mut need.on else { continue };
                match by_id.get(&on.to_lowercase()) {
                    Some(found) if is_closed[*found] => {}
                    None if tool == Tool::Tracker => {
                        let what = format!(
                            "{id} depends on {on}, which is not among these tasks and counts as done"
                        );
                        plan.warn(need.place, what, "");
                    }
                    found => {
                        found.into_iter().for_each(|found| on.clone_from(&ids[*found]));
                        node.needs.push(need);
                    }
                }
            }
            nodes[at] = Some(Some(plan.add(std::mem::take(node))));
            for (lines, taken) in &*uses {
                if let Use::Node(_, part) = taken {
                    plan.account.take(place.file, *lines, Use::Node(plan.nodes.len() - 1, *part));
                }
            }
            uses.retain(|(_, taken)| !matches!(taken, Use::Node(..)));
            uses.iter().for_each(|(lines, taken)| plan.account.fill(place.file, *lines, *taken));
        }
    }
}
