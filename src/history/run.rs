//! Reads the state of a run from history: the latest step of each task, and which phases are marked complete
//! (docs/commits.md).

use std::collections::{BTreeSet, HashMap};

use super::path::RepoPath;
use super::phase_marks::{PhaseMarks, PhaseStep};
use super::plan_version::{AnchorRule, PlanRelation, Scope};
use super::range::Range;
use super::squash::{Squash, Squashes};
use crate::plan::OpenBranches;
use crate::record::{
    By, CommitId, CommitKind, Doubt, Effect, Landing, Outcome, Outdated, State, Step, StepCommit, StepRecord,
    Subject, TaskId, commit_kind, is_joint,
};

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
    /// The commits whose messages say nothing of the work that they contain.
    pub squashes: Squashes,
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
#[derive(Clone)]
pub(super) struct Index<'a> {
    /// The plan of which they are tasks.
    scope: Scope,
    leaves: HashMap<&'a str, usize>,
    phases: HashMap<&'a str, usize>,
    leaf_ids: Vec<&'a TaskId>,
    phase_ids: Vec<&'a TaskId>,
    phase_of: Vec<usize>,
    /// What commits say whose own messages do not say it.
    squashes: HashMap<CommitId, LandingClaim>,
}

/// The role of a commit for the tasks of an index.
#[derive(Clone, Debug)]
pub(super) enum Note {
    /// A step of the leaf with this number.
    Step(usize, StepRecord),
    /// A step of the phase with this number.
    Marker(usize, StepRecord),
    /// What a landed commit says.
    Landed(Box<[LandingClaim]>),
    /// A step that we do not know, with the id in its subject and its `Arborist-Step`.
    Unknown(IndexSlot, Box<UnknownClaim>),
    /// A step without an effect on the state of its task, such as a person's note.
    Remark,
    /// No role.
    Plain,
}

/// A run whose work a landed commit contains, and the numbers of its tasks that are in the index.
#[derive(Clone, Debug)]
pub(super) struct LandingClaim {
    pub(super) landing: Landing,
    pub(super) leaves: Box<[usize]>,
    /// Whether the commit has the work of several tasks.
    pub(super) is_joint: bool,
}

impl LandingClaim {
    /// What it is for its tasks. It is a person's word where only a person could say which commit has the work.
    pub(super) fn record(&self) -> StepRecord {
        let by = if self.landing.is_vouched() { By::User } else { By::Run };
        StepRecord {
            by,
            proof: self.landing.proof(),
            is_joint: self.is_joint,
            ..StepRecord::of_run(Step::COMPLETE, Outcome::Pass, 0)
        }
    }
}

/// The task or phase that a subject names, and an `Arborist-Step` that we do not know.
#[derive(Clone, Debug)]
pub(super) struct UnknownClaim {
    pub(super) task: TaskId,
    pub(super) word: String,
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
        let tasks = query.tasks;
        let mut index = Self {
            scope: Scope::of(query.tree_file, query.anchor),
            leaves: HashMap::with_capacity(tasks.len()),
            phases: HashMap::new(),
            leaf_ids: Vec::with_capacity(tasks.len()),
            phase_ids: Vec::new(),
            phase_of: Vec::with_capacity(tasks.len()),
            squashes: HashMap::new(),
        };
        for (leaf, phase) in tasks {
            let next = index.phase_ids.len();
            let number = *index.phases.entry(phase.as_str()).or_insert(next);
            if number == next {
                index.phase_ids.push(phase);
            }
            index.leaves.insert(leaf.as_str(), index.leaf_ids.len());
            index.leaf_ids.push(leaf);
            index.phase_of.push(number);
        }
        index
    }

    /// The same tasks, for reading commits that have landed work without saying so.
    pub(super) fn with_squashes(&self, squashes: &Squashes) -> Self {
        let claim = |squash: &Squash| {
            let landing = squash.landing.clone();
            let is_joint = landing.tasks().len() > 1;
            Some((squash.commit, self.claim(landing, is_joint)?))
        };
        Self { squashes: squashes.certain().iter().filter_map(claim).collect(), ..self.clone() }
    }

    /// What a commit has landed without saying so.
    pub(super) fn squash(&self, commit: &CommitId) -> Option<Note> {
        let claim = self.squashes.get(commit)?;
        Some(Note::Landed(Box::new([claim.clone()])))
    }

    /// The plan of which they are tasks.
    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The tasks that have no step in a run that was read for them.
    pub(super) fn without_step(&self, run: &Run) -> BTreeSet<TaskId> {
        let leaves = self.leaf_ids.iter().filter(|leaf| !run.tasks.contains_key(**leaf));
        leaves.map(|leaf| (*leaf).clone()).collect()
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

    pub(super) fn leaf_id(&self, leaf: usize) -> TaskId {
        self.leaf_ids[leaf].clone()
    }

    pub(super) fn phase_id(&self, phase: usize) -> TaskId {
        self.phase_ids[phase].clone()
    }

    /// The place of the task or phase that a subject names in the index.
    pub(super) fn slot(&self, subject: Subject<'_>) -> Option<IndexSlot> {
        match subject {
            Subject::Task(id) => self.leaves.get(id).copied().map(IndexSlot::Leaf),
            Subject::Phase(id) => self.phases.get(id).copied().map(IndexSlot::Phase),
            Subject::Other => None,
        }
    }

    /// The latest steps of phases by number, with what is known of their tasks.
    pub(super) fn marks(
        &self,
        tasks: &HashMap<TaskId, StepCommit>,
        latest: impl IntoIterator<Item = (usize, StepCommit)>,
    ) -> PhaseMarks {
        let mut open = vec![false; self.phase_count()];
        for (leaf, id) in self.leaf_ids.iter().enumerate() {
            open[self.phase_of[leaf]] |= !tasks.get(*id).is_some_and(|step| step.record.state().is_done());
        }
        PhaseMarks::of(latest.into_iter().map(|(phase, step)| PhaseStep {
            id: self.phase_id(phase),
            is_open: open[phase],
            step,
        }))
    }

    /// Whether the index contains this leaf.
    pub(super) fn is_leaf(&self, id: &TaskId) -> bool {
        self.leaves.contains_key(id.as_str())
    }

    /// Reads the message, if it concerns a task or phase of the index.
    pub(super) fn note(&self, subject: Subject<'_>, message: &[u8]) -> Note {
        match self.slot(subject) {
            Some(slot) => self.step(slot, message),
            None => self.landed(message),
        }
    }

    /// Reads a message whose subject names this task or phase.
    fn step(&self, slot: IndexSlot, message: &[u8]) -> Note {
        match (commit_kind(message), slot) {
            (CommitKind::Task(_, record), _) if record.step.row().effect == Effect::None => Note::Remark,
            (CommitKind::Task(_, record), IndexSlot::Leaf(leaf)) => Note::Step(leaf, record),
            (CommitKind::Phase(_, record), IndexSlot::Phase(phase)) => Note::Marker(phase, record),
            (CommitKind::UnknownStep(id, word), slot) => {
                Note::Unknown(slot, Box::new(UnknownClaim { task: id, word }))
            }
            _ => self.landed(message),
        }
    }

    /// Reads a message that is not that of a step.
    fn landed(&self, message: &[u8]) -> Note {
        let all = Landing::all_in(message);
        let is_joint = is_joint(&all);
        let claims = all.into_iter().filter_map(|landing| self.claim(landing, is_joint));
        let claims: Box<[LandingClaim]> = claims.collect();
        if claims.is_empty() { Note::Plain } else { Note::Landed(claims) }
    }

    /// The claim of a landed commit, if it is about tasks of the index.
    fn claim(&self, landing: Landing, is_joint: bool) -> Option<LandingClaim> {
        let leaves: Box<[usize]> =
            landing.tasks().iter().filter_map(|task| self.leaves.get(task.as_str()).copied()).collect();
        (!leaves.is_empty()).then_some(LandingClaim { landing, leaves, is_joint })
    }
}

/// A step that does not count for the present plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutdatedStep {
    /// Its commit.
    pub(super) id: CommitId,
    /// Why it does not count.
    pub(super) why: Outdated,
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

/// The doubt about a step that does not count, unless the task is complete without it.
pub(super) fn old_plan(
    task: TaskId,
    latest: Option<&StepCommit>,
    outdated: Option<OutdatedStep>,
) -> Option<Doubt> {
    let is_done = latest.is_some_and(|step| step.record.state().is_done());
    let OutdatedStep { id, why } = outdated.filter(|_| !is_done)?;
    Some(Doubt::OldPlan { task, step: id, why })
}
