//! Reads `JUnit` XML reports: the test cases in `<testsuites>` and `<testsuite>`, at any depth.

use roxmltree::{Document, Node};

use super::{Counts, TestNames, TestOutcome};

/// Reads a `JUnit` report; `None` for anything else.
///
/// The `<testcase>` elements are counted. The sums in the attributes of suites are ignored, because nested suites
/// repeat them, and tools disagree about their meaning. A retried test that finally passed (`flakyFailure`) has passed.
#[must_use]
pub fn read_junit(xml: &[u8]) -> Option<Counts> {
    let text = String::from_utf8_lossy(xml);
    let document = parse(&text)?;
    Some(children_of_suites(&document)?.map(counted).sum())
}

/// The test cases in a `JUnit` report, `CLASS.NAME`; none for anything else.
#[must_use]
pub fn read_junit_names(xml: &[u8]) -> TestNames {
    let text = String::from_utf8_lossy(xml);
    let mut names = TestNames::default();
    let Some(document) = parse(&text) else { return names };
    for case in children_of_suites(&document).into_iter().flatten() {
        let Some(name) = case.attribute("name").filter(|_| case.tag_name().name() == "testcase") else {
            continue;
        };
        let outcome = match counted(case) {
            Counts { failed: 1, .. } => TestOutcome::Failed,
            Counts { skipped: 1, .. } => TestOutcome::Skipped,
            _ => TestOutcome::Passed,
        };
        match case.attribute("classname").filter(|class| !class.is_empty() && *class != name) {
            Some(class) => names.add(format!("{class}.{name}"), outcome),
            None => names.add(name, outcome),
        }
    }
    names
}

fn parse(text: &str) -> Option<Document<'_>> {
    Document::parse(text.trim_start_matches('\u{feff}').trim_start()).ok()
}

/// What the suites of a report contain; `None` if it is another document.
fn children_of_suites<'t>(document: &'t Document<'t>) -> Option<impl Iterator<Item = Node<'t, 't>>> {
    let root = document.root_element();
    let suites = root.descendants().filter(|node| is_suite(*node));
    is_suite(root).then(|| suites.flat_map(|suite| suite.children()))
}

fn is_suite(node: Node<'_, '_>) -> bool {
    matches!(node.tag_name().name(), "testsuites" | "testsuite")
}

/// How a child of a suite counts: as a test case, or as an error of the suite itself.
fn counted(node: Node<'_, '_>) -> Counts {
    let failed = Counts { failed: 1, ..Counts::ZERO };
    match node.tag_name().name() {
        "error" | "failure" => failed,
        // Node.js reports a to-do test as failed although the run passes.
        "testcase" if has(node, &["error", "failure"]) && !is_to_do(node) => failed,
        "testcase" if has(node, &["skipped", "disabled"]) || did_not_run(node) => {
            Counts { skipped: 1, ..Counts::ZERO }
        }
        "testcase" => Counts { passed: 1, ..Counts::ZERO },
        _ => Counts::ZERO,
    }
}

fn has(node: Node<'_, '_>, names: &[&str]) -> bool {
    node.children().any(|child| names.contains(&child.tag_name().name()))
}

fn is_to_do(node: Node<'_, '_>) -> bool {
    node.children()
        .any(|child| child.tag_name().name() == "skipped" && child.attribute("type") == Some("todo"))
}

/// Googletest and similar tools have no `<skipped>` for a disabled test.
fn did_not_run(node: Node<'_, '_>) -> bool {
    matches!(node.attribute("status"), Some("notrun" | "disabled" | "skipped"))
}

#[cfg(test)]
mod tests;
