//! Shows a tree that an agent has drafted.

use std::fmt::Write;

use super::commands;
use crate::plan::{Node, NodeIx, TaskTree};
use crate::report::screen::Screen;
use crate::text::{counted, one_line};

/// A tree that an agent has drafted.
#[derive(Clone, Copy, Debug)]
pub struct DraftView<'a> {
    /// The tree file.
    pub file: &'a str,
    /// The tree.
    pub tree: &'a TaskTree,
    /// The task that was split; `None` if the whole tree was drafted.
    pub split: Option<&'a str>,
    /// The runner that has drafted it.
    pub planner: &'a str,
}

impl DraftView<'_> {
    /// All new nodes, and which commands a run will execute.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let Self { file, tree, split, planner } = self;
        let first = split.and_then(|id| tree.find(id));
        let is_new = |ix: NodeIx| first.is_none_or(|first| tree.ancestors(ix).any(|above| above == first));
        let nodes: Vec<(NodeIx, &Node)> = tree.nodes().filter(|(ix, _)| is_new(*ix)).collect();
        let tasks = nodes.iter().filter(|(_, node)| node.is_leaf()).count();
        let place = split.map(|id| format!(" below {id}")).unwrap_or_default();
        let mut text = format!("{file}: {}{place}, drafted by {planner}\n", counted(tasks, "task"));
        let base = first.map_or(0, |first| tree.node(first).depth + 1);
        for (_, node) in nodes {
            let indent = "  ".repeat(node.depth - base + 1);
            _ = writeln!(text, "{indent}{} {}", node.id, one_line(&node.name));
        }
        text.push_str(&commands::text(tree, screen));
        text
    }
}
