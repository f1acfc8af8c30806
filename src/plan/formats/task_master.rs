//! Reads `tasks.json` of Task Master: tags, tasks and subtasks.

use std::collections::HashSet;

use super::super::json::Value;
use super::imported::{ImportedId, ImportedNode, ImportedPlan, Needed, Place, Prerequisite};
use super::json_source::{JsonSource, Object};
use super::source_file::SourceFile;
use super::texts::{name_of, priority_of};
use crate::text::{advice, counted};

/// The tag that is read if there are several and the user names none.
const MAIN_TAG: &str = "master";

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, tag: Option<&str>, plan: &mut ImportedPlan) {
    let (json, document) = match JsonSource::read(source, file) {
        Ok(read) => read,
        Err(problem) => return plan.problems.push(problem),
    };
    let place = Place { file, line: 1 };
    let Some(top) = json.object(document) else {
        return plan.fault(place, "this is not a file of Task Master", "It must be an object with tasks.");
    };
    match tasks_of(&json, &top, tag) {
        Ok(Tagged { tag, tasks, left_out }) => {
            for (name, count, line) in left_out {
                let what = format!("the tag {name:?} with {} is not read", counted(count, "task"));
                let remedy = format!("{} reads it instead.", advice::build_tag(&name));
                plan.warn(Place { file, line }, what, remedy);
            }
            plan.tag = tag.filter(|tag| tag != MAIN_TAG);
            json.warn_of_dropped(&tasks, &READ, plan);
            Reader { json: &json, plan, cancelled: HashSet::new() }.tasks(&tasks);
        }
        Err((what, remedy)) => plan.fault(place, what, remedy),
    }
}

/// Tasks with the name of their tag, if they have one.
struct Tagged<'s> {
    tag: Option<String>,
    tasks: Vec<Value<'s>>,
    /// The other tags, if nobody has chosen: their names, the numbers of their tasks, and their lines.
    left_out: Vec<(String, usize, u32)>,
}

/// The tasks of the tag, or of a file without tags.
fn tasks_of<'s>(
    json: &JsonSource<'s>,
    top: &Object<'s>,
    tag: Option<&str>,
) -> Result<Tagged<'s>, (String, String)> {
    let tags: Vec<(String, Vec<Value<'s>>)> = top
        .fields()
        .filter_map(|(name, value)| Some((name, json.object(value)?.get("tasks")?.items()?)))
        .collect();
    let left_out = |taken: Option<&str>| {
        let others = tags.iter().filter(|(name, tasks)| Some(name.as_str()) != taken && !tasks.is_empty());
        let others = others.map(|(name, tasks)| (name.clone(), tasks.len(), json.place(tasks[0]).line));
        others.filter(|_| tag.is_none()).collect()
    };
    if let (None, Some(tasks)) = (tag, top.get("tasks").and_then(Value::items)) {
        return Ok(Tagged { tag: None, tasks, left_out: left_out(None) });
    }
    let names = tags.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let wanted = match (tag, tags.as_slice()) {
        (Some(tag), _) => tag,
        (None, [(only, _)]) => only,
        (None, _) => MAIN_TAG,
    };
    if let Some((_, tasks)) = tags.iter().find(|(name, _)| name == wanted) {
        let left_out = left_out(Some(wanted));
        return Ok(Tagged { tag: Some(wanted.to_owned()), tasks: tasks.clone(), left_out });
    }
    Err(match (tag, tags.is_empty()) {
        (_, true) => {
            ("the file has no tasks".to_owned(), "It must be a tasks.json of Task Master.".to_owned())
        }
        (Some(tag), false) => (format!("the file has no tag {tag:?}"), format!("Its tags are {names}.")),
        (None, false) => (format!("the file has several tags: {names}"), "Choose one with --tag.".to_owned()),
    })
}

/// The fields of a task that are read. `id` and `status` are read elsewhere.
const READ: [&str; 11] = [
    "id",
    "title",
    "name",
    "description",
    "details",
    "testStrategy",
    "status",
    "priority",
    "dependencies",
    "subtasks",
    // A subtask names the task around it, and its last change.
    "parentTaskId",
];

struct Reader<'p, 's> {
    json: &'p JsonSource<'s>,
    plan: &'p mut ImportedPlan,
    /// The ids of tasks that are left out.
    cancelled: HashSet<String>,
}

/// The task around a subtask.
#[derive(Clone, Copy)]
struct ParentTask<'a> {
    node: usize,
    id: &'a str,
    /// The ids of all its subtasks.
    siblings: &'a HashSet<String>,
    is_done: bool,
}

impl<'s> Reader<'_, 's> {
    fn tasks(mut self, tasks: &[Value<'s>]) {
        let first = self.plan.nodes.len();
        for task in tasks {
            self.task(*task, None);
        }
        let Self { plan, cancelled, .. } = self;
        for node in &mut plan.nodes[first..] {
            node.needs.retain(|need| !matches!(&need.on, Needed::Id(id) if cancelled.contains(id)));
        }
    }

    fn task(&mut self, value: Value<'s>, around: Option<ParentTask<'_>>) {
        let place = self.json.place(value);
        let Some(task) = self.json.object(value) else {
            return self.plan.warn(
                place,
                "this entry is not a task",
                "A task is an object with an id and a title.",
            );
        };
        let Some(own) = task.text(&["id"]) else {
            return self.plan.fault(place, "a task has no id", "Give it one.");
        };
        let id = match around {
            Some(around) if !own.starts_with(&format!("{}.", around.id)) => format!("{}.{own}", around.id),
            _ => own,
        };
        let status = task.text(&["status"]).unwrap_or_default().to_lowercase();
        match status.as_str() {
            "cancelled" | "canceled" => {
                let what = format!("{id} is cancelled and left out, and so are dependencies on it");
                self.plan.warn(place, what, "");
                self.cancelled.insert(id);
                return;
            }
            "deferred" | "blocked" => {
                self.plan.warn(place, format!("{id} is {status} in the source, and pending in the plan"), "");
            }
            _ => {}
        }
        let mut node = self.node(&task, &id, place);
        node.parent = around.map(|around| around.node);
        node.claimed =
            matches!(status.as_str(), "done" | "completed") || around.is_some_and(|around| around.is_done);
        node.needs = self.needs(&task, around);
        let is_done = node.claimed;
        let node = self.plan.add(node);
        let subtasks = task.items(&["subtasks"]);
        let ids = subtasks.iter().filter_map(|subtask| self.json.object(*subtask)?.text(&["id"]));
        let siblings: HashSet<String> = ids.collect();
        for subtask in subtasks {
            self.task(subtask, Some(ParentTask { node, id: &id, siblings: &siblings, is_done }));
        }
    }

    /// What a task says of itself.
    fn node(&self, task: &Object<'s>, id: &str, place: Place) -> ImportedNode {
        let title = task.text(&["title", "name"]).unwrap_or_default();
        let mut node = ImportedNode::task(ImportedId::Given(id.to_owned()), name_of(&title), place);
        node.describe(&task.text(&["description"]).unwrap_or_default());
        node.describe(&task.text(&["details"]).unwrap_or_default());
        if let Some(strategy) = task.text(&["testStrategy"]) {
            node.describe(&format!("\nTest strategy: {strategy}"));
        }
        node.fields.priority = task.text(&["priority"]).and_then(|word| priority_of(&word));
        node
    }

    /// The dependencies of a task. A subtask may name its siblings without the id of their task.
    fn needs(&mut self, task: &Object<'s>, around: Option<ParentTask<'_>>) -> Vec<Prerequisite> {
        let json = self.json;
        json.needs(task, &["dependencies"], self.plan, |id| match around {
            Some(around) if around.siblings.contains(&id) && !id.starts_with(&format!("{}.", around.id)) => {
                format!("{}.{id}", around.id)
            }
            _ => id,
        })
    }
}
