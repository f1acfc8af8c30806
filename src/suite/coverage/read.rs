//! Reads the two formats of coverage reports.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::report::{CoverageReport, FileCoverage, Part, Ratio, has_run};

/// How many attributes an element may have. The parser compares each with all others.
const MOST_ATTRIBUTES: usize = 100;

/// How many elements and texts a report may have.
const MOST_NODES: u32 = 20_000_000;

/// How many folders of sources count. Each file is looked for in all of them.
const MOST_SOURCES: usize = 100;

/// Records of one line each: `SF:` begins a file, which may come several times, once for each test. A record that is not understood
/// says nothing. Sums (`LF`, `BRH` ...) are left out: they say again what the other records say, and several tools write wrong ones.
pub(super) fn lcov(text: &str) -> Result<CoverageReport, String> {
    let mut files: BTreeMap<String, FileCoverage> = BTreeMap::new();
    let mut open = None;
    let mut is_known = text.is_empty();
    for record in text.lines() {
        let (key, value) = record.trim().split_once(':').unwrap_or_default();
        if key == "SF" {
            is_known = true;
            open = tidy(value).map(|name| files.entry(name).or_default());
        } else if let Some(file) = &mut open {
            let _understood = lcov_record(file, key, value);
        }
    }
    if !is_known {
        return Err("has no record of lcov's format, such as SF: or DA:".to_owned());
    }
    Ok(CoverageReport { sources: Vec::new(), files })
}

fn lcov_record(file: &mut FileCoverage, key: &str, value: &str) -> Option<()> {
    let (first, rest) = value.split_once(',')?;
    match key {
        // LINE,RUNS[,CHECKSUM]
        "DA" => file.add_line(first, rest.split(',').next()?)?,
        // LINE,BLOCK,BRANCH,TAKEN, where the branch may be a text with commas, and `-` means that it was not reached.
        "BRDA" => {
            let (name, taken) = rest.rsplit_once(',')?;
            let is_taken = has_run(taken).unwrap_or_default();
            file.add(Part::Branch, first.parse().ok()?, name, Ratio::one(is_taken));
        }
        // RUNS,NAME; in the second version of the format NUMBER,RUNS,NAME
        "FNDA" => file.add(Part::Function, 0, rest, Ratio::one(has_run(first)?)),
        "FNA" => {
            let (runs, name) = rest.split_once(',')?;
            file.add(Part::Function, 0, name, Ratio::one(has_run(runs)?));
        }
        _ => {}
    }
    Some(())
}

/// XML with classes, each with the lines of one file. Inner classes have an entry of their own with the same file.
pub(super) fn cobertura(text: &str) -> Result<CoverageReport, String> {
    if has_wide_element(text) {
        return Err(format!("has an XML element with more than {MOST_ATTRIBUTES} attributes"));
    }
    // Reports name their DTD, which is not loaded. The parser bounds what entities may grow to.
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| format!("cannot be read as XML: {error}"))?;
    let root = document.root_element();
    let found = root.tag_name().name();
    if found != "coverage" {
        return Err(format!("begins with the element <{found}> and not with <coverage>"));
    }
    let sources = below(root, ["sources", "source"]).take(MOST_SOURCES);
    let sources = sources.filter_map(|source| tidy(source.text().unwrap_or_default().trim())).collect();
    let mut report = CoverageReport { sources, ..CoverageReport::default() };
    for class in root.descendants().filter(|node| node.tag_name().name() == "class") {
        let Some(path) = class.attribute("filename").and_then(tidy) else { continue };
        let file = report.files.entry(path).or_default();
        for entry in below(class, ["lines", "line"]) {
            let _understood = cobertura_line(file, entry);
        }
        for method in below(class, ["methods", "method"]) {
            let name = ["name", "signature"].map(|part| method.attribute(part).unwrap_or_default()).concat();
            let mut lines = below(method, ["lines", "line"]).filter_map(|entry| {
                Some((entry.attribute("number")?.parse().ok()?, has_run(entry.attribute("hits")?)?))
            });
            // A method without lines says nothing about whether it has run.
            if let Some((line, has_run)) = lines.next() {
                let has_run = has_run || lines.any(|(_, has_run)| has_run);
                file.add(Part::Function, line, &name, Ratio::one(has_run));
            }
        }
    }
    Ok(report)
}

fn cobertura_line(file: &mut FileCoverage, entry: Node<'_, '_>) -> Option<()> {
    let line = entry.attribute("number")?;
    file.add_line(line, entry.attribute("hits")?)?;
    // `50% (1/2)`
    let taken = entry.attribute("condition-coverage")?.split_once('(')?.1.split_once(')')?.0;
    let (covered, total) = taken.split_once('/')?;
    let ratio = Ratio::new(covered.trim().parse().ok()?, total.trim().parse().ok()?);
    file.add(Part::Branch, line.parse().ok()?, "", ratio);
    Some(())
}

/// The children of an element with the second name, of its children with the first.
fn below<'a, 'i>(node: Node<'a, 'i>, names: [&'static str; 2]) -> impl Iterator<Item = Node<'a, 'i>> {
    let named = |node: Node<'a, 'i>, name| node.children().filter(move |child| child.has_tag_name(name));
    named(node, names[0]).flat_map(move |parent| named(parent, names[1]))
}

/// Whether more equal signs are between `<` and `>` than an element may have attributes. Signs in values, in comments and
/// in declarations count as well, which does no harm: no report has so many there either.
fn has_wide_element(text: &str) -> bool {
    text.split(['<', '>']).any(|part| part.bytes().filter(|byte| *byte == b'=').count() > MOST_ATTRIBUTES)
}

/// A path as it is compared: `/` between its parts, without `.` and, where it can be told what they mean, without `..`.
/// `None` if it leads above the folder in which it begins.
fn tidy(path: &str) -> Option<String> {
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    Some(format!("{root}{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_all_systems_are_written_in_one_way() {
        for (written, expected) in [
            ("src/a.py", Some("src/a.py")),
            ("./src//a.py", Some("src/a.py")),
            ("src/x/../a b.py", Some("src/a b.py")),
            ("src\\größe.py", Some("src/größe.py")),
            ("C:\\project\\src\\a.py", Some("C:/project/src/a.py")),
            ("file:///project/a.js", Some("/project/a.js")),
            ("/project/./a.py", Some("/project/a.py")),
            ("../a.py", None),
            ("/../a.py", None),
        ] {
            assert_eq!(tidy(written).as_deref(), expected, "{written}");
        }
    }
}
