//! Defines a node of the tree: its texts, its links and its test commands.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::coverage::CoverageSource;
use super::document::Document;
use super::fields::FieldSet;
use super::node_ix::NodeIx;
use super::words::words;
use crate::record::TaskId;
use crate::text::is_unprintable;

/// A node of the task tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its id.
    pub id: TaskId,
    /// Its name: one line, never empty, without control characters.
    pub name: String,
    /// The description of the work for the prompt; may be empty.
    pub description: String,
    /// Its own acceptance criteria; [`TaskTree::acceptance`](super::TaskTree::acceptance) includes inherited ones. None
    /// is blank.
    pub acceptance: Vec<String>,
    /// Its own documents; [`TaskTree::documents`](super::TaskTree::documents) includes the others.
    pub documents: Vec<Document>,
    /// The node above it; `None` for the root of a phase.
    pub parent: Option<NodeIx>,
    /// The nodes right below it, in the order of the file.
    pub children: Vec<NodeIx>,
    /// Its own dependencies, from `depends_on`. [`TaskTree::dependencies`](super::TaskTree::dependencies) includes the
    /// inherited ones.
    pub depends_on: Vec<NodeIx>,
    /// The line of its id, from 1.
    pub(super) line: usize,
    /// The file from which it was extracted.
    pub source_file: Option<String>,
    /// The line in that file.
    pub source_line: Option<u32>,
    /// The commands that judge it, in the order of the file.
    pub test_commands: Vec<TestCommand>,
    /// The fields that say how it is done: its own, and those that it inherits.
    pub fields: Arc<FieldSet>,
    /// How many nodes are above it: 0 for a root.
    pub depth: usize,
    /// The place after the last node below it.
    pub(super) end: NodeIx,
}

impl Node {
    /// Whether it is a task: it has no children, so it is executed.
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }

    /// Whether it has commands that judge it.
    pub fn is_tested(&self) -> bool {
        self.test_commands.iter().any(|test| test.kind.judges())
    }

    /// The places of this node, whose own place is `own`, and of all nodes below it.
    pub(super) fn span(&self, own: NodeIx) -> Range<usize> {
        own.position()..self.end.position()
    }

    /// Whether `other` is below this node, whose own place is `own`.
    pub(super) fn is_above(&self, own: NodeIx, other: NodeIx) -> bool {
        own != other && self.span(own).contains(&other.position())
    }
}

/// One command that judges a task or a phase.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TestCommand {
    /// Its type, which also decides when it runs.
    pub kind: TestType,
    /// The shell command. It is never blank and contains no NUL.
    pub command: String,
    /// The framework whose output it prints, as the file names it: `pytest`, `jest`, ...
    pub framework: Option<String>,
    /// How long it may run; `None` for the configured default.
    pub timeout: Option<Duration>,
    /// The coverage report that it writes.
    pub coverage: Option<CoverageSource>,
}

impl TestCommand {
    /// The command of `arborist.suite`, which tests the whole repository and is in no plan. It is not blank.
    pub fn suite(command: &str) -> Self {
        Self {
            kind: TestType::E2e,
            command: command.to_owned(),
            framework: None,
            timeout: None,
            coverage: None,
        }
    }
}

words! {
    /// The type of a test command (docs/plans.md), also the value of `Arborist-Test-Type`.
    TestType {
        /// Tests of one task.
        Unit = "unit",
        /// Tests of how tasks work together.
        Integration = "integration",
        /// Tests of the whole.
        E2e = "e2e",
        /// Runs before the others; if it fails, the tests fail.
        Setup = "setup",
        /// Runs last, even after a failure.
        Teardown = "teardown",
        /// Changes the code at random to see whether the tests notice. It is advisory.
        Mutation = "mutation",
    }
}

impl TestType {
    /// Whether a command of this type judges the work.
    pub fn judges(self) -> bool {
        matches!(self, Self::Unit | Self::Integration | Self::E2e)
    }
}

/// `text` as one line: every run of blanks, line breaks, control and direction characters becomes one space, and none
/// is left at either end. Invisible characters are removed. A name appears in commit subjects and on terminals, so it
/// must not contain structure.
pub(super) fn one_line(text: &str) -> String {
    let blank = |c: char| {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        if turns || c.is_control() { ' ' } else { c }
    };
    // Some invisible characters change how the letters or pictures around them look.
    let joins = |c| matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    let shown = |c: &char| joins(*c) || c.is_whitespace() || !is_unprintable(*c);
    without_gaps(&text.chars().map(blank).filter(shown).collect::<String>())
}

/// A text in which every run of white space is one blank.
pub(super) fn without_gaps(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_folded_to_one_line() {
        let cases = [
            ("Create schema", "Create schema"),
            ("  a\t b \r\n c ", "a b c"),
            (
                "x\n\nArborist-Step: complete\nArborist-Result: pass",
                "x Arborist-Step: complete Arborist-Result: pass",
            ),
            ("red \u{1b}[31m\u{7}", "red [31m"),
            ("a\u{2028}b\u{85}c\u{202e}d", "a b c d"),
            ("\u{feff}name", "name"),
            ("a\u{61c}b\u{200b}c\u{2060}d\u{e0041}e", "a bcde"),
            (" \n\u{0}\t", ""),
            ("👩\u{200d}🔬 Ünïcode", "👩\u{200d}🔬 Ünïcode"),
        ];
        for (text, line) in cases {
            assert_eq!(one_line(text), line, "{text:?}");
        }
    }

    #[test]
    fn type_words_go_both_ways() {
        for kind in TestType::ALL {
            assert_eq!(TestType::from_word(kind.word()), Some(kind));
        }
        assert_eq!(TestType::from_word("Unit"), None);
    }
}
