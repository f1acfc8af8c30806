//! Tests the tree as a whole: which files are accepted, the errors for the others, and the properties of the tree.

mod documents;
mod files;
mod large;
mod phases;
mod properties;
mod ready;
mod rules;
mod task_fields;
mod values;

use super::{Problem, TaskTree, in_file};

/// Nodes for a file: for each, the key, and the fields besides `id` and `name`.
type Nodes<'n> = &'n [(&'n str, &'n str)];

/// A file with these nodes, one per line from line 2 on.
fn file(nodes: Nodes<'_>) -> String {
    file_with("", nodes)
}

/// The same, with `more` fields of the tree after the nodes.
fn file_with(more: &str, nodes: Nodes<'_>) -> String {
    let comma = |text: &str| if text.is_empty() { String::new() } else { format!(", {text}") };
    let lines: Vec<String> = nodes
        .iter()
        .map(|(id, fields)| format!("\"{id}\": {{\"id\": \"{id}\", \"name\": \"N\"{}}}", comma(fields)))
        .collect();
    format!("{{\"nodes\": {{\n{}}}{}}}", lines.join(",\n"), comma(more))
}

fn texts(problems: &[Problem]) -> Vec<String> {
    in_file(problems, "f")
}

/// The problems of the file, each as `f:LINE: ...`.
fn problems(json: &str) -> Vec<String> {
    match TaskTree::from_json(json.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(problems) => texts(&problems),
    }
}

fn warnings(json: &str) -> Vec<String> {
    match TaskTree::from_json(json.as_bytes()) {
        Ok(loaded) => texts(&loaded.warnings),
        Err(problems) => panic!("no tree: {problems:#?}"),
    }
}

fn tree(json: &str) -> TaskTree {
    match TaskTree::from_json(json.as_bytes()) {
        Ok(loaded) => loaded.tree,
        Err(problems) => panic!("no tree: {problems:#?}"),
    }
}

/// The ids of the execution order.
fn order(tree: &TaskTree) -> Vec<&str> {
    tree.order().iter().map(|ix| tree.node(*ix).id.as_str()).collect()
}
