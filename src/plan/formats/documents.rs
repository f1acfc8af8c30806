//! Finds the documents that belong to an imported plan, and what the plan is about, in the files around its sources.

use super::super::document::{About, Document, DocumentKind, document_fault};
use super::imported::{ImportedPlan, Place};
use super::outline::front_matter;
use super::rows::Format;
use super::source_file::SourceFile;
use super::summary::{summary_of, title_of};
use super::texts::{field, paths_in};
use crate::text::capital;

/// The names of fields that name the design of a plan.
const DESIGNS: [&str; 5] = ["spec", "design", "prd", "requirements", "source"];
/// How many files of a folder are listed.
const MOST: usize = 40;
/// How many documents are read to find out what a plan is about.
const MOST_TEXTS: usize = 4;

/// Adds to a plan what the files around its sources say: documents, title and summary.
pub fn add_documents(format: Format, sources: &[SourceFile], nearby: &dyn Nearby, plan: &mut ImportedPlan) {
    let of_source = |(file, source)| documents_of(format, file, source, nearby, plan);
    let of_sources: Vec<Vec<Document>> = sources.iter().enumerate().map(of_source).collect();
    if let [source] = sources {
        let found = about(format, source, &of_sources[0], nearby);
        plan.about.title = plan.about.title.take().or(found.title);
        plan.about.summary = plan.about.summary.take().or(found.summary);
    }
    // The documents that all sources have belong to the plan, and those of one source to the nodes that are read from it.
    let Some(first) = of_sources.first() else { return };
    let is_everywhere = |document: &Document| of_sources.iter().all(|documents| documents.contains(document));
    let common: Vec<Document> = first.iter().filter(|document| is_everywhere(document)).cloned().collect();
    for node in plan.nodes.iter_mut().filter(|node| node.parent.is_none()) {
        let own = of_sources[node.place.file].iter();
        node.documents.extend(own.filter(|document| !common.contains(document)).cloned());
    }
    plan.about.documents = common;
}

/// The documents of a source: those at the usual places of its format, and itself if it says something about the whole plan.
fn documents_of(
    format: Format,
    file: usize,
    source: &SourceFile,
    nearby: &dyn Nearby,
    plan: &mut ImportedPlan,
) -> Vec<Document> {
    let (folder, place) = (folder_of(&source.path), Place { file, line: 1 });
    let mut found = Vec::new();
    if source.path.starts_with('/') {
        // It is outside of the work tree, so nothing inside belongs to it.
        return Vec::new();
    }
    // Those of Task Master belong to its usual tag.
    let usual = if plan.tag.is_none() { format.row().documents } else { &[] };
    for (name, kind) in usual {
        let (nearest, name) = name.strip_prefix('^').map_or((1, *name), |name| (usize::MAX, name));
        let files = |above| {
            let path = in_folder(above, name);
            match path.strip_suffix('/') {
                Some(folder) => nearby.below(folder),
                None => Some(path).filter(|path| nearby.read(path) != Ok(None)).into_iter().collect(),
            }
        };
        let around =
            std::iter::successors(Some(folder), |inner| (!inner.is_empty()).then(|| folder_of(inner)));
        let files = around.take(nearest).map(files).find(|files| !files.is_empty());
        let files = files.unwrap_or_default();
        if files.len() > MOST {
            let what = format!("only {MOST} of the {} files in {name} are listed as documents", files.len());
            plan.warn(place, what, "Name the others in `documents` of the tasks that need them.");
        }
        found.extend(files.into_iter().take(MOST).map(|path| Document { path, kind: *kind }));
    }
    if matches!(format, Format::Superpowers | Format::Ralphex) {
        // Those in lines such as `**Spec:** docs/specs/a-design.md` before the first task.
        let is_named = |line: &&str| DESIGNS.iter().any(|name| field(line, name).is_some());
        let lines = source.text.lines().take_while(|line| !line.starts_with("### "));
        let paths = lines.filter(is_named).flat_map(paths_in);
        found.extend(paths.map(|path| Document { path: path.to_owned(), kind: DocumentKind::Design }));
    }
    // What the source says about the whole plan reaches agents through the source itself.
    if speaks_for_itself(format) || plan.account.has_prose(file) {
        found.push(Document { path: source.path.clone(), kind: DocumentKind::Requirements });
    }
    found.retain(|document| document_fault(&document.path).is_none());
    found.retain(|Document { path, .. }| match nearby.read(path) {
        Ok(text) => text.is_some_and(|text| !is_kept_back(&text)),
        Err(why) => {
            plan.warn(place, format!("{path} is not listed as a document: {why}"), "");
            false
        }
    });
    found
}

/// Whether a steering file of Kiro says that it is not for every task.
fn is_kept_back(text: &str) -> bool {
    let mut lines = front_matter(text).0.unwrap_or_default().lines();
    lines.any(|line| {
        let value = line.strip_prefix("inclusion:").unwrap_or_default().trim().trim_matches(['"', '\'']);
        matches!(value, "manual" | "never")
    })
}

/// Whether a source of this format says what the plan is about.
fn speaks_for_itself(format: Format) -> bool {
    matches!(format, Format::Arborist | Format::Checklist | Format::Superpowers | Format::Ralphex)
}

/// What a plan with this source and these documents says about itself: the first text that says it.
fn about(format: Format, source: &SourceFile, documents: &[Document], nearby: &dyn Nearby) -> About {
    let own = Some(source.text.clone()).filter(|_| speaks_for_itself(format));
    let others = documents.iter().filter(|document| document.path != source.path).take(MOST_TEXTS);
    let others = others.filter_map(|document| nearby.read(&document.path).ok().flatten());
    let texts: Vec<String> = own.into_iter().chain(others).collect();
    // The files of Kiro all have the same titles, in many languages.
    let title = texts.iter().filter(|_| format != Format::Kiro).find_map(|text| title_of(text));
    // The tasks of the others have the name of the folder as their title, or none.
    let of_tasks = || title_of(&source.text).filter(|_| format == Format::SpecKit);
    let of_folder = || {
        let has_name = matches!(format, Format::SpecKit | Format::OpenSpec | Format::Kiro);
        let name = folder_of(&source.path).rsplit('/').next().filter(|_| has_name)?;
        let name = name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
        Some(capital(name.replace(['-', '_'], " ").trim())).filter(|title| !title.is_empty())
    };
    About {
        title: title.or_else(of_tasks).or_else(of_folder),
        summary: texts.iter().find_map(|text| summary_of(text)),
        documents: Vec::new(),
    }
}

/// The files of the work tree that a plan is in.
pub trait Nearby {
    /// The paths of the files below a folder, in their order. All paths begin at the top of the work tree.
    fn below(&self, folder: &str) -> Vec<String>;

    /// The text of a file; `None` if there is no such file.
    ///
    /// # Errors
    /// Why it cannot be a document, as a clause.
    fn read(&self, path: &str) -> Result<Option<String>, String>;
}

/// The folder of a file; empty at the top.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path of a file in a folder.
pub(super) fn in_folder(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests;
