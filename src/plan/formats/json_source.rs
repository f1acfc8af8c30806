//! Reads JSON sources with the lines of their values.

use super::super::json::{JsonKind, Member, Value};
use super::super::problem::Problem;
use super::super::source::Source;
use super::imported::{ImportedPlan, Needed, Place, Prerequisite, SourceNote};
use super::source_file::{SourceFile, line_number};

pub(super) struct JsonSource<'s> {
    source: Source<'s>,
    file: usize,
}

/// A JSON object of a source.
pub(super) struct Object<'s> {
    members: Vec<Member<'s>>,
}

/// A text in a source and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedText {
    pub(super) text: String,
    pub(super) place: Place,
}

impl<'s> JsonSource<'s> {
    /// Reads the whole source.
    pub(super) fn read(source: &'s SourceFile, file: usize) -> Result<(Self, Value<'s>), SourceNote> {
        let note = |Problem { line, what, remedy, .. }| {
            SourceNote::new(Place { file, line: line.map_or(1, line_number) }, what, remedy)
        };
        let decoded = Source::decode(source.text.as_bytes()).map_err(note)?;
        let document = Value::of(&decoded).map_err(note)?;
        Ok((Self { source: decoded, file }, document))
    }

    pub(super) fn place(&self, value: Value<'s>) -> Place {
        let line = self.source.line(self.source.offset(value.raw()));
        Place { file: self.file, line: line_number(line) }
    }

    /// The members of `value`; `None` if it is not an object.
    pub(super) fn object(&self, value: Value<'s>) -> Option<Object<'s>> {
        Some(Object { members: value.members()? })
    }

    /// The texts of the first of these fields that is a list, or a single text. A number counts as a text, and so does
    /// an object with one of the fields `inner`: the first of these is its text.
    pub(super) fn texts(&self, object: &Object<'s>, names: &[&str], inner: &[&str]) -> Vec<PlacedText> {
        let Some(value) = names.iter().find_map(|name| object.get(name)) else { return Vec::new() };
        let items = value.items().unwrap_or_else(|| vec![value]);
        let read =
            |item: Value<'s>| Some(PlacedText { text: self.text_of(item, inner)?, place: self.place(item) });
        items.into_iter().filter_map(read).filter(|placed| !placed.text.is_empty()).collect()
    }

    fn text_of(&self, item: Value<'s>, inner: &[&str]) -> Option<String> {
        scalar(item).or_else(|| {
            let object = self.object(item)?;
            inner.iter().find_map(|name| object.get(name).and_then(scalar))
        })
    }

    /// The dependencies in the first of these fields. `on` says what an id there means. Those that have another form are named.
    pub(super) fn needs(
        &self,
        object: &Object<'s>,
        names: &[&str],
        plan: &mut ImportedPlan,
        on: impl Fn(String) -> String,
    ) -> Vec<Prerequisite> {
        let Some(value) = names.iter().find_map(|name| object.get(name)) else { return Vec::new() };
        let mut needs = Vec::new();
        for item in value.items().unwrap_or_else(|| vec![value]) {
            let place = self.place(item);
            match self.text_of(item, &["id"]) {
                Some(id) if id.is_empty() => {}
                Some(id) => needs.push(Prerequisite::stated(Needed::Id(on(id)), place)),
                None => plan.warn(place, "this dependency is not read", "Write the id of a task."),
            }
        }
        needs
    }

    /// Names the fields of these objects that say something and are not taken over, once for all: those that are not in `known`.
    pub(super) fn warn_of_dropped(&self, objects: &[Value<'s>], known: &[&str], plan: &mut ImportedPlan) {
        let mut dropped: Vec<String> = Vec::new();
        let mut first = None;
        for object in objects.iter().filter_map(|value| self.object(*value)) {
            for (name, value) in object.fields() {
                let says_something = !matches!(value.raw(), "null" | "\"\"" | "[]" | "{}" | "false");
                if says_something && !known.contains(&name.as_str()) && !dropped.contains(&name) {
                    first.get_or_insert(self.place(value));
                    dropped.push(name);
                }
            }
        }
        if let Some(place) = first {
            let what = format!("these fields of tasks are not taken over: {}", dropped.join(", "));
            plan.warn(place, what, "");
        }
    }
}

impl<'s> Object<'s> {
    /// The value of a field; `None` if it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<Value<'s>> {
        let has_name = |member: &&Member<'s>| member.key.text().is_some_and(|key| key == name);
        self.members
            .iter()
            .find(has_name)
            .map(|member| member.value)
            .filter(|value| value.kind() != JsonKind::Null)
    }

    /// The names and values of all fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = (String, Value<'s>)> {
        self.members.iter().filter_map(|member| Some((member.key.text()?.into_owned(), member.value)))
    }

    /// The text or number of the first of these fields that is not empty.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().filter_map(|name| self.get(name).and_then(scalar)).find(|text| !text.is_empty())
    }

    /// The items of the first of these fields that is a list.
    pub(super) fn items(&self, names: &[&str]) -> Vec<Value<'s>> {
        names.iter().find_map(|name| self.get(name)?.items()).unwrap_or_default()
    }

    /// Whether a field is `true`.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.get(name).and_then(Value::boolean) == Some(true)
    }
}

/// A string, or a number as it is written.
fn scalar(value: Value<'_>) -> Option<String> {
    match value.kind() {
        JsonKind::Text => value.text().map(|text| text.trim().to_owned()),
        JsonKind::Number => Some(value.raw().to_owned()),
        _ => None,
    }
}
