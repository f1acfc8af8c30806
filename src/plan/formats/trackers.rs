//! Reads the plans whose tasks are records: those of Task Master, ralph's `prd.json`, the issues of beads, and the files of Backlog.md.

use std::collections::HashSet;

use super::account::{Lines, Part, Use};
use super::data::{Datum, What, json, yaml};
use super::imported::{ImportedId, ImportedPlan, Needed, Place};
use super::issues::{Issue, Tool};
use super::order::{Order, order_tasks};
use super::outline::front_matter;
use super::records::Reader;
use super::source_file::{SourceFile, line_number};
use super::texts::test_line;
use crate::text::{advice, counted};

/// The tag that is read if there are several and nobody names one.
pub const MAIN_TAG: &str = "master";

/// The tag in which Task Master works, according to its `state.json`.
pub fn current_tag(state: &str) -> Option<String> {
    json(state, Place::default()).ok()?.member("currentTag")?.word().map(str::to_owned)
}

/// The value in a JSON text; `None`, after saying why, if there is none.
fn value_of(text: &str, place: Place, plan: &mut ImportedPlan) -> Option<Datum> {
    json(text, place).map_err(|problem| plan.problems.push(problem)).ok()
}

/// Reads `tasks.json` of Task Master: tags, tasks and subtasks.
pub(super) fn task_master(source: &SourceFile, file: usize, tag: Option<&str>, plan: &mut ImportedPlan) {
    let place = Place { file, line: 1 };
    let Some(Datum { what, lines }) = value_of(&source.text, place, plan) else { return };
    let What::Map(members) = what else {
        return plan.fault(place, "this is not an object", "It must be an object with tasks.");
    };
    // A list beside tags is what an old version has left there.
    let tasks_in = members.into_iter().filter_map(|(name, value)| match value.what {
        What::List(list) if name == "tasks" => Some((name, value.lines, list)),
        What::Map(inside) => inside.into_iter().find_map(|(member, tasks)| match tasks.what {
            What::List(list) if member == "tasks" => {
                Some((name.clone(), [value.lines[0], tasks.lines[1]], list))
            }
            _ => None,
        }),
        _ => None,
    });
    let mut lists: Vec<(String, Lines, Vec<Datum>)> = tasks_in.collect();
    let tags: Vec<&str> =
        lists.iter().map(|(name, ..)| name.as_str()).filter(|name| *name != "tasks").collect();
    let wanted = match (tag, tags.as_slice()) {
        // A file of an old version has no tags.
        (Some(tag), tags) if tag != MAIN_TAG || !tags.is_empty() => tag,
        (_, []) => "tasks",
        (_, [only]) => only,
        _ => MAIN_TAG,
    };
    let Some(at) = lists.iter().position(|(name, ..)| name == wanted) else {
        if lists.is_empty() {
            return plan.fault(place, "the file has no tasks", "It must be a tasks.json of Task Master.");
        }
        let remedy = format!("Its tags are {}. Choose one with --tag.", tags.join(", "));
        return plan.fault(place, format!("the file has no tag {wanted:?}"), remedy);
    };
    plan.tag = Some(wanted.to_owned()).filter(|tag| tag != MAIN_TAG && tag != "tasks");
    let (_, own, tasks) = lists.remove(at);
    for (name, lines, tasks) in lists.iter().filter(|(.., tasks)| !tasks.is_empty()) {
        let list = if name == "tasks" { "list beside the tags".into() } else { format!("tag {name:?}") };
        let what = format!("the {list} with {} is not read", counted(tasks.len(), "task"));
        let reads = format!("{} reads it instead.", advice::build_tag(name));
        plan.warn(Place { file, line: lines[0] }, what, if name == "tasks" { "" } else { &reads });
        plan.account.take(file, *lines, Use::Warned);
    }
    // Whatever is around the lists of tasks says nothing about the work.
    for around in [[lines[0], own[0] - 1], [own[1] + 1, lines[1]]] {
        plan.account.fill(file, around, Use::LeftOut);
    }
    let (mut reader, mut issues) = (Reader::new(file, Tool::TaskMaster, plan), Vec::new());
    reader.tasks(tasks, None, &mut issues);
    reader.finish(issues);
}

impl Reader<'_> {
    /// Reads a list of tasks, which are subtasks if there is a task above them, at this position.
    fn tasks(&mut self, list: Vec<Datum>, above: Option<usize>, issues: &mut Vec<Issue>) {
        let above = above.map(|at| (issues[at].id.clone(), issues[at].node.claimed));
        let own: Vec<_> = list.into_iter().filter_map(|task| self.record(task)).collect();
        // A subtask may name itself and its siblings without the id of their task.
        let siblings: HashSet<String> = own.iter().map(|(issue, _)| issue.id.clone()).collect();
        for (mut issue, parts) in own {
            if let Some((above, is_done)) = &above {
                let prefix = format!("{above}.");
                let inside =
                    |id: &str| if id.starts_with(&prefix) { id.to_owned() } else { prefix.clone() + id };
                issue.id = inside(&issue.id);
                issue.node.id = ImportedId::Given(issue.id.clone());
                issue.above = Some((above.to_owned(), None));
                issue.node.claimed |= *is_done;
                for need in &mut issue.node.needs {
                    match &mut need.on {
                        Needed::Id(id) if siblings.contains(id) => *id = inside(id),
                        _ => {}
                    }
                }
            }
            let is_closed = issue.is_closed;
            issues.push(issue);
            if !is_closed {
                self.tasks(parts, Some(issues.len() - 1), issues);
            }
        }
    }

    /// Reads a record whose tool knows no parts of records.
    fn whole(&mut self, datum: Datum) -> Option<Issue> {
        let (issue, parts) = self.record(datum)?;
        if let Some(part) = parts.first() {
            let what = format!("the {} of {} are not read", counted(parts.len(), "part"), issue.id);
            self.plan.warn(self.place(part.lines[0]), what, "Write them as records of their own.");
        }
        Some(issue)
    }
}

/// Reads `prd.json` of ralph: user stories in the order of their priority.
pub(super) fn prd(source: &SourceFile, file: usize, _: Option<&str>, plan: &mut ImportedPlan) {
    let place = Place { file, line: 1 };
    let Some(top) = value_of(&source.text, place, plan) else { return };
    let mut reader = Reader::new(file, Tool::Ralph, plan);
    let stories = match top.what {
        What::List(stories) => stories,
        _ => {
            let Some((about, stories)) = reader.record(top) else { return };
            let said = |text: String| Some(text).filter(|text| !text.is_empty());
            reader.plan.about.title = said(about.node.name);
            reader.plan.about.summary = said(about.node.description);
            for (lines, taken) in about.uses {
                let taken = match taken {
                    Use::Node(_, part @ (Part::Title | Part::Text)) => Use::Plan(part),
                    Use::Node(..) => Use::LeftOut,
                    other => other,
                };
                reader.plan.account.take(file, lines, taken);
            }
            stories
        }
    };
    if stories.is_empty() {
        let remedy = "It must be an object with a list \"userStories\".";
        return reader.plan.fault(place, "the file has no stories", remedy);
    }
    let first = reader.plan.nodes.len();
    let issues = stories.into_iter().filter_map(|story| reader.whole(story)).collect();
    reader.finish(issues);
    order_tasks(plan, first, Order::Plan, [&HashSet::new(), &HashSet::new()]);
}

/// Reads `.beads/issues.jsonl` of beads: one issue in each line.
pub(super) fn beads(source: &SourceFile, file: usize, _: Option<&str>, plan: &mut ImportedPlan) {
    let (mut reader, mut issues) = (Reader::new(file, Tool::Tracker, plan), Vec::new());
    for (line, text) in (1u32..).zip(source.text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let place = reader.place(line);
        let Some(record) = value_of(text, place, reader.plan) else { continue };
        let word = |name: &str| record.member(name).and_then(Datum::word);
        // A line of another type is no issue, and a tombstone is what is left of one.
        let is_other = word("_type").is_some_and(|kind| kind != "issue");
        if is_other || word("status") == Some("tombstone") {
            reader.plan.account.take(file, [line, line], Use::LeftOut);
        } else if !matches!(record.what, What::Map(_)) {
            reader.plan.fault(place, "this is not an object", "Every line must be a JSON object.");
        } else if let Some(mut issue) = reader.whole(record) {
            // `bd-1.2` is a part of `bd-1`.
            let above = issue.id.rsplit_once('.').map(|(above, _)| (above.to_owned(), None));
            issue.above = issue.above.or(above);
            issues.push(issue);
        }
    }
    reader.finish(issues);
}

/// Reads the tasks of Backlog.md: a file for each, with its fields in front matter.
pub(super) fn backlog(sources: &[SourceFile], plan: &mut ImportedPlan) {
    let (mut reader, mut issues) = (Reader::new(0, Tool::Tracker, plan), Vec::new());
    for (file, source) in sources.iter().enumerate() {
        reader.file = file;
        let (place, last) = (reader.place(1), line_number(source.text.lines().count()));
        let (matter, start) = front_matter(&source.text);
        let Some(matter) = matter else {
            if sources.len() > 1 {
                reader.plan.warn(place, "the file has no front matter and is not read as a task", "");
                reader.plan.account.take(file, [1, last], Use::Warned);
            } else {
                let remedy = "A task of Backlog.md begins with --- and its fields.";
                reader.plan.fault(place, "the file has no front matter", remedy);
            }
            continue;
        };
        let fields = yaml(matter, Place { file, line: 2 });
        let fields = fields.map_err(|problem| reader.plan.problems.push(problem)).ok();
        let whole = |fields| reader.whole(Datum { lines: [1, last], what: What::Map(fields) });
        let Some(mut issue) = fields.and_then(whole) else { continue };
        let is_comment = |line: &str| line.trim().starts_with("<!--") && line.trim().ends_with("-->");
        let body = &source.text[start..];
        let text: Vec<&str> = body.lines().filter(|line| !is_comment(line)).collect();
        issue.node.describe(text.join("\n").trim());
        let first = line_number(source.text[..start].lines().count()) + 1;
        for (line, text) in (first..).zip(body.lines()) {
            let test = test_line(text);
            let taken = match test {
                Some(_) => Use::Node(0, Part::Test),
                None if is_comment(text) => Use::LeftOut,
                None => Use::Node(0, Part::Text),
            };
            issue.uses.push(([line, line], taken));
            issue.node.tests.extend(test);
        }
        issues.push(issue);
    }
    reader.finish(issues);
}
