//! Which commits the reverts of a range take back. A revert names its commit (`This reverts commit ID`, `--reference`); the
//! button of a forge quotes only the title, and after a rebase the id is that of another commit: then the newest commit with that
//! title below the revert is meant. A revert that is itself reverted takes nothing back.

use std::collections::{HashMap, HashSet};

use super::graph::{Graph, Known, Node, Said};
use super::reachability::{Reachability, reachability};
use crate::error::Result;
use crate::record::{RevertClaim, Subject, names_run, title};

/// What a claim to revert something is about.
#[derive(Clone, Debug)]
pub(super) enum RevertTarget {
    /// One commit.
    Commit(Node),
    /// These commits, which a merge has brought in.
    Merge(Vec<Node>),
    /// A commit that is not in the range, and may be a step of this task or, if it is `None`, of any task.
    Unknown(Option<String>),
}

impl RevertTarget {
    fn commits(&self) -> &[Node] {
        match self {
            Self::Commit(node) => std::slice::from_ref(node),
            Self::Merge(nodes) => nodes,
            Self::Unknown(_) => &[],
        }
    }
}

/// The targets of the reverts of a range.
pub(super) type Reverts = HashMap<Node, Vec<RevertTarget>>;

fn targets(reverts: &Reverts, revert: Node) -> impl Iterator<Item = &RevertTarget> {
    reverts.get(&revert).into_iter().flatten()
}

/// For each commit that reverts take back, these reverts. `order` contains the commits of the range with children before parents: a
/// revert is seen before what it takes back.
pub(super) fn reverted_by(reverts: &Reverts, order: &[Node]) -> HashMap<Node, Vec<Node>> {
    let mut by: HashMap<Node, Vec<Node>> = HashMap::new();
    for &revert in order {
        if !by.contains_key(&revert) {
            let taken_back = targets(reverts, revert).flat_map(RevertTarget::commits);
            taken_back.for_each(|node| by.entry(*node).or_default().push(revert));
        }
    }
    by
}

/// The commits of a range whose work a revert takes back. The revert of what brought work back takes away that work.
pub(super) fn work_taken_back(reverts: &Reverts, revert: Node) -> HashSet<Node> {
    let (mut open, mut seen, mut found) = (vec![revert], HashSet::new(), HashSet::new());
    while let Some(revert) = open.pop().filter(|revert| seen.insert(*revert)) {
        for target in targets(reverts, revert) {
            found.extend(target.commits());
            if let RevertTarget::Commit(node) = target {
                open.extend(targets(reverts, *node).filter_map(|target| match target {
                    RevertTarget::Commit(before) => Some(*before),
                    RevertTarget::Merge(_) | RevertTarget::Unknown(_) => None,
                }));
            }
        }
    }
    found
}

/// Finds out what each revert of a range means. `order` contains the commits of the range with children before parents.
///
/// The commit that began the run is not part of it, but may have landed work.
pub(super) fn resolve(
    graph: &mut Graph<'_>,
    range: &Reachability,
    order: &[Node],
    anchor: Option<Node>,
) -> Result<Reverts> {
    let (mut reverts, mut titles) = (Reverts::new(), None);
    for &revert in order {
        let claims = graph.said(revert).map(|said| said.reverts.clone()).unwrap_or_default();
        if claims.is_empty() {
            continue;
        }
        let reached = range.reached_from(graph, revert);
        let is_below = |node: &&Node| **node != revert && reached.contains(**node);
        for claim in claims {
            let named: Vec<Node> =
                order.iter().filter(|node| names(graph, &claim, **node)).filter(is_below).copied().collect();
            let meant = match named[..] {
                [only] => Some(only),
                _ if anchor.is_some_and(|anchor| names(graph, &claim, anchor)) => {
                    reverts.entry(revert).or_default().extend(anchor.map(RevertTarget::Commit));
                    continue;
                }
                _ if is_older(graph, &claim, revert)? => continue,
                _ => {
                    let titles = match &titles {
                        Some(known) => known,
                        None => titles.insert(titles_in(graph, order)?),
                    };
                    let same = claim.titles().filter_map(|title| titles.get(&title));
                    same.flatten().find(is_below).copied()
                }
            };
            let target = match meant {
                Some(node) => target(graph, range, order, &claim, node)?,
                // A squash has the reverts of landed commits that it contains.
                None if graph.said(revert).is_some_and(|said| names_run(&said.message)) => None,
                None => unknown(&claim),
            };
            reverts.entry(revert).or_default().extend(target);
        }
    }
    Ok(reverts)
}

/// The steps, landed commits, reverts and merges of a range by their titles, children before parents.
fn titles_in(graph: &mut Graph<'_>, order: &[Node]) -> Result<HashMap<Vec<u8>, Vec<Node>>> {
    let mut found: HashMap<Vec<u8>, Vec<Node>> = HashMap::new();
    for &node in order {
        let is_merge = graph.known_parents(node).nth(1).is_some();
        if is_merge || graph.said(node).is_some_and(Said::may_be_reverted) {
            found.entry(title(&graph.message(node)?)).or_default().push(node);
        }
    }
    Ok(found)
}

/// What a revert of this commit takes back; `None` if that concerns no task.
fn target(
    graph: &mut Graph<'_>,
    range: &Reachability,
    order: &[Node],
    claim: &RevertClaim,
    node: Node,
) -> Result<Option<RevertTarget>> {
    let parents = graph.parents(node)?.to_vec();
    let [first, _, ..] = parents[..] else {
        return Ok(graph.said(node).is_some_and(Said::may_be_reverted).then_some(RevertTarget::Commit(node)));
    };
    let named = claim.named.as_ref().and_then(|named| named.mainline.as_ref());
    let fits = |&parent: &Node| named.is_some_and(|id| id.fits(&graph.commit(parent).id));
    let mainline = parents.iter().copied().find(fits).unwrap_or(first);
    let [brought, before] = [node, mainline].map(|from| range.reached_from(graph, from));
    let is_new = |node: &Node| brought.contains(*node) && !before.contains(*node);
    Ok(Some(RevertTarget::Merge(order.iter().copied().filter(is_new).collect())))
}

/// Whether a claim names this commit by its id.
fn names(graph: &Known, claim: &RevertClaim, node: Node) -> bool {
    claim.named.as_ref().is_some_and(|named| named.id.fits(&graph.commit(node).id))
}

/// Whether the commit that a claim names is an ancestor of the revert from before the range. If so, it is not a step of the
/// range.
fn is_older(graph: &mut Graph<'_>, claim: &RevertClaim, revert: Node) -> Result<bool> {
    let Some(named) = &claim.named else { return Ok(false) };
    let Some(id) = graph.source.find(&named.id)? else { return Ok(false) };
    // A commit that cannot be read here is not an ancestor, or one that a shallow clone left out.
    let Ok(node) = graph.load(id) else { return Ok(false) };
    let reached = reachability(graph, node, Some(revert));
    Ok(reached.is_ok_and(|reached| !reached.is_inside(node)))
}

/// What a claim may be about that fits nothing in the range.
fn unknown(claim: &RevertClaim) -> Option<RevertTarget> {
    let is_merge = claim.named.as_ref().is_some_and(|named| named.mainline.is_some());
    match claim.subject() {
        Subject::Task(id) => Some(RevertTarget::Unknown(Some(id.to_owned()))),
        _ if is_merge || claim.title.is_none() => Some(RevertTarget::Unknown(None)),
        // An ordinary commit, not a step.
        _ => None,
    }
}
