//! Shows what `build` has made of a plan.

mod commands;
mod draft;
mod json;

use std::fmt::Write;

use super::screen::Screen;
use super::text::first_few;
use crate::plan::building::{MergedPlan, NodeFields, Settled};
use crate::plan::formats::{Format, ImportedId, SourceNote};
use crate::plan::{Expect, TaskTree};
use crate::text::{counted, listed, one_line};

pub use draft::DraftView;

/// A plan that was built.
#[derive(Clone, Copy)]
pub struct BuildView<'a> {
    /// The plan.
    pub settled: &'a Settled,
    /// The warnings about its sources.
    pub doubts: &'a [SourceNote],
    /// The tree file.
    pub file: &'a str,
    /// The tree; `None` if the plan has mistakes.
    pub tree: Option<&'a TaskTree>,
    /// The changes to an existing tree file.
    pub merged: Option<&'a MergedPlan>,
}

/// What was done with the tree file.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildOutcome<'a> {
    /// Whether the file had this content before.
    pub was_current: bool,
    /// Whether the file was written.
    pub written: bool,
    /// The id of the commit that was made.
    pub commit: Option<&'a str>,
}

impl BuildView<'_> {
    /// What was written, what changed, and which commands a run will execute.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let (tasks, phases) = self.counts();
        let mut text = format!("{}: {}", self.file, counted(tasks, "task"));
        if phases > 0 {
            _ = write!(text, " in {}", counted(phases, "phase"));
        }
        let Settled { spec_files, recipe, .. } = self.settled;
        let from = if spec_files.len() > 3 {
            first_few(spec_files.iter().map(AsRef::as_ref))
        } else {
            listed(spec_files)
        };
        _ = writeln!(text, " from {from} ({})", recipe.format);
        text.push_str(&self.read_text());
        text.push_str(&self.changes());
        let derived = self.derived().count();
        // Those of a checklist are short ones in its order.
        if derived > 0 && recipe.format != Format::Checklist.row().name {
            let verb = if derived == 1 {
                "has an id that is derived from its name"
            } else {
                "have ids that are derived from their names"
            };
            _ = writeln!(text, "{} {verb}", counted(derived, "task"));
        }
        text.push_str(&self.kinds_text());
        if let Some(tree) = self.tree {
            text.push_str(&commands::text(tree, screen));
        }
        text
    }

    /// The phases and tasks with the lines on which they were read; empty for an update, which names what has changed.
    fn read_text(&self) -> String {
        let Settled { nodes, spec_files, .. } = self.settled;
        if self.merged.is_some() {
            return String::new();
        }
        let mut text = String::new();
        for node in nodes {
            let file = spec_files.get(node.read.place.file).map_or("", String::as_str);
            let (line, name) = (node.read.place.line, one_line(&node.read.name));
            _ = writeln!(text, "  {}:{line}  {} {name}", one_line(file), node.id);
        }
        text
    }

    /// Whether the file is up to date.
    #[must_use]
    pub fn check_text(&self, is_current: bool) -> String {
        if is_current {
            return format!("{} is up to date\n", self.file);
        }
        let changes = match self.changes() {
            _ if self.merged.is_none() => "it does not exist yet\n".to_owned(),
            none if none.is_empty() => "only the lines of tasks in the sources have changed\n".to_owned(),
            changes => changes,
        };
        format!("{} is not up to date\n{changes}", self.file)
    }

    /// The numbers of tasks and of phases in the sources.
    fn counts(&self) -> (usize, usize) {
        let is_phase = |node: &&_| {
            let node: &crate::plan::building::SettledNode = node;
            node.read.parent.is_none() && !node.is_leaf
        };
        (self.settled.tasks().count(), self.settled.nodes.iter().filter(is_phase).count())
    }

    /// For each kind of change but the usual one, the tasks of the tree that make it.
    fn kinds(&self) -> impl Iterator<Item = (Expect, Vec<String>)> {
        let kinds = Expect::ALL.into_iter().filter(|kind| *kind != Expect::default());
        let of_kind = |kind| {
            let tree = self.tree?;
            let leaves = tree.order().iter().filter(|leaf| tree.expect(**leaf) == kind);
            let ids: Vec<String> = leaves.map(|leaf| tree.node(*leaf).id.to_string()).collect();
            (!ids.is_empty()).then_some((kind, ids))
        };
        kinds.filter_map(of_kind)
    }

    /// One sentence on the tasks that do not change behaviour; empty if all do.
    fn kinds_text(&self) -> String {
        let does = |(kind, ids): (Expect, Vec<String>)| {
            let (one, several, what) = match kind {
                Expect::Change => ("changes", "change", " behaviour"),
                Expect::Refactor => ("refactors", "refactor", ""),
                Expect::Tests => ("writes", "write", " tests"),
                Expect::Docs => ("writes", "write", " documentation"),
                Expect::Config => ("sets", "set", " up the environment"),
            };
            format!("{} {}{what}", listed(&ids), if ids.len() == 1 { one } else { several })
        };
        let named: Vec<String> = self.kinds().map(does).collect();
        match named.as_slice() {
            [] => String::new(),
            named => format!("As the plan reads: {}\n", named.join("; ")),
        }
    }

    /// The tasks whose ids are derived from their names.
    fn derived(&self) -> impl Iterator<Item = &str> {
        self.settled.tasks().filter(|node| node.read.id == ImportedId::Derived).map(|node| node.id.as_str())
    }

    fn changes(&self) -> String {
        let Some(merged) = self.merged else { return String::new() };
        let with_fields = |nodes: &[NodeFields]| -> Vec<String> {
            let name = |id: &str| id.replace("(plan)", "the plan");
            nodes.iter().map(|node| format!("{} ({})", name(&node.id), node.fields.join(", "))).collect()
        };
        let lists = [
            ("added", merged.added.clone()),
            ("changed", with_fields(&merged.changed)),
            ("removed", merged.removed.clone()),
            ("left out, because it was deleted by hand", merged.deleted.clone()),
            ("kept as edited by hand, although the source has changed", with_fields(&merged.kept)),
        ];
        let lines = lists.iter().filter(|(_, ids)| !ids.is_empty());
        lines.map(|(words, ids)| format!("{words}: {}\n", listed(ids))).collect()
    }
}
