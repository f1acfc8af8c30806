//! Reads the values of a file as the types that are needed, or records what is wrong with them.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use super::coverage::CoverageSource;
use super::document::{Document, DocumentKind, document_fault};
use super::expect::Expect;
use super::fields::{
    COMMAND_FIELDS, FieldEntry, FieldHelp, FieldSet, FieldType, FieldValue, SetBy, TaskField, YEAR,
};
use super::formats::priority_of;
use super::json::{JsonKind, Member};
use super::node::{TestCommand, TestType, one_line};
use super::notes::{Found, Notes, ValuePath};
use super::paths::PathPattern;
use super::problem::shown;
use crate::record::Cost;
use crate::suggest::{self, nearest, slip_of};

/// A type that a value can have. `None`, after recording why, if it has not.
pub(super) trait Read<'a>: Sized {
    /// Reads a value, which is not null.
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self>;
}

/// Something in the file, and its byte position.
#[derive(Clone, Copy)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) at: usize,
}

/// A mention of a node by its id.
pub(super) type Mention<'a> = At<Cow<'a, str>>;

/// A text that is not blank.
pub(super) struct Filled<'a>(pub(super) Cow<'a, str>);

/// The known fields of one object.
pub(super) struct Fields<'a, 'p> {
    pub(super) place: ValuePath<'p>,
    at: usize,
    found: Vec<(&'static str, Member<'a>)>,
}

impl<'a, 'p> Fields<'a, 'p> {
    /// Reads an object. Fields that are not among `known` are ignored, because other tools may have written them; but if one looks
    /// like a misspelling of a known field that is missing, there is a warning.
    pub(super) fn read(
        Found { value, place }: Found<'a, 'p>,
        known: &(impl Iterator<Item = &'static str> + Clone),
        notes: &mut Notes<'a>,
    ) -> Option<Self> {
        let Some(members) = value.members() else {
            return notes.wrong_type(Found { value, place }, "an object", "Write it in braces.");
        };
        let mut found: Vec<(&'static str, Member<'a>)> = Vec::with_capacity(members.len());
        let mut unknown = Vec::new();
        for member in members {
            let Some(name) = member.key.text() else { continue };
            match known.clone().find(|field| *field == name) {
                None => unknown.push((name, member)),
                Some(field) => match found.iter().find(|(name, _)| *name == field) {
                    Some((_, first)) => {
                        let what = format!("the field {}", ValuePath::Field(&place, field));
                        notes.twice(&what, *first, member);
                    }
                    None => found.push((field, member)),
                },
            }
        }
        for (name, member) in unknown {
            let missing = known.clone().filter(|field| found.iter().all(|(name, _)| name != field));
            if let Some(meant) = slip_of(&name, missing) {
                let field = ValuePath::Field(&place, &name);
                let what = format!("the field {field} is not known and has no effect");
                notes.warning(notes.at(member.key), what, format!("Did you mean {meant}?"));
            }
        }
        Some(Self { place, at: notes.at(value), found })
    }

    pub(super) fn is_null(&self, name: &str) -> bool {
        self.found.iter().any(|(field, member)| *field == name && member.value.kind() == JsonKind::Null)
    }

    /// A field; `None` if it is absent or null.
    pub(super) fn found<'s>(&'s self, name: &'static str) -> Option<Found<'a, 's>> {
        let (_, Member { value, .. }) = *self.found.iter().find(|(field, _)| *field == name)?;
        (value.kind() != JsonKind::Null)
            .then_some(Found { value, place: ValuePath::Field(&self.place, name) })
    }

    /// A field of this type; `None` if it is absent, null or wrong.
    pub(super) fn get<T: Read<'a>>(&self, name: &'static str, notes: &mut Notes<'a>) -> Option<T> {
        T::read(self.found(name)?, notes)
    }

    /// A field that must be there.
    pub(super) fn required(
        &self,
        name: &'static str,
        remedy: &str,
        notes: &mut Notes<'a>,
    ) -> Option<Found<'a, '_>> {
        let found = self.found(name);
        if found.is_none() {
            notes.problem(self.at, format!("{} has no {name}", self.place), remedy);
        }
        found
    }

    /// A list; empty if it is absent, null or wrong.
    pub(super) fn list<T: Read<'a>>(&self, name: &'static str, notes: &mut Notes<'a>) -> Vec<T> {
        self.get(name, notes).unwrap_or_default()
    }

    /// The fields that say how a task is done, as far as they are set here. Which node sets them is known only once it has its place.
    pub(super) fn task_fields(&self, notes: &mut Notes<'a>) -> FieldSet {
        let read = |field: TaskField| {
            let value = Arc::new(task_field(field, self.found(field.name())?, notes)?);
            Some(FieldEntry { field, value, set_by: SetBy::Defaults })
        };
        FieldSet(TaskField::ALL.into_iter().filter_map(read).collect())
    }
}

/// The names of these fields.
pub(super) fn names(fields: &'static [FieldHelp]) -> impl Iterator<Item = &'static str> + Clone {
    fields.iter().map(|field| field.name)
}

impl<'a> Read<'a> for Cow<'a, str> {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        if found.value.kind() != JsonKind::Text {
            return notes.wrong_type(found, "a string", "Write it in double quotes.");
        }
        found.value.text().or_else(|| {
            notes.refuse(found, "has a \\u escape that is not a character", "Write the character itself.")
        })
    }
}

/// A text as one line, which may be empty; see [`one_line`].
impl<'a> Read<'a> for String {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        Cow::read(found, notes).map(|text| one_line(&text))
    }
}

impl<'a> Read<'a> for Filled<'a> {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        let text = Cow::read(found, notes)?;
        if one_line(&text).is_empty() {
            return notes.refuse(found, "is empty", "Write one line, or leave the field out.");
        }
        Some(Self(text))
    }
}

impl<'a> Read<'a> for bool {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        let boolean = serde_json::from_str(found.value.raw).ok();
        boolean.or_else(|| notes.wrong_type(found, "true or false", "Write it without quotes."))
    }
}

impl<'a, T: Read<'a>> Read<'a> for At<T> {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        let at = notes.at(found.value);
        T::read(found, notes).map(|value| Self { value, at })
    }
}

/// Items that are wrong are left out.
impl<'a, T: Read<'a>> Read<'a> for Vec<T> {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        let Some(items) = found.value.items() else {
            return notes.wrong_type(found, "a list", "Write it in square brackets.");
        };
        let items = items.into_iter().enumerate();
        let place = |index| ValuePath::Item(&found.place, index);
        Some(
            items.filter_map(|(index, value)| T::read(Found { value, place: place(index) }, notes)).collect(),
        )
    }
}

/// Reads a number. `expected` is its type, `meant` what a number of another kind is not.
fn number<'a, T>(
    found: Found<'a, '_>,
    notes: &mut Notes<'a>,
    [expected, meant, remedy]: [&str; 3],
    parse: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let remedy = format!("{remedy}, or leave the field out.");
    if found.value.kind() != JsonKind::Number {
        return notes.wrong_type(found, expected, &remedy);
    }
    let raw = found.value.raw;
    parse(raw).or_else(|| notes.refuse(found, &format!("is {}, which is not {meant}", shown(raw)), &remedy))
}

/// The number of a line; 0 means none.
pub(super) fn line_number<'a>(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<u32> {
    let words = ["a number", "a line number", "Write the line as a whole number"];
    number(found, notes, words, |raw| raw.parse().ok()).filter(|line| *line > 0)
}

/// A length of time in seconds, possibly with a fraction.
fn seconds<'a>(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Duration> {
    let words = ["a number of seconds", "a valid number of seconds", "Write the seconds as a number above 0"];
    number(found, notes, words, |raw| {
        let seconds = raw.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= f64::from(YEAR))?;
        Duration::try_from_secs_f64(seconds).ok().filter(|span| !span.is_zero())
    })
}

/// Reads one of a few words.
fn word<'a, T: Copy>(
    found: Found<'a, '_>,
    notes: &mut Notes<'a>,
    all: impl IntoIterator<Item = T> + Clone,
    word_of: impl Fn(T) -> &'static str,
) -> Option<T> {
    let text = Cow::read(found, notes)?;
    let text = text.trim();
    let one = all.clone().into_iter().find(|one| word_of(*one) == text);
    one.or_else(|| {
        let words: Vec<&str> = all.into_iter().map(word_of).collect();
        let meant = suggest::question(nearest(text, words.iter().copied()));
        let clause = format!("is {}, which is not known", shown(text));
        notes.refuse(found, &clause, &format!("{meant}Write one of {}.", words.join(", ")))
    })
}

impl<'a> Read<'a> for TestType {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        word(found, notes, Self::ALL, Self::word)
    }
}

impl<'a> Read<'a> for DocumentKind {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        word(found, notes, Self::ALL, Self::word)
    }
}

impl<'a> Read<'a> for PathPattern {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        const REMEDY: &str = "Write a path from the top of the repository, with `*` for any name and `**` for any folders, for example \"src/api/**\".";
        let text = Cow::read(found, notes)?;
        let clause = |why| format!("is {}, which can match no file: {why}", shown(&text));
        Self::parse(&text).map_err(|why| notes.refuse::<()>(found, &clause(why), REMEDY)).ok()
    }
}

impl<'a> Read<'a> for Document {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        const PATH: &str =
            "Write the path of a file from the top of the repository, for example \"docs/spec.md\".";
        if found.value.kind() != JsonKind::Object {
            let remedy = "Write it as {\"path\": \"docs/spec.md\", \"for\": \"requirements\"}.";
            return notes.wrong_type(found, "an object", remedy);
        }
        let fields = Fields::read(found, &["path", "for"].into_iter(), notes)?;
        let path = fields.required("path", PATH, notes).and_then(|of| {
            let path = Cow::read(of, notes)?;
            let Some(why) = document_fault(&path) else { return Some(path.into_owned()) };
            let clause = format!("is {}, which is not a file of the repository: {why}", shown(&path));
            notes.refuse(of, &clause, PATH)
        });
        let kind = match fields.found("for") {
            None => {
                let words = DocumentKind::ALL.map(DocumentKind::word).join(", ");
                let remedy = format!("Write \"for\": with one of {words}.");
                notes.refuse(found, "does not say what the document is for", &remedy)
            }
            Some(of) => DocumentKind::read(of, notes),
        };
        Some(Self { path: path?, kind: kind? })
    }
}

impl<'a> Read<'a> for TestCommand {
    fn read(found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<Self> {
        let remedy = "Write a shell command, or remove the whole entry.";
        let fields = Fields::read(found, &names(&COMMAND_FIELDS), notes)?;
        let kind = fields.found("type").map_or(Some(TestType::Unit), |of| TestType::read(of, notes));
        let command = fields.required("command", remedy, notes).and_then(|of| match Cow::read(of, notes)? {
            text if text.trim().is_empty() => notes.refuse(of, "is empty", remedy),
            // It cannot be passed to a program.
            text if text.contains('\0') => notes.refuse(of, "contains a NUL character", remedy),
            text => Some(text),
        });
        let framework = fields.get("framework", notes).filter(|name: &String| !name.is_empty());
        let timeout = fields.found("timeout").and_then(|of| seconds(of, notes));
        // The user relies on the report, so one that cannot be read is a problem.
        let coverage = fields.found("coverage").and_then(|of| {
            let text = Cow::read(of, notes)?;
            let refuse = |[what, remedy]: [String; 2]| {
                notes.refuse(of, &format!("is {}, {what}", shown(&text)), &remedy)
            };
            CoverageSource::parse(&text).map_or_else(refuse, Some)
        });
        Some(Self { kind: kind?, command: command?.into_owned(), framework, timeout, coverage })
    }
}

/// Reads a field that says how a task is done.
fn task_field<'a>(field: TaskField, found: Found<'a, '_>, notes: &mut Notes<'a>) -> Option<FieldValue> {
    let count = |raw: &str| raw.parse::<NonZeroU32>().ok();
    Some(match field.kind() {
        FieldType::Switch => FieldValue::Switch(bool::read(found, notes)?),
        FieldType::Expect => FieldValue::Expect(word(found, notes, Expect::ALL, Expect::word)?),
        FieldType::Line => FieldValue::Line(one_line(&Filled::read(found, notes)?.0)),
        FieldType::Name => {
            let line = one_line(&Filled::read(found, notes)?.0);
            // A plan may come from others.
            if line.starts_with('-') {
                let clause = format!("is {}, which begins with a dash", shown(&line));
                let remedy = "Programs would take it for an option. Write the name itself.";
                return notes.refuse(found, &clause, remedy);
            }
            FieldValue::Line(line)
        }
        FieldType::Count { what, most } => {
            let words = [what, what, "Write a whole number from 1"];
            let parse = |raw: &str| count(raw).filter(|number| number.get() <= most);
            FieldValue::Count(number(found, notes, words, parse)?)
        }
        FieldType::Priority => {
            let word = || NonZeroU32::new(priority_of(&found.value.text()?)?);
            FieldValue::Count(count(found.value.raw).or_else(word)?)
        }
        FieldType::Dollars => {
            let what = "an amount in US dollars";
            let words = [what, what, "Write a decimal number above 0, such as 2.50"];
            let parse = |raw: &str| Cost::parse(raw).filter(|cost| *cost > Cost::default());
            FieldValue::Dollars(number(found, notes, words, parse)?)
        }
        FieldType::Patterns => FieldValue::Patterns(Vec::read(found, notes)?),
        FieldType::Lines => FieldValue::Lines(Vec::read(found, notes)?),
    })
}
