//! Defines the result of settling an imported plan.

use super::super::formats::{Place, Reading, SourceNote};
use super::super::{About, Document, Expect};
use super::links::Link;
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
    /// How the lines were read, in the order of the sources. Positions are those of `nodes`.
    pub readings: Vec<Reading>,
}

/// A node whose id and links are settled.
#[derive(Clone, Debug)]
pub struct SettledNode {
    /// Its id.
    pub id: TaskId,
    /// Its id in the source, if that differs.
    pub source_id: Option<String>,
    /// Whether the id is derived, because the source has none.
    pub is_derived: bool,
    /// Its name.
    pub name: String,
    /// The text for the prompt.
    pub description: String,
    /// What must be so when it is done.
    pub acceptance: Vec<String>,
    /// The documents that belong to it.
    pub documents: Vec<Document>,
    /// The position of its parent.
    pub parent: Option<usize>,
    /// The positions of its children.
    pub children: Vec<usize>,
    /// Its own dependencies.
    pub depends_on: Vec<Link>,
    /// Where it was read.
    pub place: Place,
    /// The commands that judge it.
    pub tests: Vec<String>,
    /// The files that it is expected to change.
    pub touches: Vec<String>,
    /// Tags of the source.
    pub labels: Vec<String>,
    /// Whether a person must approve it.
    pub gate: bool,
    /// The kind of change that it makes, if the source says it.
    pub expect: Option<Expect>,
    /// Whether its tests are written before its code.
    pub test_first: bool,
    /// Whether the source says that it is done.
    pub claimed: bool,
}

impl SettledNode {
    /// Whether it is a task.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }
}

impl Settled {
    /// The tasks.
    pub fn tasks(&self) -> impl Iterator<Item = &SettledNode> {
        self.nodes.iter().filter(|node| node.is_leaf())
    }
}
