//! The documents of a plan: files of the repository that are to be read before work on a task begins.

use serde::Serialize;

use super::paths::path_fault;
use super::words::words;
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

words! {
    /// What a document says. They are in the order in which they are best read.
    DocumentKind {
        /// What is to be built, and why.
        Requirements = "requirements",
        /// How it is to be built.
        Design = "design",
        /// The rules that all work in the repository follows.
        Conventions = "conventions",
        /// What was found out before, and why things were decided.
        Research = "research",
        /// An interface that must be kept.
        Contract = "contract",
        /// The entities and their fields.
        DataModel = "data model",
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
