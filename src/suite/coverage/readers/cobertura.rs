//! Reads Cobertura XML: packages of classes, each with the lines of one file.

use std::collections::BTreeMap;
use std::sync::Arc;

use roxmltree::{Document, Node, ParsingOptions};

use super::budget::{LineBudget, ReadError};
use super::budget::{count, line};
use crate::suite::coverage::measured::Ratio;
use crate::suite::coverage::name::{FileName, tidy};
use crate::suite::coverage::report::FileCoverage;

/// How many attributes an element may have. The parser compares each with all others.
const MOST_ATTRIBUTES: usize = 100;

/// How many elements and texts a report may have.
const MOST_NODES: u32 = 20_000_000;

pub(super) fn read(text: &str, budget: &mut LineBudget) -> Result<Vec<FileCoverage>, ReadError> {
    let document = parse(text)?;
    let root = document.root_element();
    if root.has_attribute("clover") || children(root, "project").next().is_some() {
        return Err(ReadError::new("is a report of Clover, whose format is not known"));
    }
    let sources = children(root, "sources").flat_map(|sources| children(sources, "source"));
    let sources: Arc<[String]> =
        sources.filter_map(|source| tidy(source.text().unwrap_or_default().trim())).collect();
    let mut files: BTreeMap<String, FileCoverage> = BTreeMap::new();
    for class in root.descendants().filter(|node| node.tag_name().name() == "class") {
        let Some(path) = class.attribute("filename").and_then(tidy) else { continue };
        let name = FileName::Below { sources: Arc::clone(&sources), path: path.clone() };
        let file = files.entry(path).or_insert_with(|| FileCoverage::new(name));
        add_class(file, class, budget)?;
    }
    Ok(files.into_values().collect())
}

/// Adds what is known of one class. Inner classes have an entry of their own with the same file.
fn add_class(file: &mut FileCoverage, class: Node<'_, '_>, budget: &mut LineBudget) -> Result<(), ReadError> {
    for entry in children(class, "lines").flat_map(|lines| children(lines, "line")) {
        budget.take(1)?;
        let Some((at, runs)) = runs_of(entry) else { continue };
        file.lines.at_least(at, runs);
        if let Some(taken) = entry.attribute("condition-coverage").and_then(branches) {
            file.branches.add(at, "", taken);
        }
    }
    for method in children(class, "methods").flat_map(|methods| children(methods, "method")) {
        let runs: Vec<_> =
            children(method, "lines").flat_map(|lines| children(lines, "line")).filter_map(runs_of).collect();
        // A method without lines says nothing about whether it has run.
        if let Some((first, _)) = runs.first() {
            let name = method.attribute("name").unwrap_or_default();
            let signature = method.attribute("signature").unwrap_or_default();
            let has_run = runs.iter().any(|(_, runs)| *runs > 0);
            file.functions.add(*first, format!("{name}{signature}"), Ratio::one(has_run));
        }
    }
    Ok(())
}

fn runs_of(entry: Node<'_, '_>) -> Option<(u32, u64)> {
    Some((line(entry.attribute("number")?)?, count(entry.attribute("hits")?)?))
}

/// `50% (1/2)`
fn branches(text: &str) -> Option<Ratio> {
    let (covered, total) = text.split_once('(')?.1.split_once(')')?.0.split_once('/')?;
    Some(Ratio::new(count(covered)?, count(total)?)).filter(|ratio| ratio.total > 0)
}

fn parse(text: &str) -> Result<Document<'_>, ReadError> {
    if has_wide_element(text) {
        return Err(ReadError::new("has an XML element with more than 100 attributes"));
    }
    // Reports name their DTD, which is not loaded. The parser bounds what entities may grow to.
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| ReadError::new(format!("cannot be read as XML: {error}")))?;
    let found = document.root_element().tag_name().name();
    if found != "coverage" {
        return Err(ReadError::new(format!("begins with the element <{found}> and not with <coverage>")));
    }
    Ok(document)
}

/// Whether more equal signs are between `<` and `>` than an element may have attributes. Signs in values, in comments and
/// in declarations count as well, which does no harm: no report has so many there either.
fn has_wide_element(text: &str) -> bool {
    let mut signs = 0;
    text.bytes().any(|byte| {
        match byte {
            b'<' | b'>' => signs = 0,
            b'=' => signs += 1,
            _ => {}
        }
        signs > MOST_ATTRIBUTES
    })
}

/// The children of an element with this name.
fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}
