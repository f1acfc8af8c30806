//! Reads the value of a field as the required type, or records what is wrong with it.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::time::Duration;

use super::json::{JsonKind, Member, Value};
use super::node::one_line;
use super::notes::{Notes, ValuePath};
use super::problem::shown;
use super::task_field::CountOf;
use crate::record::Cost;
use crate::suggest::slip_of;

/// A string in the file, and its byte position.
pub(super) struct Mention<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) at: usize,
}

/// A list of strings, and its byte position.
pub(super) struct Mentions<'a> {
    pub(super) items: Vec<Mention<'a>>,
    pub(super) at: usize,
}

/// The known fields of one object. Every reading method returns `None` for a field that is absent, null or of the wrong
/// type, which is recorded as a problem.
pub(super) struct Fields<'a, 'p> {
    place: ValuePath<'p>,
    found: Vec<(&'static str, Member<'a>)>,
}

impl<'a, 'p> Fields<'a, 'p> {
    /// Reads the object at `place`. Fields that are not among `known` are ignored, but if one looks like a misspelling
    /// of a known field that is missing, there is a warning, because it has no effect. `None`, with a problem, if it is
    /// not an object.
    pub(super) fn read(
        value: Value<'a>,
        place: ValuePath<'p>,
        known: &[&'static str],
        notes: &mut Notes<'a>,
    ) -> Option<Self> {
        let Some(members) = value.members() else {
            notes.wrong_type(value, place, "an object", "Write it in braces.");
            return None;
        };
        Some(Self::of(members, place, known, notes))
    }

    /// The same for the members of an object.
    pub(super) fn of(
        members: Vec<Member<'a>>,
        place: ValuePath<'p>,
        known: &[&'static str],
        notes: &mut Notes<'a>,
    ) -> Self {
        let mut found: Vec<(&'static str, Member<'a>)> = Vec::with_capacity(members.len());
        let mut unknown = Vec::new();
        for member in members {
            let Some(name) = member.key.text() else { continue };
            let Some(field) = known.iter().find(|field| **field == name) else {
                unknown.push((name, member));
                continue;
            };
            match found.iter().find(|(name, _)| name == field) {
                Some((_, first)) => {
                    notes.twice(&format!("the field {}", ValuePath::Field(&place, field)), *first, member);
                }
                None => found.push((field, member)),
            }
        }
        let missing = || known.iter().copied().filter(|field| found.iter().all(|(name, _)| name != field));
        for (name, member) in unknown {
            // Other tools may have written those that do not look like a misspelling.
            let Some(meant) = slip_of(&name, missing()) else { continue };
            let what =
                format!("the field {} is not known and has no effect", ValuePath::Field(&place, &name));
            notes.warning(notes.at(member.key), what, format!("Did you mean {meant}?"));
        }
        Self { place, found }
    }

    /// The value of a field, also if it is null; `None` if it is absent.
    pub(super) fn value(&self, name: &str) -> Option<Value<'a>> {
        self.found.iter().find(|(field, _)| *field == name).map(|(_, member)| member.value)
    }

    /// The value of a field; `None` if it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.value(name).filter(|value| value.kind() != JsonKind::Null)
    }

    /// A string.
    pub(super) fn text(&self, name: &'static str, notes: &mut Notes<'a>) -> Option<Cow<'a, str>> {
        text(self.get(name)?, ValuePath::Field(&self.place, name), notes)
    }

    /// A string as one line; see [`one_line`].
    pub(super) fn line(&self, name: &'static str, notes: &mut Notes<'a>) -> Option<String> {
        self.text(name, notes).map(|text| one_line(&text))
    }

    /// A list of strings. Items that are not strings are recorded as problems and left out.
    pub(super) fn texts(&self, name: &'static str, notes: &mut Notes<'a>) -> Option<Mentions<'a>> {
        let value = self.get(name)?;
        let place = ValuePath::Field(&self.place, name);
        let values = list(value, place, notes)?.into_iter().enumerate();
        let read = |(index, item)| {
            let text = text(item, ValuePath::Item(&place, index), notes)?;
            Some(Mention { text, at: notes.at(item) })
        };
        let items = values.filter_map(read).collect();
        Some(Mentions { items, at: notes.at(value) })
    }

    /// The items of a list; empty if there is none.
    pub(super) fn list(&self, name: &'static str, notes: &mut Notes<'a>) -> Vec<Value<'a>> {
        let items = self.get(name).and_then(|value| list(value, ValuePath::Field(&self.place, name), notes));
        items.unwrap_or_default()
    }

    /// `true` or `false`, and its position.
    pub(super) fn boolean(&self, name: &'static str, notes: &mut Notes<'a>) -> Option<(bool, usize)> {
        let value = self.get(name)?;
        let boolean = value.boolean();
        if boolean.is_none() {
            notes.wrong_type(value, self.place_of(name), "true or false", "Write it without quotes.");
        }
        boolean.map(|boolean| (boolean, notes.at(value)))
    }

    /// The number of a line; 0 means none.
    pub(super) fn line_number(&self, name: &'static str, notes: &mut Notes<'a>) -> Option<u32> {
        let remedy = "Write the line as a whole number, or leave the field out.";
        let value = self.number(name, "a number", remedy, notes)?;
        let number = serde_json::from_str::<u32>(value.raw());
        if number.is_err() {
            let what =
                format!("{} is {}, which is not a line number", self.place_of(name), shown(value.raw()));
            notes.problem(notes.at(value), what, remedy);
        }
        number.ok().filter(|line| *line > 0)
    }

    /// A length of time in seconds, possibly with a fraction, above 0 and at most [`MAX_SECONDS`].
    pub(super) fn seconds(&self, name: &'static str, notes: &mut Notes<'a>) -> Option<Duration> {
        let remedy = "Write the seconds as a number above 0, or leave the field out.";
        let value = self.number(name, "a number of seconds", remedy, notes)?;
        let seconds = value.number().filter(|seconds| *seconds > 0.0 && *seconds <= MAX_SECONDS);
        let span = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let span = span.filter(|span| !span.is_zero());
        if span.is_none() {
            let place = self.place_of(name);
            let what = format!("{place} is {}, which is not a valid number of seconds", shown(value.raw()));
            notes.problem(notes.at(value), what, remedy);
        }
        span
    }

    /// A whole number from 1.
    pub(super) fn count(&self, name: &'static str, of: CountOf, notes: &mut Notes<'a>) -> Option<NonZeroU32> {
        let remedy = "Write a whole number from 1, or leave the field out.";
        let value = self.number(name, of.what, remedy, notes)?;
        let number = serde_json::from_str::<NonZeroU32>(value.raw()).ok();
        let number = number.filter(|number| number.get() <= of.most);
        if number.is_none() {
            let place = self.place_of(name);
            let what = format!("{place} is {}, which is not {}", shown(value.raw()), of.what);
            notes.problem(notes.at(value), what, remedy);
        }
        number
    }

    /// An amount of money above 0, in US dollars.
    pub(super) fn dollars(&self, name: &'static str, notes: &mut Notes<'a>) -> Option<Cost> {
        let what = "an amount in US dollars";
        let remedy = "Write a decimal number above 0, such as 2.50, or leave the field out.";
        let value = self.number(name, what, remedy, notes)?;
        let cost = Cost::parse(value.raw()).filter(|cost| *cost > Cost::default());
        if cost.is_none() {
            let what = format!("{} is {}, which is not {what}", self.place_of(name), shown(value.raw()));
            notes.problem(notes.at(value), what, remedy);
        }
        cost
    }

    /// The place of a field, as messages show it.
    pub(super) fn place_of<'s>(&'s self, name: &'s str) -> ValuePath<'s> {
        ValuePath::Field(&self.place, name)
    }

    fn number(
        &self,
        name: &'static str,
        expected: &str,
        remedy: &str,
        notes: &mut Notes<'a>,
    ) -> Option<Value<'a>> {
        let value = self.get(name)?;
        if value.kind() != JsonKind::Number {
            notes.wrong_type(value, self.place_of(name), expected, remedy);
            return None;
        }
        Some(value)
    }
}

/// The longest time that makes sense, in seconds: a year. Longer ones are mistakes, and would overflow clocks.
const MAX_SECONDS: f64 = 365.0 * 24.0 * 3600.0;

fn text<'a>(value: Value<'a>, place: ValuePath<'_>, notes: &mut Notes<'a>) -> Option<Cow<'a, str>> {
    if value.kind() != JsonKind::Text {
        notes.wrong_type(value, place, "a string", "Write it in double quotes.");
        return None;
    }
    let text = value.text();
    if text.is_none() {
        let what = format!("{place} has a \\u escape that is not a character");
        notes.problem(notes.at(value), what, "Write the character itself.");
    }
    text
}

fn list<'a>(value: Value<'a>, place: ValuePath<'_>, notes: &mut Notes<'a>) -> Option<Vec<Value<'a>>> {
    let items = value.items();
    if items.is_none() {
        notes.wrong_type(value, place, "a list", "Write it in square brackets.");
    }
    items
}
