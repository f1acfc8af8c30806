//! Adds to a list of a task in the file of the plan: the files that it may change although they judge it, or its earlier names.
//! Everything else in the file stays as it is. It also compares a task in two versions of the file.

use super::json::{JsonFile, Member, Value};
use super::paths::PathPattern;
use super::source::Source;
use super::task_field::TaskField;

/// The file of a plan in which the task or phase with this id may change these files, in addition to those that the file lists
/// for it; `None` if the file has none with this id.
#[must_use]
pub fn with_may_change(bytes: &[u8], id: &str, patterns: &[PathPattern]) -> Option<String> {
    let patterns: Vec<&str> = patterns.iter().map(PathPattern::as_str).collect();
    with_list(bytes, id, TaskField::MayChange.name(), &patterns)
}

/// The file of a plan in which the task with this id had these earlier names, in addition to those that the file lists;
/// `None` if the file has no such task.
#[must_use]
pub fn with_earlier_names(bytes: &[u8], id: &str, names: &[String]) -> Option<String> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    with_list(bytes, id, "was", &names)
}

/// The file in which a field of a task or phase lists these texts as well.
fn with_list(bytes: &[u8], id: &str, field: &str, texts: &[&str]) -> Option<String> {
    let source = Source::decode(bytes).ok()?;
    let Ok(JsonFile::Object(file)) = JsonFile::read(&source) else { return None };
    let nodes = member(&file, "nodes")?.members()?;
    let node = member(&nodes, id)?;
    let fields = node.members()?;
    let own = member(&fields, field).and_then(Value::items);
    let listed = || texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
    let (part, replacement) = match (own.as_deref(), member(&fields, field), fields.last()) {
        (Some([.., last]), Some(list), _) => {
            let before = blanks_before(list.raw(), source.offset(last.raw()) - source.offset(list.raw()));
            let is_new =
                |text: &&&str| !own.iter().flatten().any(|item| item.text().as_deref() == Some(**text));
            let new: String =
                texts.iter().filter(is_new).map(|text| format!(",{before}{}", quoted(text))).collect();
            (last.raw(), format!("{}{new}", last.raw()))
        }
        (_, Some(value), _) => (value.raw(), format!("[{}]", listed())),
        (_, None, Some(last)) => {
            let place = source.offset(last.key.raw()) - source.offset(node.raw());
            let before = blanks_before(node.raw(), place);
            let value = last.value.raw();
            (value, format!("{value},{before}{}: [{}]", quoted(field), listed()))
        }
        (_, None, None) => (node.raw(), format!("{{{}: [{}]}}", quoted(field), listed())),
    };
    let text = source.text();
    let at = source.offset(part);
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { "\u{feff}" } else { "" };
    Some(format!("{mark}{}{replacement}{}", &text[..at], &text[at + part.len()..]))
}

/// The value of the last member with this name, which is the one that counts.
fn member<'a>(members: &[Member<'a>], name: &str) -> Option<Value<'a>> {
    members.iter().rev().find(|member| member.key.text().as_deref() == Some(name)).map(|member| member.value)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The blanks and line ends directly before a place.
fn blanks_before(text: &str, place: usize) -> &str {
    let before = &text[..place];
    &before[before.trim_end().len()..]
}

/// The fields of a task that require nothing.
const NO_REQUIREMENTS: [&str; 3] = ["was", "labels", "priority"];

/// Whether a task has other fields in one version of the file than in another, apart from those that require nothing. If a
/// version cannot be read, or the task is in one of them only, nothing is known, and the answer is no.
#[must_use]
pub fn asks_otherwise(then: &[u8], now: &[u8], id: &str) -> bool {
    match (fields_of(then, id), fields_of(now, id)) {
        (Some(then), Some(now)) => then != now,
        _ => false,
    }
}

fn fields_of(text: &[u8], id: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    let text = std::str::from_utf8(text).ok()?;
    let mut tree: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let serde_json::Value::Object(mut node) = tree.get_mut("nodes")?.get_mut(id)?.take() else { return None };
    node.retain(|field, _| !NO_REQUIREMENTS.contains(&field.as_str()));
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(text: &str, patterns: &[&str]) -> String {
        let patterns: Vec<_> = patterns.iter().map(|text| PathPattern::parse(text).unwrap()).collect();
        with_may_change(text.as_bytes(), "T1", &patterns).unwrap()
    }

    #[test]
    fn only_the_field_changes_and_the_rest_keeps_its_form() {
        let pretty = "{\n    \"nodes\": {\n        \"T1\": {\n            \"id\": \"T1\",\n            \"x\": {\"y\":1}\n        }\n    }\n}\n";
        let first = allowed(pretty, &["tests/a.py"]);
        assert_eq!(
            first,
            "{\n    \"nodes\": {\n        \"T1\": {\n            \"id\": \"T1\",\n            \"x\": {\"y\":1},\n            \"may_change\": [\"tests/a.py\"]\n        }\n    }\n}\n"
        );
        assert_eq!(allowed(&first, &["tests/a.py"]), first, "repeating it changes nothing");
        assert!(allowed(&first, &["tests/a.py", "b/*"]).contains("[\"tests/a.py\",\"b/*\"]"));
        let lines = "{\"nodes\": {\"T1\": {\"may_change\": [\n  \"a\"\n]}}}";
        assert_eq!(
            allowed(lines, &["b"]),
            "{\"nodes\": {\"T1\": {\"may_change\": [\n  \"a\",\n  \"b\"\n]}}}"
        );
        for (before, after) in [
            (r#"{"nodes":{"T1":{"id":"T1"}}}"#, r#"{"nodes":{"T1":{"id":"T1","may_change": ["b"]}}}"#),
            (r#"{"nodes":{"T1":{"may_change":null}}}"#, r#"{"nodes":{"T1":{"may_change":["b"]}}}"#),
            (r#"{"nodes":{"T1":{"may_change":[]}}}"#, r#"{"nodes":{"T1":{"may_change":["b"]}}}"#),
            (r#"{"nodes":{"T1":{}}}"#, r#"{"nodes":{"T1":{"may_change": ["b"]}}}"#),
        ] {
            assert_eq!(allowed(before, &["b"]), after);
        }
        assert_eq!(with_may_change(b"{\"nodes\": {}}", "T1", &[]), None);
    }

    #[test]
    fn a_node_asks_otherwise_if_a_field_of_it_differs() {
        let tree = |fields: &str| format!(r#"{{"nodes": {{"T1": {{{fields}}}, "T2": {{}}}}}}"#);
        for (then, now, expected) in [
            (r#""id": "T1", "name": "a""#, r#""name": "a", "id": "T1""#, false),
            (r#""id": "T1""#, r#""id": "T1", "may_change": ["tests/a.py"]"#, true),
            (r#""id": "T1", "labels": ["x"], "priority": 1"#, r#""id": "T1", "was": ["T0"]"#, false),
        ] {
            assert_eq!(asks_otherwise(tree(then).as_bytes(), tree(now).as_bytes(), "T1"), expected, "{now}");
        }
        assert!(!asks_otherwise(b"{", tree("").as_bytes(), "T1"));
        assert!(!asks_otherwise(tree("").as_bytes(), tree("").as_bytes(), "T9"));
    }
}
