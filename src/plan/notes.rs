//! Collects problems and warnings with their lines while a file is read, and names values by their paths.

use std::fmt;

use super::json::{Member, Value};
use super::problem::{Problem, shown};
use super::source::Source;

/// The file that is being read, and all problems and warnings so far.
pub(super) struct Notes<'a> {
    pub(super) source: Source<'a>,
    pub(super) problems: Vec<Problem>,
    pub(super) warnings: Vec<Problem>,
}

impl<'a> Notes<'a> {
    /// The byte position of `value`.
    pub(super) fn at(&self, value: Value<'a>) -> usize {
        self.source.offset(value.raw)
    }

    /// Records a problem at byte `at`.
    pub(super) fn problem(&mut self, at: usize, what: impl Into<String>, remedy: impl Into<String>) {
        self.problems.push(Problem::new(Some(self.source.line(at)), what, remedy));
    }

    /// Records why a value cannot be used: a clause about it.
    pub(super) fn refuse<T>(&mut self, found: Found<'a, '_>, clause: &str, remedy: &str) -> Option<T> {
        self.problem(self.at(found.value), format!("{} {clause}", found.place), remedy);
        None
    }

    /// Records that a value has the wrong type: it must be `expected`.
    pub(super) fn wrong_type<T>(&mut self, found: Found<'a, '_>, expected: &str, remedy: &str) -> Option<T> {
        self.refuse(found, &format!("is {}, but it must be {expected}", found.value.kind()), remedy)
    }

    /// Records a warning about something doubtful at byte `at`. The tree can still be used.
    pub(super) fn warning(&mut self, at: usize, what: impl Into<String>, remedy: impl Into<String>) {
        self.warnings.push(Problem::new(Some(self.source.line(at)), what, remedy));
    }

    /// Records that something appears twice, and on which lines.
    pub(super) fn twice(&mut self, what: &str, first: Member<'a>, second: Member<'a>) {
        let at = self.at(second.key);
        let lines = match (self.source.line(self.at(first.key)), self.source.line(at)) {
            (first, second) if first == second => format!("on line {first}"),
            (first, second) => format!("on line {first} and on line {second}"),
        };
        self.problem(at, format!("{what} appears twice, {lines}"), "Keep one of them.");
    }
}

/// A value, and the path to it.
#[derive(Clone, Copy)]
pub(super) struct Found<'a, 'p> {
    pub(super) value: Value<'a>,
    pub(super) place: ValuePath<'p>,
}

/// The path to a value, as a message shows it: `nodes.T001.depends_on[2]`.
#[derive(Clone, Copy)]
pub(super) enum ValuePath<'p> {
    /// The whole document.
    Top,
    /// A field of the object at this path.
    Field(&'p ValuePath<'p>, &'p str),
    /// An item, from 0, of the list at this path.
    Item(&'p ValuePath<'p>, usize),
}

impl fmt::Display for ValuePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => f.write_str("the plan"),
            Self::Field(ValuePath::Top, name) => f.write_str(&shown(name)),
            Self::Field(outer, name) => write!(f, "{outer}.{}", shown(name)),
            Self::Item(outer, index) => write!(f, "{outer}[{index}]"),
        }
    }
}
