//! Puts the issues of a tracker into a plan. Closed ones are left out: their work is done, and there may be hundreds.

use std::collections::{HashMap, HashSet};

use super::imported::{ImportedNode, ImportedPlan, Needed, Place};

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
}

/// Adds the open issues to the plan, parents before their children. Dependencies on issues that are closed or not in the
/// list count as met; the latter with a warning.
pub(super) fn add_issues(plan: &mut ImportedPlan, issues: &[Issue]) {
    let closed: Vec<Place> =
        issues.iter().filter(|issue| issue.is_closed).map(|issue| issue.node.place).collect();
    if let Some(first) = closed.iter().min() {
        let (count, are) = (closed.len(), if closed.len() == 1 { "issue is" } else { "issues are" });
        plan.warn(*first, format!("{count} {are} closed and left out"), "");
    }
    let by_id = issues.iter().enumerate().map(|(at, issue)| (issue.id.as_str(), at)).collect();
    let tracker = Tracker { issues, by_id };
    let parents: Vec<Option<usize>> = (0..issues.len()).map(|at| tracker.parent_of(at)).collect();
    let mut added: Vec<Option<usize>> = vec![None; issues.len()];
    for at in 0..issues.len() {
        if added[at].is_some() {
            continue;
        }
        // The issues above this one are added before it. An issue that is below itself gets no parent.
        let mut in_chain = HashSet::from([at]);
        let above =
            |at: &usize| parents[*at].filter(|above| added[*above].is_none() && in_chain.insert(*above));
        let chain: Vec<usize> = std::iter::successors(Some(at), above).collect();
        for next in chain.into_iter().rev() {
            let parent = parents[next].and_then(|parent| added[parent]);
            added[next] = tracker.add(next, parent, plan);
        }
    }
}

/// All issues of a tracker.
struct Tracker<'i> {
    issues: &'i [Issue],
    by_id: HashMap<&'i str, usize>,
}

impl Tracker<'_> {
    fn is_open(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|at| !self.issues[*at].is_closed)
    }

    /// The nearest open issue above.
    fn parent_of(&self, at: usize) -> Option<usize> {
        let mut seen = HashSet::new();
        let mut above = self.issues[at].parent.as_deref();
        while let Some(id) = above.filter(|id| seen.len() < MOST_CLOSED && seen.insert(*id)) {
            let found = *self.by_id.get(id)?;
            if found != at && !self.issues[found].is_closed {
                return Some(found);
            }
            above = self.issues[found].parent.as_deref();
        }
        None
    }

    /// Adds an issue below this node, unless it is closed. Returns its own node.
    fn add(&self, at: usize, parent: Option<usize>, plan: &mut ImportedPlan) -> Option<usize> {
        let issue = &self.issues[at];
        if issue.is_closed {
            return None;
        }
        let mut node = issue.node.clone();
        node.parent = parent.or(node.parent);
        for need in &node.needs {
            if let Needed::Id(id) = &need.on
                && !self.by_id.contains_key(id.as_str())
            {
                let what = format!(
                    "{} depends on {id}, which is not among these issues and counts as done",
                    issue.id
                );
                plan.warn(need.place, what, "");
            }
        }
        node.needs.retain(|need| !matches!(&need.on, Needed::Id(id) if !self.is_open(id)));
        Some(plan.add(node))
    }
}
