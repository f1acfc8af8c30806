//! Finds the documents that belong to an imported plan, and what the plan is about, in the files around its sources.

use std::collections::HashSet;

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::Value;

use super::super::document::{About, Document, DocumentKind, document_fault};
use super::imported::{ImportedPlan, Place};
use super::outline::{blocks, front_matter};
use super::rows::Format;
use super::source_file::SourceFile;
use super::summary::{In, section_of, summary_of, title_of};
use super::texts::{field, paths_in};

/// How many files of a folder are listed.
const MOST: usize = 40;

/// Where the PRD of Task Master is if the tasks do not name it, and have no tag of their own.
const PRD: [&str; 3] = [".taskmaster/docs/prd.txt", ".taskmaster/docs/prd.md", "scripts/prd.txt"];
/// Where the PRD of a tag is, under a name with the tag in it.
const PRD_OF_TAG: &str = ".taskmaster/docs";

/// Adds to a plan what the files around its sources say: documents, title and summary.
pub fn add_documents(format: Format, sources: &[SourceFile], nearby: &dyn Nearby, plan: &mut ImportedPlan) {
    let mut reader = Reader { format, nearby, plan };
    let of_sources: Vec<Vec<Document>> =
        sources.iter().enumerate().map(|(file, source)| reader.of_source(file, source)).collect();
    reader.link_nodes(sources, &of_sources);
    if let [source] = sources {
        let found = reader.about(source, &of_sources[0]);
        let about = &mut reader.plan.about;
        about.title = about.title.take().or(found.title);
        about.summary = about.summary.take().or(found.summary);
    }
    share(&of_sources, plan);
}

/// Gives the documents that all sources have to the plan, and those of one source to the nodes that are read from it.
fn share(of_sources: &[Vec<Document>], plan: &mut ImportedPlan) {
    let Some(first) = of_sources.first() else { return };
    let is_everywhere = |document: &Document| of_sources.iter().all(|documents| documents.contains(document));
    let common: Vec<Document> = first.iter().filter(|document| is_everywhere(document)).cloned().collect();
    for node in plan.nodes.iter_mut().filter(|node| node.parent.is_none()) {
        let own = of_sources.get(node.place.file).into_iter().flatten();
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
        let folder = folder_of(&source.path);
        let mut list = Listing { documents: Vec::new(), place: Place { file, line: 1 } };
        if source.path.starts_with('/') {
            // It is outside of the work tree, so nothing inside belongs to it.
            return list.documents;
        }
        for (place, kind) in self.format.row().documents {
            let name = place.trim_start_matches('^');
            let folders = around(folder).take(if name == *place { 1 } else { usize::MAX });
            let files = |above| {
                let path = in_folder(above, name);
                match path.strip_suffix('/') {
                    Some(folder) => (path.clone(), self.nearby.below(folder)),
                    None => (path.clone(), Some(path).filter(|path| self.exists(path)).into_iter().collect()),
                }
            };
            let found = folders.map(files).find(|(_, files)| !files.is_empty());
            if let Some((path, files)) = found {
                self.list_all(&path, files, *kind, &mut list);
            }
        }
        match self.format {
            Format::TaskMaster => {
                let named = named_prd(&source.text).filter(|path| self.exists(path));
                let found = named.or_else(|| self.prd(folder));
                found.into_iter().for_each(|path| self.list(path, DocumentKind::Requirements, &mut list));
            }
            Format::Arborist | Format::Checklist => {
                self.list(source.path.clone(), DocumentKind::Requirements, &mut list);
                self.list_linked(source, &mut list);
            }
            Format::Superpowers | Format::Ralphex => {
                for path in design_of(&source.text) {
                    self.list(path.to_owned(), kind_of(path).unwrap_or(DocumentKind::Design), &mut list);
                }
                self.list_linked(source, &mut list);
                // The design is at a usual place if the plan does not name it.
                let stem = source.path[folder.len()..].trim_start_matches('/').trim_end_matches(".md");
                for name in [format!("specs/{stem}-design.md"), format!("specs/{stem}.md")] {
                    self.list(in_folder(folder_of(folder), &name), DocumentKind::Design, &mut list);
                }
            }
            _ => {}
        }
        // What the source says about the whole plan reaches agents through the source itself.
        if self.plan.account.has_prose(file) {
            self.list(source.path.clone(), DocumentKind::Requirements, &mut list);
        }
        list.documents
    }

    /// The PRD of Task Master at its usual place.
    fn prd(&self, folder: &str) -> Option<String> {
        let Some(tag) = &self.plan.tag else {
            let mut usual =
                PRD.into_iter().flat_map(|path| around(folder).map(move |above| in_folder(above, path)));
            return usual.find(|path| self.exists(path));
        };
        let tag = tag.to_lowercase();
        let is_of_tag = |path: &String| path[folder_of(path).len()..].to_lowercase().contains(&tag);
        let files = around(folder).flat_map(|above| self.nearby.below(&in_folder(above, PRD_OF_TAG)));
        files.filter(is_of_tag).min_by_key(String::len)
    }

    /// Whether there is a file of the repository at this path, even if it cannot be a document.
    fn exists(&self, path: &str) -> bool {
        document_fault(path).is_none() && !matches!(self.nearby.read(path), Ok(None))
    }

    fn list_all(&mut self, place: &str, files: Vec<String>, kind: DocumentKind, list: &mut Listing) {
        if files.len() > MOST {
            let folder = place.trim_end_matches('/');
            let what =
                format!("only {MOST} of the {} files below {folder} are listed as documents", files.len());
            self.plan.warn(list.place, what, "Name the others in `documents` of the tasks that need them.");
        }
        files.into_iter().take(MOST).for_each(|path| self.list(path, kind, list));
    }

    /// Lists the files to which a source links, unless the description of a task has the link.
    fn list_linked(&mut self, source: &SourceFile, list: &mut Listing) {
        let folder = folder_of(&source.path);
        let of_nodes: HashSet<String> = self
            .plan
            .nodes
            .iter()
            .filter(|node| node.place.file == list.place.file)
            .flat_map(|node| links_in(&node.description, folder))
            .collect();
        for path in links_in(&source.text, folder).into_iter().filter(|path| !of_nodes.contains(path)) {
            let kind = kind_of(&path).unwrap_or(DocumentKind::Research);
            self.list(path, kind, list);
        }
    }

    /// Lists the documents to which the descriptions of nodes link.
    fn link_nodes(&mut self, sources: &[SourceFile], of_sources: &[Vec<Document>]) {
        if !self.format.row().is_markdown() {
            return;
        }
        for at in 0..self.plan.nodes.len() {
            let place = self.plan.nodes[at].place;
            let Some(source) = sources.get(place.file) else { continue };
            let mut list = Listing { documents: Vec::new(), place };
            for path in links_in(&self.plan.nodes[at].description, folder_of(&source.path)) {
                let is_known = of_sources[place.file].iter().any(|document| document.path == path);
                if let Some(kind) = kind_of(&path).filter(|_| !is_known && path != source.path) {
                    self.list(path, kind, &mut list);
                }
            }
            self.plan.nodes[at].documents = list.documents;
        }
    }

    /// Lists a document if it exists, and is not listed yet. If it cannot be one, there is a warning.
    fn list(&mut self, path: String, kind: DocumentKind, list: &mut Listing) {
        if document_fault(&path).is_some() || list.documents.iter().any(|known| known.path == path) {
            return;
        }
        match self.nearby.read(&path) {
            Ok(None) => {}
            Ok(Some(text)) if is_kept_back(&text) => {}
            Ok(Some(_)) => list.documents.push(Document { path, kind }),
            Err(why) => self.plan.warn(list.place, format!("{path} is not listed as a document: {why}"), ""),
        }
    }

    /// What a plan with this source says about itself, without its documents.
    fn about(&self, source: &SourceFile, documents: &[Document]) -> About {
        let beside = |name: &str| match name {
            "" => Some(source.text.clone()),
            name => self.nearby.read(&in_folder(folder_of(&source.path), name)).ok().flatten(),
        };
        let main = || documents.first().and_then(|document| self.nearby.read(&document.path).ok().flatten());
        let places = self.format.row().summary;
        let mut titles = places.iter().rev().filter_map(|(name, _)| title_of(&beside(name)?));
        let title = match self.format {
            // The files of Kiro all have the same titles, in many languages.
            Format::Kiro => None,
            _ if places.is_empty() => main().and_then(|text| title_of(&text)),
            _ => titles.next(),
        };
        // The tasks of the others have the name of the folder as their title, or none.
        let own = || title_of(&source.text).filter(|_| self.format == Format::SpecKit);
        let summary = places.iter().find_map(|(name, place)| summary_of(&beside(name)?, *place));
        let summary = summary.or_else(|| summary_of(&main().filter(|_| places.is_empty())?, In::First));
        let mut parts: Vec<String> = summary.into_iter().collect();
        if self.format == Format::Superpowers {
            let field = |name| summary_of(&source.text, In::Field(name));
            parts.extend(field("architecture").map(|text| format!("Architecture: {text}")));
            parts.extend(field("tech stack").map(|text| format!("Tech stack: {text}")));
            let constraints = section_of(&source.text, "global constraints");
            parts.extend(constraints.map(|text| format!("Global constraints:\n\n{text}")));
        }
        About {
            title: title.or_else(own).or_else(|| self.title_of_folder(source)),
            summary: (!parts.is_empty()).then(|| parts.join("\n\n")),
            documents: Vec::new(),
        }
    }

    /// A title from the name of the folder, in the formats in which it names the plan.
    fn title_of_folder(&self, source: &SourceFile) -> Option<String> {
        if !matches!(self.format, Format::SpecKit | Format::OpenSpec | Format::Kiro) {
            return None;
        }
        let name = folder_of(&source.path).rsplit('/').next()?;
        let words =
            name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-').replace(['-', '_'], " ");
        let mut chars = words.trim().chars();
        let first = chars.next()?;
        Some(first.to_uppercase().chain(chars).collect())
    }
}

/// The documents of a source or of a node.
struct Listing {
    documents: Vec<Document>,
    place: Place,
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
    named.flat_map(paths_in).filter(|path| kind_of(path).is_some())
}

/// The endings of files that people write to be read.
const PROSE: [&str; 7] = ["md", "markdown", "mdx", "txt", "rst", "adoc", "org"];
/// The endings of files that may define an interface.
const DATA: [&str; 6] = ["yaml", "yml", "json", "proto", "graphql", "sql"];

/// Words in the names of files that say what they are about. The first row with a word of the name decides.
const WORDS: [(DocumentKind, &str); 5] = [
    (DocumentKind::DataModel, "data-model|model|models|entities|schema"),
    (DocumentKind::Design, "design|architecture|plan|adr|blueprint"),
    (
        DocumentKind::Requirements,
        "spec|specs|specification|requirement|requirements|prd|proposal|brief|story|stories|vision",
    ),
    (DocumentKind::Contract, "contract|contracts|api|openapi|swagger|interface|protocol"),
    (
        DocumentKind::Conventions,
        "constitution|convention|conventions|style|styleguide|contributing|guideline|guidelines|standards|rules|agents|claude",
    ),
];

/// The paths of the documents to which a text in `folder` links, in their order. A path is from the top of the work tree
/// if the link begins with a slash, and otherwise from the folder. Links that lead out of the work tree are left out.
pub(super) fn links_in(text: &str, folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    if blocks(text).is_err() {
        return found;
    }
    for event in Parser::new_ext(text, Options::empty()) {
        let Event::Start(Tag::Link { dest_url, .. }) = event else { continue };
        found.extend(resolved(&dest_url, folder).filter(|path| kind_of(path).is_some()));
    }
    found
}

/// The path to which a link leads; `None` if it is not one of the work tree.
fn resolved(link: &str, folder: &str) -> Option<String> {
    let path = link.split(['#', '?']).next().unwrap_or_default();
    if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
        return None;
    }
    let path = path.replace("%20", " ");
    let path = path.strip_prefix('/').map_or_else(|| in_folder(folder, &path), str::to_owned);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What a document is about as far as its name tells; `None` if it is not likely to be a document at all.
pub(super) fn kind_of(path: &str) -> Option<DocumentKind> {
    let name = path[folder_of(path).len()..].trim_start_matches('/').to_lowercase();
    let (stem, ending) = name.rsplit_once('.')?;
    let has = |list: &str| {
        list.split('|').any(|word| match word.contains('-') {
            true => stem.replace('_', "-").contains(word),
            false => stem.split(|c: char| !c.is_alphanumeric()).any(|part| part == word),
        })
    };
    let kind = WORDS.into_iter().find(|(_, list)| has(list)).map(|(kind, _)| kind);
    if PROSE.contains(&ending) {
        return Some(kind.unwrap_or(DocumentKind::Research));
    }
    let defines = matches!(kind, Some(DocumentKind::Contract | DocumentKind::DataModel));
    (DATA.contains(&ending) && defines).then_some(kind).flatten()
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
