//! Finds what is valid in a plan but probably not meant, before an agent works on it.

mod old_tests;
mod placeholder;
mod same_files;

use std::collections::HashMap;

use super::commands::{TestNaming, naming_of};
use super::json::JsonFile;
use super::problem::shown;
use super::source::Source;
use super::{Document, Expect, NodeIx, TaskTree};
use crate::record::TaskId;
use old_tests::changing_verb;
use placeholder::placeholder_in;
use same_files::same_files;

/// What to do about a field on which nothing acts.
const NO_EFFECT: &str = "Remove it, or say in the description what you expect.";

/// Something doubtful in a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// The line in the tree file, from 1; `None` if it concerns the file as a whole.
    pub line: Option<usize>,
    /// What is doubtful, as a clause.
    pub what: String,
    /// What to do about it, in whole sentences; may be empty.
    pub help: String,
}

impl LintFinding {
    /// The finding without its remedy, after its place in a file.
    #[must_use]
    pub fn in_file(&self, file: &str) -> String {
        match self.line {
            Some(line) => format!("{file}:{line}: {}", self.what),
            None => format!("{file}: {}", self.what),
        }
    }
}

/// The lines on which the nodes of a tree file begin.
#[derive(Default)]
struct NodeLines(HashMap<String, usize>);

impl NodeLines {
    /// The line of a node, from 1.
    fn of(&self, id: &TaskId) -> Option<usize> {
        self.0.get(id.as_str()).copied()
    }

    fn read(bytes: &[u8]) -> Self {
        let read = || {
            let source = Source::decode(bytes).ok()?;
            let JsonFile::Object(members) = JsonFile::read(&source).ok()? else { return None };
            let nodes = members.iter().find(|member| member.key.text().as_deref() == Some("nodes"))?;
            let line = |member: super::json::Member<'_>| {
                Some((member.key.text()?.into_owned(), source.line(source.offset(member.key.raw()))))
            };
            Some(Self(nodes.value.members()?.into_iter().filter_map(line).collect()))
        };
        // A file that cannot be read has no nodes.
        read().unwrap_or_default()
    }
}

/// What a plan cannot tell about the names in it.
pub trait Outside {
    /// Why a test framework is not known; `None` if it is.
    fn unknown_framework(&self, name: &str) -> Option<UnknownFramework>;

    /// Why the document at this path from the top of the work tree cannot be read, as a clause; `None` if it can.
    fn document_trouble(&self, path: &str) -> Option<String>;
}

/// Checks the bytes of a tree file; finds nothing if it is none.
#[must_use]
pub fn lint(bytes: &[u8], outside: &dyn Outside) -> Vec<LintFinding> {
    let Ok(loaded) = TaskTree::from_json(bytes) else { return Vec::new() };
    let tree = &loaded.tree;
    let mut checks = Checks { tree, lines: NodeLines::read(bytes), outside, found: Vec::new() };
    checks.documents(&tree.about().documents, None);
    for (ix, _) in tree.nodes() {
        checks.check(ix);
    }
    for same in same_files(tree) {
        checks.same_files(&same);
    }
    let mut findings = checks.found;
    let no_effect = |what| LintFinding { line: None, what, help: NO_EFFECT.to_owned() };
    findings.extend(tree.warnings_about_fields().into_iter().map(no_effect));
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Why the name of a test framework is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFramework {
    /// The reason, as a clause.
    pub what: String,
    /// What to do about it, in whole sentences.
    pub help: String,
}

/// The rules about single nodes.
struct Checks<'a> {
    tree: &'a TaskTree,
    lines: NodeLines,
    outside: &'a dyn Outside,
    found: Vec<LintFinding>,
}

impl Checks<'_> {
    fn report(&mut self, ix: NodeIx, what: String, help: &str) {
        let line = self.lines.of(&self.tree.node(ix).id);
        self.found.push(LintFinding { line, what, help: help.to_owned() });
    }

    fn check(&mut self, ix: NodeIx) {
        let node = self.tree.node(ix);
        let commands = node.test_commands.iter().map(|test| ("a test command", test.command.as_str()));
        let texts = [("the name", node.name.as_str()), ("the description", node.description.as_str())];
        for (which, text) in texts.into_iter().chain(commands) {
            if let Some(placeholder) = placeholder_in(text) {
                let what = format!("{which} of {} contains the placeholder {placeholder}", node.id);
                self.report(ix, what, "Write what is meant, or remove it.");
            }
        }
        self.check_kind(ix);
        self.documents(&node.documents, Some(ix));
        for name in node.test_commands.iter().filter_map(|test| test.framework.as_deref()) {
            if let Some(UnknownFramework { what, help }) = self.outside.unknown_framework(name) {
                self.report(ix, format!("{}: {what}", node.id), &help);
            }
        }
    }

    /// Reports the documents, of a node or of the whole plan, that cannot be read.
    fn documents(&mut self, documents: &[Document], of: Option<NodeIx>) {
        let node = of.map(|ix| &self.tree.node(ix).id);
        let of = node.map_or("the plan", TaskId::as_str);
        for Document { path, .. } in documents {
            let Some(why) = self.outside.document_trouble(path) else { continue };
            self.found.push(LintFinding {
                line: node.and_then(|id| self.lines.of(id)),
                what: format!("the document {} of {of} cannot be read: {why}", shown(path)),
                help: "Correct its path, or remove it from `documents`.".to_owned(),
            });
        }
    }

    /// The rules about the kind of change that a task makes.
    fn check_kind(&mut self, ix: NodeIx) {
        let (node, expect) = (self.tree.node(ix), self.tree.expect(ix));
        if !node.is_leaf() {
            return;
        }
        let verb = changing_verb(&node.name, &node.description);
        let may_contradict = expect == Expect::Change
            && self.tree.may_change(ix).is_empty()
            && node.test_commands.iter().any(|test| test.kind.judges());
        if let Some(verb) = verb.filter(|_| may_contradict) {
            let what = format!(
                "{} says {verb:?}, but is not allowed to change tests that expect the old behaviour",
                node.id
            );
            let help = "If there are such tests, name them in `may_change`, for example `\"may_change\": [\"tests/**\"]`.";
            self.report(ix, what, help);
        }
        let nameless =
            node.test_commands.iter().find(|test| naming_of(&test.command) == TestNaming::Nameless);
        if let Some(test) = nameless.filter(|_| expect == Expect::Tests) {
            let what = format!(
                "the tests that {} writes may fail, but `{}` does not name all that fail",
                node.id, test.command
            );
            let help = "Use a command that does, such as `go test -v ./...` or `cargo test --no-fail-fast`; or set `expect` \
                        to \"docs\" here and `test_first` on the task that writes the code.";
            self.report(ix, what, help);
        }
    }

    fn same_files(&mut self, same: &same_files::SameFiles) {
        let (one, other) = (self.tree.node(same.one), self.tree.node(same.other));
        let what = format!(
            "{} and {} touch the same files, and neither waits for the other: {}",
            one.id,
            other.id,
            same.patterns.join(", ")
        );
        let help = format!(
            "If {} builds on {}, or must not run at the same time, add \"{}\" to its `depends_on`.",
            other.id, one.id, one.id
        );
        self.report(same.other, what, &help);
    }
}

#[cfg(test)]
mod tests;
