//! Reads `.beads/issues.jsonl` of beads: one issue per line.

use super::imported::{ImportedId, ImportedNode, ImportedPlan, Needed, Place, Prerequisite};
use super::json_source::JsonSource;
use super::source_file::SourceFile;
use super::texts::name_of;
use super::trackers::{Issue, add_issues};

const UNREAD_NEED: &str = "a dependency of this issue is not read";

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, plan: &mut ImportedPlan) {
    let mut issues = Vec::new();
    for (line, text) in (1u32..).zip(source.text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let place = Place { file, line };
        let own = SourceFile { path: source.path.clone(), text: text.to_owned() };
        match JsonSource::read(&own, file) {
            Ok((json, document)) => match json.object(document) {
                Some(record) => issues.extend(issue(&json, &record, place, plan)),
                None => plan.fault(place, "this line is not an issue", "Every line must be a JSON object."),
            },
            Err(problem) => plan.fault(place, problem.what, problem.remedy),
        }
    }
    add_issues(plan, &issues);
}

fn issue<'s>(
    json: &JsonSource<'s>,
    record: &super::json_source::Object<'s>,
    place: Place,
    plan: &mut ImportedPlan,
) -> Option<Issue> {
    let other = record.text(&["_type"]).is_some_and(|kind| kind != "issue");
    let status = record.text(&["status"]).unwrap_or_default().to_lowercase();
    if other || status == "tombstone" {
        return None;
    }
    let Some(id) = record.text(&["id"]) else {
        plan.fault(place, "an issue has no id", "Give it one.");
        return None;
    };
    let title = record.text(&["title"]).unwrap_or_default();
    let mut node = ImportedNode::task(ImportedId::Given(id.clone()), name_of(&title), place);
    node.describe(&record.text(&["description"]).unwrap_or_default());
    for (field, heading) in
        [("design", "Design"), ("acceptance_criteria", "Acceptance criteria"), ("notes", "Notes")]
    {
        if let Some(text) = record.text(&[field]) {
            node.describe(&format!("\n{heading}: {text}"));
        }
    }
    node.fields.labels =
        json.texts(record, &["labels"], &["name"]).into_iter().map(|label| label.text).collect();
    // There, 0 is the most urgent.
    let priority = record.text(&["priority"]).and_then(|number| number.parse::<u32>().ok());
    node.fields.priority = priority.filter(|number| *number < 100).map(|number| number + 1);
    let mut parent = record.text(&["parent", "parent_id"]);
    for dependency in record.items(&["dependencies"]) {
        let Some(fields) = json.object(dependency) else {
            match dependency.text() {
                Some(on) => node.needs.push(Prerequisite::stated(Needed::Id(on.into_owned()), place)),
                None => plan.warn(place, UNREAD_NEED, "Write the id of an issue."),
            }
            continue;
        };
        let Some(on) = fields.text(&["depends_on_id", "id"]) else {
            plan.warn(place, UNREAD_NEED, "Its `depends_on_id` must be the id of an issue.");
            continue;
        };
        match fields.text(&["type", "dependency_type"]).as_deref() {
            Some("blocks") | None => node.needs.push(Prerequisite::stated(Needed::Id(on), place)),
            Some("parent-child") => parent = Some(on),
            // Others, such as `related`, do not block.
            Some(_) => {}
        }
    }
    // `bd-1.2` is a part of `bd-1`.
    let parent = parent.or_else(|| id.rsplit_once('.').map(|(above, _)| above.to_owned()));
    Some(Issue { id, node, parent, is_closed: status == "closed" })
}
