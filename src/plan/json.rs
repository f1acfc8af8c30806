//! JSON values with their positions. They are slices of the text of the file, parsed one level at a time.
//!
//! A slice is parsed only when it is needed, so values that are never read may be nested to any depth.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::problem::{Problem, write_a_plan};
use super::source::Source;

/// One JSON value: its text in the file.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) raw: &'a str,
}

/// One `"key": value` of an object.
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    /// The key, a JSON string.
    pub(super) key: Value<'a>,
    pub(super) value: Value<'a>,
}

/// The type of the value, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonKind {
    Null,
    Boolean,
    Number,
    Text,
    List,
    Object,
}

impl fmt::Display for JsonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "true or false",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        })
    }
}

impl<'a> Value<'a> {
    /// The value of a whole file.
    pub(super) fn of(source: &Source<'a>) -> Result<Self, Problem> {
        let raw: Result<&'a RawValue, _> = serde_json::from_str(source.text);
        raw.map(|raw| Self { raw: raw.get() }).map_err(|error| syntax_problem(&error, source.text))
    }

    pub(super) fn kind(self) -> JsonKind {
        match self.raw.as_bytes().first() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::List,
            Some(b'"') => JsonKind::Text,
            Some(b't' | b'f') => JsonKind::Boolean,
            Some(b'n') => JsonKind::Null,
            _ => JsonKind::Number,
        }
    }

    /// The string; `None` if it is not one, or has an escape that is not a character (half a surrogate pair).
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.raw.strip_prefix('"')?.strip_suffix('"')?;
        if inner.contains('\\') {
            return serde_json::from_str(self.raw).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(inner))
    }

    /// The items of a list; `None` if it is not one.
    pub(super) fn items(self) -> Option<Vec<Self>> {
        let items: Vec<&'a RawValue> = serde_json::from_str(self.raw).ok()?;
        Some(items.into_iter().map(|raw| Self { raw: raw.get() }).collect())
    }

    /// The members of an object in the order of the file, including repeated keys; `None` if it is not an object.
    pub(super) fn members(self) -> Option<Vec<Member<'a>>> {
        serde_json::from_str::<Members<'a>>(self.raw).ok().map(|members| members.0)
    }
}

/// The members of an object, in their order.
pub(super) struct Members<'a>(pub(super) Vec<Member<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        // Most objects are nodes, and most nodes have all fields.
        let mut members = Vec::with_capacity(10);
        while let Some((key, value)) = map.next_entry::<&'de RawValue, &'de RawValue>()? {
            members.push(Member { key: Value { raw: key.get() }, value: Value { raw: value.get() } });
        }
        Ok(Members(members))
    }
}

/// Whether a value of a field is as good as none: null, an empty text or an empty list.
pub(super) fn is_empty(value: &serde_json::Value) -> bool {
    value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty)
}

/// The error of the parser at its place.
fn syntax_problem(error: &serde_json::Error, text: &str) -> Problem {
    if let Some(above) = text.lines().position(|line| line.starts_with("<<<<<<< ")) {
        let what = "the file has a merge conflict in it";
        return Problem::new(Some(above + 1), what, "Resolve the conflict.");
    }
    let first = text.split_whitespace().next().unwrap_or_default();
    if !first.starts_with(['{', '[', '/', '#', '"']) || first.trim_start_matches('#').is_empty() {
        return Problem::new(None, "the file is not JSON", write_a_plan());
    }
    let (line, column) = (error.line(), error.column().max(1));
    let above: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let (before, here) = text.as_bytes().split_at_checked(above + column - 1).unwrap_or_default();
    let said = error.to_string();
    let said = said.rsplit_once(" at line ").map_or(&*said, |(said, _)| said);
    let (what, remedy) =
        if matches!(here.first(), Some(b']' | b'}')) && before.trim_ascii_end().ends_with(b",") {
            ("there is a comma before a closing bracket".to_owned(), "Remove the comma.")
        } else if error.is_eof() {
            ("the file ends too early".to_owned(), "Restore the rest of it; something cut it short.")
        } else {
            (format!("this is not JSON: {said}"), "Correct it here or just before.")
        };
    Problem { column: Some(column), ..Problem::new(Some(line), what, remedy) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value<'_> {
        Value { raw: text }
    }

    fn fault(text: &str) -> Problem {
        Value::of(&Source::decode(text.as_bytes(), "").unwrap()).err().unwrap()
    }

    #[test]
    fn syntax_errors_say_where_and_what() {
        let cases = [
            ("{\"nodes\": {", 1, 11, "the file ends too early"),
            ("{\"nodes\": {\"T0", 1, 14, "the file ends too early"),
            ("{\"a\": \"b\"\n\n", 3, 1, "the file ends too early"),
            ("{}\n\n x", 3, 2, "trailing characters"),
            ("{}{}", 1, 3, "trailing characters"),
            ("{\"a\": 1} // end", 1, 10, "trailing characters"),
            ("{\n\"a\": [1,\n]}", 3, 1, "a comma before a closing bracket"),
            ("{\"a\": 1,\n}", 2, 1, "a comma before a closing bracket"),
            ("{\"a\": }", 1, 7, "expected value"),
            ("{\"a\": 'b'}", 1, 7, "expected value"),
            ("{\"a\": NaN}", 1, 7, "expected value"),
            ("#tree\n{}", 1, 1, "expected value"),
            ("{\"a\": \"x\ny\"}", 1, 8, "control character (\\u0000-\\u001F) found while parsing a string"),
            ("{a: 1}", 1, 2, "key must be a string"),
            ("{'a': 1}", 1, 2, "key must be a string"),
            ("{\"a\": \"\\q\"}", 1, 9, "invalid escape"),
            ("{\"a\" 1}", 1, 6, "expected `:`"),
            ("{\"a\": 1 \"b\": 2}", 1, 9, "expected `,` or `}`"),
            ("{\"a\": 01}", 1, 8, "invalid number"),
        ];
        for (text, line, column, what) in cases {
            let problem = fault(text);
            assert!(problem.what.ends_with(what), "{text}: {}", problem.what);
            assert_eq!((problem.line, problem.column), (Some(line), Some(column)), "{text}");
        }
    }

    #[test]
    fn a_file_that_was_not_meant_as_json_is_told_what_a_plan_is() {
        for text in [
            "# Tasks\n\n- [ ] T001 Do it\n",
            "## Only a heading\n",
            "- [ ] T001 Do it\n",
            "1. First\n2. Second\n",
            "```json\n{}\n```\n",
            "---\ntitle: x\n---\n",
            "spec_id: x\nnodes:\n",
            "Write a greeter in shell.\n",
        ] {
            let problem = fault(text);
            assert_eq!(problem.what, "the file is not JSON", "{text}");
            assert!(problem.remedy.contains("README"), "{}", problem.remedy);
        }
        for text in ["{a: 1}", "{\"a\": - }", "// tree\n{]", "[- ]"] {
            assert!(fault(text).line.is_some(), "{text}: {}", fault(text).what);
        }
    }

    #[test]
    fn a_merge_conflict_is_named() {
        let text = "{\n<<<<<<< HEAD\n\"a\": 1\n=======\n\"a\": 2\n>>>>>>> b\n}";
        let problem = fault(text);
        assert_eq!((problem.line, problem.what.as_str()), (Some(2), "the file has a merge conflict in it"));
    }

    #[test]
    fn members_keep_their_order_repeats_and_places() {
        let text = "{\"b\": 1, \"a\": [ true ], \"b\": null}";
        let source = Source::decode(text.as_bytes(), "").unwrap();
        let members = value(source.text).members().unwrap();
        let seen: Vec<_> = members
            .iter()
            .map(|member| (member.key.text().unwrap(), member.value.kind(), source.offset(member.key.raw)))
            .collect();
        assert_eq!(
            seen,
            [
                ("b".into(), JsonKind::Number, 1),
                ("a".into(), JsonKind::List, 9),
                ("b".into(), JsonKind::Null, 24)
            ]
        );
        let item = members[1].value.items().unwrap()[0];
        assert_eq!((item.raw, source.offset(item.raw)), ("true", 16));
    }

    #[test]
    fn values_are_read_or_refused() {
        assert_eq!(value("\"a\\u00e9\\n\"").text().unwrap(), "aé\n");
        assert_eq!(value("\"\\ud800\"").text(), None);
        assert_eq!(value("12").text(), None);
        assert!(value("{}").items().is_none() && value("[]").members().is_none());
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let deep = format!("{{\"x\": {}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        let members = value(&deep).members().unwrap();
        assert_eq!(members[0].value.kind(), JsonKind::List);
        let cut = &deep[..150_000];
        let problem = fault(cut);
        assert_eq!(problem.what, "the file ends too early");
    }
}
