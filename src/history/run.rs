//! Reads the state of a run from history: the latest step of each task, and which phases are marked complete
//! (docs/commits.md).

use std::collections::{BTreeSet, HashMap};

use super::path::RepoPath;
use super::plan_version::{AnchorRule, PlanRelation};
use super::range::Range;
use super::reading::Entry;
use crate::plan::OpenBranches;
use crate::record::{CommitId, Doubt, Outdated, State, StepCommit, StepRecord, TaskId};

/// The tasks and the plan to look for in a history.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The tree file, whose history determines where the run begins; `None` if it is not inside the work tree. Then the
    /// run is the whole history.
    pub tree_file: Option<&'a RepoPath>,
    /// What begins a run.
    pub anchor: AnchorRule,
    /// The leaves of the task tree, each with its phase: the root above it.
    pub tasks: &'a HashMap<TaskId, TaskId>,
}

/// The state of the tasks of a tree according to a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The commits from which it was read.
    pub range: Range,
    /// The latest step that counts of each task that has one: the step from which no other counted step of the task
    /// descends. Among several, it is the newest by committer date, then the one that has taken the task further.
    pub tasks: HashMap<TaskId, StepCommit>,
    /// The marker of each phase that is marked complete and has no later work: all its tasks are done, and every counted
    /// step of them is an ancestor of the marker. Among several, it is the newest, as for tasks.
    pub phases: HashMap<TaskId, StepCommit>,
    /// The same for phases whose tests have failed since their tasks are done.
    pub failed_phases: HashMap<TaskId, StepCommit>,
    /// Commits that claim a step which this version does not know, on tasks and phases of the tree, unless a known step
    /// of the same task came later. They do not count. The newest come first, where the order is defined.
    pub unknown: Vec<UnknownStep>,
    /// The doubts that the history leaves, sorted.
    pub doubts: Vec<Doubt>,
    /// The tasks whose description, dependencies or test commands were changed in the plan after they were completed. They
    /// stay complete.
    pub edited: BTreeSet<TaskId>,
    /// The branches that are not merged yet.
    pub branches: OpenBranches,
}

/// A commit with the subject of a step and an `Arborist-Step` that we do not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStep {
    /// The commit.
    pub id: CommitId,
    /// The task or phase that its subject names.
    pub task: TaskId,
    /// The value of `Arborist-Step`.
    pub word: String,
}

/// The tasks and phases of a query by number, found by the id that a subject names.
pub(super) struct Index<'a> {
    leaves: HashMap<&'a str, usize>,
    phases: HashMap<&'a str, usize>,
    leaf_ids: Vec<&'a TaskId>,
    phase_ids: Vec<&'a TaskId>,
    phase_of: Vec<usize>,
    leaves_of: Vec<Vec<usize>>,
}

/// A place in an index.
#[derive(Clone, Copy, Debug)]
pub(super) enum IndexSlot {
    /// The leaf with this number.
    Leaf(usize),
    /// The phase with this number.
    Phase(usize),
}

impl<'a> Index<'a> {
    pub(super) fn new(query: &Query<'a>) -> Self {
        let mut index = Self {
            leaves: HashMap::with_capacity(query.tasks.len()),
            phases: HashMap::new(),
            leaf_ids: Vec::with_capacity(query.tasks.len()),
            phase_ids: Vec::new(),
            phase_of: Vec::with_capacity(query.tasks.len()),
            leaves_of: Vec::new(),
        };
        for (leaf, phase) in query.tasks {
            let next = index.phase_ids.len();
            let number = *index.phases.entry(phase.as_str()).or_insert(next);
            if number == next {
                index.phase_ids.push(phase);
                index.leaves_of.push(Vec::new());
            }
            index.leaves_of[number].push(index.leaf_ids.len());
            index.leaves.insert(leaf.as_str(), index.leaf_ids.len());
            index.leaf_ids.push(leaf);
            index.phase_of.push(number);
        }
        index
    }

    pub(super) fn leaf_count(&self) -> usize {
        self.leaf_ids.len()
    }

    pub(super) fn phase_count(&self) -> usize {
        self.phase_ids.len()
    }

    pub(super) fn phase_of(&self, leaf: usize) -> usize {
        self.phase_of[leaf]
    }

    /// The leaves of a phase.
    pub(super) fn leaves_of(&self, phase: usize) -> impl Iterator<Item = &'a TaskId> {
        self.leaves_of[phase].iter().map(|leaf| self.leaf_ids[*leaf])
    }

    pub(super) fn leaf_id(&self, leaf: usize) -> TaskId {
        self.leaf_ids[leaf].clone()
    }

    pub(super) fn phase_id(&self, phase: usize) -> TaskId {
        self.phase_ids[phase].clone()
    }

    /// The number of a leaf.
    pub(super) fn leaf(&self, id: &str) -> Option<usize> {
        self.leaves.get(id).copied()
    }

    /// The place of the task or phase about which a commit says something.
    pub(super) fn slot(&self, entry: &Entry) -> Option<IndexSlot> {
        match entry.is_phase {
            false => self.leaf(&entry.name).map(IndexSlot::Leaf),
            true => self.phases.get(entry.name.as_str()).copied().map(IndexSlot::Phase),
        }
    }
}

/// Why a step does not count for the present plan; `None` if it counts.
pub(super) fn outdated(relation: PlanRelation) -> Option<Outdated> {
    match relation {
        PlanRelation::OtherName => Some(Outdated::OtherName),
        PlanRelation::NotNamed => Some(Outdated::NotNamed),
        PlanRelation::OtherRun => Some(Outdated::OtherRun),
        PlanRelation::Counts | PlanRelation::OtherPlan => None,
    }
}

/// Whether a step completes its task.
pub(super) fn completes(record: &StepRecord) -> bool {
    record.state() == State::Complete
}
