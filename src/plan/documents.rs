//! Reads the documents of a plan, and tells which of them belong to a node.

use std::collections::HashSet;
use std::iter;

use super::document::{Document, DocumentKind, document_fault};
use super::fields::Fields;
use super::notes::{Notes, ValuePath};
use super::problem::shown;
use super::{About, NodeIx, TaskTree};

const PATH_REMEDY: &str =
    "Write the path of a file from the top of the repository, for example \"docs/spec.md\".";

/// Reads the list `documents`. Entries that cannot be used are recorded as problems and left out, and so are paths that
/// are listed again, with a warning.
pub(super) fn read_documents<'a>(fields: &Fields<'a, '_>, notes: &mut Notes<'a>) -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    let list = fields.place_of("documents");
    for (index, value) in fields.list("documents", notes).into_iter().enumerate() {
        let place = ValuePath::Item(&list, index);
        if value.members().is_none() {
            let remedy = "Write it as {\"path\": \"docs/spec.md\", \"for\": \"requirements\"}.";
            notes.wrong_type(value, place, "an object", remedy);
            continue;
        }
        let at = notes.at(value);
        let Some(entry) = Fields::read(value, place, &["path", "for"], notes) else { continue };
        let (path, kind) = (read_path(&entry, place, at, notes), read_kind(&entry, place, at, notes));
        let (Some(path), Some(kind)) = (path, kind) else { continue };
        if documents.iter().any(|known| known.path == path) {
            let what = format!("{place} names {} again", shown(&path));
            notes.warning(at, what, "Keep one entry for each document; the first one counts.");
            continue;
        }
        documents.push(Document { path, kind });
    }
    documents
}

fn read_path<'a>(
    entry: &Fields<'a, '_>,
    place: ValuePath<'_>,
    at: usize,
    notes: &mut Notes<'a>,
) -> Option<String> {
    if entry.get("path").is_none() {
        notes.problem(at, format!("{place} has no path"), PATH_REMEDY);
    }
    let path = entry.text("path", notes)?;
    if let Some(why) = document_fault(&path) {
        let what = format!("{place}.path is {}, which is not a file of the repository: {why}", shown(&path));
        notes.problem(at, what, PATH_REMEDY);
        return None;
    }
    Some(path.into_owned())
}

fn read_kind<'a>(
    entry: &Fields<'a, '_>,
    place: ValuePath<'_>,
    at: usize,
    notes: &mut Notes<'a>,
) -> Option<DocumentKind> {
    let words = DocumentKind::ALL.map(DocumentKind::word);
    let (last, first) = words.split_last().expect("there are six kinds");
    let remedy = format!("Write \"for\": with {} or {last}, in quotes.", first.join(", "));
    if entry.get("for").is_none() {
        notes.problem(at, format!("{place} does not say what the document is for"), &remedy);
    }
    let word = entry.text("for", notes)?;
    let kind = DocumentKind::ALL.into_iter().find(|kind| kind.word() == word);
    if kind.is_none() {
        let what = format!("{place}.for is {}, which is not a kind of document", shown(&word));
        notes.problem(at, what, remedy);
    }
    kind
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
