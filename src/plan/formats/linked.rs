//! How the files around a plan are read, and which of them a Markdown text links.

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::super::DocumentKind;
use super::markdown::too_deep;

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
    if too_deep(text).is_some() {
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
mod tests {
    use super::*;

    #[test]
    fn links_to_documents_are_found_from_their_folder_and_none_leads_out() {
        let text = "See [the spec](../specs/my%20spec.md#goal), [api](/api/openapi.yaml), [code](src/a.rs), \
                    [site](https://a.org/b.md), [out](../../../etc/a.md), [mail](mailto:a@b.md), ![picture](a.png), \
                    [settings](package.json), `[no](x.md)` and [ref].\n\n[ref]: ./notes.txt \"Notes\"\n";
        assert_eq!(
            links_in(text, "docs/plans"),
            ["docs/specs/my spec.md", "api/openapi.yaml", "docs/plans/notes.txt"]
        );
        assert_eq!(links_in(&"> ".repeat(500), ""), [""; 0]);
    }

    #[test]
    fn the_name_of_a_document_tells_what_it_is_for() {
        use DocumentKind::{Contract, Conventions, DataModel, Design, Requirements, Research};
        for (path, expected) in [
            ("docs/specs/2026-01-02-login-design.md", Some(Design)),
            ("docs/spec.md", Some(Requirements)),
            ("PRD.txt", Some(Requirements)),
            ("data_model.md", Some(DataModel)),
            ("schema.sql", Some(DataModel)),
            ("api.json", Some(Contract)),
            ("docs/CONTRIBUTING.md", Some(Conventions)),
            ("docs/explanation.md", Some(Research)),
            ("README.md", Some(Research)),
            ("package.json", None),
            ("src/api.rs", None),
            ("Makefile", None),
        ] {
            assert_eq!(kind_of(path), expected, "{path}");
        }
    }
}
