//! Computes which tasks are ready, which wait for others, and which are blocked by a failure (docs/commits.md).

use std::collections::BTreeSet;

use super::TaskTree;
use super::node_ix::NodeIx;
use super::order::NodeMoment;
use crate::record::State;

/// Whether a task can be worked on, according to its own state and the states of its dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Readiness {
    /// It is complete or skipped, no matter what happened to its dependencies since.
    Done,
    /// It has failed. It is tried again only on request.
    Failed,
    /// Something that it depends on, directly or indirectly, has failed.
    Blocked,
    /// Something that it depends on is not done, but nothing has failed.
    Waiting,
    /// Only a person's approval is missing before it is complete.
    Held,
    /// An agent has asked a question about it, which a person has to answer.
    Asked,
    /// Work on it can begin or continue.
    Ready,
}

/// The state of a task, and whether it waits for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafState {
    /// The state.
    pub state: State,
    /// Whether only a person's approval is missing before it is complete.
    pub is_held: bool,
    /// Where its work is.
    pub place: WorkPlace,
}

/// Where the work on a task is, as far as it matters to tasks that depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkPlace {
    /// On the branch of the run, where everybody finds it.
    #[default]
    RunBranch,
    /// On the branch of its phase, which is not merged yet. For tasks of other phases it is not done.
    PhaseBranch,
    /// On the branch of the run, but the tests of its phase fail. For tasks of other phases it is not done.
    FailedPhase,
    /// On a branch of its own, which is not merged yet. For all other tasks it is not done.
    TaskBranch,
}

impl WorkPlace {
    /// The same place of a task, if the tests of its phase fail.
    #[must_use]
    pub fn in_failed_phase(self) -> Self {
        if self == Self::RunBranch { Self::FailedPhase } else { self }
    }
}

impl From<State> for LeafState {
    fn from(state: State) -> Self {
        Self { state, is_held: false, place: WorkPlace::RunBranch }
    }
}

/// How many tasks [`TreeReadiness::waits_for`] and [`TreeReadiness::blocked_by`] name at most.
pub const MAX_NAMED: usize = 8;

/// The readiness of all tasks of a tree. It is computed once from the states of the tasks, in time linear in the size
/// of the tree.
#[derive(Clone, Debug)]
pub struct TreeReadiness<'t> {
    tree: &'t TaskTree,
    readiness: Vec<Readiness>,
    /// For each node, the first tasks that it waits for, and the first failed ones that it depends on, directly or
    /// indirectly.
    waits_for: Vec<FirstFew>,
    blocked_by: Vec<FirstFew>,
}

impl<'t> TreeReadiness<'t> {
    /// Computes the readiness of every task. `state_of` is called once for each.
    #[must_use]
    pub fn new<S: Into<LeafState>>(tree: &'t TaskTree, state_of: impl Fn(NodeIx) -> S) -> Self {
        let mut rank = vec![0; tree.nodes.len()];
        let mut states = vec![LeafState::from(State::Pending); tree.nodes.len()];
        for (nth, leaf) in (0..).zip(&tree.order) {
            rank[leaf.position()] = nth;
            states[leaf.position()] = state_of(*leaf).into();
        }
        let mut flow = Flow::new(tree.nodes.len());
        for moment in &tree.sequence {
            match moment {
                NodeMoment::Start(ix) => flow.start(tree, *ix),
                NodeMoment::End(ix) => {
                    flow.end(tree, *ix);
                    if tree.is_leaf(*ix) {
                        flow.end_task(*ix, rank[ix.position()], states[ix.position()]);
                    }
                }
            }
        }
        let Flow { waits_for, unfinished, blocked_by, .. } = flow;
        let task_readiness = |(at, node): (usize, &super::Node)| match states[at].state {
            _ if !node.is_leaf() && unfinished[at].is_empty() => Readiness::Done,
            state if state.is_done() => Readiness::Done,
            State::Failed => Readiness::Failed,
            _ if !blocked_by[at].is_empty() => Readiness::Blocked,
            _ if !waits_for[at].is_empty() => Readiness::Waiting,
            _ if states[at].is_held => Readiness::Held,
            State::Asked => Readiness::Asked,
            _ => Readiness::Ready,
        };
        let readiness = tree.nodes.iter().enumerate().map(task_readiness).collect();
        Self { tree, readiness, waits_for, blocked_by }
    }

    /// The readiness of a task. A parent is done when all tasks below it are; before that, the answer is whether it
    /// could begin.
    #[must_use]
    pub fn of(&self, ix: NodeIx) -> Readiness {
        self.readiness[ix.position()]
    }

    /// The tasks that are ready, in the order of execution.
    pub fn ready(&self) -> impl Iterator<Item = NodeIx> {
        self.tree.order().iter().copied().filter(|leaf| self.of(*leaf) == Readiness::Ready)
    }

    /// Whether all dependencies of the node are done, regardless of its own state.
    #[must_use]
    pub fn dependencies_are_met(&self, ix: NodeIx) -> bool {
        self.waits_for[ix.position()].is_empty()
    }

    /// The first tasks, at most [`MAX_NAMED`], that the node itself depends on and that are not done, in the order
    /// of execution.
    #[must_use]
    pub fn waits_for(&self, ix: NodeIx) -> Vec<NodeIx> {
        self.waits_for[ix.position()].nodes(&self.tree.order)
    }

    /// The first failed tasks, at most [`MAX_NAMED`], that the node depends on, directly or indirectly, in the order of
    /// execution.
    #[must_use]
    pub fn blocked_by(&self, ix: NodeIx) -> Vec<NodeIx> {
        self.blocked_by[ix.position()].nodes(&self.tree.order)
    }
}

/// The facts about starts and ends that are passed from each node to those after it. Only the first few tasks are
/// passed on, because passing all of them would take quadratic time, for example if one phase of thousands depends on
/// another.
struct Flow {
    /// At its start: the tasks it waits for.
    waits_for: Vec<FirstFew>,
    /// At its start: the failed tasks that it depends on, directly or indirectly.
    blocked_by: Vec<FirstFew>,
    /// At its end: the tasks in it that are not done, or done only on branches of their own.
    unfinished: Vec<FirstFew>,
    /// At its end: the tasks in it that are done, but not for other phases.
    unmerged: Vec<FirstFew>,
    /// At its end: the failed tasks in it, and those that it depends on, directly or indirectly.
    failed: Vec<FirstFew>,
}

impl Flow {
    fn new(count: usize) -> Self {
        let none = || vec![FirstFew::default(); count];
        Self { waits_for: none(), blocked_by: none(), unfinished: none(), unmerged: none(), failed: none() }
    }

    fn start(&mut self, tree: &TaskTree, ix: NodeIx) {
        let node = tree.node(ix);
        let above = |list: &[FirstFew]| {
            node.parent.map_or_else(FirstFew::default, |above| list[above.position()].clone())
        };
        let (mut waits_for, mut blocked_by) = (above(&self.waits_for), above(&self.blocked_by));
        for dependency in &node.depends_on {
            waits_for.merge(&self.unfinished[dependency.position()]);
            if tree.phase_of(*dependency) != tree.phase_of(ix) {
                waits_for.merge(&self.unmerged[dependency.position()]);
            }
            blocked_by.merge(&self.failed[dependency.position()]);
        }
        self.waits_for[ix.position()] = waits_for;
        self.blocked_by[ix.position()] = blocked_by;
    }

    fn end(&mut self, tree: &TaskTree, ix: NodeIx) {
        let mut failed = self.blocked_by[ix.position()].clone();
        let (mut unfinished, mut unmerged) = (FirstFew::default(), FirstFew::default());
        for child in &tree.node(ix).children {
            failed.merge(&self.failed[child.position()]);
            unfinished.merge(&self.unfinished[child.position()]);
            unmerged.merge(&self.unmerged[child.position()]);
        }
        self.failed[ix.position()] = failed;
        self.unfinished[ix.position()] = unfinished;
        self.unmerged[ix.position()] = unmerged;
    }

    fn end_task(&mut self, ix: NodeIx, rank: u32, leaf: LeafState) {
        let LeafState { state, place, .. } = leaf;
        if state.is_done() && matches!(place, WorkPlace::PhaseBranch | WorkPlace::FailedPhase) {
            self.unmerged[ix.position()].merge(&FirstFew(BTreeSet::from([rank])));
        }
        if !state.is_done() || place == WorkPlace::TaskBranch {
            self.unfinished[ix.position()].merge(&FirstFew(BTreeSet::from([rank])));
        }
        if state == State::Failed {
            self.failed[ix.position()].merge(&FirstFew(BTreeSet::from([rank])));
        }
    }
}

/// The first few of a set of tasks, as places in the order of execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FirstFew(BTreeSet<u32>);

impl FirstFew {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first few of both sets together. This is exact, because tasks that a set leaves out come after all that it
    /// contains.
    fn merge(&mut self, other: &Self) {
        self.0.extend(&other.0);
        while self.0.len() > MAX_NAMED {
            self.0.pop_last();
        }
    }

    fn nodes(&self, order: &[NodeIx]) -> Vec<NodeIx> {
        self.0.iter().filter_map(|rank| order.get(*rank as usize)).copied().collect()
    }
}
