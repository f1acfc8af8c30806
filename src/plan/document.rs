//! The documents of a plan: files of the repository that are to be read before work on a task begins.

use serde::{Serialize, Serializer};

use super::paths::path_fault;
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
