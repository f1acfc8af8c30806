//! Reads `prd.json` of ralph: user stories in the order of their priority.

use std::collections::HashSet;

use super::super::node::one_line;
use super::implied::{Within, order_tasks};
use super::imported::{ImportedId, ImportedNode, ImportedPlan, Place};
use super::json_source::{JsonSource, Object};
use super::source_file::SourceFile;
use super::texts::name_of;

/// The fields under which stories are found.
const STORIES: [&str; 4] = ["userStories", "user_stories", "stories", "features"];

/// The fields of a story that are read.
const READ: [&str; 19] = [
    "id",
    "title",
    "name",
    "story",
    "description",
    "acceptanceCriteria",
    "acceptance_criteria",
    "criteria",
    "steps",
    "notes",
    "passes",
    "passed",
    "done",
    "priority",
    "dependencies",
    "dependsOn",
    "depends_on",
    // What says nothing about the work.
    "createdAt",
    "updatedAt",
];

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, plan: &mut ImportedPlan) {
    let (json, document) = match JsonSource::read(source, file) {
        Ok(read) => read,
        Err(problem) => return plan.problems.push(problem),
    };
    let top = json.object(document);
    if let Some(top) = &top {
        plan.about.title = top.text(&["project", "name"]).map(|title| one_line(&title));
        plan.about.summary = top.text(&["description"]);
    }
    let stories = top.map(|top| top.items(&STORIES)).unwrap_or_default();
    if stories.is_empty() {
        let place = Place { file, line: 1 };
        return plan.fault(
            place,
            "the file has no stories",
            "It must be an object with a list \"userStories\".",
        );
    }
    json.warn_of_dropped(&stories, &READ, plan);
    let mut nodes: Vec<(f64, ImportedNode)> = Vec::new();
    for value in stories {
        let place = json.place(value);
        let Some(story) = json.object(value) else {
            plan.warn(place, "this entry is not a story", "A story is an object with an id and a title.");
            continue;
        };
        let priority =
            story.text(&["priority"]).and_then(|priority| priority.parse().ok()).unwrap_or(f64::MAX);
        nodes.push((priority, node(&json, &story, place, plan)));
    }
    nodes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let first = plan.nodes.len();
    plan.nodes.extend(nodes.into_iter().map(|(_, node)| node));
    order_tasks(plan, first, Within::Plan, &HashSet::new());
}

fn node<'s>(
    json: &JsonSource<'s>,
    story: &Object<'s>,
    place: Place,
    plan: &mut ImportedPlan,
) -> ImportedNode {
    let title = story.text(&["title", "name", "story", "description"]).unwrap_or_default();
    let id = story.text(&["id"]).map_or(ImportedId::Derived, ImportedId::Given);
    let mut node = ImportedNode::task(id, name_of(&title), place);
    node.describe(&story.text(&["description"]).unwrap_or_default());
    let texts = |names: &[&str]| json.texts(story, names, &["description", "text"]).into_iter();
    let criteria = texts(&["acceptanceCriteria", "acceptance_criteria", "criteria"]);
    node.acceptance = criteria.map(|criterion| criterion.text).collect();
    for (at, step) in texts(&["steps"]).enumerate() {
        node.describe(if at == 0 { "\nSteps:" } else { "" });
        node.describe(&format!("- {}", step.text));
    }
    if let Some(notes) = story.text(&["notes"]) {
        node.describe(&format!("\nNotes: {notes}"));
    }
    node.claimed = story.is_true("passes") || story.is_true("passed") || story.is_true("done");
    node.needs = json.needs(story, &["dependencies", "dependsOn", "depends_on"], plan, |id| id);
    node
}
