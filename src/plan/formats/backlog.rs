//! Reads tasks of Backlog.md: one Markdown file for each task, with its fields in front matter.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::account::{Lines, Part, Reason, Use};
use super::imported::{ImportedId, ImportedNode, ImportedPlan, ImportedTest, Needed, Place, Prerequisite};
use super::issues::{Issue, add_issues};
use super::notes::{Note, name};
use super::outline::front_matter;
use super::source_file::{SourceFile, line_number};
use super::texts::{name_of, priority_of, test_line};

/// A field of the front matter.
#[derive(Debug, Default, PartialEq, Eq)]
struct Field {
    name: String,
    lines: Lines,
    /// The texts in it, with their lines.
    texts: Vec<(String, u32)>,
    /// The lines of other values in it.
    odd: Vec<u32>,
}

/// The fields that are read besides title and dependencies.
const FIELDS: &str = "id|status|labels|priority|ordinal|parent_task_id|parent";

/// The fields that say nothing about the work.
const LEFT_OUT: &str = "assignee|reporter|created_date|updated_date|completed_date|milestone|references|documentation|modified_files|type";

/// Reads all sources.
pub(super) fn read(sources: &[SourceFile], plan: &mut ImportedPlan) {
    let mut issues: Vec<(f64, Issue)> = Vec::new();
    for (file, source) in sources.iter().enumerate() {
        if sources.len() > 1 && front_matter(&source.text).0.is_none() {
            plan.warn(Place { file, line: 1 }, "the file has no front matter and is not read as a task", "");
            plan.account.take(file, [1, line_number(source.text.lines().count())], Use::Warned);
            continue;
        }
        match issue(source, file, plan) {
            Ok(issue) => issues.push(issue),
            Err((line, what, remedy)) => plan.fault(Place { file, line }, what, remedy),
        }
    }
    issues.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.node.place.cmp(&b.1.node.place)));
    let issues: Vec<Issue> = issues.into_iter().map(|(_, issue)| issue).collect();
    let files: Vec<usize> = issues.iter().map(|issue| issue.node.place.file).collect();
    let added = add_issues(plan, &issues);
    for (file, node) in files.into_iter().zip(added) {
        account(&sources[file], file, node, plan);
    }
}

/// Reads one file as a task, with its ordinal. The error is a line with what is wrong there, and what to do.
fn issue(
    source: &SourceFile,
    file: usize,
    plan: &mut ImportedPlan,
) -> Result<(f64, Issue), (u32, String, &'static str)> {
    let (Some(matter), start) = front_matter(&source.text) else {
        let remedy = "A task of Backlog.md begins with --- and its fields.";
        return Err((1, "the file has no front matter".to_owned(), remedy));
    };
    let fields = fields(matter, 2)
        .map_err(|(line, what)| (line, what, "Write plain fields, such as `id: task-1`."))?;
    let texts = |name: &str| {
        let field = fields.iter().find(|field| field.name == name);
        field.map_or(&[][..], |field| &field.texts)
    };
    let text = |name: &str| texts(name).first().map(|(text, _)| text.as_str());
    let id =
        text("id").ok_or((1, "the task has no id".to_owned(), "Add `id: task-1` to the front matter."))?;
    let mut node = ImportedNode::task(
        ImportedId::Given(id.to_owned()),
        name_of(text("title").unwrap_or_default()),
        Place { file, line: 1 },
    );
    let body = &source.text[start..];
    let lines = body.lines().filter(|line| !line.trim_start().starts_with("<!--"));
    node.describe(lines.collect::<Vec<_>>().join("\n").trim());
    let need = |(on, line): &(String, u32)| {
        Prerequisite::stated(Needed::Id(on.clone()), Place { file, line: *line })
    };
    node.needs = texts("dependencies").iter().map(need).collect();
    node.fields.labels = texts("labels").iter().map(|(label, _)| label.clone()).collect();
    node.fields.priority = text("priority").and_then(priority_of);
    let first = line_number(source.text[..start].lines().count()) + 1;
    for (line, text) in (first..).zip(body.lines()) {
        let test = test_line(text).map(|command| ImportedTest { command, place: Place { file, line } });
        node.tests.extend(test);
    }
    let status = text("status").unwrap_or_default().to_lowercase();
    let is_closed = matches!(status.as_str(), "done" | "completed" | "closed" | "archived" | "cancelled");
    let begun = fields.iter().find(|field| field.name == "status" && status.contains("progress"));
    if let Some(field) = begun.filter(|_| !is_closed) {
        let what = format!("{id} is marked as in progress, and is pending in the plan");
        plan.warn(Place { file, line: field.lines[0] }, what, "");
    }
    for odd in fields.iter().filter(|field| field.name == "dependencies" && !field.odd.is_empty()) {
        name(Note::Need, &[odd.lines[0]], file, plan);
    }
    let parent = text("parent_task_id").or_else(|| text("parent")).map(str::to_owned);
    let ordinal = text("ordinal").and_then(|ordinal| ordinal.parse().ok()).unwrap_or(f64::MAX);
    Ok((ordinal, Issue { id: id.to_owned(), node, parent, is_closed }))
}

/// Accounts for the lines of a file that became this node, or was left out.
fn account(source: &SourceFile, file: usize, node: Option<usize>, plan: &mut ImportedPlan) {
    let (matter, start) = front_matter(&source.text);
    let first = line_number(source.text[..start].lines().count()) + 1;
    let last = line_number(source.text.lines().count());
    let Some(node) = node else {
        return plan.account.take(file, [1, last], Use::LeftOut(Reason::Closed));
    };
    for field in fields(matter.unwrap_or_default(), 2).unwrap_or_default() {
        let is_in = |list: &str| list.split('|').any(|name| name == field.name);
        let taken = match field.name.as_str() {
            "title" => Use::Node(node, Part::Title),
            "dependencies" => Use::Node(node, Part::After),
            _ if is_in(FIELDS) => Use::Node(node, Part::Field),
            _ if is_in(LEFT_OUT) => Use::LeftOut(Reason::Field),
            name => {
                plan.warn(Place { file, line: field.lines[0] }, format!("the field {name} is not read"), "");
                Use::Warned
            }
        };
        plan.account.take(file, field.lines, taken);
    }
    for (line, text) in
        (first..).zip(source.text[start..].lines()).filter(|(_, text)| !text.trim().is_empty())
    {
        let taken = match test_line(text) {
            Some(_) => Use::Node(node, Part::Test),
            _ if text.trim_start().starts_with("<!--") => Use::LeftOut(Reason::Comment),
            _ => Use::Node(node, Part::Text),
        };
        plan.account.take(file, [line, line], taken);
    }
}

/// The largest front matter, in bytes.
const LARGEST: usize = 256 * 1024;

/// The fields of a YAML document whose first line is the line `first` of its file. The error is a line, and what is wrong there. Anything
/// that could make a small text large, such as an alias, is refused.
fn fields(text: &str, first: u32) -> Result<Vec<Field>, (u32, String)> {
    if text.len() > LARGEST {
        return Err((first, "the front matter is larger than 256 KiB".to_owned()));
    }
    let mut fields: Vec<Field> = Vec::new();
    // How many lists and maps are around, and whether the next value at the top is a field's.
    let (mut depth, mut is_value) = (0, false);
    let at = |line: usize| first + line_number(line.max(1)) - 1;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            (at(error.marker().line()), format!("the front matter is not valid YAML: {}", error.info()))
        })?;
        let line = at(span.start.line());
        match event {
            Event::Alias(_) => return Err((line, "the front matter has an alias".to_owned())),
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                depth += 1;
                if depth > 16 {
                    return Err((line, "the front matter is nested too deeply".to_owned()));
                }
            }
            Event::SequenceEnd | Event::MappingEnd => {
                depth -= 1;
                is_value &= depth > 1;
            }
            Event::Scalar(text, ..) if depth == 1 && !is_value => {
                fields.push(Field { name: text.into_owned(), lines: [line, line], ..Field::default() });
                is_value = true;
            }
            Event::Scalar(text, style, ..) => {
                let is_null = style == ScalarStyle::Plain && matches!(&*text, "~" | "null");
                if let Some(field) = fields.last_mut() {
                    match text.trim() {
                        "" => {}
                        _ if is_null => {}
                        text if depth <= 2 => field.texts.push((text.to_owned(), line)),
                        _ => field.odd.push(line),
                    }
                }
                is_value &= depth > 1;
            }
            _ => {}
        }
    }
    let ends: Vec<u32> = fields.iter().skip(1).map(|field| field.lines[0] - 1).collect();
    let last = first + line_number(text.lines().count()).max(1) - 1;
    for (field, end) in fields.iter_mut().zip(ends.into_iter().chain([last])) {
        field.lines[1] = end.max(field.lines[0]);
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(fields: &[Field], name: &str) -> Vec<(String, u32)> {
        let found = fields.iter().find(|field| field.name == name);
        found.map(|field| field.texts.clone()).unwrap_or_default()
    }

    #[test]
    fn front_matter_is_read_with_its_lines() {
        let text = "id: TASK-1\ntitle: >-\n  A long\n  title\nlabels: [a, 'b c']\ndependencies:\n  - TASK-2\n  - 3\n  - id: 4\nempty:\n";
        let fields = fields(text, 2).unwrap();
        assert_eq!(texts(&fields, "id"), [("TASK-1".to_owned(), 2)]);
        assert_eq!(texts(&fields, "title")[0].0, "A long title");
        assert_eq!(texts(&fields, "labels").len(), 2);
        assert_eq!(texts(&fields, "dependencies"), [("TASK-2".to_owned(), 8), ("3".to_owned(), 9)]);
        assert_eq!(texts(&fields, "empty"), []);
        let lines: Vec<Lines> = fields.iter().map(|field| field.lines).collect();
        assert_eq!(lines, [[2, 2], [3, 5], [6, 6], [7, 10], [11, 11]]);
        assert_eq!(fields[3].odd, [10, 10]);
    }

    #[test]
    fn what_makes_a_small_text_large_is_refused() {
        let bomb = "a: &a [x, x]\nb: &b [*a, *a]\n";
        assert!(fields(bomb, 1).unwrap_err().1.contains("alias"));
        assert!(fields(&"[".repeat(10_000), 1).is_err());
        let large = "a: ".to_owned() + &"x".repeat(LARGEST);
        assert!(fields(&large, 1).unwrap_err().1.contains("256 KiB"));
        let broken = fields("a: [1, 2", 2).unwrap_err().1;
        assert_eq!(broken.split(':').next(), Some("the front matter is not valid YAML"));
        assert_eq!(fields("", 1).unwrap(), []);
    }
}
