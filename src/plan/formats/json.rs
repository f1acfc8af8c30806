//! Reads the plans that are JSON: the tasks of Task Master, ralph's `prd.json`, and the issues of beads. Whoever reads a field says what
//! it is about, and what is left in the end is named.

use std::collections::HashSet;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::json;
use super::super::node::one_line;
use super::super::source::Source;
use super::account::{LAYOUT, Part, Reason, Use};
use super::imported::{ImportedId, ImportedNode, ImportedPlan, Needed, Place, Prerequisite};
use super::issues::{Issue, add_issues};
use super::order::{Order, order_tasks};
use super::source_file::{SourceFile, line_number};
use super::texts::name_of;

/// An object that is being read.
pub(super) struct Object<'s> {
    pub(super) raw: &'s str,
    /// The members that nobody has read, in their order.
    pub(super) members: Vec<(String, &'s RawValue)>,
    /// The values that were read, and what they are about.
    pub(super) taken: Vec<(&'s str, Part)>,
}

impl<'de: 's, 's> Deserialize<'de> for Object<'s> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        Ok(Self { raw: "", members: deserializer.deserialize_map(Members)?, taken: Vec::new() })
    }
}

impl<'s> Object<'s> {
    pub(super) fn read(raw: &'s str) -> Option<Self> {
        Some(Self { raw, ..serde_json::from_str(raw).ok()? })
    }

    /// Takes the first of these fields that says something.
    pub(super) fn take(&mut self, names: &[&str], part: Part) -> Option<&'s str> {
        let mut found = None;
        for name in names {
            if let Some(at) = self.members.iter().position(|(known, _)| known == name) {
                let value = self.members[at].1.get();
                if found.is_none() || matches!(value, "null" | "\"\"" | "[]") {
                    self.taken.push((value, part));
                    self.members.remove(at);
                    found = found.or(Some(value).filter(|value| !matches!(*value, "null" | "\"\"")));
                }
            }
        }
        found
    }

    /// The text or number in one of these fields; empty if there is none.
    pub(super) fn text(&mut self, names: &[&str], part: Part) -> String {
        self.take(names, part).and_then(text_of).unwrap_or_default()
    }

    /// The texts in one of these fields.
    pub(super) fn texts(&mut self, names: &[&str], part: Part) -> Vec<String> {
        items(self.take(names, part))
            .into_iter()
            .filter_map(text_of)
            .filter(|text| !text.is_empty())
            .collect()
    }

    /// Leaves out these fields.
    pub(super) fn leave(&mut self, names: &[&str]) {
        self.members.retain(|(name, _)| !names.contains(&name.as_str()));
    }
}

/// A text, a number as it is written, or what an object has as its text.
pub(super) fn text_of(raw: &str) -> Option<String> {
    match serde_json::from_str(raw).ok()? {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(_) => Some(raw.to_owned()),
        Value::Object(object) => {
            let inner =
                ["description", "text", "name"].into_iter().find_map(|name| object.get(name)?.as_str());
            inner.map(str::to_owned)
        }
        _ => None,
    }
}

/// The items of a list; a single value counts as one.
pub(super) fn items(raw: Option<&str>) -> Vec<&str> {
    let Some(raw) = raw else { return Vec::new() };
    let items: Result<Vec<&RawValue>, _> = serde_json::from_str(raw);
    items.map_or_else(|_| vec![raw], |items| items.into_iter().map(RawValue::get).collect())
}

/// The tag of Task Master that is read.
#[derive(Clone, Copy, Debug, Default)]
pub enum Tag<'a> {
    /// The only one, or `master`.
    #[default]
    Usual,
    /// The one in which Task Master works.
    Current(&'a str),
    /// The one that the user has chosen.
    Chosen(&'a str),
}

/// A source, and the plan that is read from it.
pub(super) struct Reader<'p, 's> {
    text: &'s str,
    /// Where its lines end.
    ends: Vec<usize>,
    pub(super) file: usize,
    pub(super) plan: &'p mut ImportedPlan,
    /// The fields that were not read, and the first line of one.
    pub(super) unknown: (Vec<String>, u32),
}

impl<'p, 's> Reader<'p, 's> {
    pub(super) fn new(source: &'s SourceFile, file: usize, plan: &'p mut ImportedPlan) -> Self {
        let ends = source.text.match_indices('\n').map(|(at, _)| at).collect();
        Self { text: &source.text, ends, file, plan, unknown: (Vec::new(), 0) }
    }

    /// The object in a text of the file; `None`, after saying why, if there is none.
    pub(super) fn top(&mut self, text: &'s str, remedy: &str) -> Option<Object<'s>> {
        let object = Object::read(text);
        if object.is_none() {
            let place = self.place(text);
            match Source::decode(text.as_bytes()).and_then(|source| json::Value::of(&source).map(|_| ())) {
                Ok(()) => self.plan.fault(place, "this is not an object", remedy),
                Err(problem) => {
                    let line = place.line + problem.line.map_or(0, |line| line_number(line) - 1);
                    self.plan.fault(Place { line, ..place }, problem.what, problem.remedy);
                }
            }
        }
        object
    }

    /// The object in an entry of a list. Another one is named.
    pub(super) fn entry(&mut self, raw: &'s str) -> Option<Object<'s>> {
        let object = Object::read(raw);
        if object.is_none() {
            self.plan.warn(
                self.place(raw),
                "this entry is not read",
                "It must be an object with an id and a title.",
            );
        }
        object
    }

    pub(super) fn place(&self, part: &str) -> Place {
        let offset = part.as_ptr().addr() - self.text.as_ptr().addr();
        Place { file: self.file, line: 1 + line_number(self.ends.partition_point(|end| *end < offset)) }
    }

    /// Takes the lines of a value.
    pub(super) fn take(&mut self, part: &str, taken: Use) {
        for (line, text) in (self.place(part).line..).zip(part.lines()) {
            if matches!(taken, Use::Node(..)) || !LAYOUT.is_match(text) {
                self.plan.account.take(self.file, [line, line], taken);
            }
        }
    }

    /// Adds the node that an object became, and takes what was read of it.
    pub(super) fn add(&mut self, object: Object<'s>, node: ImportedNode) -> usize {
        let node = self.plan.add(node);
        self.became(object, Some(node));
        node
    }

    /// Takes what was read of an object that became this node, or is left out.
    pub(super) fn became(&mut self, object: Object<'s>, node: Option<usize>) {
        let Some(node) = node else { return self.take(object.raw, Use::LeftOut(Reason::Closed)) };
        for (value, part) in object.taken {
            self.take(value, Use::Node(node, part));
        }
        for (name, value) in object.members {
            let line = self.place(value.get()).line;
            self.plan.account.take(self.file, [line, line], Use::Warned);
            let (names, first) = &mut self.unknown;
            if !matches!(value.get(), "null" | "\"\"" | "[]" | "{}" | "false") && !names.contains(&name) {
                *first = if names.is_empty() { line } else { *first };
                names.push(name);
            }
        }
    }

    /// Names the fields that were not read, once for all.
    pub(super) fn name_unknown(&mut self) {
        let (names, line) = &self.unknown;
        if !names.is_empty() {
            let what = format!("these fields of tasks are not read: {}", names.join(", "));
            self.plan.warn(Place { file: self.file, line: *line }, what, "");
        }
    }

    /// Reads dependencies. `on` says on which id one is, if it is one at all. Those that have another form are named.
    pub(super) fn needs(
        &mut self,
        list: Option<&'s str>,
        mut on: impl FnMut(&'s str) -> Option<String>,
    ) -> Vec<Prerequisite> {
        let mut needs = Vec::new();
        for item in items(list) {
            let place = self.place(item);
            match on(item) {
                Some(id) => needs.push(Prerequisite::stated(Needed::Id(id), place)),
                None => self.plan.warn(place, "this dependency is not read", "Write the id of a task."),
            }
        }
        needs
    }
}

/// The id in a dependency: a text, or an object with an id.
pub(super) fn id_of(raw: &str) -> Option<String> {
    match serde_json::from_str(raw).ok()? {
        Value::Object(object) => object.get("id").and_then(|id| text_of(&id.to_string())),
        _ => text_of(raw),
    }
}

/// A paragraph for the description, unless there is no text.
pub(super) fn headed(heading: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n{heading}: {text}") }
}

/// Reads `prd.json` of ralph: user stories in the order of their priority.
pub(super) fn prd(source: &SourceFile, file: usize, _: Tag<'_>, plan: &mut ImportedPlan) {
    let mut reader = Reader::new(source, file, plan);
    let remedy = "It must be an object with a list \"userStories\".";
    let Some(mut top) = reader.top(&source.text, remedy) else { return };
    let list = top.take(&["userStories", "user_stories", "stories", "features"], Part::Field);
    top.taken.clear();
    let title = one_line(&top.text(&["project", "name"], Part::Title));
    let summary = top.text(&["description"], Part::Text);
    reader.plan.about.title = Some(title).filter(|title| !title.is_empty());
    reader.plan.about.summary = Some(summary).filter(|summary| !summary.is_empty());
    for (value, part) in top.taken {
        reader.take(value, Use::Plan(part));
    }
    for (name, value) in top.members {
        let is_branch = name == "branchName";
        if is_branch {
            let what = format!("the branch {} is left out: the run makes the branches", value.get());
            reader.plan.warn(reader.place(value.get()), what, "");
        }
        reader.take(value.get(), Use::LeftOut(if is_branch { Reason::Branch } else { Reason::Field }));
    }
    let mut stories: Vec<(f64, Object<'_>)> = Vec::new();
    for raw in items(list) {
        let Some(mut story) = reader.entry(raw) else { continue };
        let priority = story.text(&["priority"], Part::Field);
        stories.push((priority.parse().unwrap_or(f64::MAX), story));
    }
    if stories.is_empty() {
        return reader.plan.fault(Place { file, line: 1 }, "the file has no stories", remedy);
    }
    stories.sort_by(|a, b| a.0.total_cmp(&b.0));
    let first = reader.plan.nodes.len();
    for (_, mut story) in stories {
        let id = story.text(&["id"], Part::Field);
        let id = if id.is_empty() { ImportedId::Derived } else { ImportedId::Given(id) };
        let title = story.text(&["title", "name", "story"], Part::Title);
        let part = if title.is_empty() { Part::Title } else { Part::Text };
        let description = story.text(&["description"], part);
        let title = if title.is_empty() { &description } else { &title };
        let mut node = ImportedNode::task(id, name_of(title), reader.place(story.raw));
        node.describe(&description);
        node.acceptance = story.texts(&["acceptanceCriteria", "acceptance_criteria", "criteria"], Part::Text);
        node.describe(&headed("Steps", &story.texts(&["steps"], Part::Text).join("\n- ")).replacen(
            "Steps: ",
            "Steps:\n- ",
            1,
        ));
        node.describe(&headed("Notes", &story.text(&["notes"], Part::Text)));
        let done = story.take(&["passes", "passed", "done"], Part::Field);
        node.claimed = done == Some("true");
        story.taken.extend(done.filter(|done| *done == "true").map(|done| (done, Part::Ticked)));
        let list = story.take(&["dependencies", "dependsOn", "depends_on"], Part::After);
        node.needs = reader.needs(list, id_of);
        story.leave(&["createdAt", "updatedAt"]);
        reader.add(story, node);
    }
    reader.name_unknown();
    order_tasks(plan, first, Order::Plan, [&HashSet::new(), &HashSet::new()]);
}

/// The fields of an issue of beads that say nothing about the work.
const ABOUT_ISSUES: &str = "_type|issue_type|assignee|owner|estimated_minutes|created_at|created_by|updated_at|closed_at|close_reason|\
                            source_repo|compaction_level|original_size|dependency_count|dependent_count|comment_count|content_hash";

/// Reads `.beads/issues.jsonl` of beads: one issue in each line.
pub(super) fn beads(source: &SourceFile, file: usize, _: Tag<'_>, plan: &mut ImportedPlan) {
    let mut reader = Reader::new(source, file, plan);
    let (mut issues, mut records) = (Vec::new(), Vec::new());
    for line in source.text.lines().filter(|line| !line.trim().is_empty()) {
        let Some(mut record) = reader.top(line, "Every line must be a JSON object.") else { continue };
        let kind = record.text(&["_type"], Part::Field);
        let status = record.text(&["status"], Part::Field).to_lowercase();
        if !matches!(kind.as_str(), "" | "issue") {
            reader.take(line, Use::LeftOut(Reason::Field));
        } else if status == "tombstone" {
            reader.became(record, None);
        } else {
            match reader.issue(&mut record, &status) {
                Some(issue) => {
                    issues.push(issue);
                    records.push(record);
                }
                None => reader.plan.fault(reader.place(line), "an issue has no id", "Give it one."),
            }
        }
    }
    let added = add_issues(reader.plan, &issues);
    records.into_iter().zip(added).for_each(|(record, node)| reader.became(record, node));
    reader.name_unknown();
}

impl<'s> Reader<'_, 's> {
    fn issue(&mut self, record: &mut Object<'s>, status: &str) -> Option<Issue> {
        let id = Some(record.text(&["id"], Part::Field)).filter(|id| !id.is_empty())?;
        let place = self.place(record.raw);
        let title = record.text(&["title"], Part::Title);
        let mut node = ImportedNode::task(ImportedId::Given(id.clone()), name_of(&title), place);
        node.describe(&record.text(&["description"], Part::Text));
        for (field, heading) in
            [("design", "Design"), ("acceptance_criteria", "Acceptance criteria"), ("notes", "Notes")]
        {
            node.describe(&headed(heading, &record.text(&[field], Part::Text)));
        }
        node.fields.labels = record.texts(&["labels"], Part::Field);
        // There, 0 is the most urgent.
        let priority = record.text(&["priority"], Part::Field).parse::<u32>().ok();
        node.fields.priority = priority.filter(|number| *number < 100).map(|number| number + 1);
        let is_closed = status == "closed";
        if !is_closed && !matches!(status, "" | "open") {
            self.plan.warn(place, format!("{id} is marked as {status}, and is pending in the plan"), "");
        }
        let mut parent = record.text(&["parent", "parent_id"], Part::Field);
        let list = record.take(&["dependencies"], Part::After);
        node.needs = self.needs(list, |item| match serde_json::from_str(item).ok()? {
            Value::String(on) => Some(on),
            Value::Object(link) => {
                let text = |names: [&str; 2]| {
                    names.into_iter().find_map(|name| link.get(name)?.as_str()).map(str::to_owned)
                };
                let on = text(["depends_on_id", "id"])?;
                match text(["type", "dependency_type"]).as_deref() {
                    Some("blocks") | None => Some(on),
                    Some("parent-child") => {
                        parent = on;
                        Some(String::new())
                    }
                    // Others, such as `related`, do not block.
                    Some(_) => Some(String::new()),
                }
            }
            _ => None,
        });
        node.needs.retain(|need| need.on != Needed::Id(String::new()));
        record.leave(&ABOUT_ISSUES.split('|').collect::<Vec<_>>());
        // `bd-1.2` is a part of `bd-1`.
        let above = id.rsplit_once('.').map(|(above, _)| above.to_owned());
        let parent = Some(parent).filter(|parent| !parent.is_empty()).or(above);
        Some(Issue { id, node, parent, is_closed })
    }
}
