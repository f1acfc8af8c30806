//! Writes into a tree file which files a task may change although they judge it. Everything else in the file stays as it is.

use super::json::{Document, Member, Value};
use super::paths::PathPattern;
use super::source::Source;
use super::task_field::TaskField;

/// The text of a tree file in which the node with this id may change these files, in addition to what the file says of the
/// node itself; `None` if the file has no such node.
#[must_use]
pub fn with_may_change(bytes: &[u8], id: &str, patterns: &[PathPattern]) -> Option<String> {
    let source = Source::decode(bytes).ok()?;
    let Ok(Document::Object(file)) = Document::read(&source) else { return None };
    let nodes = member(&file, "nodes")?.members()?;
    let node = member(&nodes, id)?;
    let fields = node.members()?;
    let field = TaskField::MayChange.name();
    let own = member(&fields, field).and_then(Value::items);
    let listed = || patterns.iter().map(|pattern| quoted(pattern.as_str())).collect::<Vec<_>>().join(", ");
    let (part, replacement) = match (own.as_deref(), member(&fields, field), fields.last()) {
        (Some([.., last]), Some(list), _) => {
            let before = blanks_before(list.raw(), source.offset(last.raw()) - source.offset(list.raw()));
            let is_new = |pattern: &&PathPattern| {
                !own.iter().flatten().any(|item| item.text().as_deref() == Some(pattern.as_str()))
            };
            let new = patterns.iter().filter(is_new);
            let new: String = new.map(|pattern| format!(",{before}{}", quoted(pattern.as_str()))).collect();
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
}
