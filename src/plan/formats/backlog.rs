//! Reads tasks of Backlog.md: one Markdown file for each task, with its fields in front matter.

use super::details::add_tests;
use super::imported::{ImportedId, ImportedNode, ImportedPlan, Needed, Place, Prerequisite};
use super::markdown::front_matter;
use super::source_file::{SourceFile, line_number};
use super::texts::{name_of, priority_of};
use super::trackers::{Issue, add_issues};
use super::yaml;

/// Reads all sources.
pub(super) fn read(sources: &[SourceFile], plan: &mut ImportedPlan) {
    let mut issues: Vec<((f64, usize), Issue)> = Vec::new();
    for (file, source) in sources.iter().enumerate() {
        if sources.len() > 1 && front_matter(&source.text).0.is_none() {
            let place = Place { file, line: 1 };
            plan.warn(place, "the file has no front matter and is not read as a task", "");
            continue;
        }
        issues.extend(task(source, file, plan));
    }
    issues.sort_by(|a, b| a.0.0.total_cmp(&b.0.0).then(a.0.1.cmp(&b.0.1)));
    let issues: Vec<Issue> = issues.into_iter().map(|(_, issue)| issue).collect();
    add_issues(plan, &issues);
}

/// Reads one file as a task. The tasks are sorted by their ordinal, then by the position of their file.
fn task(source: &SourceFile, file: usize, plan: &mut ImportedPlan) -> Option<((f64, usize), Issue)> {
    let place = Place { file, line: 1 };
    let (Some(matter), start) = front_matter(&source.text) else {
        plan.fault(
            place,
            "the file has no front matter",
            "A task of Backlog.md begins with --- and its fields.",
        );
        return None;
    };
    let fields = match yaml::read(matter, 2) {
        Ok(fields) => fields,
        Err(fault) => {
            let place = Place { file, line: fault.line };
            plan.fault(place, fault.what, "Write plain fields, such as `id: task-1`.");
            return None;
        }
    };
    let Some(id) = fields.text("id") else {
        plan.fault(place, "the task has no id", "Add `id: task-1` to the front matter.");
        return None;
    };
    let title = fields.text("title").unwrap_or_default();
    let mut node = ImportedNode::task(ImportedId::Given(id.to_owned()), name_of(title), place);
    let body = &source.text[start..];
    let lines = body.lines().filter(|line| !line.trim_start().starts_with("<!--"));
    node.describe(lines.collect::<Vec<_>>().join("\n").trim());
    let stated = fields.texts("dependencies").into_iter();
    let stated =
        stated.map(|(on, line)| Prerequisite::stated(Needed::Id(on.to_owned()), Place { file, line }));
    node.needs = stated.collect();
    node.fields.labels = fields.texts("labels").into_iter().map(|(label, _)| label.to_owned()).collect();
    node.fields.priority = fields.text("priority").and_then(priority_of);
    // `add_tests` needs a node in a plan, so it gets a plan with only this one.
    let mut tests = ImportedPlan::default();
    let at = tests.add(node);
    let line = line_number(source.text[..start].lines().count()) + 1;
    add_tests(&mut tests, at, Place { file, line }, body);
    plan.warnings.append(&mut tests.warnings);
    let node = tests.nodes.pop()?;
    let parent = fields.text("parent_task_id").or_else(|| fields.text("parent")).map(str::to_owned);
    let status = fields.text("status").unwrap_or_default().to_lowercase();
    let is_closed = matches!(status.as_str(), "done" | "completed" | "closed" | "archived" | "cancelled");
    let ordinal = fields.text("ordinal").and_then(|ordinal| ordinal.parse().ok()).unwrap_or(f64::MAX);
    Some(((ordinal, file), Issue { id: id.to_owned(), node, parent, is_closed }))
}
