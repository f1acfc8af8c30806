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
    known: Vec<Known>,
}

impl<'t> TreeReadiness<'t> {
    /// Computes the readiness of every task. `state_of` is called once for each.
    pub fn new<S: Into<LeafState>>(tree: &'t TaskTree, state_of: impl Fn(NodeIx) -> S) -> Self {
        let mut leaves: Vec<Option<(u32, LeafState)>> = vec![None; tree.nodes.len()];
        for (nth, leaf) in (0..).zip(&tree.order) {
            leaves[leaf.position()] = Some((nth, state_of(*leaf).into()));
        }
        let mut known = vec![Known::default(); tree.nodes.len()];
        for moment in &tree.sequence {
            match *moment {
                NodeMoment::Start(ix) => {
                    let node = tree.node(ix);
                    let mut own =
                        node.parent.map_or_else(Known::default, |above| known[above.position()].clone());
                    for dependency in &node.depends_on {
                        let other = &known[dependency.position()];
                        own.waits_for.merge(&other.unfinished);
                        if tree.phase_of(*dependency) != tree.phase_of(ix) {
                            own.waits_for.merge(&other.unmerged);
                        }
                        own.blocked_by.merge(&other.failed);
                    }
                    known[ix.position()] = own;
                }
                NodeMoment::End(ix) => {
                    let mut own = std::mem::take(&mut known[ix.position()]);
                    own.failed = own.blocked_by.clone();
                    for child in &tree.node(ix).children {
                        let child = &known[child.position()];
                        own.failed.merge(&child.failed);
                        own.unfinished.merge(&child.unfinished);
                        own.unmerged.merge(&child.unmerged);
                    }
                    if let Some((rank, LeafState { state, place, .. })) = leaves[ix.position()] {
                        let only = FirstFew(BTreeSet::from([rank]));
                        if state.is_done() && matches!(place, WorkPlace::PhaseBranch | WorkPlace::FailedPhase)
                        {
                            own.unmerged.merge(&only);
                        }
                        if !state.is_done() || place == WorkPlace::TaskBranch {
                            own.unfinished.merge(&only);
                        }
                        if state == State::Failed {
                            own.failed.merge(&only);
                        }
                    }
                    known[ix.position()] = own;
                }
            }
        }
        let readiness = |(own, leaf): (&Known, &Option<(u32, LeafState)>)| {
            let (state, is_held) =
                leaf.map_or((State::Pending, false), |(_, leaf)| (leaf.state, leaf.is_held));
            match state {
                _ if leaf.is_none() && own.unfinished.0.is_empty() => Readiness::Done,
                state if state.is_done() => Readiness::Done,
                State::Failed => Readiness::Failed,
                _ if !own.blocked_by.0.is_empty() => Readiness::Blocked,
                _ if !own.waits_for.0.is_empty() => Readiness::Waiting,
                _ if is_held => Readiness::Held,
                State::Asked => Readiness::Asked,
                _ => Readiness::Ready,
            }
        };
        Self { tree, readiness: known.iter().zip(&leaves).map(readiness).collect(), known }
    }

    /// The readiness of a task. A parent is done when all tasks below it are; before that, the answer is whether it
    /// could begin.
    pub fn of(&self, ix: NodeIx) -> Readiness {
        self.readiness[ix.position()]
    }

    /// The tasks that are ready, in the order of execution.
    pub fn ready(&self) -> impl Iterator<Item = NodeIx> {
        self.tree.order().iter().copied().filter(|leaf| self.of(*leaf) == Readiness::Ready)
    }

    /// Whether all dependencies of the node are done, regardless of its own state.
    pub fn dependencies_are_met(&self, ix: NodeIx) -> bool {
        self.known[ix.position()].waits_for.0.is_empty()
    }

    /// The first tasks, at most [`MAX_NAMED`], that the node itself depends on and that are not done, in the order
    /// of execution.
    pub fn waits_for(&self, ix: NodeIx) -> Vec<NodeIx> {
        self.known[ix.position()].waits_for.nodes(&self.tree.order)
    }

    /// The first failed tasks, at most [`MAX_NAMED`], that the node depends on, directly or indirectly, in the order of
    /// execution.
    pub fn blocked_by(&self, ix: NodeIx) -> Vec<NodeIx> {
        self.known[ix.position()].blocked_by.nodes(&self.tree.order)
    }
}

/// What the start and the end of a node pass on to those after it. Only the first few tasks are passed on, because passing all of them
/// would take quadratic time, for example if one phase of thousands depends on another.
#[derive(Clone, Debug, Default)]
struct Known {
    /// From the start on: the tasks it waits for.
    waits_for: FirstFew,
    /// From the start on: the failed tasks that it depends on, directly or indirectly.
    blocked_by: FirstFew,
    /// From the end on: the tasks in it that are not done, or done only on branches of their own.
    unfinished: FirstFew,
    /// From the end on: the tasks in it that are done, but not for other phases.
    unmerged: FirstFew,
    /// From the end on: the failed tasks in it, and those that it depends on, directly or indirectly.
    failed: FirstFew,
}

/// The first few of a set of tasks, as places in the order of execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FirstFew(BTreeSet<u32>);

impl FirstFew {
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
