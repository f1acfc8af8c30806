//! Shows how a plan was read, as text and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::notes_json;
use crate::plan::building::{ExplainedDependency, ExplainedLines, Meaning, Settled, SettledNode, explain};
use crate::plan::formats::{SourceFile, SourceNote, Why};
use crate::report::json_document;

/// How a plan was read.
#[derive(Clone, Copy)]
pub struct ExplainView<'a> {
    /// The plan.
    pub settled: &'a Settled,
    /// Its sources.
    pub sources: &'a [SourceFile],
    /// Its mistakes.
    pub problems: &'a [SourceNote],
}

impl ExplainView<'_> {
    /// One line for each range of source lines that was read as one thing, and one for each dependency.
    #[must_use]
    pub fn text(&self) -> String {
        let explanation = explain(self.settled, self.sources);
        let mut out = String::new();
        for lines in &explanation.lines {
            let range = match (lines.line, lines.last_line) {
                (first, last) if first == last => first.to_string(),
                (first, last) => format!("{first}-{last}"),
            };
            let words = match lines.meaning {
                Meaning::Node(node) => {
                    let derived = if node.is_derived() { ", with an id derived from its name" } else { "" };
                    format!("{} {}{derived}: {}", kind(node), node.id, node.read.name)
                }
                Meaning::Description(node) => format!("description of {}", node.id),
                Meaning::Test(node) => format!("test command of {}", node.id),
                Meaning::Dependencies => "dependencies".to_owned(),
                Meaning::Other(words) => words.to_owned(),
                Meaning::NotRead => "not a part of the plan".to_owned(),
            };
            _ = writeln!(out, "{}:{range}: {words}", lines.file);
        }
        for ExplainedDependency { node, on, why, file, line } in &explanation.dependencies {
            let why = match why {
                Why::Stated => "the source says so",
                Why::TaskOrder => "the tasks are in order",
                Why::PhaseOrder => "the phases are in order",
            };
            _ = writeln!(out, "{} depends on {}: {why} ({file}:{line})", node.id, on.id);
        }
        out
    }

    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        let explanation = explain(self.settled, self.sources);
        let Settled { spec_id, spec_files, recipe, warnings, .. } = self.settled;
        json_document(&json!({
            "version": 1,
            "format": recipe.format,
            "spec_id": spec_id,
            "sources": spec_files,
            "lines": explanation.lines.iter().map(lines_json).collect::<Vec<_>>(),
            "dependencies": explanation.dependencies.iter().map(dependency_json).collect::<Vec<_>>(),
            "warnings": notes_json(warnings, spec_files),
            "problems": notes_json(self.problems, spec_files),
        }))
    }
}

fn lines_json(lines: &ExplainedLines<'_>) -> Value {
    let (read_as, node, words) = match lines.meaning {
        Meaning::Node(node) => (kind(node), Some(node), None),
        Meaning::Description(node) => ("description", Some(node), None),
        Meaning::Test(node) => ("test", Some(node), None),
        Meaning::Dependencies => ("dependencies", None, None),
        Meaning::Other(words) => ("other", None, Some(words)),
        Meaning::NotRead => ("nothing", None, None),
    };
    json!({
        "file": lines.file,
        "line": lines.line,
        "last_line": lines.last_line,
        "read_as": read_as,
        "node": node.map(|node| node.id.as_str()),
        "note": words,
    })
}

fn dependency_json(dependency: &ExplainedDependency<'_>) -> Value {
    let ExplainedDependency { node, on, why, file, line } = dependency;
    json!({
        "node": node.id.as_str(),
        "on": on.id.as_str(),
        "why": match why {
            Why::Stated => "stated",
            Why::TaskOrder => "task-order",
            Why::PhaseOrder => "phase-order",
        },
        "file": file,
        "line": line,
    })
}

fn kind(node: &SettledNode) -> &'static str {
    match (node.is_leaf(), node.read.parent) {
        (true, _) => "task",
        (false, None) => "phase",
        (false, Some(_)) => "group",
    }
}
