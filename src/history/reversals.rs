//! Decides which commits of a range count, while its commits are visited with children before parents.

use std::collections::HashMap;

use super::bits::Bits;
use super::graph::Node;
use super::reverts::{ResolvedClaim, RevertTarget, Reverts};
use crate::record::Unclear;

/// The effect of reverts on a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RevertEffect {
    /// Whether the commit counts.
    pub(super) counts: bool,
    /// The reverts that leave this in doubt.
    pub(super) doubt: Option<DoubtfulRevert>,
}

/// A revert whose effect is unclear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DoubtfulRevert {
    pub(super) revert: Node,
    pub(super) why: Unclear,
}

/// A revert of a commit that is not in its history.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnknownRevert {
    pub(super) revert: Node,
    /// Whether it names the task.
    pub(super) names_task: bool,
}

/// The reverts visited so far, each with a number in the sets of descendants.
pub(super) struct Reversals<'r> {
    reverts: &'r Reverts,
    /// The active claims to revert single commits.
    against: HashMap<Node, Vec<ActiveClaim>>,
    merges: Vec<ActiveMergeClaim>,
    /// The places in `merges` of those that begin or end at a commit.
    ends: HashMap<Node, Vec<usize>>,
    unknown: Vec<ActiveUnknownClaim>,
    /// For each visited revert, its descendants without itself.
    later: HashMap<Node, Bits>,
    next: usize,
}

/// A claim of a visited revert that counts, or may count.
#[derive(Clone, Copy)]
struct ActiveClaim {
    revert: Node,
    number: usize,
    holds: bool,
    doubt: Option<DoubtfulRevert>,
}

/// A claim to revert everything that a merge brought in: every commit that has `inner` among its descendants, but not
/// `outer`.
struct ActiveMergeClaim {
    claim: ActiveClaim,
    merge: Node,
    mainline: Node,
    inner: Option<usize>,
    outer: Option<usize>,
}

/// A claim to revert an unknown commit.
struct ActiveUnknownClaim {
    number: usize,
    revert: Node,
    task: Option<String>,
}

impl<'r> Reversals<'r> {
    /// The state before any commit was visited. The numbers from `first_free` on may be used in sets of descendants.
    pub(super) fn new(reverts: &'r Reverts, first_free: usize) -> Self {
        Self {
            reverts,
            against: HashMap::new(),
            merges: Vec::new(),
            ends: HashMap::new(),
            unknown: Vec::new(),
            later: HashMap::new(),
            next: first_free,
        }
    }

    /// A number that was never used before.
    pub(super) fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// The effect on the commit of the reverts among its descendants, whose set this is. If the commit is itself a
    /// revert, it is added to the set.
    pub(super) fn visit(&mut self, node: Node, descendants: &mut Bits) -> RevertEffect {
        if self.reverts.is_empty() {
            return RevertEffect { counts: true, doubt: None };
        }
        self.pass_ends(node, descendants);
        let effect = self.effect(node, descendants);
        let reverts = self.reverts;
        if let Some(claims) = reverts.get(&node).filter(|_| effect.counts || effect.doubt.is_some()) {
            let number = self.fresh();
            self.later.insert(node, descendants.clone());
            descendants.insert(number);
            claims.iter().for_each(|claim| self.enter(ActiveRevert { revert: node, number, effect }, claim));
        }
        effect
    }

    /// A revert of this commit after which no commit of `kind`, a number in the sets of descendants, follows.
    pub(super) fn last_word(&self, node: Node, kind: usize, descendants: &Bits) -> Option<Node> {
        let mut reverts =
            self.against(node, descendants).filter(|claim| claim.holds).map(|claim| claim.revert);
        reverts.find(|revert| self.later.get(revert).is_some_and(|later| !later.contains(kind)))
    }

    /// The reverts among the descendants that may have undone work of this task, or of any.
    pub(super) fn unknown<'s>(
        &'s self,
        task: &'s str,
        descendants: &'s Bits,
    ) -> impl Iterator<Item = UnknownRevert> + 's {
        let concerns = move |claim: &&ActiveUnknownClaim| {
            descendants.contains(claim.number) && claim.task.as_deref().is_none_or(|named| named == task)
        };
        let found = self.unknown.iter().filter(concerns);
        found.map(|claim| UnknownRevert { revert: claim.revert, names_task: claim.task.is_some() })
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

    /// The claims of the commit's descendants to revert it.
    fn against<'s>(
        &'s self,
        node: Node,
        descendants: &'s Bits,
    ) -> impl Iterator<Item = ActiveClaim> + Clone + 's {
        let single = self.against.get(&node).into_iter().flatten();
        let single = single.filter(|claim| descendants.contains(claim.number)).copied();
        let has = |number: Option<usize>| number.is_some_and(|number| descendants.contains(number));
        let merged = self.merges.iter().filter(move |claim| has(claim.inner) && !has(claim.outer));
        single.chain(merged.map(|claim| claim.claim))
    }

    fn effect(&self, node: Node, descendants: &Bits) -> RevertEffect {
        let all = self.against(node, descendants);
        let mut holding = all.clone().filter(|claim| claim.holds).peekable();
        if holding.peek().is_none() {
            return RevertEffect { counts: true, doubt: all.clone().find_map(|claim| claim.doubt) };
        }
        // One certain revert is enough.
        let doubts: Option<Vec<DoubtfulRevert>> = holding.map(|claim| claim.doubt).collect();
        RevertEffect { counts: false, doubt: doubts.and_then(|doubts| doubts.first().copied()) }
    }

    /// Records a claim of a revert. If it is in doubt whether the revert itself counts, its effect is in doubt too.
    fn enter(&mut self, ActiveRevert { revert, number, effect }: ActiveRevert, resolved: &ResolvedClaim) {
        let doubt = match (resolved.doubt, effect.doubt) {
            (None, Some(inherited)) => {
                let why = if effect.counts { Unclear::RevertKept } else { Unclear::RevertDropped };
                Some(DoubtfulRevert { why, ..inherited })
            }
            (own, _) => own.map(|why| DoubtfulRevert { revert, why }),
        };
        let claim = ActiveClaim { revert, number, holds: resolved.holds && effect.counts, doubt };
        match &resolved.what {
            RevertTarget::Commit(node) => self.against.entry(*node).or_default().push(claim),
            RevertTarget::Merge { merge, mainline } => {
                for end in [*merge, *mainline] {
                    self.ends.entry(end).or_default().push(self.merges.len());
                }
                let (merge, mainline) = (*merge, *mainline);
                self.merges.push(ActiveMergeClaim { claim, merge, mainline, inner: None, outer: None });
            }
            RevertTarget::Unknown(task) if effect.counts => {
                self.unknown.push(ActiveUnknownClaim { number, revert, task: task.clone() });
            }
            RevertTarget::Unknown(_) => {}
        }
    }
}

/// A revert that was visited.
#[derive(Clone, Copy)]
struct ActiveRevert {
    revert: Node,
    number: usize,
    effect: RevertEffect,
}
