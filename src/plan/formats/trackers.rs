//! Puts the issues of a tracker into a plan. Closed ones are left out: their work is done, and there may be hundreds.

use std::collections::{HashMap, HashSet};

use super::imported::{ImportedNode, ImportedPlan, Needed, Place, ReadAs};

/// How many closed issues may be between an issue and the open one above it.
const MOST_CLOSED: usize = 100;

/// An issue of a tracker.
#[derive(Clone, Debug)]
pub(super) struct Issue {
    /// Its id in the tracker.
    pub(super) id: String,
    pub(super) node: ImportedNode,
    /// The id of the issue above it.
    pub(super) parent: Option<String>,
    pub(super) is_closed: bool,
    pub(super) last_line: u32,
}

/// Adds the open issues to the plan, parents before their children. Dependencies on issues that are closed or not in the
/// list count as met; the latter with a warning.
pub(super) fn add_issues(plan: &mut ImportedPlan, issues: &[Issue]) {
    let by_id: HashMap<String, usize> =
        issues.iter().enumerate().map(|(at, issue)| (issue.id.clone(), at)).collect();
    let closed: Vec<Place> =
        issues.iter().filter(|issue| issue.is_closed).map(|issue| issue.node.place).collect();
    if let Some(first) = closed.iter().min() {
        let (count, are) = (closed.len(), if closed.len() == 1 { "issue is" } else { "issues are" });
        plan.warn(*first, format!("{count} {are} closed and left out"), "");
    }
    let is_open = |id: &str| by_id.get(id).is_some_and(|at| !issues[*at].is_closed);
    // The nearest open issue above.
    let parent_of = |at: usize| {
        let mut seen = HashSet::new();
        let mut above = issues[at].parent.as_deref();
        while let Some(id) = above.filter(|id| seen.len() < MOST_CLOSED && seen.insert(*id)) {
            if is_open(id) && by_id[id] != at {
                return by_id.get(id).copied();
            }
            above = by_id.get(id).and_then(|at| issues[*at].parent.as_deref());
        }
        None
    };
    let parents: Vec<Option<usize>> = (0..issues.len()).map(parent_of).collect();
    let mut places: Vec<Option<usize>> = vec![None; issues.len()];
    for at in 0..issues.len() {
        // Collects the issues above this one, then adds them from the top down. An issue that is below itself gets no
        // parent.
        let (mut chain, mut next, mut in_chain) = (vec![at], at, HashSet::from([at]));
        while let Some(above) =
            parents[next].filter(|above| places[*above].is_none() && in_chain.insert(*above))
        {
            chain.push(above);
            next = above;
        }
        for next in chain.into_iter().rev() {
            let issue = &issues[next];
            if places[next].is_some() {
                continue;
            }
            if issue.is_closed {
                plan.read(issue.node.place, issue.last_line, ReadAs::Other("closed issue"));
                continue;
            }
            let mut node = issue.node.clone();
            node.parent = parents[next].and_then(|parent| places[parent]).or(node.parent);
            for need in &node.needs {
                if let Needed::Id(id) = &need.on
                    && !by_id.contains_key(id)
                {
                    let what = format!(
                        "{} depends on {id}, which is not among these issues and counts as done",
                        issue.id
                    );
                    plan.warn(need.place, what, "");
                }
            }
            node.needs.retain(|need| !matches!(&need.on, Needed::Id(id) if !is_open(id)));
            let place = node.place;
            let node = plan.add(node);
            plan.read(place, issue.last_line, ReadAs::Node(node));
            places[next] = Some(node);
        }
    }
}
