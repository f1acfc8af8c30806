//! Reads `JUnit` XML reports: the test cases in `<testsuites>` and `<testsuite>`, at any depth.

use roxmltree::{Document, Node};

use super::Counts;

/// Reads a `JUnit` report; `None` for anything else.
///
/// The `<testcase>` elements are counted. The sums in the attributes of suites are ignored, because nested suites
/// repeat them, and tools disagree about their meaning. A retried test that finally passed (`flakyFailure`) has passed.
#[must_use]
pub fn read_junit(xml: &[u8]) -> Option<Counts> {
    let text = String::from_utf8_lossy(xml);
    let document = Document::parse(text.trim_start_matches('\u{feff}').trim_start()).ok()?;
    let root = document.root_element();
    if !is_suite(root) {
        return None;
    }
    let suites = root.descendants().filter(|node| is_suite(*node));
    Some(suites.flat_map(|suite| suite.children()).map(counted).sum())
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
