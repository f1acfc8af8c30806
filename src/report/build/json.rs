//! What `build --json` prints.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{BuildOutcome, BuildView, commands};
use crate::plan::building::{MergedPlan, NodeFields, Settled};
use crate::plan::formats::SourceNote;
use crate::report::json::{Printed, json_document};

/// A plan that was built, or that `--check` compared with its tree file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    /// The tree file.
    file: &'a str,
    /// The name of the format of the sources.
    format: &'a str,
    /// The name of the plan.
    spec_id: &'a str,
    /// The files from which the plan was read.
    sources: &'a [String],
    /// Whether the tree file was up to date before.
    current: bool,
    /// Whether the tree file was written.
    written: bool,
    /// The id of the commit that `--commit` made; `None` if there is none.
    commit: Option<&'a str>,
    /// How many tasks the sources have.
    tasks: usize,
    /// How many phases the sources have.
    phases: usize,
    /// The nodes that are new in the tree file. Empty if there was no tree file.
    added: &'a [String],
    /// The nodes that have changed, with the fields that were taken from the sources.
    changed: Vec<Fields<'a>>,
    /// The nodes with fields that the sources have changed, but that were kept because they had been edited by hand.
    kept: Vec<Fields<'a>>,
    /// The nodes that are no longer in the sources.
    removed: &'a [String],
    /// The tasks whose ids are derived from their names.
    derived: Vec<&'a str>,
    /// The tasks that make another kind of change than `change`, by the kind.
    #[cfg_attr(test, schemars(extend("propertyNames" = {"enum": ["refactor", "tests", "docs", "config"]})))]
    kinds: BTreeMap<&'static str, Vec<String>>,
    /// The test commands of the tree. A run executes them.
    commands: Vec<Command<'a>>,
    /// The tasks without a test command.
    untested: Vec<&'a str>,
    /// What is doubtful in the sources.
    warnings: Vec<Note<'a>>,
    /// The mistakes in the sources. If there are any, nothing was written, and the exit status is 2.
    problems: Vec<Note<'a>>,
}

/// A node and some of its fields.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Fields<'a> {
    /// The id of the node, or `(plan)` for fields of the whole plan.
    id: &'a str,
    /// The names of the fields.
    fields: &'a [String],
}

/// A test command.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Command<'a> {
    /// The shell command.
    command: &'a str,
    /// The nodes that it judges.
    nodes: Vec<&'a str>,
}

/// A note about a line of a source.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Note<'a> {
    /// The source; `None` if the note concerns none of them.
    file: Option<&'a str>,
    /// The line.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u32,
    /// What it is.
    message: &'a str,
    /// What to do about it; may be empty.
    help: &'a str,
}

impl BuildView<'_> {
    /// One JSON document.
    #[must_use]
    pub fn json(&self, outcome: BuildOutcome<'_>) -> String {
        let (tasks, phases) = self.counts();
        let Settled { spec_id, spec_files, recipe, problems, .. } = self.settled;
        let ids = |list: fn(&MergedPlan) -> &Vec<String>| self.merged.map_or(&[][..], |merged| list(merged));
        let fields = |list: fn(&MergedPlan) -> &Vec<NodeFields>| {
            let nodes = self.merged.map(list).into_iter().flatten();
            nodes.map(|node| Fields { id: &node.id, fields: &node.fields }).collect()
        };
        let commands = self.tree.map(commands::of).unwrap_or_default().into_iter();
        let document = Document {
            file: self.file,
            format: &recipe.format,
            spec_id,
            sources: spec_files,
            current: outcome.was_current,
            written: outcome.written,
            commit: outcome.commit,
            tasks,
            phases,
            added: ids(|merged| &merged.added),
            changed: fields(|merged| &merged.changed),
            kept: fields(|merged| &merged.kept),
            removed: ids(|merged| &merged.removed),
            derived: self.derived().collect(),
            kinds: self.kinds().map(|(kind, ids)| (kind.word(), ids)).collect(),
            commands: commands.map(|(command, nodes)| Command { command, nodes }).collect(),
            untested: self.tree.map(commands::untested).unwrap_or_default(),
            warnings: notes(self.doubts, spec_files),
            problems: notes(problems, spec_files),
        };
        json_document(&Printed::new("build", &document))
    }
}

/// Notes about sources, with the paths of these.
fn notes<'a>(notes: &'a [SourceNote], paths: &'a [String]) -> Vec<Note<'a>> {
    let one = |note: &'a SourceNote| Note {
        file: paths.get(note.place.file).map(String::as_str),
        line: note.place.line,
        message: &note.what,
        help: &note.remedy,
    };
    notes.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("build", "git arborist build --json");
    }
}
