//! The values of JSON, and of the front matter of a file, with their lines.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::super::json::{JsonKind, Value};
use super::super::source::Source;
use super::account::Lines;
use super::imported::{Place, SourceNote};
use super::source_file::line_number;

/// A value and its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Datum {
    pub(super) lines: Lines,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Null, or a text without a word.
    Nothing,
    /// A text, a number, or true or false.
    Word(String),
    List(Vec<Datum>),
    /// The members of an object in their order, each with all its lines.
    Map(Vec<(String, Datum)>),
}

/// How deep values may be nested. Each level is scanned again.
const DEEPEST: usize = 100;
/// How many values a file may have.
const MOST: usize = 1_000_000;
/// The largest front matter, in bytes.
const LARGEST: usize = 256 * 1024;

impl Datum {
    pub(super) fn word(&self) -> Option<&str> {
        if let What::Word(word) = &self.what { Some(word) } else { None }
    }

    /// The first member of an object with one of these names, divided by `|`.
    pub(super) fn member(&self, names: &str) -> Option<&Self> {
        let What::Map(members) = &self.what else { return None };
        let found = members.iter().find(|(name, _)| names.split('|').any(|known| known == name));
        found.map(|(_, value)| value)
    }

    pub(super) fn says_something(&self) -> bool {
        match &self.what {
            What::Nothing => false,
            What::Word(word) => word != "false",
            What::List(items) => !items.is_empty(),
            What::Map(members) => !members.is_empty(),
        }
    }

    /// All that it says, as a text.
    pub(super) fn text(&self) -> String {
        match &self.what {
            What::Nothing => String::new(),
            What::Word(word) => word.clone(),
            What::List(_) => self.texts().iter().map(|item| format!("\n- {item}")).collect(),
            What::Map(members) => {
                let said = members.iter().filter(|(_, value)| value.says_something());
                let parts: Vec<String> = said
                    .map(|(name, value)| match name.as_str() {
                        "description" | "text" | "name" | "title" => value.text(),
                        name => format!("{name}: {}", value.text()),
                    })
                    .collect();
                parts.join("; ")
            }
        }
    }

    /// The texts in a list; another value counts as one.
    pub(super) fn texts(&self) -> Vec<String> {
        let items = if let What::List(items) = &self.what { items } else { std::slice::from_ref(self) };
        items.iter().map(|item| item.text().trim().to_owned()).filter(|text| !text.is_empty()).collect()
    }
}

/// What a number, a text or another single value says.
fn word_of(text: &str) -> What {
    match text.trim() {
        "" => What::Nothing,
        word => What::Word(word.to_owned()),
    }
}

/// The value in a JSON text that begins at this place.
pub(super) fn json(text: &str, place: Place) -> Result<Datum, SourceNote> {
    let (source, value) = Source::decode(text.as_bytes(), "Write the tasks into it.")
        .and_then(|source| Value::of(&source).map(|value| (source, value)))
        .map_err(|problem| {
            let line = place.line + problem.line.map_or(0, |line| line_number(line) - 1);
            // What is about the whole file is said of a plan of its own.
            let correct = "Correct it, or let the tool that wrote it do so.".to_owned();
            let remedy = problem.line.map_or(correct, |_| problem.remedy);
            SourceNote::new(Place { line, ..place }, problem.what, remedy)
        })?;
    Json { source, place, left: MOST }.datum(value, 0)
}

struct Json<'s> {
    source: Source<'s>,
    place: Place,
    left: usize,
}

impl<'s> Json<'s> {
    fn datum(&mut self, value: Value<'s>, depth: usize) -> Result<Datum, SourceNote> {
        let raw = value.raw;
        let start = self.line(raw);
        let lines = [start, self.line(&raw[raw.len()..])];
        let place = Place { line: start, ..self.place };
        let fault = |what: String| SourceNote::new(place, what, "Write a smaller plan, or split it.");
        if depth > DEEPEST {
            return Err(fault(format!("values are nested in more than {DEEPEST} levels")));
        }
        let too_many = || fault(format!("the file has more than {MOST} values up to here"));
        self.left = self.left.checked_sub(1).ok_or_else(too_many)?;
        let what = match value.kind() {
            JsonKind::Null => What::Nothing,
            JsonKind::Text => word_of(&value.text().unwrap_or(raw.into())),
            JsonKind::Number | JsonKind::Boolean => What::Word(raw.to_owned()),
            JsonKind::List => {
                let items = value.items().unwrap_or_default().into_iter();
                What::List(items.map(|item| self.datum(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            JsonKind::Object => {
                let mut map = Vec::new();
                for member in value.members().unwrap_or_default() {
                    let mut datum = self.datum(member.value, depth + 1)?;
                    datum.lines[0] = self.line(member.key.raw);
                    map.push((member.key.text().unwrap_or(member.key.raw.into()).into_owned(), datum));
                }
                What::Map(map)
            }
        };
        Ok(Datum { lines, what })
    }

    fn line(&self, part: &str) -> u32 {
        self.place.line + line_number(self.source.line(self.source.offset(part))) - 1
    }
}

/// The fields of a YAML document that begins at this place. Anything that could make a small text large, such
/// as an alias, is refused.
pub(super) fn yaml(text: &str, place: Place) -> Result<Vec<(String, Datum)>, SourceNote> {
    let first = place.line;
    let fault = |line, what: String| {
        SourceNote::new(Place { line, ..place }, what, "Write plain fields, such as `id: task-1`.")
    };
    if text.len() > LARGEST {
        return Err(fault(first, "the front matter is larger than 256 KiB".to_owned()));
    }
    // The lists and maps around the current place, each with the key whose value follows.
    let mut open: Vec<(Datum, Option<Datum>)> = Vec::new();
    let mut top = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let line = first + line_number(error.marker().line().max(1)) - 1;
            fault(line, format!("the front matter is not valid YAML: {}", error.info()))
        })?;
        let lines = [first + line_number(span.start.line().max(1)) - 1; 2];
        let mut whole = match event {
            Event::Alias(_) => return Err(fault(lines[0], "the front matter has an alias".to_owned())),
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= 16 => {
                return Err(fault(lines[0], "the front matter is nested too deeply".to_owned()));
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                let is_list = matches!(event, Event::SequenceStart(..));
                let what = if is_list { What::List(Vec::new()) } else { What::Map(Vec::new()) };
                open.push((Datum { lines, what }, None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().expect("a list or map was begun").0,
            Event::Scalar(text, style, ..) => {
                let is_null = style == ScalarStyle::Plain && matches!(&*text, "~" | "null");
                let what = if is_null { What::Nothing } else { word_of(&text) };
                Datum { lines, what }
            }
            _ => continue,
        };
        match open.last_mut() {
            Some((Datum { what: What::List(items), .. }, _)) => items.push(whole),
            Some((Datum { what: What::Map(members), .. }, key)) => match key.take() {
                None => *key = Some(whole),
                Some(name) => {
                    whole.lines[0] = name.lines[0];
                    members.push((name.text(), whole));
                }
            },
            _ => top = if let What::Map(members) = whole.what { members } else { Vec::new() },
        }
    }
    // A field ends where the next one begins.
    let mut end = first + line_number(text.lines().count()).max(1) - 1;
    for (_, datum) in top.iter_mut().rev() {
        datum.lines[1] = end.max(datum.lines[0]);
        end = datum.lines[0].saturating_sub(1);
    }
    Ok(top)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> Place {
        Place { file: 0, line }
    }

    #[test]
    fn front_matter_is_read_with_its_lines() {
        let text = "id: TASK-1\ntitle: >-\n  A long\n  title\nlabels: [a, 'b c']\ndependencies:\n  - TASK-2\n  - 3\n  - id: 4\nempty:\n";
        let fields = yaml(text, at(2)).unwrap();
        let texts: Vec<String> = fields.iter().map(|(_, value)| value.texts().join("|")).collect();
        assert_eq!(texts, ["TASK-1", "A long title", "a|b c", "TASK-2|3|id: 4", ""]);
        let lines: Vec<Lines> = fields.iter().map(|(_, value)| value.lines).collect();
        assert_eq!(lines, [[2, 2], [3, 5], [6, 6], [7, 10], [11, 11]]);
        let What::List(items) = &fields[3].1.what else { panic!("{fields:?}") };
        assert_eq!(items.iter().map(|item| item.lines[0]).collect::<Vec<_>>(), [8, 9, 10]);
    }

    #[test]
    fn what_makes_a_small_text_large_is_refused() {
        let bomb = "a: &a [x, x]\nb: &b [*a, *a]\n";
        assert!(yaml(bomb, at(1)).unwrap_err().what.contains("alias"));
        assert!(yaml(&"[".repeat(10_000), at(1)).is_err());
        let large = "a: ".to_owned() + &"x".repeat(LARGEST);
        assert!(yaml(&large, at(1)).unwrap_err().what.contains("256 KiB"));
        let broken = yaml("a: [1, 2", at(2)).unwrap_err().what;
        assert_eq!(broken.split(':').next(), Some("the front matter is not valid YAML"));
        assert_eq!(yaml("", at(1)).unwrap(), []);
    }
}
