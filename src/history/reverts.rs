//! Finds out which commits the reverts of a range undo, from their messages and from their changes.
//!
//! If the message names a commit in the range, that commit is meant, and comparing trees shows whether it was undone. A
//! revert that was rebased or cherry-picked from another branch names a commit that is not in the range. Then the title
//! and the trees together show which commit is meant. All other cases are doubtful, and recorded as such.

use std::collections::{HashMap, HashSet};

use super::graph::{Annotate, Graph, Node};
use super::order::fold_ancestors;
use super::reachability::{Reachability, reachability};
use super::undone::{RevertTrees, UndoOutcome, effect};
use crate::error::Result;
use crate::record::{CommitId, IdPrefix, RevertClaim, Subject, Unclear, title};

/// The effect of one claim of a revert.
#[derive(Clone, Debug)]
pub(super) struct ResolvedClaim {
    pub(super) what: RevertTarget,
    /// Whether it takes effect. A claim that does not is kept because it raises a doubt.
    pub(super) holds: bool,
    pub(super) doubt: Option<Unclear>,
}

/// The target of a revert.
#[derive(Clone, Debug)]
pub(super) enum RevertTarget {
    /// One commit.
    Commit(Node),
    /// Everything that a merge brought in: the commits that it reaches and `mainline` does not.
    Merge { merge: Node, mainline: Node },
    /// A commit that is not in the range, and may be a step of this task or, if it is `None`, of any task.
    Unknown(Option<String>),
}

/// The commits that the reverts of a range undo.
pub(super) type Reverts = HashMap<Node, Vec<ResolvedClaim>>;

/// Finds out what each revert of a range undoes. `order` contains the commits of the range with children before
/// parents.
pub(super) fn resolve<A: Annotate>(
    graph: &mut Graph<'_, A>,
    range: &Reachability,
    order: &[Node],
) -> Result<Reverts> {
    let claims = claims_in(graph, order);
    if claims.is_empty() {
        return Ok(Reverts::new());
    }
    let mut resolver = Resolver { graph, range, order };
    let ids = resolver.sorted_ids();
    let named =
        |claim: &CommitClaim| claim.claim.named.iter().flat_map(|named| ids.fitting(&named.id)).collect();
    let found = resolver.ancestors_among(&claims, named);
    let (mut reverts, mut open) = (Reverts::new(), Vec::new());
    for (claim, mut found) in claims.into_iter().zip(found) {
        if let (true, Some(wanted)) = (found.len() > 1, &claim.claim.title) {
            let mut same = Vec::new();
            for node in found {
                if title(&resolver.graph.message(node)?) == *wanted {
                    same.push(node);
                }
            }
            found = same;
        }
        match found.as_slice() {
            [only] => {
                if let Some(taken) = resolver.taken_by_id(&claim, *only)? {
                    reverts.entry(claim.revert).or_default().push(taken);
                }
            }
            _ => open.push(claim),
        }
    }
    resolver.settle_by_title(open, &mut reverts)?;
    Ok(reverts)
}

/// A claim and the commit that makes it.
struct CommitClaim {
    revert: Node,
    claim: RevertClaim,
}

fn claims_in<A: Annotate>(graph: &Graph<'_, A>, order: &[Node]) -> Vec<CommitClaim> {
    let of = |&revert: &Node| {
        let claims = graph.reverts.get(&revert).into_iter().flatten();
        claims.map(move |claim| CommitClaim { revert, claim: claim.clone() })
    };
    order.iter().flat_map(of).collect()
}

/// The commits of a range, sorted by their ids.
struct SortedIds(Vec<(CommitId, Node)>);

impl SortedIds {
    /// The commits whose ids begin with a prefix.
    fn fitting<'a>(&'a self, prefix: &'a IdPrefix) -> impl Iterator<Item = Node> + 'a {
        let first = prefix.first();
        let start = self.0.partition_point(|(id, _)| *id < first);
        self.0[start..].iter().take_while(|(id, _)| prefix.fits(id)).map(|(_, node)| *node)
    }
}

struct Resolver<'g, 's, 'a, A: Annotate> {
    graph: &'g mut Graph<'s, A>,
    range: &'a Reachability,
    order: &'a [Node],
}

impl<A: Annotate> Resolver<'_, '_, '_, A> {
    fn sorted_ids(&self) -> SortedIds {
        let mut ids: Vec<_> = self.order.iter().map(|&node| (self.graph.commit(node).id, node)).collect();
        ids.sort_unstable();
        SortedIds(ids)
    }

    /// For each claim, those of its `candidates` that are ancestors of the revert, children before parents. One pass
    /// over the range serves all claims.
    fn ancestors_among(
        &self,
        claims: &[CommitClaim],
        candidates: impl Fn(&CommitClaim) -> Vec<Node>,
    ) -> Vec<Vec<Node>> {
        let mut asked: HashMap<Node, Vec<usize>> = HashMap::new();
        let mut numbers: HashMap<Node, usize> = HashMap::new();
        for (at, claim) in claims.iter().enumerate() {
            let next = numbers.len();
            numbers.entry(claim.revert).or_insert(next);
            candidates(claim).into_iter().for_each(|node| asked.entry(node).or_default().push(at));
        }
        let mut found = vec![Vec::new(); claims.len()];
        fold_ancestors(self.graph, self.range, self.order, |node, descendants| {
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

    /// The commits that a revert undoes which names this commit; `None` if this concerns no task.
    fn taken_by_id(&mut self, claim: &CommitClaim, node: Node) -> Result<Option<ResolvedClaim>> {
        let Some(what) = self.target(claim, node)? else { return Ok(None) };
        let (holds, doubt) = match self.effect(claim.revert, &what)? {
            UndoOutcome::NothingToUndo | UndoOutcome::Undone | UndoOutcome::AlreadyUndone => (true, None),
            UndoOutcome::Partly => (true, Some(Unclear::PartlyUndone)),
            UndoOutcome::Untouched => (false, Some(Unclear::NotUndone)),
        };
        Ok(Some(ResolvedClaim { what, holds, doubt }))
    }

    fn target(&mut self, claim: &CommitClaim, node: Node) -> Result<Option<RevertTarget>> {
        let parents = self.graph.parents(node)?;
        if let [first, _, ..] = parents[..] {
            let named = claim.claim.named.as_ref().and_then(|named| named.mainline.as_ref());
            let fits = |&parent: &Node| named.is_some_and(|id| id.fits(&self.graph.commit(parent).id));
            let mainline = parents.iter().copied().find(fits).unwrap_or(first);
            return Ok(Some(RevertTarget::Merge { merge: node, mainline }));
        }
        let concerns_us =
            A::concerns_us(&self.graph.commit(node).note) || self.graph.reverts.contains_key(&node);
        Ok(concerns_us.then_some(RevertTarget::Commit(node)))
    }

    /// The effect of a revert on the changes of its target.
    fn effect(&mut self, revert: Node, target: &RevertTarget) -> Result<UndoOutcome> {
        let (node, before) = match *target {
            RevertTarget::Commit(node) => (node, self.graph.parent(node, 0)?),
            RevertTarget::Merge { merge, mainline } => (merge, Some(mainline)),
            RevertTarget::Unknown(_) => return Ok(UndoOutcome::NothingToUndo),
        };
        let found = self.graph.parent(revert, 0)?;
        let tree = |node: Node| self.graph.commit(node).tree;
        let trees = RevertTrees {
            before: before.map(tree),
            made: Some(tree(node)),
            found: found.map(tree),
            left: Some(tree(revert)),
        };
        effect(self.graph.source, trees)
    }

    /// Resolves the claims that name no commit of the range.
    fn settle_by_title(&mut self, mut open: Vec<CommitClaim>, reverts: &mut Reverts) -> Result<()> {
        let mut missing = Vec::with_capacity(open.len());
        for claim in open.drain(..) {
            if !self.is_older(&claim)? {
                missing.push(claim);
            }
        }
        let titles = self.titles(&missing)?;
        let same_title = |claim: &CommitClaim| {
            claim.claim.title.as_ref().and_then(|title| titles.get(title)).cloned().unwrap_or_default()
        };
        let found = self.ancestors_among(&missing, same_title);
        for (claim, candidates) in missing.into_iter().zip(found) {
            if let Some(taken) = self.taken_by_title(&claim, candidates)? {
                reverts.entry(claim.revert).or_default().push(taken);
            }
        }
        Ok(())
    }

    /// Whether the commit that a claim names is an ancestor of the revert from before the range. If so, it is not a
    /// step of the range.
    fn is_older(&mut self, claim: &CommitClaim) -> Result<bool> {
        let Some(named) = &claim.claim.named else { return Ok(false) };
        let Some(id) = self.graph.source.facts().find(&named.id)? else { return Ok(false) };
        // A commit that cannot be read here is not an ancestor, or one that a shallow clone left out.
        let Ok(node) = self.graph.load(id) else { return Ok(false) };
        let reached = reachability(self.graph, node, Some(claim.revert));
        Ok(reached.is_ok_and(|reached| !reached.is_inside(node)))
    }

    /// The steps, landed commits, reverts and merges of the range that have one of the titles of these claims, children before parents.
    fn titles(&mut self, claims: &[CommitClaim]) -> Result<HashMap<Vec<u8>, Vec<Node>>> {
        let wanted: HashSet<&Vec<u8>> =
            claims.iter().filter_map(|claim| claim.claim.title.as_ref()).collect();
        let mut found: HashMap<Vec<u8>, Vec<Node>> = HashMap::new();
        if wanted.is_empty() {
            return Ok(found);
        }
        let steps_too = wanted.iter().any(|title| Subject::of(title) != Subject::Other);
        for &node in self.order {
            let note = &self.graph.commit(node).note;
            let (is_step, is_landed) = (A::is_step(note), A::concerns_us(note) && !A::is_step(note));
            let is_merge = self.graph.known_parents(node).nth(1).is_some();
            if !(is_step && steps_too || is_landed || is_merge || self.graph.reverts.contains_key(&node)) {
                continue;
            }
            let title = title(&self.graph.message(node)?);
            if wanted.contains(&title) {
                found.entry(title).or_default().push(node);
            }
        }
        Ok(found)
    }

    /// The commit that a revert undoes, if it names one with the same title as these, of which the newest comes first.
    fn taken_by_title(
        &mut self,
        claim: &CommitClaim,
        candidates: Vec<Node>,
    ) -> Result<Option<ResolvedClaim>> {
        let (mut guessed, mut untouched) = (None, None);
        for node in candidates {
            let Some(what) = self.target(claim, node)? else { continue };
            match self.effect(claim.revert, &what)? {
                UndoOutcome::Undone => return Ok(Some(ResolvedClaim { what, holds: true, doubt: None })),
                UndoOutcome::NothingToUndo if self.changes_something(claim.revert)? => {}
                UndoOutcome::NothingToUndo | UndoOutcome::AlreadyUndone | UndoOutcome::Partly => {
                    guessed.get_or_insert(what);
                }
                UndoOutcome::Untouched => {
                    untouched.get_or_insert(what);
                }
            }
        }
        let guessed = guessed.map(|what| ResolvedClaim { what, holds: true, doubt: Some(Unclear::Guessed) });
        let untouched =
            untouched.map(|what| ResolvedClaim { what, holds: false, doubt: Some(Unclear::NotUndone) });
        match guessed.or(untouched) {
            None => self.taken_by_nothing(claim),
            found => Ok(found),
        }
    }

    /// The target of a revert if it cannot be in the range.
    fn taken_by_nothing(&mut self, claim: &CommitClaim) -> Result<Option<ResolvedClaim>> {
        let is_merge = claim.claim.named.as_ref().is_some_and(|named| named.mainline.is_some());
        let task = match claim.claim.subject() {
            Subject::Task(id) => Some(id.to_owned()),
            _ if is_merge || claim.claim.title.is_none() => None,
            // An ordinary commit, not a step.
            _ => return Ok(None),
        };
        let taken = ResolvedClaim { what: RevertTarget::Unknown(task), holds: false, doubt: None };
        Ok(self.changes_something(claim.revert)?.then_some(taken))
    }

    fn changes_something(&mut self, node: Node) -> Result<bool> {
        let parent = self.graph.parent(node, 0)?;
        Ok(parent.is_none_or(|parent| self.graph.commit(parent).tree != self.graph.commit(node).tree))
    }
}
