//! Which commits the reverts of a range take back. A revert names its commit (`This reverts commit ID`, `--reference`); the
//! button of a forge quotes only the title, and after a rebase the id is that of another commit: then the newest commit with that
//! title below the revert is meant. A revert that is itself reverted takes nothing back.

use std::collections::{HashMap, HashSet};

use super::bits::Bits;
use super::graph::{Graph, Node, Said};
use super::order::fold_ancestors;
use super::reachability::{Reachability, reachability};
use crate::error::Result;
use crate::record::{CommitId, IdPrefix, RevertClaim, Subject, title};

/// What a claim to revert something is about.
#[derive(Clone, Debug)]
pub(super) enum RevertTarget {
    /// One commit.
    Commit(Node),
    /// Everything that a merge brought in: the commits that it reaches and `mainline` does not.
    Merge { merge: Node, mainline: Node },
    /// A commit that is not in the range, and may be a step of this task or, if it is `None`, of any task.
    Unknown(Option<String>),
}

/// The targets of the reverts of a range.
pub(super) type Reverts = HashMap<Node, Vec<RevertTarget>>;

/// The commits of a range whose work a revert takes back. The revert of what brought work back takes away that work.
pub(super) fn work_taken_back(
    reverts: &Reverts,
    revert: Node,
    graph: &Graph<'_>,
    range: &Reachability,
) -> HashSet<Node> {
    let (mut open, mut found) = (vec![revert], HashSet::new());
    let mut seen = HashSet::new();
    while let Some(revert) = open.pop() {
        if !seen.insert(revert) {
            continue;
        }
        for target in reverts.get(&revert).into_iter().flatten() {
            match *target {
                RevertTarget::Commit(node) => {
                    found.insert(node);
                    let brought_back = reverts.get(&node).into_iter().flatten();
                    open.extend(brought_back.filter_map(|target| match target {
                        RevertTarget::Commit(before) => Some(*before),
                        _ => None,
                    }));
                }
                RevertTarget::Merge { merge, mainline } => {
                    let reached_from = |from: Node| range.reached_from(graph, from);
                    found.extend(&reached_from(merge) - &reached_from(mainline));
                }
                RevertTarget::Unknown(_) => {}
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
    let mut claims: Vec<CommitClaim> = Vec::new();
    for &revert in order {
        let said = graph.said(revert).into_iter().flat_map(|said| &said.reverts);
        claims.extend(said.map(|claim| CommitClaim { revert, claim: claim.clone() }));
    }
    let mut reverts = Reverts::new();
    if claims.is_empty() {
        return Ok(reverts);
    }
    let titles = titles(graph, order, &claims)?;
    let ids = SortedIds::of(graph, order);
    let candidates: Vec<Candidates> = claims
        .iter()
        .map(|CommitClaim { claim, .. }| Candidates {
            by_id: claim.named.iter().flat_map(|named| ids.fitting(&named.id)).collect(),
            by_title: claim.titles().filter_map(|title| titles.get(&title)).flatten().copied().collect(),
        })
        .collect();
    let below = below(graph, range, order, &claims, &candidates);
    for (at, CommitClaim { revert, claim }) in claims.iter().enumerate() {
        let is_below = |node: &&Node| below[at].contains(*node);
        let by_id: Vec<Node> = candidates[at].by_id.iter().filter(is_below).copied().collect();
        let target = match by_id[..] {
            [only] => target(graph, claim, only)?,
            _ if anchor.is_some_and(|anchor| names(graph, claim, anchor)) => anchor.map(RevertTarget::Commit),
            _ if is_older(graph, claim, *revert)? => None,
            _ => match candidates[at].by_title.iter().find(is_below) {
                Some(newest) => target(graph, claim, *newest)?,
                None => unknown(claim),
            },
        };
        reverts.entry(*revert).or_default().extend(target);
    }
    Ok(reverts)
}

/// The commits of a range that a claim may mean, children before parents.
struct Candidates {
    by_id: Vec<Node>,
    by_title: Vec<Node>,
}

/// A claim and the commit that makes it.
struct CommitClaim {
    revert: Node,
    claim: RevertClaim,
}

/// The commits of a range, sorted by their ids.
struct SortedIds(Vec<(CommitId, Node)>);

impl SortedIds {
    fn of(graph: &Graph<'_>, order: &[Node]) -> Self {
        let mut ids: Vec<_> = order.iter().map(|&node| (graph.commit(node).id, node)).collect();
        ids.sort_unstable();
        Self(ids)
    }

    /// The commits whose ids begin with a prefix.
    fn fitting<'a>(&'a self, prefix: &'a IdPrefix) -> impl Iterator<Item = Node> + 'a {
        let first = prefix.first();
        let start = self.0.partition_point(|(id, _)| *id < first);
        self.0[start..].iter().take_while(|(id, _)| prefix.fits(id)).map(|(_, node)| *node)
    }
}

/// The steps, landed commits, reverts and merges of the range that have one of the titles of these claims, children before
/// parents.
fn titles(
    graph: &mut Graph<'_>,
    order: &[Node],
    claims: &[CommitClaim],
) -> Result<HashMap<Vec<u8>, Vec<Node>>> {
    let mut found: HashMap<Vec<u8>, Vec<Node>> =
        claims.iter().flat_map(|claim| claim.claim.titles()).map(|title| (title, Vec::new())).collect();
    if found.is_empty() {
        return Ok(found);
    }
    for &node in order {
        let is_merge = graph.known_parents(node).nth(1).is_some();
        let is_ours = graph.said(node).is_some_and(|said| said.concerns_tasks() || !said.reverts.is_empty());
        if (is_merge || is_ours)
            && let Some(same) = found.get_mut(&title(&graph.message(node)?))
        {
            same.push(node);
        }
    }
    Ok(found)
}

/// For each claim, those of its candidates that are ancestors of the revert. One pass over the range serves all claims.
fn below(
    graph: &Graph<'_>,
    range: &Reachability,
    order: &[Node],
    claims: &[CommitClaim],
    candidates: &[Candidates],
) -> Vec<Vec<Node>> {
    let mut asked: HashMap<Node, Vec<usize>> = HashMap::new();
    let mut numbers: HashMap<Node, usize> = HashMap::new();
    for (at, CommitClaim { revert, .. }) in claims.iter().enumerate() {
        let next = numbers.len();
        numbers.entry(*revert).or_insert(next);
        let Candidates { by_id, by_title } = &candidates[at];
        by_id.iter().chain(by_title).for_each(|node| asked.entry(*node).or_default().push(at));
    }
    let mut found = vec![Vec::new(); claims.len()];
    fold_ancestors(graph, range, order, |node, descendants| {
        for &at in asked.get(&node).into_iter().flatten() {
            if descendants.contains(numbers[&claims[at].revert]) {
                found[at].push(node);
            }
        }
        if let Some(&number) = numbers.get(&node) {
            descendants.insert(number);
        }
    });
    found
}

/// What a revert of this commit takes back; `None` if that concerns no task.
fn target(graph: &mut Graph<'_>, claim: &RevertClaim, node: Node) -> Result<Option<RevertTarget>> {
    let parents = graph.parents(node)?.to_vec();
    if let [first, _, ..] = parents[..] {
        let named = claim.named.as_ref().and_then(|named| named.mainline.as_ref());
        let fits = |&parent: &Node| named.is_some_and(|id| id.fits(&graph.commit(parent).id));
        let mainline = parents.iter().copied().find(fits).unwrap_or(first);
        return Ok(Some(RevertTarget::Merge { merge: node, mainline }));
    }
    let is_ours = |said: &Said| said.concerns_tasks() || !said.reverts.is_empty();
    Ok(graph.said(node).is_some_and(is_ours).then_some(RevertTarget::Commit(node)))
}

/// Whether a claim names this commit by its id.
fn names(graph: &Graph<'_>, claim: &RevertClaim, node: Node) -> bool {
    claim.named.as_ref().is_some_and(|named| named.id.fits(&graph.commit(node).id))
}

/// Whether the commit that a claim names is an ancestor of the revert from before the range. If so, it is not a step of the
/// range.
fn is_older(graph: &mut Graph<'_>, claim: &RevertClaim, revert: Node) -> Result<bool> {
    let Some(named) = &claim.named else { return Ok(false) };
    let Some(id) = graph.source.facts().find(&named.id)? else { return Ok(false) };
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

/// The reverts visited so far, each with a number in the sets of descendants. Commits come with children before parents.
pub(super) struct Reversals<'r> {
    reverts: &'r Reverts,
    /// The claims to revert single commits.
    against: HashMap<Node, Vec<Claim>>,
    merges: Vec<MergeClaim>,
    /// The places in `merges` of those that begin or end at a commit.
    ends: HashMap<Node, Vec<usize>>,
    next: usize,
}

/// A claim of a visited revert that counts.
#[derive(Clone, Copy)]
struct Claim {
    revert: Node,
    number: usize,
}

/// A claim to revert everything that a merge brought in: every commit that has `inner` among its descendants, but not
/// `outer`.
struct MergeClaim {
    claim: Claim,
    merge: Node,
    mainline: Node,
    inner: Option<usize>,
    outer: Option<usize>,
}

impl<'r> Reversals<'r> {
    /// The state before any commit was visited.
    pub(super) fn new(reverts: &'r Reverts) -> Self {
        Self { reverts, against: HashMap::new(), merges: Vec::new(), ends: HashMap::new(), next: 0 }
    }

    /// A number that was never used before.
    pub(super) fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// The reverts among the descendants of a commit, whose set this is, that take it back. If the commit is itself a revert
    /// that counts, it is added to the set.
    pub(super) fn visit(&mut self, node: Node, descendants: &mut Bits) -> Vec<Node> {
        if self.reverts.is_empty() {
            return Vec::new();
        }
        self.pass_ends(node, descendants);
        let single = self.against.get(&node).into_iter().flatten().copied();
        let has = |number: Option<usize>| number.is_some_and(|number| descendants.contains(number));
        let merged = self.merges.iter().filter(|merge| has(merge.inner) && !has(merge.outer));
        let by: Vec<Node> = single
            .filter(|claim| descendants.contains(claim.number))
            .chain(merged.map(|merge| merge.claim))
            .map(|claim| claim.revert)
            .collect();
        let reverts = self.reverts;
        if let Some(targets) = reverts.get(&node).filter(|_| by.is_empty()) {
            let claim = Claim { revert: node, number: self.fresh() };
            descendants.insert(claim.number);
            targets.iter().for_each(|target| self.enter(claim, target));
        }
        by
    }

    /// Marks the beginning and the end of the commits that a merge brought in.
    fn pass_ends(&mut self, node: Node, descendants: &mut Bits) {
        for at in self.ends.get(&node).cloned().unwrap_or_default() {
            let number = self.fresh();
            let claim = &mut self.merges[at];
            let end = if claim.merge == node { &mut claim.inner } else { &mut claim.outer };
            if claim.mainline == node || descendants.contains(claim.claim.number) {
                descendants.insert(*end.get_or_insert(number));
            }
        }
    }

    fn enter(&mut self, claim: Claim, target: &RevertTarget) {
        match *target {
            RevertTarget::Commit(node) => self.against.entry(node).or_default().push(claim),
            RevertTarget::Merge { merge, mainline } => {
                for end in [merge, mainline] {
                    self.ends.entry(end).or_default().push(self.merges.len());
                }
                self.merges.push(MergeClaim { claim, merge, mainline, inner: None, outer: None });
            }
            RevertTarget::Unknown(_) => {}
        }
    }
}
