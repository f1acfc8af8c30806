//! Makes a tree file, or the part of one below a task, from the draft of an agent. A draft is not trusted: only
//! the fields that belong to a task are taken, and the result is checked like every tree.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, to_value};

use super::super::TaskTree;
use super::super::json::is_empty;
use super::super::problem::{Problem, same_ids, shown};
use super::settled::Recipe;
use super::tree_file::{BuildRecord, WrittenFile, WrittenNode, WrittenTest, finished, object};

/// The draft of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftedPlan {
    spec_id: Option<String>,
    nodes: Vec<Map<String, Value>>,
}

/// The fields that an agent may write.
const FIELDS: &str =
    "id|name|description|acceptance|expect|parent|depends_on|test_commands|touches|labels|gate";

/// How many nodes a draft may have.
const MOST: usize = 2_000;

impl DraftedPlan {
    /// Finds the draft in the answer of an agent: one JSON object with a field `nodes`.
    ///
    /// # Errors
    /// What is wrong with the answer, in sentences for the agent.
    pub fn find(answer: &str) -> Result<Self, Vec<String>> {
        let mut fault = "Your answer has no JSON object with a field \"nodes\".".to_owned();
        // The last one counts, whatever is around it.
        for (at, _) in answer.rmatch_indices('{') {
            match serde_json::Deserializer::from_str(&answer[at..]).into_iter().next() {
                Some(Ok(Value::Object(object))) if object.contains_key("nodes") => return Self::of(object),
                Some(Err(error))
                    if answer[..at].trim_end().is_empty() || answer[..at].ends_with("```json\n") =>
                {
                    fault = format!("The JSON in your answer cannot be read: {error}.");
                }
                _ => {}
            }
        }
        Err(vec![fault])
    }

    /// The question in an answer that is a document of the schema of plans; `None` if it has none.
    pub fn question(answer: &[u8]) -> Option<String> {
        let document: Value = serde_json::from_slice(answer).ok()?;
        document["question"].as_str().filter(|question| !question.trim().is_empty()).map(str::to_owned)
    }

    fn of(mut object: Map<String, Value>) -> Result<Self, Vec<String>> {
        let items: Vec<Value> = match object.remove("nodes") {
            Some(Value::Array(items)) => items,
            Some(Value::Object(nodes)) => nodes.into_iter().map(|(_, node)| node).collect(),
            _ => return Err(vec!["\"nodes\" must be a list of objects.".to_owned()]),
        };
        match items.len() {
            0 => return Err(vec!["\"nodes\" is empty, so the plan has no tasks.".to_owned()]),
            1..=MOST => {}
            _ => return Err(vec![format!("The plan has more than {MOST} tasks and phases. Write fewer.")]),
        }
        let (mut problems, mut seen, mut nodes) = (Vec::new(), HashMap::new(), Vec::new());
        for (at, item) in (1..).zip(items) {
            let Value::Object(mut item) = item else {
                problems.push(format!("Entry {at} of \"nodes\" is not an object."));
                continue;
            };
            let Some(id) = item.get("id").and_then(Value::as_str) else {
                problems.push(format!("Entry {at} of \"nodes\" has no id. Give it one, as a text."));
                continue;
            };
            if let Some(first) = seen.insert(id.to_lowercase(), id.to_owned()) {
                problems.push(format!("Entry {at}: {}.", same_ids(&first, id, None)));
            }
            // An agent that must write every field leaves some of them empty.
            item.retain(|field, value| FIELDS.split('|').any(|known| known == field) && !is_empty(value));
            // A command without a type is what agents write most often.
            let commands = item.get_mut("test_commands").and_then(Value::as_array_mut).into_iter().flatten();
            for command in commands {
                if let Some(text) = command.as_str() {
                    *command = to_value(WrittenTest::unit(text)).expect("texts can always be written");
                }
            }
            nodes.push(item);
        }
        let spec_id = object.get("spec_id").and_then(Value::as_str).map(str::to_owned);
        if problems.is_empty() { Ok(Self { spec_id, nodes }) } else { Err(problems) }
    }

    /// The text of a tree file with this plan.
    ///
    /// # Errors
    /// All problems of the tree.
    pub fn to_tree(&self, spec_id: &str, planner: &str) -> Result<String, Vec<String>> {
        let spec_id = self.spec_id.as_deref().filter(|id| !id.trim().is_empty()).unwrap_or(spec_id);
        let recipe = Recipe { planner: Some(planner.to_owned()), ..Recipe::default() };
        let built = BuildRecord { recipe, ..BuildRecord::default() };
        let nodes = by_id(&self.nodes);
        finished(WrittenFile { spec_id, nodes, built, ..WrittenFile::default() })
            .map_err(|problems| sentences(&problems))
    }

    /// The text of an existing tree file in which the nodes of this draft are below a task.
    ///
    /// # Errors
    /// Sentences for the agent about everything that is wrong with the draft, or with the tree.
    pub fn below(&self, existing: &str, task: &str) -> Result<String, Vec<String>> {
        let before = TaskTree::from_json(existing.as_bytes()).map_err(|problems| sentences(&problems))?.tree;
        let is_root = before.find(task).is_none_or(|ix| before.node(ix).parent.is_none());
        let mut file = object(existing);
        let Some(Value::Object(nodes)) = file.get_mut("nodes") else {
            return Err(vec!["The plan has no tasks.".to_owned()]);
        };
        let is_taken =
            |node: &&Map<String, Value>| nodes.keys().any(|id| id.eq_ignore_ascii_case(id_of(node)));
        let taken = self.nodes.iter().filter(is_taken).map(|node| shown(id_of(node)));
        let taken: Vec<String> =
            taken.map(|id| format!("The plan already has the id {id}. Choose another one.")).collect();
        if !taken.is_empty() {
            return Err(taken);
        }
        let Some(Value::Object(parent)) = nodes.get_mut(task) else {
            return Err(vec![format!("The plan has no task {task}.")]);
        };
        // Its links are written anew.
        parent.insert("children".to_owned(), Value::Null);
        // Test commands of a phase run when all its tasks are complete, but those of other nodes with tasks below them
        // would never run: the last of the new tasks takes them over.
        let commands = if is_root { Vec::new() } else { std::mem::take(list_in(parent, "test_commands")) };
        let mut added = by_id(&self.nodes);
        for node in added.values_mut().filter_map(Value::as_object_mut) {
            node.entry("parent").or_insert_with(|| task.into());
        }
        let new: HashSet<String> = added.keys().cloned().collect();
        nodes.extend(added);
        file.insert("execution_order".to_owned(), Value::Null);
        let text = finished(file.clone()).map_err(|problems| sentences(&problems))?;
        if commands.is_empty() {
            return Ok(text);
        }
        let tree = TaskTree::from_json(text.as_bytes()).map_err(|problems| sentences(&problems))?.tree;
        let mut order: Vec<&str> = tree.order().iter().map(|ix| tree.node(*ix).id.as_str()).collect();
        order.retain(|id| new.contains(*id));
        let last = order.pop().unwrap_or_default();
        if let Some(Value::Object(last)) = file["nodes"].get_mut(last) {
            add(list_in(last, "test_commands"), commands);
            add(list_in(last, "depends_on"), order.into_iter().map(Value::from));
        }
        finished(file).map_err(|problems| sentences(&problems))
    }
}

/// The text of an existing tree file with one more task at the end of its last phase, and the id that it gets: `KIND-N`.
///
/// # Errors
/// All problems of the tree.
pub(crate) fn with_task_at_end(
    existing: &str,
    kind: &str,
    task: WrittenNode<'_>,
) -> Result<(String, String), Vec<Problem>> {
    let tree = TaskTree::from_json(existing.as_bytes())?.tree;
    let number = (1..).find(|number| {
        let id = format!("{kind}-{number}");
        tree.nodes().all(|(_, node)| !node.id.as_str().eq_ignore_ascii_case(&id))
    });
    let id = format!("{kind}-{}", number.expect("a plan has fewer tasks than there are numbers"));
    let phase = tree.roots().last().filter(|root| !tree.is_leaf(**root));
    let parent = phase.map(|phase| tree.node(*phase).id.as_str());
    let mut file = object(existing);
    if let Some(Value::Object(nodes)) = file.get_mut("nodes") {
        if let Some(phase) = parent.and_then(|parent| nodes.get_mut(parent)) {
            phase["children"] = Value::Null;
        }
        nodes.insert(id.clone(), WrittenNode { id: &id, parent, ..task }.value());
    }
    file.extend(["root_ids", "execution_order"].map(|follows| (follows.to_owned(), Value::Null)));
    Ok((finished(file)?, id))
}

fn sentences(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

fn id_of(node: &Map<String, Value>) -> &str {
    node.get("id").and_then(Value::as_str).unwrap_or_default()
}

/// The list in a field of a node, which may be a new one.
fn list_in<'n>(node: &'n mut Map<String, Value>, field: &str) -> &'n mut Vec<Value> {
    let value = node.entry(field).or_insert(Value::Null);
    if !value.is_array() {
        *value = Value::Array(Vec::new());
    }
    value.as_array_mut().expect("it is a list now")
}

fn add(list: &mut Vec<Value>, more: impl IntoIterator<Item = Value>) {
    let new: Vec<Value> = more.into_iter().filter(|item| !list.contains(item)).collect();
    list.extend(new);
}

fn by_id(nodes: &[Map<String, Value>]) -> Map<String, Value> {
    nodes.iter().map(|node| (id_of(node).to_owned(), Value::Object(node.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        assert!(problems[0].contains("T9"), "{problems:?}");
    }

    #[test]
    fn subtasks_take_over_the_links_and_the_tests_of_their_task() {
        let tree = r#"{"spec_id": "x", "mine": 1, "nodes": {
            "p": {"id": "p", "name": "P", "children": ["A", "B"]},
            "A": {"id": "A", "name": "A", "test_commands": [{"type": "unit", "command": "make a"}]},
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
