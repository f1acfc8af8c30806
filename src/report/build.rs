//! Shows what `build` has made of a plan.

use std::collections::HashMap;
use std::fmt::Write;

use super::{Screen, Style};
use crate::plan::building::{Merged, Settled};
use crate::text::{listed, one_line};

/// A plan that was built.
#[derive(Clone, Copy)]
pub struct BuildView<'a> {
    /// The plan.
    pub settled: &'a Settled,
    /// The format of the sources.
    pub format: &'a str,
    /// The tree file.
    pub file: &'a str,
    /// The changes to an existing tree file.
    pub merged: Option<&'a Merged>,
}

impl BuildView<'_> {
    /// What was written, what changed, and which commands a run will execute.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let tasks = self.settled.tasks().count();
        let phases =
            self.settled.nodes.iter().filter(|node| node.parent.is_none() && !node.is_leaf()).count();
        let mut text = format!("{}: {}", self.file, counted(tasks, "task"));
        if phases > 0 {
            _ = write!(text, " in {}", counted(phases, "phase"));
        }
        _ = writeln!(text, " from {} ({})", listed(&self.settled.spec_files), self.format);
        text.push_str(&self.changes());
        let derived = self.settled.tasks().filter(|node| node.is_derived).count();
        if derived > 0 {
            let verb = if derived == 1 {
                "has an id that is derived from its name"
            } else {
                "have ids that are derived from their names"
            };
            _ = writeln!(text, "{} {verb}", counted(derived, "task"));
        }
        text.push_str(&self.commands(screen));
        text
    }

    /// Whether the file is up to date.
    #[must_use]
    pub fn check_text(&self, is_current: bool) -> String {
        if is_current {
            return format!("{} is up to date\n", self.file);
        }
        format!("{} is not up to date\n{}", self.file, self.changes())
    }

    fn changes(&self) -> String {
        let Some(merged) = self.merged else { return String::new() };
        let lists = [("added", &merged.added), ("changed", &merged.changed), ("removed", &merged.removed)];
        let lines = lists.iter().filter(|(_, ids)| !ids.is_empty());
        lines.map(|(word, ids)| format!("{word}: {}\n", listed(ids))).collect()
    }

    /// The test commands, which the user has to read before a run executes them.
    fn commands(&self, screen: &Screen) -> String {
        const SHOWN: usize = 40;
        let mut commands: Vec<(&str, Vec<String>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for node in &self.settled.nodes {
            for command in &node.tests {
                let place = *places.entry(command).or_insert_with(|| {
                    commands.push((command, Vec::new()));
                    commands.len() - 1
                });
                commands[place].1.push(node.id.to_string());
            }
        }
        let without = self.settled.tasks().filter(|node| node.tests.is_empty()).count();
        let mut text = String::new();
        if !commands.is_empty() {
            text.push_str("A run executes these test commands. Read them before you start it:\n");
            for (command, ids) in commands.iter().take(SHOWN) {
                _ = writeln!(
                    text,
                    "  {}  ({})",
                    screen.out.paint(Style::Bold, &one_line(command)),
                    listed(ids)
                );
            }
            if commands.len() > SHOWN {
                _ = writeln!(text, "  and {} more", commands.len() - SHOWN);
            }
        }
        if without > 0 {
            let verb = if without == 1 { "has" } else { "have" };
            _ = writeln!(
                text,
                "{} {verb} no test command; `--test-command CMD` gives one to all of them",
                counted(without, "task")
            );
        }
        text
    }
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
