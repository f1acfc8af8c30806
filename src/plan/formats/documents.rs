//! Finds the documents that belong to an imported plan, and what the plan is about, in the files around its sources.

use serde_json::Value;

use super::super::document::{About, Document, DocumentKind, document_fault};
use super::imported::{ImportedPlan, Place};
use super::outline::front_matter;
use super::rows::Format;
use super::source_file::SourceFile;
use super::summary::{summary_of, title_of};
use super::texts::{field, paths_in};
use crate::text::capital;

/// How many files of a folder are listed.
const MOST: usize = 40;
/// How many documents are read to find out what a plan is about.
const MOST_TEXTS: usize = 4;

/// Adds to a plan what the files around its sources say: documents, title and summary.
pub fn add_documents(format: Format, sources: &[SourceFile], nearby: &dyn Nearby, plan: &mut ImportedPlan) {
    let mut reader = Reader { format, nearby, plan };
    let of_sources: Vec<Vec<Document>> =
        sources.iter().enumerate().map(|(file, source)| reader.of_source(file, source)).collect();
    if let [source] = sources {
        let found = reader.about(source, &of_sources[0]);
        let about = &mut reader.plan.about;
        about.title = about.title.take().or(found.title);
        about.summary = about.summary.take().or(found.summary);
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

struct Reader<'a> {
    format: Format,
    nearby: &'a dyn Nearby,
    plan: &'a mut ImportedPlan,
}

impl Reader<'_> {
    /// The documents of a source.
    fn of_source(&mut self, file: usize, source: &SourceFile) -> Vec<Document> {
        let (folder, place) = (folder_of(&source.path), Place { file, line: 1 });
        let mut list = Vec::new();
        if source.path.starts_with('/') {
            // It is outside of the work tree, so nothing inside belongs to it.
            return list;
        }
        let named = Some(&source.text).filter(|_| self.format == Format::TaskMaster);
        let named = named.and_then(|text| named_prd(text)).filter(|path| self.exists(path));
        let (has_own, tag) = (named.is_some() || self.plan.tag.is_some(), self.plan.tag.clone());
        if let Some(path) = named.or_else(|| self.prd_of(&tag?, folder)) {
            self.list(path, DocumentKind::Requirements, place, &mut list);
        }
        for (name, kind) in self.format.row().documents.iter().filter(|_| !has_own) {
            let (nearest, name) = name.strip_prefix('^').map_or((1, *name), |name| (usize::MAX, name));
            let files = |above| {
                let path = in_folder(above, name);
                match path.strip_suffix('/') {
                    Some(folder) => self.nearby.below(folder),
                    None => Some(path).filter(|path| self.exists(path)).into_iter().collect(),
                }
            };
            let found = around(folder).take(nearest).map(files).find(|files| !files.is_empty());
            let found = found.unwrap_or_default();
            if found.len() > MOST {
                let what =
                    format!("only {MOST} of the {} files in {name} are listed as documents", found.len());
                self.plan.warn(place, what, "Name the others in `documents` of the tasks that need them.");
            }
            found.into_iter().take(MOST).for_each(|path| self.list(path, *kind, place, &mut list));
        }
        if self.names_design() {
            for path in design_of(&source.text) {
                self.list(path.to_owned(), DocumentKind::Design, place, &mut list);
            }
        }
        let is_text = self.is_text();
        // What the source says about the whole plan reaches agents through the source itself.
        let is_document = is_text || self.plan.account.has_prose(file);
        if is_text {
            self.list(source.path.clone(), DocumentKind::Requirements, place, &mut list);
        }
        if self.names_design() {
            // The design is at a usual place if the plan does not name it.
            let stem = source.path[folder.len()..].trim_start_matches('/').trim_end_matches(".md");
            for name in [format!("specs/{stem}-design.md"), format!("specs/{stem}.md")] {
                self.list(in_folder(folder_of(folder), &name), DocumentKind::Design, place, &mut list);
            }
        }
        if is_document {
            self.list(source.path.clone(), DocumentKind::Requirements, place, &mut list);
        }
        list
    }

    /// Whether its sources are texts of their own.
    fn is_text(&self) -> bool {
        matches!(self.format, Format::Arborist | Format::Checklist)
    }

    /// Whether its sources say what they are about, and name their design.
    fn names_design(&self) -> bool {
        matches!(self.format, Format::Superpowers | Format::Ralphex)
    }

    /// The PRD of a tag of Task Master, which has the tag in its name.
    fn prd_of(&self, tag: &str, folder: &str) -> Option<String> {
        let is_of_tag =
            |path: &String| path[folder_of(path).len()..].to_lowercase().contains(&tag.to_lowercase());
        let files = around(folder).flat_map(|above| self.nearby.below(&in_folder(above, ".taskmaster/docs")));
        files.filter(is_of_tag).min_by_key(String::len)
    }

    /// Whether there is a file of the repository at this path, even if it cannot be a document.
    fn exists(&self, path: &str) -> bool {
        document_fault(path).is_none() && !matches!(self.nearby.read(path), Ok(None))
    }

    /// Lists a document if it exists, and is not listed yet. If it cannot be one, there is a warning.
    fn list(&mut self, path: String, kind: DocumentKind, place: Place, list: &mut Vec<Document>) {
        if document_fault(&path).is_some() || list.iter().any(|known| known.path == path) {
            return;
        }
        match self.nearby.read(&path) {
            Ok(None) => {}
            Ok(Some(text)) if is_kept_back(&text) => {}
            Ok(Some(_)) => list.push(Document { path, kind }),
            Err(why) => self.plan.warn(place, format!("{path} is not listed as a document: {why}"), ""),
        }
    }

    /// What a plan with this source says about itself, without its documents: the first text that says it.
    fn about(&self, source: &SourceFile, documents: &[Document]) -> About {
        let (is_own, is_text) = (self.names_design(), self.is_text());
        let own = Some(source.text.clone()).filter(|_| is_own);
        let others =
            documents.iter().filter(|document| is_text || document.path != source.path).take(MOST_TEXTS);
        let read = |document: &Document| self.nearby.read(&document.path).ok().flatten();
        let texts = || own.clone().into_iter().chain(others.clone().filter_map(read));
        // The files of Kiro all have the same titles, in many languages.
        let title = texts().filter(|_| self.format != Format::Kiro).find_map(|text| title_of(&text));
        // The tasks of the others have the name of the folder as their title, or none.
        let of_tasks = || title_of(&source.text).filter(|_| self.format == Format::SpecKit);
        let of_folder = || {
            let has_name = matches!(self.format, Format::SpecKit | Format::OpenSpec | Format::Kiro);
            let name = folder_of(&source.path).rsplit('/').next().filter(|_| has_name)?;
            let name = name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
            Some(capital(name.replace(['-', '_'], " ").trim())).filter(|title| !title.is_empty())
        };
        About {
            title: title.or_else(of_tasks).or_else(of_folder),
            summary: texts().find_map(|text| summary_of(&text)),
            documents: Vec::new(),
        }
    }
}

/// A folder and all folders around it, up to the top.
fn around(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |inner| (!inner.is_empty()).then(|| folder_of(inner)))
}

/// Whether a steering file of Kiro says that it is not for every task.
fn is_kept_back(text: &str) -> bool {
    let lines = front_matter(text).0.unwrap_or_default().lines();
    let mut inclusions = lines.filter_map(|line| line.strip_prefix("inclusion:"));
    inclusions.any(|value| matches!(value.trim().trim_matches(['"', '\'']), "manual" | "never"))
}

/// The PRD that a file of Task Master names.
fn named_prd(text: &str) -> Option<String> {
    let file: Value = serde_json::from_str(text).ok()?;
    let about = ["meta", "metadata"].into_iter().filter_map(|name| file.get(name));
    let mut sources =
        about.flat_map(|about| ["source", "sourceFile", "prdSource"].map(|name| about.get(name)));
    sources.find_map(|source| Some(source?.as_str()?.trim_start_matches("./").to_owned()))
}

/// The paths in lines such as `**Spec:** docs/specs/a-design.md` before the first task of a plan.
fn design_of(text: &str) -> impl Iterator<Item = &str> {
    const NAMES: [&str; 8] =
        ["spec", "design", "design spec", "design doc", "prd", "requirements", "source", "reference"];
    let head = text.lines().take_while(|line| !line.starts_with("### "));
    let named = head.filter(|line| NAMES.iter().any(|name| field(line, name).is_some()));
    named.flat_map(paths_in)
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
