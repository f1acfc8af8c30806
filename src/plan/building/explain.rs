//! Explains how every line of the sources was read, and why a task depends on another one.

use super::super::formats::{Place, ReadAs, SourceFile, Why};
use super::settled::{Settled, SettledNode};

/// How a plan was read.
#[derive(Clone, Debug)]
pub struct Explanation<'a> {
    /// The lines, in the order of the sources. Blank lines are left out.
    pub lines: Vec<ExplainedLines<'a>>,
    /// The dependencies, in the order of the nodes.
    pub dependencies: Vec<ExplainedDependency<'a>>,
}

/// Lines of a source that were read as one thing.
#[derive(Clone, Copy, Debug)]
pub struct ExplainedLines<'a> {
    /// The path of the source.
    pub file: &'a str,
    /// The first line.
    pub line: u32,
    /// The last line.
    pub last_line: u32,
    /// What the lines are.
    pub meaning: Meaning<'a>,
}

/// What lines of a source are.
#[derive(Clone, Copy, Debug)]
pub enum Meaning<'a> {
    /// A node.
    Node(&'a SettledNode),
    /// A part of the description of this node.
    Description(&'a SettledNode),
    /// A test command of this node.
    Test(&'a SettledNode),
    /// Dependencies.
    Dependencies,
    /// Something that is known, but not a part of the plan. These words say what.
    Other(&'static str),
    /// Something that was not read at all.
    NotRead,
}

/// A dependency.
#[derive(Clone, Copy, Debug)]
pub struct ExplainedDependency<'a> {
    /// The node that depends on another one.
    pub node: &'a SettledNode,
    /// The other one.
    pub on: &'a SettledNode,
    /// Why.
    pub why: Why,
    /// The path of the source in which this was read.
    pub file: &'a str,
    /// The line.
    pub line: u32,
}

/// Explains all lines and all dependencies.
#[must_use]
pub fn explain<'a>(settled: &'a Settled, sources: &'a [SourceFile]) -> Explanation<'a> {
    let mut lines = Vec::new();
    for (file, source) in sources.iter().enumerate() {
        let source = NumberedLines { path: &source.path, lines: source.text.lines().collect() };
        let mut next = 1;
        for reading in settled.readings.iter().filter(|reading| reading.place.file == file) {
            let Place { line, .. } = reading.place;
            source.not_read(next, line, &mut lines);
            next = next.max(reading.last_line + 1);
            let node = |at: usize| &settled.nodes[at];
            let meaning = match reading.read_as {
                ReadAs::Node(at) => Meaning::Node(node(at)),
                ReadAs::Description(at) => Meaning::Description(node(at)),
                ReadAs::Test(at) => Meaning::Test(node(at)),
                ReadAs::Needs => Meaning::Dependencies,
                ReadAs::Other(words) => Meaning::Other(words),
            };
            lines.push(ExplainedLines { file: source.path, line, last_line: reading.last_line, meaning });
        }
        source.not_read(next, u32::MAX, &mut lines);
    }
    let of_node = |node: &'a SettledNode| {
        node.depends_on.iter().map(move |link| ExplainedDependency {
            node,
            on: &settled.nodes[link.on],
            why: link.why,
            file: sources.get(link.place.file).map_or("", |source| &source.path),
            line: link.place.line,
        })
    };
    Explanation { lines, dependencies: settled.nodes.iter().flat_map(of_node).collect() }
}

/// A source, split into its lines.
struct NumberedLines<'s> {
    path: &'s str,
    lines: Vec<&'s str>,
}

impl<'s> NumberedLines<'s> {
    /// Adds the lines from `first` up to `end` that have text, without `end`: they were not read.
    fn not_read(&self, first: u32, end: u32, to: &mut Vec<ExplainedLines<'s>>) {
        let from = (first.saturating_sub(1) as usize).min(self.lines.len());
        let until = (end.saturating_sub(1) as usize).clamp(from, self.lines.len());
        let numbered = (first..).zip(&self.lines[from..until]);
        to.extend(numbered.filter(|(_, text)| !text.trim().is_empty()).map(|(line, _)| ExplainedLines {
            file: self.path,
            line,
            last_line: line,
            meaning: Meaning::NotRead,
        }));
    }
}
