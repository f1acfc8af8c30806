//! The commits that were read so far. Each has a number and is read once, however often the history is asked about, and whatever
//! branch it is asked about: a run that goes on only adds what its branch has gained.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::rc::Rc;

use super::path::{PathLookup, RepoPath};
use super::plan_version::Outlines;
use super::range::Range;
use super::raw::{Entry, ObjectId, RawCommit};
use super::source::{Source, read_commit};
use crate::error::Result;
use crate::plan::Outline;
use crate::record::{
    By, CommitId, CommitKind, Effect, Landing, Outcome, RevertClaim, State, Step, StepRecord, StepText,
    Subject, is_joint,
};

/// The number of a commit in a graph.
pub(super) type Node = usize;

/// What is known of a repository.
#[derive(Default)]
pub(super) struct Known {
    commits: Vec<Commit>,
    numbers: HashMap<CommitId, Node>,
    shallow: Option<HashSet<CommitId>>,
    /// Where tree files are in root trees.
    lookups: HashMap<Rc<RepoPath>, PathLookup>,
    outlines: Outlines,
    buffer: Vec<u8>,
}

/// A commit of a graph.
#[derive(Debug)]
pub(super) struct Commit {
    pub(super) id: CommitId,
    pub(super) time: i64,
    pub(super) tree: ObjectId,
    /// Nothing, for all commits that no task can depend on.
    pub(super) said: Option<Box<Said>>,
    /// Whether the parents are missing because of a shallow clone.
    pub(super) is_cut: bool,
    parents: Vec<CommitId>,
    /// The parents by number, once they were read.
    links: Vec<Node>,
}

/// What a message says that tasks may depend on.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) message: Vec<u8>,
    pub(super) text: StepText,
    pub(super) reverts: Vec<RevertClaim>,
    pub(super) landings: Vec<Landing>,
}

impl Said {
    fn of(message: &[u8]) -> Option<Box<Self>> {
        let text = StepText::of(message);
        let (reverts, landings) = match text.carries_step {
            true => (Vec::new(), Vec::new()),
            false => (RevertClaim::all_in(message), Landing::all_in(message)),
        };
        let is_silent = !text.carries_step && reverts.is_empty() && landings.is_empty();
        (!is_silent).then(|| Box::new(Self { message: message.to_vec(), text, reverts, landings }))
    }

    fn is_step(&self) -> bool {
        self.text.kind != CommitKind::Other
    }

    /// The task or phase of which it is a step.
    pub(super) fn step_of(&self) -> Option<Subject<'_>> {
        self.is_step().then(|| Subject::of(&self.message))
    }

    /// What the claim with this number is for its tasks. It is a person's word that a task is skipped, and which commit has the
    /// work, where only a person could say that.
    pub(super) fn landed_record(&self, claim: usize) -> StepRecord {
        let landing = &self.landings[claim];
        let is_skip = landing.state() == State::Skipped;
        StepRecord {
            by: if is_skip || landing.is_vouched() { By::User } else { By::Run },
            proof: landing.proof,
            is_joint: is_joint(&self.landings),
            ..StepRecord::of_run(Step::COMPLETE, if is_skip { Outcome::Skip } else { Outcome::Pass }, 0)
        }
    }

    /// Whether it is a step on which the state of its task depends: a note is not.
    pub(super) fn is_work(&self) -> bool {
        matches!(&self.text.kind, CommitKind::Task(_, record) if record.step.row().effect != Effect::None)
    }

    /// Whether a revert of it may concern tasks.
    pub(super) fn may_be_reverted(&self) -> bool {
        self.concerns_tasks() || !self.reverts.is_empty()
    }

    /// Whether the state of a task may depend on it.
    pub(super) fn concerns_tasks(&self) -> bool {
        self.is_step() || !self.landings.is_empty()
    }
}

impl Known {
    /// The parents of a commit whose parents were read.
    pub(super) fn known_parents(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.commits[node].links.iter().copied()
    }

    /// The number of a commit that was read.
    pub(super) fn number(&self, id: &CommitId) -> Option<Node> {
        self.numbers.get(id).copied()
    }

    pub(super) fn commit(&self, node: Node) -> &Commit {
        &self.commits[node]
    }

    pub(super) fn said(&self, node: Node) -> Option<&Said> {
        self.commits[node].said.as_deref()
    }

    /// How many commits were read.
    pub(super) fn len(&self) -> usize {
        self.commits.len()
    }
}

/// The commits of a repository, and where more of them are read.
pub(super) struct Graph<'a> {
    pub(super) source: &'a mut dyn Source,
    pub(super) known: &'a mut Known,
}

impl Graph<'_> {
    /// The number of a commit. It is read if necessary.
    pub(super) fn load(&mut self, id: CommitId) -> Result<Node> {
        if let Some(node) = self.known.numbers.get(&id) {
            return Ok(*node);
        }
        if self.known.shallow.is_none() {
            self.known.shallow = Some(self.source.shallow()?);
        }
        let raw = read_commit(self.source, &id, &mut self.known.buffer)?;
        let is_cut =
            !raw.parents.is_empty() && self.known.shallow.as_ref().is_some_and(|cut| cut.contains(&id));
        let commit = Commit {
            id,
            time: raw.time,
            tree: raw.tree,
            said: Said::of(&raw.message),
            is_cut,
            parents: if is_cut { Vec::new() } else { raw.parents },
            links: Vec::new(),
        };
        Ok(self.add(commit, Some(id)))
    }

    fn add(&mut self, commit: Commit, id: Option<CommitId>) -> Node {
        let node = self.known.commits.len();
        self.known.commits.push(commit);
        self.known.numbers.extend(id.map(|id| (id, node)));
        node
    }

    /// The commit from which all of a range is reached: its head or, if there are further tips, a merge of all of them that no
    /// repository contains. It has the files of the head.
    pub(super) fn top(&mut self, range: &Range) -> Result<Node> {
        let head = self.load(range.head())?;
        if range.beside().is_empty() {
            return Ok(head);
        }
        let mut links = vec![head];
        for tip in range.beside() {
            links.push(self.load(*tip)?);
        }
        let parents: Vec<CommitId> = links.iter().map(|link| self.commit(*link).id).collect();
        let time = links.iter().map(|link| self.commit(*link).time).max().unwrap_or_default();
        let tree = self.commit(head).tree;
        let id = range.head();
        Ok(self.add(Commit { id, time, tree, said: None, is_cut: false, parents, links }, None))
    }

    /// The parents of a commit. They are read if necessary. Boundary commits of a shallow clone have none.
    pub(super) fn parents(&mut self, node: Node) -> Result<&[Node]> {
        let Commit { parents, links, .. } = &self.known.commits[node];
        if links.len() < parents.len() {
            let parents = std::mem::take(&mut self.known.commits[node].parents);
            let links: Result<Vec<Node>> = parents.iter().map(|id| self.load(*id)).collect();
            let commit = &mut self.known.commits[node];
            commit.parents = parents;
            commit.links = links?;
        }
        Ok(&self.known.commits[node].links)
    }

    /// The entry at a path below a root tree.
    pub(super) fn file(&mut self, path: &Rc<RepoPath>, tree: ObjectId) -> Result<Option<Entry>> {
        let lookup = self.known.lookups.entry(path.clone()).or_insert_with(|| PathLookup::new(path.clone()));
        lookup.entry(self.source, tree)
    }

    /// The plan in the file of an entry; `None` if it is not a file or not a plan.
    pub(super) fn outline(&mut self, entry: &Entry) -> Result<Option<Rc<Outline>>> {
        self.known.outlines.read(self.source, entry)
    }

    /// The message of a commit.
    pub(super) fn message(&mut self, node: Node) -> Result<Vec<u8>> {
        let Commit { id, said, .. } = self.commit(node);
        if let Some(said) = said {
            return Ok(said.message.clone());
        }
        let id = *id;
        let RawCommit { message, .. } = read_commit(self.source, &id, &mut self.known.buffer)?;
        Ok(message.into_owned())
    }
}

impl Deref for Graph<'_> {
    type Target = Known;

    fn deref(&self) -> &Known {
        self.known
    }
}
