//! Shows the test commands of a tree, which the user has to read before a run executes them.

use std::collections::HashMap;
use std::fmt::Write;

use crate::plan::TaskTree;
use crate::report::screen::{Screen, Style};
use crate::text::{listed, one_line};

/// How many commands, or phases and tasks, are shown.
pub(super) const SHOWN: usize = 40;

/// The test commands of a tree, each with the nodes that it judges.
pub(super) fn of(tree: &TaskTree) -> Vec<(&str, Vec<&str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (_, node) in tree.nodes() {
        for test in &node.test_commands {
            let place = *places.entry(&test.command).or_insert_with(|| {
                commands.push((&test.command, Vec::new()));
                commands.len() - 1
            });
            commands[place].1.push(node.id.as_str());
        }
    }
    commands
}

/// The tasks without a test command.
pub(super) fn untested(tree: &TaskTree) -> Vec<&str> {
    let nodes = tree.nodes().map(|(_, node)| node);
    let untested = nodes.filter(|node| node.is_leaf() && node.test_commands.is_empty());
    untested.map(|node| node.id.as_str()).collect()
}

/// The commands for people.
pub(super) fn text(tree: &TaskTree, screen: &Screen) -> String {
    let commands = of(tree);
    let mut text = String::new();
    if commands.is_empty() {
        return text;
    }
    text.push_str("A run executes these test commands. Read them before you start it:\n");
    for (command, ids) in commands.iter().take(SHOWN) {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let command = screen.out.paint(Style::Bold, &one_line(command));
        _ = writeln!(text, "  {command}  ({})", listed(&ids));
    }
    if commands.len() > SHOWN {
        _ = writeln!(text, "  and {} more", commands.len() - SHOWN);
    }
    text
}
