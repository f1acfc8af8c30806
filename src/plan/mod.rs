//! The task tree: reads it from `task-tree.json`, checks and orders it, and finds the tasks that are ready
//! (docs/plans.md).

/// A regular expression that is compiled when it is first needed.
macro_rules! pattern {
    ($vis:vis $name:ident, $pattern:expr) => {
        $vis static $name: std::sync::LazyLock<regex_lite::Regex> =
            std::sync::LazyLock::new(|| regex_lite::Regex::new($pattern).expect("the pattern is valid"));
    };
}

pub mod building;
mod coverage;
mod cycle;
mod document;
mod draft;
mod expect;
mod fields;
pub mod formats;
mod json;
mod links;
mod lint;
mod load;
mod node;
mod node_ix;
mod notes;
mod open_branches;
mod order;
mod outline;
mod paths;
mod per_task;
mod phases;
mod problem;
mod read;
mod ready;
mod source;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{HashMap, HashSet};
use std::iter;

use crate::record::TaskId;
use crate::suggest;
use order::NodeMoment;

pub use coverage::{CoverageFormat, CoverageSource};
pub use document::{About, Document, DocumentKind};
pub use expect::Expect;
pub use fields::{
    COMMAND_FIELDS, FILE_FIELDS, FieldEntry, FieldHelp, FieldSet, FieldValue, NODE_FIELDS, SetBy, TaskField,
};
pub use lint::lint;
pub use load::Loaded;
pub use node::{Node, TestCommand, TestType};
pub use node_ix::NodeIx;
pub use open_branches::{OpenBranches, TaskBranch};
pub use outline::{Outline, OutlineReader, asks_otherwise};
pub use paths::PathPattern;
pub use per_task::PerTask;
pub use phases::PhaseLink;
pub use problem::{Problem, in_file};
pub use ready::{LeafState, MAX_NAMED, Readiness, TreeReadiness, WorkPlace};

/// A valid task tree: a forest of nodes with at least one task, links that all sides agree on, and no cycle.
///
/// The only way to get one is [`TaskTree::from_json`], which checks all of this. No operation recurses, so a tree may be
/// as deep as it has nodes.
#[derive(Clone, Debug, Default)]
pub struct TaskTree {
    spec_id: Option<String>,
    /// The files from which it was made, as the tree file names them.
    pub spec_files: Vec<String>,
    suite: Option<String>,
    /// What it says about itself.
    pub about: About,
    nodes: Vec<Node>,
    by_id: HashMap<TaskId, NodeIx>,
    roots: Vec<NodeIx>,
    order: Vec<NodeIx>,
    /// The starts and ends of all nodes, each after those that must come before it.
    sequence: Vec<NodeMoment>,
}

impl TaskTree {
    /// The name of the plan; never empty.
    pub fn spec_id(&self) -> Option<&str> {
        self.spec_id.as_deref()
    }

    /// The node at `ix`.
    ///
    /// # Panics
    /// If `ix` belongs to a larger tree.
    pub fn node(&self, ix: NodeIx) -> &Node {
        &self.nodes[ix.position()]
    }

    /// The node with exactly this id.
    pub fn find(&self, id: &str) -> Option<NodeIx> {
        self.by_id.get(id).copied()
    }

    /// The id that was most likely meant by `id`, for a "did you mean".
    pub fn nearest(&self, id: &str) -> Option<&TaskId> {
        let near = suggest::nearest(id, self.nodes.iter().map(|node| node.id.as_str()))?;
        self.find(near).map(|ix| &self.node(ix).id)
    }

    /// All nodes, depth first: the order in which to print them, with [`Node::depth`].
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (NodeIx, &Node)> + ExactSizeIterator {
        self.nodes.iter().enumerate().map(|(position, node)| (NodeIx::new(position), node))
    }

    /// The nodes without a parent, one for each phase.
    pub fn roots(&self) -> &[NodeIx] {
        &self.roots
    }

    /// The tasks, each after everything that it depends on.
    pub fn order(&self) -> &[NodeIx] {
        &self.order
    }

    /// Whether the node is a task.
    pub fn is_leaf(&self, ix: NodeIx) -> bool {
        self.node(ix).is_leaf()
    }

    /// The root that the node is under, or the node itself if it is one. A task without a parent is a phase of its own.
    pub fn phase_of(&self, ix: NodeIx) -> NodeIx {
        let behind = self.roots.partition_point(|root| *root <= ix);
        behind.checked_sub(1).map_or(ix, |at| self.roots[at])
    }

    /// The nodes above the node, its parent first.
    pub fn ancestors(&self, ix: NodeIx) -> impl Iterator<Item = NodeIx> {
        iter::successors(self.node(ix).parent, |above| self.node(*above).parent)
    }

    /// The tasks below the node in the order of the tree; for a task, itself.
    pub fn leaves_below(&self, ix: NodeIx) -> impl DoubleEndedIterator<Item = NodeIx> {
        self.node(ix).span(ix).map(NodeIx::new).filter(|below| self.is_leaf(*below))
    }

    /// The dependencies of the node: those in its own `depends_on` and those of the nodes above it, which it inherits.
    /// There are no duplicates, and its own come first. A dependency that is not a task means every task below it.
    pub fn dependencies(&self, ix: NodeIx) -> Vec<NodeIx> {
        let mut seen = HashSet::new();
        let all = iter::once(ix).chain(self.ancestors(ix)).flat_map(|node| &self.node(node).depends_on);
        all.copied().filter(|dependency| seen.insert(*dependency)).collect()
    }

    /// The value of a field that applies to the node: its own, otherwise that of the nearest node above it that sets the
    /// field, otherwise that of `defaults`.
    pub fn field(&self, ix: NodeIx, field: TaskField) -> Option<&FieldValue> {
        self.node(ix).fields.get(field).map(|entry| &*entry.value)
    }

    /// The files that the node touches according to the plan. Empty if the plan does not say.
    pub fn touches(&self, ix: NodeIx) -> &[PathPattern] {
        self.patterns(ix, TaskField::Touches)
    }

    /// The files that judge the node's work but that the plan allows it to change.
    pub fn may_change(&self, ix: NodeIx) -> &[PathPattern] {
        self.patterns(ix, TaskField::MayChange)
    }

    fn patterns(&self, ix: NodeIx, field: TaskField) -> &[PathPattern] {
        match self.field(ix, field) {
            Some(FieldValue::Patterns(patterns)) => patterns,
            _ => &[],
        }
    }

    /// What kind of change the node makes.
    pub fn expect(&self, ix: NodeIx) -> Expect {
        match self.field(ix, TaskField::Expect) {
            Some(FieldValue::Expect(kind)) => *kind,
            _ => Expect::default(),
        }
    }

    /// The place where a field is set, as messages name it.
    pub fn place_of(&self, set_by: SetBy) -> &str {
        match set_by {
            SetBy::Defaults => "defaults",
            SetBy::Node(ix) => self.node(ix).id.as_str(),
        }
    }

    /// The paths of all coverage reports that test commands name, from the top of the work tree.
    pub fn coverage_reports(&self) -> HashSet<&[u8]> {
        let commands = self.nodes().flat_map(|(_, node)| &node.test_commands);
        commands.filter_map(|command| Some(command.coverage.as_ref()?.path.as_bytes())).collect()
    }

    /// The documents of a node: its own, then those of the nodes above it, the nearest first, then those of the whole
    /// plan. Each path comes once, with the kind that is named first.
    ///
    /// Whether the files exist, and are files at all, is not known here: see `worktree::document_trouble`.
    pub fn documents(&self, ix: NodeIx) -> Vec<&Document> {
        let of_nodes = iter::once(ix).chain(self.ancestors(ix)).map(|node| &self.node(node).documents);
        let mut seen = HashSet::new();
        let all = of_nodes.chain(iter::once(&self.about.documents)).flatten();
        all.filter(|document| seen.insert(document.path.as_str())).collect()
    }

    /// The acceptance criteria of a node: its own, or if it has none, those of the nearest node above it that has any.
    pub fn acceptance(&self, ix: NodeIx) -> &[String] {
        let mut nodes =
            iter::once(ix).chain(self.ancestors(ix)).map(|node| self.node(node).acceptance.as_slice());
        nodes.find(|criteria| !criteria.is_empty()).unwrap_or_default()
    }
}
