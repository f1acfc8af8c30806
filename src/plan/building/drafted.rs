//! Makes a tree file, or the part of one below a task, from the draft of an agent. A draft is not trusted: only
//! the fields that belong to a task are taken, and the result is checked like every tree.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::super::TaskTree;
use super::super::problem::{Problems, shown};
use super::tree_file::pretty;

/// The draft of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftedPlan {
    spec_id: Option<String>,
    nodes: Vec<Map<String, Value>>,
}

/// The fields that an agent may write.
const FIELDS: [&str; 9] =
    ["id", "name", "description", "parent", "depends_on", "test_commands", "touches", "labels", "gate"];

/// How many nodes a draft may have.
const MOST: usize = 2_000;

impl DraftedPlan {
    /// Finds the draft in the answer of an agent: one JSON object with a field `nodes`.
    ///
    /// # Errors
    /// What is wrong with the answer, in sentences for the agent.
    pub fn find(answer: &str) -> Result<Self, Vec<String>> {
        let mut fault = "Your answer has no JSON object with a field \"nodes\".".to_owned();
        for text in candidates(answer) {
            match serde_json::from_str::<Value>(text) {
                Ok(Value::Object(object)) if object.contains_key("nodes") => return Self::of(object),
                Err(error) if text.trim_start().starts_with('{') => {
                    fault = format!("The JSON in your answer cannot be read: {error}.");
                }
                _ => {}
            }
        }
        Err(vec![fault])
    }

    fn of(mut object: Map<String, Value>) -> Result<Self, Vec<String>> {
        let spec_id = object.get("spec_id").and_then(Value::as_str).map(str::to_owned);
        let items: Vec<Value> = match object.remove("nodes") {
            Some(Value::Array(items)) => items,
            Some(Value::Object(nodes)) => nodes.into_iter().map(|(_, node)| node).collect(),
            _ => return Err(vec!["\"nodes\" must be a list of objects.".to_owned()]),
        };
        let mut problems = Vec::new();
        let mut seen = HashSet::new();
        let mut nodes = Vec::new();
        if items.is_empty() {
            problems.push("\"nodes\" is empty, so the plan has no tasks.".to_owned());
        }
        if items.len() > MOST {
            return Err(vec![format!("The plan has more than {MOST} tasks and phases. Write fewer.")]);
        }
        for (at, item) in items.into_iter().enumerate() {
            let Value::Object(mut item) = item else {
                problems.push(format!("Entry {} of \"nodes\" is not an object.", at + 1));
                continue;
            };
            let Some(id) = item.get("id").and_then(Value::as_str).map(str::to_owned) else {
                problems.push(format!("Entry {} of \"nodes\" has no id. Give it one, as a text.", at + 1));
                continue;
            };
            if !seen.insert(id.to_lowercase()) {
                let id = shown(&id);
                problems.push(format!("Two entries have the id {id}, or ids that differ only in case."));
            }
            item.retain(|field, value| FIELDS.contains(&field.as_str()) && !value.is_null());
            // A command without a type is what agents write most often.
            if let Some(Value::Array(commands)) = item.get_mut("test_commands") {
                for command in commands.iter_mut().filter(|command| command.is_string()) {
                    *command = json!({"type": "unit", "command": command.take()});
                }
            }
            nodes.push(item);
        }
        if problems.is_empty() { Ok(Self { spec_id, nodes }) } else { Err(problems) }
    }

    /// The text of a tree file with this plan.
    ///
    /// # Errors
    /// All problems of the tree.
    pub fn to_tree(&self, spec_id: &str, planner: &str) -> Result<String, Problems> {
        let spec_id = self.spec_id.as_deref().filter(|id| !id.trim().is_empty()).unwrap_or(spec_id);
        let file = json!({
            "spec_id": spec_id,
            "nodes": linked(&self.nodes),
            "root_ids": [],
            "execution_order": [],
            "spec_files": [],
            "built": {"planner": planner},
        });
        finished(file)
    }

    /// The text of an existing tree file in which the nodes of this draft are below a task.
    ///
    /// # Errors
    /// Sentences for the agent about everything that is wrong with the draft, or with the tree.
    pub fn below(&self, existing: &str, task: &str) -> Result<String, Vec<String>> {
        let Ok(mut file @ Value::Object(_)) = serde_json::from_str(existing.trim_start_matches('\u{feff}'))
        else {
            return Err(vec!["The file of the plan is not an object.".to_owned()]);
        };
        let Some(Value::Object(nodes)) = file.get_mut("nodes") else {
            return Err(vec!["The plan has no tasks.".to_owned()]);
        };
        let own = self.nodes_below(task, nodes)?;
        let Some(Value::Object(parent)) = nodes.get_mut(task) else {
            return Err(vec![format!("The plan has no task {task}.")]);
        };
        let is_root = parent.get("parent").is_none_or(Value::is_null);
        let commands = parent.get("test_commands").cloned();
        if !is_root && parent.contains_key("test_commands") {
            parent.insert("test_commands".to_owned(), json!([]));
        }
        let added = linked(&own);
        let children = added.iter().filter(|(_, node)| node["parent"] == task).map(|(id, _)| id.as_str());
        parent.insert("children".to_owned(), children.collect());
        parent.insert("is_leaf".to_owned(), Value::Bool(false));
        let new: Vec<String> = added.keys().cloned().collect();
        nodes.extend(added);
        let plain = |problems: Problems| -> Vec<String> {
            problems.listed().iter().map(ToString::to_string).collect()
        };
        let text = finished(file.clone()).map_err(plain)?;
        // Test commands of a phase run when all its tasks are complete, but those of other nodes with tasks below them
        // would never run: the last of the new tasks takes them over.
        match commands {
            Some(Value::Array(commands)) if !is_root && !commands.is_empty() => {
                test_last(&mut file, &text, &new, commands);
                finished(file).map_err(plain)
            }
            _ => Ok(text),
        }
    }

    /// The nodes of this draft, below a task of a plan with these nodes.
    fn nodes_below(
        &self,
        task: &str,
        nodes: &Map<String, Value>,
    ) -> Result<Vec<Map<String, Value>>, Vec<String>> {
        let mut own = self.nodes.clone();
        let mut problems = Vec::new();
        for node in &mut own {
            let id = node.get("id").and_then(Value::as_str).unwrap_or_default();
            if nodes.keys().any(|other| other.eq_ignore_ascii_case(id)) {
                problems.push(format!("The plan already has the id {}. Choose another one.", shown(id)));
            }
            node.entry("parent").or_insert_with(|| Value::from(task));
        }
        if problems.is_empty() { Ok(own) } else { Err(problems) }
    }
}

/// Gives commands to the last of the new tasks, which then waits for all others.
fn test_last(file: &mut Value, text: &str, new: &[String], commands: Vec<Value>) {
    let Ok(loaded) = TaskTree::from_json(text.as_bytes()) else { return };
    let tree = loaded.tree;
    let is_new = |id: &str| new.iter().any(|new| new == id);
    let order: Vec<&str> = tree.order().iter().map(|ix| tree.node(*ix).id.as_str()).collect();
    let order: Vec<&str> = order.into_iter().filter(|id| is_new(id)).collect();
    let Some((last, others)) = order.split_last() else { return };
    let Some(Value::Object(nodes)) = file.get_mut("nodes") else { return };
    let Some(Value::Object(node)) = nodes.get_mut(*last) else { return };
    let list = |node: &Map<String, Value>, field: &str| -> Vec<Value> {
        node.get(field).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let mut tests = list(node, "test_commands");
    tests.extend(commands.into_iter().filter(|command| !list(node, "test_commands").contains(command)));
    let mut needs = list(node, "depends_on");
    needs
        .extend(others.iter().map(|id| Value::from(*id)).filter(|id| !list(node, "depends_on").contains(id)));
    node.insert("test_commands".to_owned(), Value::Array(tests));
    node.insert("depends_on".to_owned(), Value::Array(needs));
}

/// The nodes by their ids, with their children.
fn linked(nodes: &[Map<String, Value>]) -> Map<String, Value> {
    fn text<'n>(node: &'n Map<String, Value>, field: &str) -> &'n str {
        node.get(field).and_then(Value::as_str).unwrap_or_default()
    }
    let mut children: HashMap<&str, Vec<&str>> = HashMap::new();
    for node in nodes {
        children.entry(text(node, "parent")).or_default().push(text(node, "id"));
    }
    let with_children = |node: &Map<String, Value>| {
        let id = text(node, "id").to_owned();
        let children = children.get(id.as_str()).cloned().unwrap_or_default();
        let mut node = node.clone();
        node.entry("parent").or_insert(Value::Null);
        node.insert("is_leaf".to_owned(), Value::Bool(children.is_empty()));
        node.insert("children".to_owned(), Value::from(children));
        (id, Value::Object(node))
    };
    nodes.iter().map(with_children).collect()
}

/// The text of a tree file, with its roots and its order.
fn finished(mut file: Value) -> Result<String, Problems> {
    let tree = TaskTree::from_json(pretty(&file).as_bytes())?.tree;
    let id = |ix: &super::super::NodeIx| Value::from(tree.node(*ix).id.as_str());
    file["root_ids"] = tree.roots().iter().map(id).collect();
    file["execution_order"] = tree.order().iter().map(id).collect();
    Ok(pretty(&file))
}

/// The parts of an answer that may be the draft, the likeliest first: the whole answer, the fenced blocks from the last
/// one on, and everything between the first and the last brace.
fn candidates(answer: &str) -> Vec<&str> {
    let mut found = vec![answer.trim()];
    let mut fences = Vec::new();
    let mut at = 0;
    for line in answer.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            fences.push((at, at + line.len()));
        }
        at += line.len();
    }
    found.extend(fences.windows(2).rev().filter_map(|pair| answer.get(pair[0].1..pair[1].0)));
    if let (Some(first), Some(last)) = (answer.find('{'), answer.rfind('}'))
        && first < last
    {
        found.push(&answer[first..=last]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: &str = r#"{"nodes": [
        {"id": "p1", "name": "Part"},
        {"id": "T1", "name": "One", "parent": "p1", "test_commands": ["make one"], "runner": "evil"},
        {"id": "T2", "name": "Two", "parent": "p1", "depends_on": ["T1"]}]}"#;

    fn nodes(text: &str) -> Value {
        serde_json::from_str::<Value>(text).unwrap()["nodes"].clone()
    }

    #[test]
    fn the_draft_is_found_whatever_is_around_it() {
        for answer in [
            NODES.to_owned(),
            format!("Here it is:\n\n```json\n{NODES}\n```\n"),
            format!("```\n{{\"a\": 1}}\n```\nand\n~~~\n```json\n{NODES}\n```\nDone. {{ok}}"),
            format!("I wrote {NODES} for you."),
        ] {
            let draft = DraftedPlan::find(&answer).unwrap();
            assert_eq!(draft.nodes.len(), 3, "{answer}");
        }
        for (answer, words) in [
            ("I cannot do that.", "no JSON object"),
            ("{\"nodes\": [", "cannot be read"),
            ("{\"nodes\": 5}", "must be a list"),
            ("{\"nodes\": []}", "is empty"),
            ("{\"nodes\": [1, {\"name\": \"A\"}]}", "Entry 1 of \"nodes\" is not an object"),
            ("{\"nodes\": [{\"id\": \"a\"}, {\"id\": \"A\"}]}", "differ only in case"),
        ] {
            let problems = DraftedPlan::find(answer).unwrap_err().join(" ");
            assert!(problems.contains(words), "{answer}: {problems}");
        }
    }

    #[test]
    fn a_draft_becomes_a_tree_with_the_fields_of_tasks_alone() {
        let text = DraftedPlan::find(NODES).unwrap().to_tree("plan", "mine").unwrap();
        let tree = TaskTree::from_json(text.as_bytes()).unwrap().tree;
        assert_eq!((tree.spec_id(), tree.order().len()), (Some("plan"), 2));
        let nodes = nodes(&text);
        assert_eq!(nodes["p1"]["children"], json!(["T1", "T2"]));
        assert_eq!(nodes["T1"]["test_commands"], json!([{"type": "unit", "command": "make one"}]));
        assert!(!text.contains("evil"), "{text}");
        let wrong = NODES.replace("\"T1\"]", "\"T9\"]");
        let problems = DraftedPlan::find(&wrong).unwrap().to_tree("plan", "mine").unwrap_err();
        assert!(problems.listed()[0].what.contains("T9"), "{problems:?}");
    }

    #[test]
    fn subtasks_take_over_the_links_and_the_tests_of_their_task() {
        let tree = r#"{"spec_id": "x", "mine": 1, "nodes": {
            "p": {"id": "p", "name": "P", "children": ["A", "B"]},
            "A": {"id": "A", "name": "A", "parent": "p", "test_commands": [{"type": "unit", "command": "make a"}]},
            "B": {"id": "B", "name": "B", "parent": "p", "depends_on": ["A"]}}}"#;
        let draft =
            r#"{"nodes": [{"id": "A.1", "name": "One"}, {"id": "A.2", "name": "Two", "parent": "A"}]}"#;
        let text = DraftedPlan::find(draft).unwrap().below(tree, "A").unwrap();
        let nodes = nodes(&text);
        assert_eq!(nodes["A"]["children"], json!(["A.1", "A.2"]));
        assert_eq!(nodes["A"]["test_commands"], json!([]));
        assert_eq!(nodes["A.2"]["test_commands"], json!([{"type": "unit", "command": "make a"}]));
        assert_eq!(nodes["A.2"]["depends_on"], json!(["A.1"]));
        assert_eq!(nodes["B"]["depends_on"], json!(["A"]));
        let file: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(file["execution_order"], json!(["A.1", "A.2", "B"]));
        assert_eq!(file["mine"], 1);
        for (draft, words) in [
            (r#"{"nodes": [{"id": "b", "name": "One"}]}"#, "already has the id b"),
            (r#"{"nodes": [{"id": "A.1", "name": "One", "depends_on": ["B"]}]}"#, "cycle"),
            (r#"{"nodes": [{"id": "A.1", "name": "One", "depends_on": ["A"]}]}"#, "A"),
        ] {
            let problems = DraftedPlan::find(draft).unwrap().below(tree, "A").unwrap_err().join(" ");
            assert!(problems.contains(words), "{draft}: {problems}");
        }
    }
}
