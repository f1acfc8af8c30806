//! Defines the result of settling an imported plan.

use super::super::About;
use super::super::formats::{ImportedId, ImportedNode, SourceNote};
use super::links::NodeLink;
use super::recipe::Recipe;
use crate::record::TaskId;

/// A plan whose ids, links and order are settled.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The name of the plan.
    pub spec_id: String,
    /// What it says about itself.
    pub about: About,
    /// The paths of the sources.
    pub spec_files: Vec<String>,
    /// How the tree is built.
    pub recipe: Recipe,
    /// The nodes, parents before their children.
    pub nodes: Vec<SettledNode>,
    /// The positions of all nodes in an order that the dependencies allow.
    pub order: Vec<usize>,
    /// What is doubtful, in the order of the sources.
    pub warnings: Vec<SourceNote>,
}

/// A node whose id and links are settled.
#[derive(Clone, Debug)]
pub struct SettledNode {
    /// Its id.
    pub id: TaskId,
    /// What was read of it. What it needs and its tests are settled below.
    pub read: ImportedNode,
    /// The positions of its children.
    pub children: Vec<usize>,
    /// Its own dependencies.
    pub depends_on: Vec<NodeLink>,
    /// The commands that judge it.
    pub tests: Vec<String>,
}

impl SettledNode {
    /// Whether it is a task.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }

    /// Whether the id is derived, because the source has none.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.read.id == ImportedId::Derived
    }

    /// Its id in the source, if that differs.
    #[must_use]
    pub fn source_id(&self) -> Option<&str> {
        match &self.read.id {
            ImportedId::Given(text) => Some(text.as_str()).filter(|text| *text != self.id.as_str()),
            ImportedId::Suggested(_) | ImportedId::Derived => None,
        }
    }
}

impl Settled {
    /// The tasks.
    pub fn tasks(&self) -> impl Iterator<Item = &SettledNode> {
        self.nodes.iter().filter(|node| node.is_leaf())
    }
}
