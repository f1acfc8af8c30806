//! Failing tests for pytest and unittest.

use super::super::scan::{line_start, words};
use super::source::{Fails, Source, fails};

pub(super) const NEW_PYTEST: &str = "def test_arborist_canary():\n    assert 1 == 2\n";
pub(super) const NEW_UNITTEST: &str = "import unittest\n\n\nclass ArboristCanaryTest(unittest.TestCase):\n    def test_arborist_canary(self):\n        \
     self.assertEqual(1, 2)\n";

/// The assertions of a test case, each so that it fails.
const OF_A_CASE: [Fails; 8] = [
    fails("self.assertEqual", "{}(1, 2)"),
    fails("self.assertEquals", "{}(1, 2)"),
    fails("self.assertTrue", "{}(False)"),
    fails("self.assertFalse", "{}(True)"),
    fails("self.assertIn", "{}(1, [2])"),
    fails("self.assertIs", "{}(1, None)"),
    fails("self.assertIsNone", "{}(1)"),
    fails("self.assertListEqual", "{}([1], [2])"),
];

/// A function with an `assert`, or a test case if the file has more of its assertions.
pub(super) fn added(source: &Source<'_>, is_unittest: bool) -> Option<Vec<u8>> {
    let tests =
        words(&source.code, "def").filter(|at| source.text[at + 3..].trim_start().starts_with("test"));
    let test = tests.last()?;
    let of_case = source.calls().filter(|call| call.starts_with("self.assert")).count();
    let plain = words(&source.code, "assert").count();
    let lines = if is_unittest || of_case > plain {
        let assertion = if plain > of_case {
            "assert 1 == 2".to_owned()
        } else {
            source.most_used(&OF_A_CASE).unwrap_or_else(|| "self.assertEqual(1, 2)".to_owned())
        };
        let base = base_around(source, test).unwrap_or("__import__(\"unittest\").TestCase");
        format!(
            "\n\nclass ArboristCanaryTest({base}):\n    def test_arborist_canary(self):\n        {assertion}\n\n\n"
        )
    } else {
        "\n\ndef test_arborist_canary():\n    assert 1 == 2\n\n\n".to_owned()
    };
    Some(match main_block(source) {
        Some(at) => source.with(at, &lines),
        None => source.with_end(lines.trim_end_matches("\n\n")),
    })
}

/// The base classes of the class that has the test at `at`.
fn base_around<'a>(source: &Source<'a>, at: usize) -> Option<&'a str> {
    let class = words(&source.code[..at], "class")
        .filter(|at| line_start(source.text.as_bytes(), *at) == *at)
        .last()?;
    let head = source.text[class..].lines().next()?;
    let bases = head.split_once('(')?.1.rsplit_once("):")?.0.trim();
    (!bases.is_empty()).then_some(bases)
}

/// Where the block begins that runs only if the file is executed.
fn main_block(source: &Source<'_>) -> Option<usize> {
    words(&source.code, "if")
        .filter(|at| line_start(source.text.as_bytes(), *at) == *at)
        .find(|at| source.text[at + 2..].trim_start().starts_with("__name__"))
}
