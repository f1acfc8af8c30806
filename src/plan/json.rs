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
    raw: &'a str,
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
        let raw: Result<&'a RawValue, _> = serde_json::from_str(source.text());
        raw.map(|raw| Self { raw: raw.get() }).map_err(|error| syntax_problem(&error, source.text()))
    }

    /// The raw text of the value in the file.
    pub(super) fn raw(self) -> &'a str {
        self.raw
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

    pub(super) fn boolean(self) -> Option<bool> {
        serde_json::from_str(self.raw).ok()
    }

    /// The number; `None` if it is not one, or is too large for a double.
    pub(super) fn number(self) -> Option<f64> {
        serde_json::from_str(self.raw).ok()
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

/// The parser's message, the text at the place (if empty, any), an explanation for people, and the remedy.
const SYNTAX: [(&str, &str, &str, &str); 11] = [
    ("", "/#", "JSON has no comments", "Remove the comment."),
    ("", "'", "a text is in single quotes", "Put it in double quotes."),
    ("EOF while", "", "the file ends too early", "Restore the rest of it; something cut it short."),
    (
        "trailing characters",
        "",
        "there is more after the end of the plan",
        "Remove what follows the last bracket.",
    ),
    (
        "control character",
        "",
        "a string has a raw line break or control character",
        "Write a line break as \\n.",
    ),
    ("key must be a string", "", "a field name is not in double quotes", "Put it in double quotes."),
    (
        "expected value",
        "",
        "this is not a JSON value",
        "Write a string in double quotes, a number, true, false or null.",
    ),
    ("expected `:`", "", "a colon is missing after a field name", "Add it."),
    ("expected `,`", "", "a comma or closing bracket is missing before this", "Add it."),
    ("invalid escape", "", "a string has an unknown escape", "Write a backslash as \\\\."),
    ("invalid number", "", "this is not a JSON number", "Write it plainly, such as 12 or 0.5."),
];

/// The format of a file that was clearly not meant as JSON.
fn other_format(text: &str) -> Option<&'static str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // Lines at the top that begin with `#` may be headings, or comments above JSON.
    let Some(first) = lines.find(|line| !line.starts_with('#') && !line.starts_with("//")) else {
        return Some("Markdown");
    };
    let is_key = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_- ".contains(c));
    match first.split_whitespace().next().unwrap_or_default() {
        word if word.starts_with(['{', '[', '"', '\'']) => None,
        "-" | "*" | "+" | ">" => Some("Markdown"),
        word if word.starts_with("```") || word.strip_suffix('.').is_some_and(is_number) => Some("Markdown"),
        word if word.starts_with("---") => Some("Markdown or YAML"),
        _ if text.trim_start().starts_with("# ") => Some("Markdown"),
        _ if first.split_once(':').is_some_and(|(key, _)| is_key(key)) => Some("YAML"),
        word if word.starts_with(|c: char| c.is_alphabetic()) && first.contains(' ') => Some("plain text"),
        _ => None,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The parser's error in plain words.
fn syntax_problem(error: &serde_json::Error, text: &str) -> Problem {
    if let Some(above) = text.lines().position(|line| line.starts_with("<<<<<<< ")) {
        let what = "the file has a merge conflict in it";
        return Problem::new(Some(above + 1), what, "Resolve the conflict.");
    }
    if let Some(format) = other_format(text) {
        return Problem::new(None, format!("the file is {format}, not JSON"), write_a_plan());
    }
    let said = error.to_string();
    let (line, column) = (error.line(), error.column().max(1));
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let (head, tail) = text.as_bytes().split_at_checked(before + column - 1).unwrap_or_default();
    let here = tail.first().map_or('\0', |byte| char::from(*byte));
    let (what, remedy) = if matches!(here, ']' | '}') && head.trim_ascii_end().ends_with(b",") {
        ("there is a comma before a closing bracket", "Remove the comma.")
    } else {
        SYNTAX
            .iter()
            .find(|(start, at, _, _)| said.starts_with(start) && (at.is_empty() || at.contains(here)))
            .map_or(("this is not valid JSON", "Correct it here or just before."), |found| (found.2, found.3))
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
        Value::of(&Source::decode(text.as_bytes()).unwrap()).err().unwrap()
    }

    #[test]
    fn syntax_errors_say_where_and_what() {
        let cases = [
            ("{\"nodes\": {", 1, 11, "the file ends too early"),
            ("{\"nodes\": {\"T0", 1, 14, "the file ends too early"),
            ("{}\n\n x", 3, 2, "there is more after the end of the plan"),
            ("{}{}", 1, 3, "there is more after the end of the plan"),
            ("{\n\"a\": [1,\n]}", 3, 1, "there is a comma before a closing bracket"),
            ("{\"a\": 1,\n}", 2, 1, "there is a comma before a closing bracket"),
            ("{\"a\": }", 1, 7, "this is not a JSON value"),
            ("{\"a\": \"x\ny\"}", 1, 8, "a string has a raw line break or control character"),
            ("{a: 1}", 1, 2, "a field name is not in double quotes"),
            ("{'a': 1}", 1, 2, "a text is in single quotes"),
            ("{\"a\": 'b'}", 1, 7, "a text is in single quotes"),
            ("{\"a\": 1} // end", 1, 10, "JSON has no comments"),
            ("# tree\n{}", 1, 1, "JSON has no comments"),
            ("{\"a\": NaN}", 1, 7, "this is not a JSON value"),
            ("{\"a\": \"\\q\"}", 1, 9, "a string has an unknown escape"),
            ("{\"a\" 1}", 1, 6, "a colon is missing after a field name"),
            ("{\"a\": 1 \"b\": 2}", 1, 9, "a comma or closing bracket is missing before this"),
            ("{\"a\": 01}", 1, 8, "this is not a JSON number"),
            ("{\"a\": \"b\"\n\n", 3, 1, "the file ends too early"),
        ];
        for (text, line, column, what) in cases {
            let problem = fault(text);
            assert_eq!(problem.what, what, "{text}");
            assert_eq!((problem.line, problem.column), (Some(line), Some(column)), "{text}");
        }
    }

    #[test]
    fn the_format_of_a_file_that_was_not_meant_as_json_is_named() {
        let cases = [
            ("# Tasks\n\n- [ ] T001 Do it\n", "Markdown"),
            ("# Tasks\n\nDo all of it.\n", "Markdown"),
            ("## Only a heading\n", "Markdown"),
            ("- [ ] T001 Do it\n", "Markdown"),
            ("* one\n", "Markdown"),
            ("1. First\n2. Second\n", "Markdown"),
            ("```json\n{}\n```\n", "Markdown"),
            ("---\ntitle: x\n---\n", "Markdown or YAML"),
            ("spec_id: x\nnodes:\n", "YAML"),
            ("Write a greeter in shell.\n", "plain text"),
        ];
        for (text, format) in cases {
            let problem = fault(text);
            assert_eq!(problem.what, format!("the file is {format}, not JSON"), "{text}");
            assert!(problem.remedy.contains("README"), "{}", problem.remedy);
        }
        for text in ["{a: 1}", "{\"a\": - }", "# tree\n{", "// tree\n{]", "nonsense", "[- ]"] {
            assert!(!fault(text).what.starts_with("the file is "), "{text}: {}", fault(text).what);
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
        let source = Source::decode(text.as_bytes()).unwrap();
        let members = value(source.text()).members().unwrap();
        let seen: Vec<_> = members
            .iter()
            .map(|member| (member.key.text().unwrap(), member.value.kind(), source.offset(member.key.raw())))
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
        assert_eq!((item.raw(), source.offset(item.raw())), ("true", 16));
    }

    #[test]
    fn values_are_read_or_refused() {
        assert_eq!(value("\"a\\u00e9\\n\"").text().unwrap(), "aé\n");
        assert_eq!(value("\"\\ud800\"").text(), None);
        assert_eq!(value("12").text(), None);
        assert_eq!(value("1.5").number(), Some(1.5));
        assert_eq!(value("1e999").number(), None);
        assert_eq!(value("\"1\"").number(), None);
        assert_eq!(value("false").boolean(), Some(false));
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
