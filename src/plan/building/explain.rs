//! Explains how every line of the sources was read, and why a task depends on another one.

use std::fmt::Write;

use super::super::formats::{ReadAs, SourceFile, Why};
use super::settled::{Settled, SettledNode};

/// The explanation: one line for each range of source lines that was read as one thing, and one for each dependency.
#[must_use]
pub fn explain(settled: &Settled, sources: &[SourceFile]) -> String {
    let mut out = String::new();
    for (file, source) in sources.iter().enumerate() {
        let source = NumberedLines { path: &source.path, lines: source.text.lines().collect() };
        let mut next = 1;
        for reading in settled.readings.iter().filter(|reading| reading.place.file == file) {
            not_read(&mut out, &source, next, reading.place.line);
            next = next.max(reading.last_line + 1);
            let lines = match (reading.place.line, reading.last_line) {
                (first, last) if first == last => first.to_string(),
                (first, last) => format!("{first}-{last}"),
            };
            let node = |at: usize| &settled.nodes[at];
            let words = match reading.read_as {
                ReadAs::Node(at) => as_node(node(at)),
                ReadAs::Description(at) => format!("description of {}", node(at).id),
                ReadAs::Test(at) => format!("test command of {}", node(at).id),
                ReadAs::Needs => "dependencies".to_owned(),
                ReadAs::Other(words) => words.to_owned(),
            };
            _ = writeln!(out, "{}:{lines}: {words}", source.path);
        }
        not_read(&mut out, &source, next, u32::MAX);
    }
    for node in &settled.nodes {
        for link in &node.depends_on {
            let path = sources.get(link.place.file).map_or("", |source| source.path.as_str());
            let why = match link.why {
                Why::Stated => "the source says so",
                Why::TaskOrder => "the tasks are in order",
                Why::PhaseOrder => "the phases are in order",
            };
            let on = &settled.nodes[link.on].id;
            _ = writeln!(out, "{} depends on {on}: {why} ({path}:{})", node.id, link.place.line);
        }
    }
    out
}

fn as_node(node: &SettledNode) -> String {
    let kind = match (node.is_leaf(), node.parent) {
        (true, _) => "task",
        (false, None) => "phase",
        (false, Some(_)) => "group",
    };
    let derived = if node.is_derived { ", with an id derived from its name" } else { "" };
    format!("{kind} {}{derived}: {}", node.id, node.name)
}

/// Adds the lines from `first` up to `end` that have text, without `end`: they were not read.
fn not_read(out: &mut String, source: &NumberedLines<'_>, first: u32, end: u32) {
    let from = (first.saturating_sub(1) as usize).min(source.lines.len());
    let to = (end.saturating_sub(1) as usize).clamp(from, source.lines.len());
    for (number, line) in (first..).zip(&source.lines[from..to]) {
        if !line.trim().is_empty() {
            _ = writeln!(out, "{}:{number}: not a part of the plan", source.path);
        }
    }
}

/// A source, split into its lines.
struct NumberedLines<'s> {
    path: &'s str,
    lines: Vec<&'s str>,
}
