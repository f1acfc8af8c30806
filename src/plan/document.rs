//! The documents of a plan: files of the repository that are to be read before work on a task begins.

use std::collections::HashSet;
use std::iter;

use serde::{Serialize, Serializer};

use super::paths::path_fault;
use super::{NodeIx, TaskTree};
use crate::text::is_unprintable;

/// A file that belongs to a plan, or to a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document {
    /// Its path from the top of the work tree. It has no `..` in it, but it may lead to a link.
    pub path: String,
    /// What it says.
    #[serde(rename = "for")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub kind: DocumentKind,
}

/// What a document says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKind {
    /// What is to be built, and why.
    Requirements,
    /// How it is to be built.
    Design,
    /// The rules that all work in the repository follows.
    Conventions,
    /// What was found out before, and why things were decided.
    Research,
    /// An interface that must be kept.
    Contract,
    /// The entities and their fields.
    DataModel,
}

impl DocumentKind {
    /// All of them, in the order in which they are best read.
    pub const ALL: [Self; 6] = [
        Self::Requirements,
        Self::Design,
        Self::Conventions,
        Self::Research,
        Self::Contract,
        Self::DataModel,
    ];

    /// The word for it in a plan.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Requirements => "requirements",
            Self::Design => "design",
            Self::Conventions => "conventions",
            Self::Research => "research",
            Self::Contract => "contract",
            Self::DataModel => "data model",
        }
    }
}

impl Serialize for DocumentKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// What a plan says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct About {
    /// Its title: one line, not empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is to achieve; not blank, and possibly several paragraphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The documents of the whole plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<Document>,
}

/// Why a path cannot be that of a document, as a clause.
pub(super) fn document_fault(path: &str) -> Option<&'static str> {
    match path_fault(path) {
        Some(fault) => Some(fault),
        None if path.ends_with('/') => Some("it is a folder"),
        None if path.chars().any(is_unprintable) => Some("it has an invisible character in it"),
        None => None,
    }
}

impl TaskTree {
    /// What the plan says about itself.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The documents of a node: its own, then those of the nodes above it, the nearest first, then those of the whole
    /// plan. Each path comes once, with the kind that is named first.
    ///
    /// Whether the files exist, and are files at all, is not known here: see `worktree::document_trouble`.
    #[must_use]
    pub fn documents(&self, ix: NodeIx) -> Vec<&Document> {
        let of_nodes = iter::once(ix).chain(self.ancestors(ix)).map(|node| &self.node(node).documents);
        let mut seen = HashSet::new();
        let all = of_nodes.chain(iter::once(&self.about.documents)).flatten();
        all.filter(|document| seen.insert(document.path.as_str())).collect()
    }

    /// The acceptance criteria of a node: its own, or if it has none, those of the nearest node above it that has any.
    #[must_use]
    pub fn acceptance(&self, ix: NodeIx) -> &[String] {
        let mut nodes =
            iter::once(ix).chain(self.ancestors(ix)).map(|node| self.node(node).acceptance.as_slice());
        nodes.find(|criteria| !criteria.is_empty()).unwrap_or_default()
    }
}
