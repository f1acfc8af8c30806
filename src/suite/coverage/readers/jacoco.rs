//! Reads the XML report of `JaCoCo`: packages of source files, with counters of instructions and branches for each line.
//!
//! A line has run if one of its instructions has. Only source files are read: classes are counted there again.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::budget::{LineBudget, ReadError};
use super::budget::{count, line};
use super::xml::{children, parse};
use crate::suite::coverage::measured::Ratio;
use crate::suite::coverage::name::{FileName, tidy};
use crate::suite::coverage::report::FileCoverage;

pub(super) fn read(text: &str, budget: &mut LineBudget) -> Result<Vec<FileCoverage>, ReadError> {
    let document = parse(text, "report")?;
    let mut files: BTreeMap<FileName, FileCoverage> = BTreeMap::new();
    let packages = document.root_element().descendants().filter(|node| node.tag_name().name() == "package");
    for package in packages {
        let folder = package.attribute("name").unwrap_or_default();
        for source in children(package, "sourcefile") {
            let name = source.attribute("name").unwrap_or_default();
            let Some(path) = tidy(&format!("{folder}/{name}")) else { continue };
            let name = FileName::Package(path.trim_start_matches('/').to_owned());
            let file = files.entry(name.clone()).or_insert_with(|| FileCoverage::new(name));
            add_source(file, source, budget)?;
        }
    }
    Ok(files.into_values().collect())
}

fn add_source(
    file: &mut FileCoverage,
    source: Node<'_, '_>,
    budget: &mut LineBudget,
) -> Result<(), ReadError> {
    for entry in children(source, "line") {
        budget.take(1)?;
        let Some(at) = entry.attribute("nr").and_then(line) else { continue };
        let counter = |name| entry.attribute(name).and_then(count).unwrap_or(0);
        let (missed, covered) = (counter("mb"), counter("cb"));
        file.lines.at_least(at, counter("ci"));
        if missed.saturating_add(covered) > 0 {
            file.branches.add(at, "", Ratio::new(covered, missed.saturating_add(covered)));
        }
    }
    let methods = children(source, "counter").find(|counter| counter.attribute("type") == Some("METHOD"));
    if let Some(counter) = methods {
        let number = |name| counter.attribute(name).and_then(count).unwrap_or(0);
        let (missed, covered) = (number("missed"), number("covered"));
        file.functions.add_sums(Ratio::new(covered, missed.saturating_add(covered)));
    }
    Ok(())
}
