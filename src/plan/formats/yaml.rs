//! Reads the small YAML documents at the beginning of Markdown files. Anything that could make a small text large, such as
//! aliases, is refused.

use saphyr_parser::{Event, Parser};

use super::source_file::line_number;

/// A YAML value with the line on which it begins, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Yaml {
    pub(super) line: u32,
    pub(super) kind: YamlKind,
}

/// The kind of a YAML value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum YamlKind {
    /// A text, number or the like, as it is written; empty for null.
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

/// What is wrong with a YAML document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct YamlFault {
    pub(super) line: u32,
    /// A clause.
    pub(super) what: String,
}

/// The largest document, in bytes.
const LARGEST: usize = 256 * 1024;
/// How deep values may be nested.
const DEEPEST: usize = 16;

/// A list or map that has not ended.
struct OpenNode {
    line: u32,
    /// The keys of a map whose values have been read, with the values; of a list, only the values.
    items: Vec<(Option<String>, Yaml)>,
    key: Option<String>,
    is_map: bool,
}

/// Reads a document whose first line is the line `first` of its file.
pub(super) fn read(text: &str, first: u32) -> Result<Yaml, YamlFault> {
    if text.len() > LARGEST {
        return Err(YamlFault { line: first, what: "the front matter is larger than 256 KiB".to_owned() });
    }
    let mut open: Vec<OpenNode> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| YamlFault {
            line: first + line_number(error.marker().line().max(1)) - 1,
            what: format!("the front matter is not valid YAML: {}", error.info()),
        })?;
        let line = first + line_number(span.start.line().max(1)) - 1;
        let value = match event {
            Event::Alias(_) => {
                return Err(YamlFault { line, what: "the front matter has an alias".to_owned() });
            }
            Event::Scalar(text, style, ..) => {
                let is_null = style == saphyr_parser::ScalarStyle::Plain && matches!(&*text, "~" | "null");
                Yaml { line, kind: YamlKind::Text(if is_null { String::new() } else { text.into_owned() }) }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() >= DEEPEST {
                    return Err(YamlFault { line, what: "the front matter is nested too deeply".to_owned() });
                }
                let is_map = matches!(event, Event::MappingStart(..));
                open.push(OpenNode { line, items: Vec::new(), key: None, is_map });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(ended) => ended.value(),
                None => continue,
            },
            Event::DocumentEnd | Event::StreamEnd => break,
            _ => continue,
        };
        match open.last_mut() {
            None => return Ok(value),
            Some(around) => around.add(value),
        }
    }
    Ok(Yaml { line: first, kind: YamlKind::Map(Vec::new()) })
}

impl OpenNode {
    fn add(&mut self, value: Yaml) {
        if !self.is_map {
            self.items.push((None, value));
            return;
        }
        match self.key.take() {
            Some(key) => self.items.push((Some(key), value)),
            None => {
                self.key = Some(match value.kind {
                    YamlKind::Text(text) => text,
                    YamlKind::List(_) | YamlKind::Map(_) => String::new(),
                });
            }
        }
    }

    fn value(self) -> Yaml {
        let kind = if self.is_map {
            YamlKind::Map(
                self.items.into_iter().map(|(key, value)| (key.unwrap_or_default(), value)).collect(),
            )
        } else {
            YamlKind::List(self.items.into_iter().map(|(_, value)| value).collect())
        };
        Yaml { line: self.line, kind }
    }
}

impl Yaml {
    /// The value of a field of a map.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match &self.kind {
            YamlKind::Map(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            YamlKind::Text(_) | YamlKind::List(_) => None,
        }
    }

    /// The text of a field; `None` if there is none or it is empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// The texts of a field that is a list, or a single text.
    pub(super) fn texts(&self, name: &str) -> Vec<(&str, u32)> {
        match self.get(name) {
            Some(Self { kind: YamlKind::List(items), .. }) => items.iter().filter_map(Self::placed).collect(),
            Some(value) => value.placed().into_iter().collect(),
            None => Vec::new(),
        }
    }

    fn placed(&self) -> Option<(&str, u32)> {
        self.as_text().map(|text| (text, self.line))
    }

    fn as_text(&self) -> Option<&str> {
        match &self.kind {
            YamlKind::Text(text) if !text.trim().is_empty() => Some(text.trim()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_read_with_its_lines() {
        let text = "id: TASK-1\ntitle: >-\n  A long\n  title\nlabels: [a, 'b c']\ndependencies:\n  - TASK-2\n  - 3\nempty:\n";
        let yaml = read(text, 2).unwrap();
        assert_eq!(yaml.text("id"), Some("TASK-1"));
        assert_eq!(yaml.text("title"), Some("A long title"));
        assert_eq!(yaml.text("empty"), None);
        assert_eq!(yaml.texts("labels").iter().map(|label| label.0).collect::<Vec<_>>(), ["a", "b c"]);
        assert_eq!(yaml.texts("dependencies"), [("TASK-2", 8), ("3", 9)]);
        assert_eq!(yaml.texts("id"), [("TASK-1", 2)]);
    }

    #[test]
    fn what_makes_a_small_text_large_is_refused() {
        let bomb = "a: &a [x, x]\nb: &b [*a, *a]\n";
        assert!(read(bomb, 1).unwrap_err().what.contains("alias"));
        let deep = "[".repeat(10_000);
        assert!(read(&deep, 1).is_err());
        let large = "a: ".to_owned() + &"x".repeat(LARGEST);
        assert!(read(&large, 1).unwrap_err().what.contains("256 KiB"));
        assert_eq!(
            read("a: [1, 2", 2).unwrap_err().what.split(':').next(),
            Some("the front matter is not valid YAML")
        );
        assert!(read("", 1).unwrap().get("a").is_none());
    }
}
