//! Holds a history with merges in memory. Each commit has a number and is read once, and the reader decides what to
//! keep of it.

use std::collections::{HashMap, HashSet};

use super::raw::{ObjectId, RawCommit};
use super::source::{Source, read_commit, unreadable};
use crate::error::Result;
use crate::record::{CommitId, RevertClaim, carries_step};

/// The number of a commit in a graph.
pub(super) type Node = usize;

/// Decides what a graph keeps of a commit besides its parents. It is derived from the message when the commit is read.
pub(super) trait Annotate {
    /// The information that is kept.
    type Note;

    /// Reads a commit.
    fn note(&self, id: CommitId, commit: &RawCommit<'_>) -> Self::Note;

    /// The commits that a commit with this message claims to revert, for those who ask the graph.
    fn reverts(&self, message: &[u8]) -> Vec<RevertClaim>;

    /// Whether a commit with this note certainly carries an `Arborist-Step`.
    fn is_step(note: &Self::Note) -> bool;

    /// Whether the state of a task may depend on a commit with this note.
    fn concerns_us(note: &Self::Note) -> bool {
        Self::is_step(note)
    }
}

/// A commit of a graph.
#[derive(Debug)]
pub(super) struct Commit<N> {
    pub(super) id: CommitId,
    pub(super) time: i64,
    pub(super) tree: ObjectId,
    pub(super) note: N,
    /// Whether the parents are missing because of a shallow clone.
    pub(super) is_cut: bool,
    parent: Option<Link>,
    /// The parents of a merge after the first.
    others: Vec<Link>,
}

/// A parent, and its number once it was read.
#[derive(Clone, Copy, Debug)]
struct Link {
    id: CommitId,
    node: Option<Node>,
}

impl<N> Commit<N> {
    fn link(&mut self, place: usize) -> Option<&mut Link> {
        match place.checked_sub(1) {
            None => self.parent.as_mut(),
            Some(place) => self.others.get_mut(place),
        }
    }
}

/// The commits read so far.
pub(super) struct Graph<'a, A: Annotate> {
    pub(super) source: &'a mut dyn Source,
    /// The claims of commits that claim to revert others.
    pub(super) reverts: HashMap<Node, Vec<RevertClaim>>,
    shallow: HashSet<CommitId>,
    annotate: &'a A,
    commits: Vec<Commit<A::Note>>,
    numbers: HashMap<CommitId, Node>,
    buffer: Vec<u8>,
}

impl<'a, A: Annotate> Graph<'a, A> {
    pub(super) fn new(source: &'a mut dyn Source, annotate: &'a A) -> Result<Self> {
        let shallow = source.facts().shallow()?;
        Ok(Self {
            source,
            shallow,
            reverts: HashMap::new(),
            annotate,
            commits: Vec::new(),
            numbers: HashMap::new(),
            buffer: Vec::new(),
        })
    }

    /// The number of a commit. It is read if necessary.
    pub(super) fn load(&mut self, id: CommitId) -> Result<Node> {
        if let Some(node) = self.numbers.get(&id) {
            return Ok(*node);
        }
        let raw = read_commit(self.source, &id, &mut self.buffer)?;
        let tree = raw.tree().ok_or_else(|| unreadable(&id, "it names no tree"))?;
        let node = self.commits.len();
        let reverted = self.annotate.reverts(raw.message);
        if !reverted.is_empty() {
            self.reverts.insert(node, reverted);
        }
        let note = self.annotate.note(id, &raw);
        let is_cut = raw.parent.is_some() && self.shallow.contains(&id);
        let link = |id| Link { id, node: None };
        let parent = raw.parent.filter(|_| !is_cut).map(link);
        let others = raw.other_parents.into_iter().filter(|_| !is_cut).map(link).collect();
        self.commits.push(Commit { id, time: raw.time, tree, note, is_cut, parent, others });
        self.numbers.insert(id, node);
        Ok(node)
    }

    /// The parent at this position, which is read if necessary; `None` if the commit has fewer parents. Boundary
    /// commits of a shallow clone have none.
    pub(super) fn parent(&mut self, node: Node, place: usize) -> Result<Option<Node>> {
        let Some(&mut Link { id, node: known }) = self.commits[node].link(place) else { return Ok(None) };
        if known.is_some() {
            return Ok(known);
        }
        let parent = self.load(id)?;
        if let Some(link) = self.commits[node].link(place) {
            link.node = Some(parent);
        }
        Ok(Some(parent))
    }

    /// The parents of a commit. They are read if necessary.
    pub(super) fn parents(&mut self, node: Node) -> Result<Vec<Node>> {
        self.read_parents(node)?;
        Ok(self.known_parents(node).collect())
    }

    /// Reads the parents of a commit.
    pub(super) fn read_parents(&mut self, node: Node) -> Result<()> {
        for place in 0.. {
            if self.parent(node, place)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// The parents of a commit whose parents were read.
    pub(super) fn known_parents(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let Commit { parent, others, .. } = &self.commits[node];
        parent.iter().chain(others).filter_map(|link| link.node)
    }

    /// Whether the commit carries an `Arborist-Step`, no matter what its subject is. Its message is read again.
    pub(super) fn carries_step(&mut self, node: Node) -> Result<bool> {
        Ok(A::is_step(&self.commits[node].note) || carries_step(&self.message(node)?))
    }

    /// The message of a commit, read again.
    pub(super) fn message(&mut self, node: Node) -> Result<Vec<u8>> {
        let id = self.commits[node].id;
        Ok(read_commit(self.source, &id, &mut self.buffer)?.message.to_vec())
    }

    pub(super) fn commit(&self, node: Node) -> &Commit<A::Note> {
        &self.commits[node]
    }

    /// How many commits were read.
    pub(super) fn len(&self) -> usize {
        self.commits.len()
    }
}
