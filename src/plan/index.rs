//! Finds the nodes of a draft by id, and names them in messages.

use std::cell::Cell;
use std::collections::HashMap;

use super::draft::{Draft, DraftNode, ParentField};
use super::fields::Mention;
use super::notes::Notes;
use super::problem::shown;
use crate::suggest::nearest;

/// A position in [`Draft::nodes`].
pub(super) type Pos = usize;

/// How many unknown ids get a suggestion. Each suggestion compares the id with all others.
const MOST_SUGGESTIONS: usize = 20;

/// How one node mentions another.
#[derive(Clone, Copy)]
pub(super) enum NodeMention {
    Child,
    Parent,
    Dependency,
}

impl NodeMention {
    /// The relation of the node to the one that it mentions.
    fn verb(self) -> &'static str {
        match self {
            Self::Child => "has the child",
            Self::Parent => "has the parent",
            Self::Dependency => "depends on",
        }
    }

    /// The field with the mention.
    fn field(self) -> &'static str {
        match self {
            Self::Child => "children",
            Self::Parent => "parent",
            Self::Dependency => "depends_on",
        }
    }
}

/// A draft with an index of its ids.
pub(super) struct DraftIndex<'d, 'a> {
    pub(super) draft: &'d Draft<'a>,
    position: HashMap<&'d str, Pos>,
    /// Whether anything is below it, according to any statement in the file.
    has_children: Vec<bool>,
    suggestions_left: Cell<usize>,
}

impl<'d, 'a> DraftIndex<'d, 'a> {
    pub(super) fn new(draft: &'d Draft<'a>) -> Self {
        let nodes = &draft.nodes;
        let position: HashMap<&str, Pos> =
            nodes.iter().enumerate().map(|(pos, node)| (node.node.id.as_str(), pos)).collect();
        let mut has_children: Vec<bool> =
            nodes.iter().map(|node| node.children.as_ref().is_some_and(|list| !list.is_empty())).collect();
        for node in nodes {
            if let ParentField::Under(parent) = &node.parent
                && let Some(pos) = position.get(&*parent.text)
            {
                has_children[*pos] = true;
            }
        }
        Self { draft, position, has_children, suggestions_left: Cell::new(MOST_SUGGESTIONS) }
    }

    pub(super) fn node(&self, pos: Pos) -> &'d DraftNode<'a> {
        &self.draft.nodes[pos]
    }

    pub(super) fn id(&self, pos: Pos) -> &'d str {
        self.draft.nodes[pos].node.id.as_str()
    }

    /// The id of the node after the word for its kind: `task T001`.
    pub(super) fn noun(&self, pos: Pos) -> String {
        let word = if self.has_children[pos] { "phase" } else { "task" };
        format!("{word} {}", self.id(pos))
    }

    pub(super) fn find(&self, id: &str) -> Option<Pos> {
        self.position.get(id).copied()
    }

    /// The node that `own` mentions. If there is none, that is recorded as a problem.
    pub(super) fn resolve(
        &self,
        own: Pos,
        link: NodeMention,
        mention: &Mention<'_>,
        notes: &mut Notes<'_>,
    ) -> Option<Pos> {
        let found = self.find(&mention.text);
        if found.is_none() && !self.draft.excused.contains(&*mention.text) {
            let id = shown(&mention.text);
            let add = match self.suggest(&mention.text) {
                Some(near) => format!("Did you mean {near}? Otherwise add"),
                None => "Add".to_owned(),
            };
            let what = format!("{} {} {id}, which is not in the plan", self.noun(own), link.verb());
            notes.problem(mention.at, what, format!("{add} {id}, or remove it from {}.", link.field()));
        }
        found
    }

    fn suggest(&self, id: &str) -> Option<&'d str> {
        let left = self.suggestions_left.get().checked_sub(1)?;
        self.suggestions_left.set(left);
        nearest(id, self.draft.nodes.iter().map(|node| node.node.id.as_str()))
    }
}
