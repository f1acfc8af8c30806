//! Reads Cobertura XML: packages of classes, each with the lines of one file.

use roxmltree::{Document, Node, ParsingOptions};

use super::report::{CoverageReport, FileCoverage, Ratio, has_run, line_number, tidy};

/// How many attributes an element may have. The parser compares each with all others.
const MOST_ATTRIBUTES: usize = 100;

/// How many elements and texts a report may have.
const MOST_NODES: u32 = 20_000_000;

/// How many folders of sources count. Each file is looked for in all of them.
const MOST_SOURCES: usize = 100;

pub(super) fn read(text: &str) -> Result<CoverageReport, String> {
    let document = parse(text)?;
    let root = document.root_element();
    if root.has_attribute("clover") || children(root, "project").next().is_some() {
        return Err("is a report of Clover, whose format is not known".to_owned());
    }
    let sources = grandchildren(root, "sources", "source").take(MOST_SOURCES);
    let sources = sources.filter_map(|source| tidy(source.text().unwrap_or_default().trim())).collect();
    let mut report = CoverageReport { sources, ..CoverageReport::default() };
    for class in root.descendants().filter(|node| node.tag_name().name() == "class") {
        if let Some(path) = class.attribute("filename").and_then(tidy) {
            // Inner classes have an entry of their own with the same file.
            add_class(report.files.entry(path).or_default(), class);
        }
    }
    Ok(report)
}

fn add_class(file: &mut FileCoverage, class: Node<'_, '_>) {
    for entry in grandchildren(class, "lines", "line") {
        let Some((line, has_run)) = line_of(entry) else { continue };
        file.add_line(line, has_run);
        if let Some(taken) = entry.attribute("condition-coverage").and_then(branches) {
            file.branches.add(line, "", taken);
        }
    }
    for method in grandchildren(class, "methods", "method") {
        let lines: Vec<(u32, bool)> = grandchildren(method, "lines", "line").filter_map(line_of).collect();
        // A method without lines says nothing about whether it has run.
        if let Some((first, _)) = lines.first() {
            let name = ["name", "signature"].map(|part| method.attribute(part).unwrap_or_default()).concat();
            file.functions.add(*first, name, Ratio::one(lines.iter().any(|(_, has_run)| *has_run)));
        }
    }
}

fn line_of(entry: Node<'_, '_>) -> Option<(u32, bool)> {
    Some((line_number(entry.attribute("number")?)?, has_run(entry.attribute("hits")?)?))
}

/// `50% (1/2)`
fn branches(text: &str) -> Option<Ratio> {
    let (covered, total) = text.split_once('(')?.1.split_once(')')?.0.split_once('/')?;
    let ratio = Ratio::new(covered.trim().parse().ok()?, total.trim().parse().ok()?);
    (ratio.total > 0).then_some(ratio)
}

fn parse(text: &str) -> Result<Document<'_>, String> {
    if has_wide_element(text) {
        return Err(format!("has an XML element with more than {MOST_ATTRIBUTES} attributes"));
    }
    // Reports name their DTD, which is not loaded. The parser bounds what entities may grow to.
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| format!("cannot be read as XML: {error}"))?;
    match document.root_element().tag_name().name() {
        "coverage" => Ok(document),
        found => Err(format!("begins with the element <{found}> and not with <coverage>")),
    }
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

/// The children with one name of those with another.
fn grandchildren<'a, 'i>(
    node: Node<'a, 'i>,
    parents: &'static str,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    children(node, parents).flat_map(move |parent| children(parent, name))
}
