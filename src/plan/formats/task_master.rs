//! Reads `tasks.json` of Task Master: tags, tasks and subtasks.

use std::collections::HashSet;

use super::account::{Part, Reason, Use};
use super::imported::{ImportedId, ImportedNode, ImportedPlan, ImportedTest, Needed, Place};
use super::json::{Object, Reader, Tag, headed, id_of, items, text_of};
use super::source_file::SourceFile;
use super::texts::{command_of, name_of, priority_of};
use crate::text::{advice, counted};

/// The tag in which Task Master works, according to its `state.json`.
#[must_use]
pub fn current_tag(state: &str) -> Option<String> {
    Some(Object::read(state)?.text(&["currentTag"], Part::Field)).filter(|tag| !tag.is_empty())
}

/// Reads `tasks.json` of Task Master: tags, tasks and subtasks.
pub(super) fn task_master(source: &SourceFile, file: usize, tag: Tag<'_>, plan: &mut ImportedPlan) {
    let mut reader = Reader::new(source, file, plan);
    let Some(top) = reader.top(&source.text, "It must be an object with tasks.") else { return };
    let mut lists: Vec<(String, [&str; 2], Vec<&str>)> = Vec::new();
    for (name, value) in top.members {
        // A list beside tags is what an old version has left there.
        let mut inside = Object::read(value.get());
        let list = if name == "tasks" {
            Some(value.get())
        } else {
            inside.as_mut().and_then(|tag| tag.take(&["tasks"], Part::Field))
        };
        match list.filter(|list| list.starts_with('[')) {
            Some(list) => lists.push((name, [value.get(), list], items(Some(list)))),
            None => reader.take(value.get(), Use::LeftOut(Reason::Field)),
        }
        for (_, about) in inside.map(|tag| tag.members).unwrap_or_default() {
            reader.take(about.get(), Use::LeftOut(Reason::Field));
        }
    }
    let tags: Vec<&str> =
        lists.iter().map(|(name, ..)| name.as_str()).filter(|name| *name != "tasks").collect();
    let wanted = match (tag, tags.as_slice()) {
        // A file of an old version has no tags.
        (Tag::Chosen(tag), tags) if tag != MAIN_TAG || !tags.is_empty() => tag,
        (Tag::Current(tag), tags) if tags.contains(&tag) => tag,
        (_, []) => "tasks",
        (_, [only]) => only,
        _ => MAIN_TAG,
    };
    let Some(at) = lists.iter().position(|(name, ..)| name == wanted) else {
        let (what, remedy) = match tag {
            _ if lists.is_empty() => {
                ("the file has no tasks".to_owned(), "It must be a tasks.json of Task Master.".to_owned())
            }
            Tag::Chosen(tag) => {
                (format!("the file has no tag {tag:?}"), format!("Its tags are {}.", tags.join(", ")))
            }
            _ => (
                format!("the file has several tags: {}", tags.join(", ")),
                "Choose one with --tag.".to_owned(),
            ),
        };
        return reader.plan.fault(Place { file, line: 1 }, what, remedy);
    };
    reader.plan.tag = Some(wanted.to_owned()).filter(|tag| tag != MAIN_TAG && tag != "tasks");
    let (_, _, tasks) = lists.remove(at);
    for (name, [whole, list], tasks) in lists.iter().filter(|(.., tasks)| !tasks.is_empty()) {
        let last = reader.place(&list[list.len()..]).line;
        let lines = [reader.place(whole).line, last];
        // Whoever has chosen a tag knows the others.
        if matches!(tag, Tag::Chosen(_)) {
            reader.plan.account.take(file, lines, Use::LeftOut(Reason::Closed));
            continue;
        }
        let count = counted(tasks.len(), "task");
        let (what, remedy) = match name.as_str() {
            "tasks" => (format!("the list beside the tags with {count} is not read"), String::new()),
            name => (
                format!("the tag {name:?} with {count} is not read"),
                format!("{} reads it instead.", advice::build_tag(name)),
            ),
        };
        reader.plan.warn(reader.place(whole), what, remedy);
        reader.plan.account.take(file, lines, Use::Warned);
    }
    let mut cancelled = HashSet::new();
    for task in tasks {
        reader.task(task, None, &mut cancelled);
    }
    reader.name_unknown();
    for node in &mut plan.nodes {
        node.needs.retain(|need| !matches!(&need.on, Needed::Id(id) if cancelled.contains(id)));
    }
}

/// The tag that is read if there are several and nobody names one.
pub const MAIN_TAG: &str = "master";

/// The task around a subtask.
#[derive(Clone, Copy)]
struct Around<'a> {
    node: usize,
    id: &'a str,
    siblings: &'a [String],
    is_done: bool,
    depth: usize,
}

/// How deep subtasks may be nested.
const DEEPEST: usize = 50;

impl<'s> Reader<'_, 's> {
    fn task(&mut self, raw: &'s str, around: Option<Around<'_>>, cancelled: &mut HashSet<String>) {
        let Some(mut task) = self.entry(raw) else { return };
        let place = self.place(raw);
        let depth = around.map_or(0, |around| around.depth + 1);
        if depth > DEEPEST {
            let remedy = "Write fewer levels.";
            return self.plan.fault(
                place,
                format!("subtasks are nested in more than {DEEPEST} levels"),
                remedy,
            );
        }
        let own = task.text(&["id"], Part::Field);
        if own.is_empty() {
            return self.plan.fault(place, "a task has no id", "Give it one.");
        }
        // A subtask may name itself and its siblings without the id of their task.
        let inside = |id: String| match around {
            Some(around) if !id.starts_with(&format!("{}.", around.id)) => format!("{}.{id}", around.id),
            _ => id,
        };
        let id = inside(own);
        let status_field = task.take(&["status"], Part::Field);
        let status = status_field.and_then(text_of).unwrap_or_default().to_lowercase();
        if matches!(status.as_str(), "cancelled" | "canceled") {
            self.plan.warn(
                place,
                format!("{id} is cancelled and left out, and so are dependencies on it"),
                "",
            );
            cancelled.insert(id);
            return self.became(task, None);
        }
        let title = task.text(&["title", "name"], Part::Title);
        let mut node = ImportedNode::task(ImportedId::Given(id.clone()), name_of(&title), place);
        node.parent = around.map(|around| around.node);
        node.claimed =
            matches!(status.as_str(), "done" | "completed") || around.is_some_and(|around| around.is_done);
        if node.claimed {
            task.taken.extend(status_field.map(|field| (field, Part::Ticked)));
        } else if !matches!(status.as_str(), "" | "pending") {
            self.plan.warn(place, format!("{id} is marked as {status}, and is pending in the plan"), "");
        }
        node.describe(&task.text(&["description"], Part::Text));
        node.describe(&task.text(&["details"], Part::Text));
        let strategy = task.text(&["testStrategy"], Part::Text);
        node.describe(&headed("Test strategy", &strategy));
        let in_code = strategy.split('`').skip(1).step_by(2);
        let commands = in_code.filter_map(|code| command_of(&format!("`{code}`")));
        node.tests = commands.map(|command| ImportedTest { command, place }).collect();
        if let Some((_, part)) = task.taken.last_mut().filter(|_| !node.tests.is_empty()) {
            *part = Part::Test;
        }
        node.fields.priority = priority_of(&task.text(&["priority"], Part::Field));
        let list = task.take(&["dependencies"], Part::After);
        node.needs = self.needs(list, |item| {
            let id = id_of(item)?;
            Some(if around.is_some_and(|around| around.siblings.contains(&id)) { inside(id) } else { id })
        });
        let subtasks = items(task.take(&["subtasks"], Part::Field));
        if !subtasks.is_empty() {
            // They have their own lines.
            task.taken.pop_if(|(value, _)| value.contains('\n'));
        }
        let siblings: Vec<String> =
            subtasks.iter().filter_map(|task| Some(Object::read(task)?.text(&["id"], Part::Field))).collect();
        task.leave(&["parentTaskId", "createdAt", "updatedAt"]);
        let is_done = node.claimed;
        let node = self.add(task, node);
        for subtask in subtasks {
            self.task(
                subtask,
                Some(Around { node, id: &id, siblings: &siblings, is_done, depth }),
                cancelled,
            );
        }
    }
}
