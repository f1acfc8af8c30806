//! A history with merges, in memory: commits by number, read once each, with what the reader wants to know of them.

use std::collections::{HashMap, HashSet};

use super::linear::Seen;
use super::raw::{ObjectId, RawCommit};
use super::reverts::reverted_by;
use super::source::{ObjectKind, Source, unreadable};
use crate::error::Result;
use crate::task::{CommitId, Subject, carries_step};

/// The number of a commit in a graph.
pub(super) type Node = usize;

/// What a graph keeps of a commit beside its place: made from the message, while that is at hand.
pub(super) trait Annotate {
    /// What is kept.
    type Note;

    /// Reads a commit.
    fn note(&self, commit: &Seen<'_>) -> Self::Note;

    /// Whether a commit with this note certainly carries an `Arborist-Step`.
    fn is_step(note: &Self::Note) -> bool;
}

/// A commit of a graph.
#[derive(Debug)]
pub(super) struct Commit<N> {
    pub(super) id: CommitId,
    pub(super) time: i64,
    pub(super) tree: ObjectId,
    pub(super) note: N,
    /// Whether a shallow clone left out the parents.
    pub(super) is_cut: bool,
    parents: Vec<CommitId>,
}

/// The commits that were read so far.
pub(super) struct Graph<'a, A: Annotate> {
    pub(super) source: &'a mut dyn Source,
    /// The commits that a commit reverts, for those that revert any.
    pub(super) reverts: HashMap<Node, Vec<CommitId>>,
    shallow: HashSet<CommitId>,
    annotate: &'a A,
    commits: Vec<Commit<A::Note>>,
    numbers: HashMap<CommitId, Node>,
    buffer: Vec<u8>,
}

impl<'a, A: Annotate> Graph<'a, A> {
    pub(super) fn new(source: &'a mut dyn Source, annotate: &'a A) -> Result<Self> {
        let shallow = source.shallow()?;
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

    /// The number of a commit, which is read if it was not before.
    pub(super) fn load(&mut self, id: CommitId) -> Result<Node> {
        if let Some(&node) = self.numbers.get(&id) {
            return Ok(node);
        }
        self.source.read(&id, ObjectKind::Commit, &mut self.buffer)?;
        let no_commit = || unreadable(&id, "it is no commit");
        let raw = RawCommit::parse(&self.buffer).ok_or_else(no_commit)?;
        let tree = raw.tree().ok_or_else(no_commit)?;
        let node = self.commits.len();
        let reverted = reverted_by(raw.message);
        if !reverted.is_empty() {
            self.reverts.insert(node, reverted);
        }
        let seen = Seen { id, time: raw.time, subject: Subject::of(raw.message), message: raw.message };
        let note = self.annotate.note(&seen);
        let is_cut = raw.parent.is_some() && self.shallow.contains(&id);
        let parents = if is_cut { Vec::new() } else { raw.parents().collect() };
        self.commits.push(Commit { id, time: raw.time, tree, note, is_cut, parents });
        self.numbers.insert(id, node);
        Ok(node)
    }

    /// The parents of a commit, read where they were not before. The boundary of a shallow clone has none.
    pub(super) fn parents(&mut self, node: Node) -> Result<Vec<Node>> {
        let ids = self.commits[node].parents.clone();
        ids.into_iter().map(|id| self.load(id)).collect()
    }

    /// The parents of a commit that were read.
    pub(super) fn known_parents(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.commits[node].parents.iter().filter_map(|id| self.numbers.get(id).copied())
    }

    /// Whether the commit carries an `Arborist-Step`, under whatever subject; its message is read again.
    pub(super) fn carries_step(&mut self, node: Node) -> Result<bool> {
        Ok(A::is_step(&self.commits[node].note) || carries_step(&self.message(node)?))
    }

    /// The message of a commit, read again.
    pub(super) fn message(&mut self, node: Node) -> Result<Vec<u8>> {
        let id = self.commits[node].id;
        self.source.read(&id, ObjectKind::Commit, &mut self.buffer)?;
        let raw = RawCommit::parse(&self.buffer).ok_or_else(|| unreadable(&id, "it is no commit"))?;
        Ok(raw.message.to_vec())
    }

    pub(super) fn commit(&self, node: Node) -> &Commit<A::Note> {
        &self.commits[node]
    }

    pub(super) fn commit_mut(&mut self, node: Node) -> &mut Commit<A::Note> {
        &mut self.commits[node]
    }

    /// How many commits were read.
    pub(super) fn len(&self) -> usize {
        self.commits.len()
    }
}
