//! Reads issues as `gh issue list --json number,title,body,labels,state,milestone` prints them.

use std::collections::HashMap;

use super::super::json::{JsonFile, Value};
use super::imported::{ImportedId, ImportedNode, ImportedPlan, ImportedTest, Needed, Place, Prerequisite};
use super::json_source::{JsonSource, Object};
use super::source_file::SourceFile;
use super::texts::{TestLine, name_of, test_line};
use super::trackers::{Issue, add_issues};

/// Reads the source at position `file`.
pub(super) fn read(source: &SourceFile, file: usize, plan: &mut ImportedPlan) {
    let (json, document) = match JsonSource::read(source, file) {
        Ok(read) => read,
        Err(problem) => return plan.problems.push(problem),
    };
    let items = match document {
        JsonFile::Other(value) => value.items(),
        JsonFile::Object(_) => None,
    };
    let Some(items) = items else {
        let place = Place { file, line: 1 };
        let remedy = "Write it with `gh issue list --json number,title,body,labels,state,milestone`.";
        return plan.fault(place, "the file is not a list of issues", remedy);
    };
    let mut milestones: HashMap<String, usize> = HashMap::new();
    let mut issues = Vec::new();
    for value in items {
        let Some(fields) = json.object(value) else {
            plan.warn(
                json.place(value),
                "this entry is not an issue",
                "An issue is an object with a number and a title.",
            );
            continue;
        };
        if let Some(mut issue) = issue(&json, value, &fields, plan) {
            let group = |title| group(plan, &mut milestones, title, issue.node.place);
            issue.node.parent = milestone(&json, &fields).map(group);
            issues.push(issue);
        }
    }
    add_issues(plan, &issues);
}

fn issue<'s>(
    json: &JsonSource<'s>,
    value: Value<'s>,
    fields: &Object<'s>,
    plan: &mut ImportedPlan,
) -> Option<Issue> {
    let place = json.place(value);
    let Some(number) = fields.text(&["number", "id"]) else {
        plan.fault(place, "an issue has no number", "Ask for it with `gh issue list --json number,...`.");
        return None;
    };
    let title = fields.text(&["title"]).unwrap_or_default();
    let mut node = ImportedNode::task(ImportedId::Given(number.clone()), name_of(&title), place);
    let body = fields.text(&["body"]).unwrap_or_default().replace("\r\n", "\n");
    node.describe(&body);
    node.needs = needs_in(&body).into_iter().map(|on| Prerequisite::stated(Needed::Id(on), place)).collect();
    let commands = body.lines().filter_map(|line| match test_line(line) {
        Some(TestLine::Command(command)) => Some(ImportedTest { command, place }),
        Some(TestLine::Prose) | None => None,
    });
    node.tests = commands.collect();
    node.fields.labels =
        json.texts(fields, &["labels"], &["name"]).into_iter().map(|label| label.text).collect();
    let is_closed = fields.text(&["state"]).is_some_and(|state| state.eq_ignore_ascii_case("closed"));
    Some(Issue { id: number, node, parent: None, is_closed, last_line: json.last_line(value) })
}

fn milestone<'s>(json: &JsonSource<'s>, fields: &Object<'s>) -> Option<String> {
    json.object(fields.get("milestone")?)?.text(&["title"])
}

/// The group of a milestone, which is created for its first issue.
fn group(plan: &mut ImportedPlan, known: &mut HashMap<String, usize>, title: String, place: Place) -> usize {
    if let Some(node) = known.get(&title) {
        return *node;
    }
    let node = plan.add(ImportedNode::group(ImportedId::Derived, name_of(&title), place));
    known.insert(title, node);
    node
}

/// The issues that a body names after "depends on" or "blocked by".
fn needs_in(body: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in body.lines() {
        let lower = line.to_lowercase();
        for keyword in ["depends on", "blocked by"] {
            let Some((_, rest)) = lower.split_once(keyword) else { continue };
            let words = rest
                .split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | ';' | '.' | '(' | ')' | '*'));
            let words = words.filter(|word| !word.is_empty() && *word != "and" && *word != "&");
            let numbers = words.map_while(|word| {
                word.strip_prefix('#').filter(|number| number.bytes().all(|b| b.is_ascii_digit()))
            });
            found.extend(numbers.filter(|number| !number.is_empty()).map(str::to_owned));
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_that_block_another_one_are_found_in_its_body() {
        assert_eq!(
            needs_in("Depends on #12, #13 and #14.\nSee #15\n- Blocked by: #16 (the API)"),
            ["12", "13", "14", "16"]
        );
        assert_eq!(needs_in("It depends on the weather, #3"), [""; 0]);
    }
}
