//! Reads the fields of [`TaskField`] from a node, or from the `defaults` of a tree.

use std::num::NonZeroU32;

use super::expect::Expect;
use super::fields::Fields;
use super::formats::priority_of;
use super::node::one_line;
use super::notes::{Notes, ValuePath};
use super::paths::PathPattern;
use super::problem::shown;
use super::task_field::{FieldSet, FieldType, FieldValue, NamedValue, TaskField};

const PATTERN_REMEDY: &str = "Write a path from the top of the repository, with `*` for any name and `**` for any folders, for example \"src/api/**\".";

/// Reads the fields that a node sets itself. Wrong values are recorded as problems and left out.
pub(super) fn read_task_fields<'a>(fields: &Fields<'a, '_>, notes: &mut Notes<'a>) -> FieldSet {
    let read = |field: TaskField| read(field, fields, notes).map(|value| NamedValue { field, value });
    FieldSet::new(TaskField::ALL.into_iter().filter_map(read).collect::<Vec<_>>())
}

/// Reads the `defaults` of a tree. A field that applies to a single node has no place there.
pub(super) fn read_defaults<'a>(tree: &Fields<'a, '_>, notes: &mut Notes<'a>) -> FieldSet {
    let Some(value) = tree.get("defaults") else { return FieldSet::default() };
    let inherited = TaskField::ALL.into_iter().filter(|field| field.is_inherited());
    let known: Vec<&'static str> = inherited.map(TaskField::name).collect();
    let place = ValuePath::Field(&ValuePath::Top, "defaults");
    match Fields::read(value, place, &known, notes) {
        Some(fields) => read_task_fields(&fields, notes),
        None => FieldSet::default(),
    }
}

/// Reads a line that must not be empty, if the field is there.
pub(super) fn read_filled_line<'a>(
    fields: &Fields<'a, '_>,
    name: &'static str,
    notes: &mut Notes<'a>,
) -> Option<String> {
    read_filled_text(fields, name, notes).map(|text| one_line(&text))
}

/// Reads a text that must not be blank, if the field is there.
pub(super) fn read_filled_text<'a>(
    fields: &Fields<'a, '_>,
    name: &'static str,
    notes: &mut Notes<'a>,
) -> Option<String> {
    let value = fields.get(name)?;
    let text = fields.text(name, notes)?;
    if one_line(&text).is_empty() {
        notes.problem(
            notes.at(value),
            format!("{} is empty", fields.place_of(name)),
            "Write one line, or leave the field out.",
        );
        return None;
    }
    Some(text.into_owned())
}

/// Reads the acceptance criteria of a node. Those that say nothing are left out, with a warning.
pub(super) fn read_acceptance<'a>(fields: &Fields<'a, '_>, notes: &mut Notes<'a>) -> Vec<String> {
    let mut criteria = Vec::new();
    let list = fields.texts("acceptance", notes).map(|list| list.items).unwrap_or_default();
    for (index, item) in list.into_iter().enumerate() {
        if one_line(&item.text).is_empty() {
            let list = fields.place_of("acceptance");
            let what = format!("{} is empty", ValuePath::Item(&list, index));
            notes.warning(item.at, what, "Write what must be so when the task is done, or remove it.");
        } else {
            criteria.push(item.text.into_owned());
        }
    }
    criteria
}

fn read<'a>(field: TaskField, fields: &Fields<'a, '_>, notes: &mut Notes<'a>) -> Option<FieldValue> {
    let name = field.name();
    match field.kind() {
        FieldType::Switch => fields.boolean(name, notes).map(|(on, _)| FieldValue::Switch(on)),
        FieldType::Expect => read_expect(fields, name, notes).map(FieldValue::Expect),
        FieldType::Name => read_name(fields, name, notes).map(FieldValue::Line),
        FieldType::Line => read_filled_line(fields, name, notes).map(FieldValue::Line),
        FieldType::Count(of) => fields.count(name, of, notes).map(FieldValue::Count),
        FieldType::Priority => read_priority(fields, name).map(FieldValue::Count),
        FieldType::Dollars => fields.dollars(name, notes).map(FieldValue::Dollars),
        FieldType::Patterns => read_patterns(fields, name, notes).map(FieldValue::Patterns),
        FieldType::Lines => {
            let lines = fields.texts(name, notes)?.items;
            Some(FieldValue::Lines(lines.iter().map(|line| one_line(&line.text)).collect()))
        }
    }
}

/// Reads a priority, as a number or in words.
fn read_priority(fields: &Fields<'_, '_>, name: &str) -> Option<NonZeroU32> {
    let value = fields.get(name)?;
    let number = serde_json::from_str::<NonZeroU32>(value.raw()).ok();
    number.or_else(|| NonZeroU32::new(priority_of(&value.text()?)?))
}

/// Reads what kind of change a task makes.
fn read_expect<'a>(fields: &Fields<'a, '_>, name: &'static str, notes: &mut Notes<'a>) -> Option<Expect> {
    let line = read_filled_line(fields, name, notes)?;
    let found = Expect::from_word(&line);
    if found.is_none() {
        let at = fields.get(name).map_or(0, |value| notes.at(value));
        let known = Expect::ALL.map(Expect::word);
        let (last, first) = known.split_last().expect("there are five kinds");
        let what = format!("{} is {}, which is not a kind of change", fields.place_of(name), shown(&line));
        let remedy = format!("Write {} or {last}, or leave the field out.", first.join(", "));
        notes.problem(at, what, &remedy);
    }
    found
}

/// Reads a name that a program gets as an argument. It must not look like an option, because a plan may come from others.
fn read_name<'a>(fields: &Fields<'a, '_>, name: &'static str, notes: &mut Notes<'a>) -> Option<String> {
    let line = read_filled_line(fields, name, notes)?;
    if line.starts_with('-') {
        let at = fields.get(name).map_or(0, |value| notes.at(value));
        let what = format!("{} is {}, which begins with a dash", fields.place_of(name), shown(&line));
        notes.problem(at, what, "Programs would take it for an option. Write the name itself.");
        return None;
    }
    Some(line)
}

/// Reads a list of patterns for paths. Patterns that can match nothing are recorded as problems and left out.
fn read_patterns<'a>(
    fields: &Fields<'a, '_>,
    name: &'static str,
    notes: &mut Notes<'a>,
) -> Option<Vec<PathPattern>> {
    let list = fields.texts(name, notes)?.items;
    let mut patterns = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate() {
        match PathPattern::parse(&item.text) {
            Ok(pattern) => patterns.push(pattern),
            Err(why) => {
                let list = fields.place_of(name);
                let place = ValuePath::Item(&list, index);
                let what = format!("{place} is {}, which can match no file: {why}", shown(&item.text));
                notes.problem(item.at, what, PATTERN_REMEDY);
            }
        }
    }
    Some(patterns)
}
