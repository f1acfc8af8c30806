//! Reads `JUnit` XML reports: the test cases in `<testsuites>` and `<testsuite>`, at any depth.

use roxmltree::{Document, Node};

use super::{Counts, TestNames, TestOutcome};

/// Reads the number of tests in a `JUnit` report, and their names, `CLASS.NAME`; `None` for anything else.
///
/// The `<testcase>` elements are counted. The sums in the attributes of suites are ignored, because nested suites
/// repeat them, and tools disagree about their meaning. A retried test that finally passed (`flakyFailure`) has passed.
#[must_use]
pub fn read_junit(xml: &[u8]) -> Option<(Counts, TestNames)> {
    let text = String::from_utf8_lossy(xml);
    let document = Document::parse(text.trim_start_matches('\u{feff}').trim_start()).ok()?;
    let root = document.root_element();
    let is_suite = |node: &Node<'_, '_>| matches!(node.tag_name().name(), "testsuites" | "testsuite");
    if !is_suite(&root) {
        return None;
    }
    let (mut counts, mut names) = (Counts::ZERO, TestNames::default());
    for node in root.descendants().filter(is_suite).flat_map(|suite| suite.children()) {
        let Some(outcome) = outcome(node) else { continue };
        outcome.count_in(&mut counts);
        match (node.attribute("classname"), node.attribute("name")) {
            (Some(class), Some(name)) if !class.is_empty() && class != name => {
                names.add(format!("{class}.{name}"), outcome);
            }
            (_, Some(name)) => names.add(name, outcome),
            (_, None) => {}
        }
    }
    Some((counts, names))
}

/// How a child of a suite counts: as a test case, or as an error of the suite itself.
fn outcome(node: Node<'_, '_>) -> Option<TestOutcome> {
    let has = |names: [&str; 2]| node.children().any(|child| names.contains(&child.tag_name().name()));
    // Node.js reports a to-do test as failed although the run passes.
    let is_to_do = || node.children().any(|child| child.attribute("type") == Some("todo"));
    // Googletest and similar tools have no `<skipped>` for a disabled test.
    let did_not_run = || matches!(node.attribute("status"), Some("notrun" | "disabled" | "skipped"));
    match node.tag_name().name() {
        "error" | "failure" => Some(TestOutcome::Failed),
        "testcase" if has(["error", "failure"]) && !is_to_do() => Some(TestOutcome::Failed),
        "testcase" if has(["skipped", "disabled"]) || did_not_run() => Some(TestOutcome::Skipped),
        "testcase" => Some(TestOutcome::Passed),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
