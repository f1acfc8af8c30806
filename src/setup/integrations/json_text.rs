//! Sets one entry in the text of a JSON document. Everything else in it stays as it is, byte for byte.

use std::fmt;
use std::ops::Range;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Serializer, Value};

/// An object as it is written.
struct ObjectMembers<'t>(Vec<(String, &'t RawValue)>);

impl<'t> ObjectMembers<'t> {
    /// The members of the object in this text.
    fn of(text: &'t str) -> Result<Self, String> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        let mut reader = serde_json::Deserializer::from_str(text);
        let members = reader.deserialize_map(Collect).and_then(|members| reader.end().map(|()| members));
        members.map(Self).map_err(|error| error.to_string())
    }

    fn get(&self, name: &str) -> Option<&'t RawValue> {
        // As in most readers, the last one counts.
        self.0.iter().rev().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// The value at this place; `None` if there is none.
///
/// # Errors
/// If the text is not a JSON object, or something on the way is none: why, as a clause.
pub(super) fn get(text: &str, place: &[&str]) -> Result<Option<Value>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut here = text;
    for (depth, name) in place.iter().enumerate() {
        let members = ObjectMembers::of(here).map_err(|error| wrong(&place[..depth], &error))?;
        let Some(value) = members.get(name) else { return Ok(None) };
        here = value.get();
    }
    serde_json::from_str(here).map(Some).map_err(|error| error.to_string())
}

/// The text with this value at this place.
///
/// # Errors
/// As for [`get`].
pub(super) fn set(text: &str, place: &[&str], value: &Value) -> Result<String, String> {
    let unit = indentation(text);
    if text.trim().is_empty() {
        return Ok(format!("{}\n", pretty(&nested(place, value), unit)));
    }
    let (mut from, mut to) = (0, text.len());
    for (depth, name) in place.iter().enumerate() {
        let here = &text[from..to];
        let members = ObjectMembers::of(here).map_err(|error| wrong(&place[..depth], &error))?;
        let Some(value_there) = members.get(name) else {
            let new = nested(&place[depth + 1..], value);
            return Ok(insert(text, from..to, &Entry { name, value: &new, depth, unit }));
        };
        // A raw value is a part of the text.
        let start = value_there.get().as_ptr().addr() - text.as_ptr().addr();
        (from, to) = (start, start + value_there.get().len());
    }
    let new = indented(&pretty(value, unit), &unit.repeat(place.len()));
    Ok(format!("{}{new}{}", &text[..from], &text[to..]))
}

fn wrong(place: &[&str], error: &str) -> String {
    if place.is_empty() { error.to_owned() } else { format!("`{}`: {error}", place.join(".")) }
}

/// An entry that an object does not have yet.
struct Entry<'e> {
    name: &'e str,
    value: &'e Value,
    /// How many objects are around that object.
    depth: usize,
    unit: &'e str,
}

/// The text with a further entry at the end of the object in this range.
fn insert(text: &str, object: Range<usize>, entry: &Entry<'_>) -> String {
    let from = object.start;
    let close = text[object].rfind('}').expect("an object ends so") + from;
    let before = text[..close].trim_end();
    let comma = if before.ends_with('{') { "" } else { "," };
    let (outer, inner) = (entry.unit.repeat(entry.depth), entry.unit.repeat(entry.depth + 1));
    let name = Value::from(entry.name);
    let value = indented(&pretty(entry.value, entry.unit), &inner);
    format!("{before}{comma}\n{inner}{name}: {value}\n{outer}{}", &text[close..])
}

/// The value inside of these objects.
fn nested(place: &[&str], value: &Value) -> Value {
    place.iter().rev().fold(value.clone(), |inner, name| {
        let mut object = serde_json::Map::new();
        object.insert((*name).to_owned(), inner);
        Value::Object(object)
    })
}

/// The indentation of the first line that has one.
fn indentation(text: &str) -> &str {
    let indented = |line: &'_ str| line.len() - line.trim_start().len();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| &line[..indented(line)]).find(|space| !space.is_empty()).unwrap_or("  ")
}

fn pretty(value: &Value, unit: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let written = serde::Serialize::serialize(value, &mut Serializer::with_formatter(&mut bytes, formatter));
    written.expect("a value with texts as keys is always JSON");
    String::from_utf8(bytes).expect("JSON is text")
}

/// The text with this before every line but the first.
fn indented(text: &str, indent: &str) -> String {
    text.replace('\n', &format!("\n{indent}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PLACE: [&str; 2] = ["mcpServers", "git-arborist"];

    fn entry() -> Value {
        json!({"command": "git", "args": ["arborist", "mcp"]})
    }

    #[test]
    fn an_entry_is_added_and_everything_else_stays_byte_for_byte() {
        let text = "{\n\t\"b\": [1,   2],\n\t\"mcpServers\": {\n\t\t\"z\": {\"command\": \"z\"}\n\t},\n\t\"a\": \"\\u00e9\"\n}\n";
        let set_once = set(text, &PLACE, &entry()).unwrap();
        assert_eq!(
            set_once,
            "{\n\t\"b\": [1,   2],\n\t\"mcpServers\": {\n\t\t\"z\": {\"command\": \"z\"},\n\t\t\"git-arborist\": {\n\t\t\t\"command\": \
             \"git\",\n\t\t\t\"args\": [\n\t\t\t\t\"arborist\",\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t},\n\t\"a\": \"\\u00e9\"\n}\n"
        );
        assert_eq!(get(&set_once, &PLACE).unwrap(), Some(entry()));
        let other = json!({"command": "other"});
        let replaced = set(&set_once, &PLACE, &other).unwrap();
        assert_eq!(get(&replaced, &PLACE).unwrap(), Some(other));
        assert!(replaced.contains("[1,   2]") && replaced.contains("\"z\": {\"command\": \"z\"}"));
    }

    #[test]
    fn missing_empty_and_short_documents_get_the_entry() {
        for text in [
            "",
            "\n",
            "{}",
            "{ }\n",
            "{\"mcpServers\": {}}",
            "{\"a\": 1}",
            "{\"mcpServers\":{\"x\":1},\"y\":{}}",
        ] {
            let set = set(text, &PLACE, &entry()).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(get(&set, &PLACE).unwrap(), Some(entry()), "{text}");
            let before: Value =
                if text.trim().is_empty() { json!({}) } else { serde_json::from_str(text).unwrap() };
            let after: Value = serde_json::from_str(&set).unwrap();
            for (name, value) in before.as_object().unwrap().iter().filter(|(name, _)| *name != "mcpServers")
            {
                assert_eq!(after[name], *value, "{text}");
            }
        }
        assert_eq!(set("", &["a"], &json!(1)).unwrap(), "{\n  \"a\": 1\n}\n");
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["[]", "7", "{", "// note\n{}", "{\"mcpServers\": []}", "{} x"] {
            assert!(set(text, &PLACE, &entry()).is_err(), "{text}");
        }
    }
}
