//! The part of a tree file on which the history of a run depends: the name of the plan, and for each node its name and a
//! digest of what the plan requires of it.
//!
//! This is read separately from [`super::TaskTree`] and is less strict. A plan with a cycle or an unknown dependency
//! cannot be run, but correcting it must not begin a new run. And a later version of this program with other checks
//! must not find the beginning of a run elsewhere.

mod parse;
mod reader;
mod requirements;

use std::collections::HashMap;
use std::rc::Rc;

pub use reader::OutlineReader;

/// The name of a plan and of its nodes.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The plan's own name.
    pub spec_id: Option<String>,
    /// The nodes of a version that was read earlier; many versions may share them.
    base: Rc<HashMap<String, NodeOutline>>,
    /// The nodes that are different, or `None` for those that are not there.
    changed: HashMap<String, Option<NodeOutline>>,
}

/// A node of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOutline {
    /// The name, with every run of white space replaced by one blank.
    pub name: String,
    /// Earlier names of the same task, in the same form.
    pub was: Vec<String>,
    /// A digest of the description, the dependencies, the test commands and the acceptance criteria. White space and the order of fields and of
    /// dependencies make no difference.
    pub requirements: u64,
}

impl Outline {
    /// The node with this id.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&NodeOutline> {
        match self.changed.get(id) {
            Some(changed) => changed.as_ref(),
            None => self.base.get(id),
        }
    }

    /// The name of the node with this id.
    #[must_use]
    pub fn name(&self, id: &str) -> Option<&str> {
        self.node(id).map(|node| node.name.as_str())
    }

    /// Whether a node that had this name in another version is the same one here: it has the same name, or had it.
    #[must_use]
    pub fn is_named(&self, id: &str, name: &str) -> bool {
        self.node(id).is_some_and(|node| node.name == name || node.was.iter().any(|was| was == name))
    }

    /// Whether this is an edited version of the other plan: the plan has the same name, and at least half of the nodes
    /// of the smaller version have the same ids and names.
    #[must_use]
    pub fn continues(&self, other: &Self) -> bool {
        let is_same = |(id, name): &(&str, &str)| {
            other.is_named(id, name) || other.name(id).is_some_and(|other| self.is_named(id, other))
        };
        let same = self.names().filter(is_same).count();
        self.spec_id == other.spec_id && 2 * same >= self.names().count().min(other.names().count())
    }

    /// The ids and names of all nodes.
    fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        let unchanged = self.base.iter().filter(|(id, _)| !self.changed.contains_key(*id));
        let changed = self.changed.iter().filter_map(|(id, node)| Some((id, node.as_ref()?)));
        unchanged.chain(changed).map(|(id, node)| (id.as_str(), node.name.as_str()))
    }
}

#[cfg(test)]
mod tests;
