//! Puts the issues of a tracker into a plan. Closed ones are left out: their work is done, and there may be hundreds.

use std::collections::{HashMap, HashSet};

use super::imported::{ImportedNode, ImportedPlan, Needed};
use crate::text::counted;

/// An issue of a tracker.
#[derive(Clone, Debug)]
pub(super) struct Issue {
    /// Its id in the tracker.
    pub(super) id: String,
    pub(super) node: ImportedNode,
    /// The id of the issue above it.
    pub(super) parent: Option<String>,
    pub(super) is_closed: bool,
}

/// Adds the open issues to the plan, parents before their children. Dependencies on issues that are closed or not in the
/// list count as met; the latter with a warning. Returns the position of the node of each issue.
pub(super) fn add_issues(plan: &mut ImportedPlan, issues: &[Issue]) -> Vec<Option<usize>> {
    let closed = issues.iter().filter(|issue| issue.is_closed);
    if let Some(first) = closed.clone().map(|issue| issue.node.place).min() {
        let count = closed.count();
        let are = if count == 1 { "is" } else { "are" };
        plan.warn(first, format!("{} {are} closed and left out", counted(count, "issue")), "");
    }
    let by_id: HashMap<String, usize> =
        issues.iter().enumerate().map(|(at, issue)| (issue.id.clone(), at)).collect();
    // The nearest open issue above; an issue that is below itself has none.
    let above = |at: usize| {
        let mut seen = HashSet::from([at]);
        let mut next = at;
        loop {
            next = *by_id.get(issues[next].parent.as_deref()?)?;
            if !seen.insert(next) {
                return None;
            }
            if !issues[next].is_closed {
                return Some(next);
            }
        }
    };
    let parents: Vec<Option<usize>> = (0..issues.len()).map(above).collect();
    let open: Vec<bool> = issues.iter().map(|issue| !issue.is_closed).collect();
    let mut added: Vec<Option<usize>> = vec![None; issues.len()];
    for at in (0..issues.len()).filter(|at| open[*at]) {
        let mut chain: Vec<usize> = Vec::new();
        let mut next = Some(at);
        while let Some(issue) = next.filter(|issue| added[*issue].is_none() && !chain.contains(issue)) {
            chain.push(issue);
            next = parents[issue];
        }
        for issue in chain.into_iter().rev() {
            let Issue { id, mut node, .. } = issues[issue].clone();
            node.parent = parents[issue].and_then(|parent| added[parent]);
            for need in &node.needs {
                if let Needed::Id(on) = &need.on
                    && !by_id.contains_key(on)
                {
                    let what =
                        format!("{id} depends on {on}, which is not among these issues and counts as done");
                    plan.warn(need.place, what, "");
                }
            }
            node.needs.retain(
                |need| !matches!(&need.on, Needed::Id(on) if by_id.get(on).is_none_or(|on| !open[*on])),
            );
            added[issue] = Some(plan.add(node));
        }
    }
    added
}
