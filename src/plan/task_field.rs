//! The table of the fields that say how a task is done. A node sets them for itself and for every node below it.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::expect::Expect;
use super::node_ix::NodeIx;
use super::paths::PathPattern;
use crate::record::Cost;

/// A field that says how a task is done, or more about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskField {
    /// Whether tests are written before the code.
    TestFirst,
    /// What kind of change the task makes, and so what proves it.
    Expect,
    /// The files that judge the task and that it may change all the same.
    MayChange,
    /// The files that the task is expected to change.
    Touches,
    /// Whether a person must approve the task before it is complete.
    Gate,
    /// The runner that implements the task.
    Runner,
    /// The model that implements the task.
    Model,
    /// How many attempts the task has.
    MaxRetries,
    /// How long a runner may work on the task, in seconds.
    Timeout,
    /// How many US dollars the steps of the task may cost.
    MaxCost,
    /// How many tokens the steps of the task may use.
    MaxTokens,
    /// How long the runners and tests of the task may work, in seconds.
    MaxTime,
    /// Whether the task is reviewed.
    Review,
    /// Which of several tasks that are ready comes first.
    Priority,
    /// Words for readers of the file.
    Labels,
    /// The id in the source from which the node was made.
    SourceId,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldType {
    /// `true` or `false`.
    Switch,
    /// One line of text that is not empty.
    Line,
    /// A kind of change.
    Expect,
    /// The name of something that a program gets as an argument.
    Name,
    /// A whole number from 1.
    Count(CountOf),
    /// The same, or a word such as `high`. Anything else says nothing, because other tools have such a field, too.
    Priority,
    /// An amount of money above 0, in US dollars.
    Dollars,
    /// A list of patterns for paths.
    Patterns,
    /// A list of texts.
    Lines,
}

/// A field that is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CountOf {
    /// The name of the number in messages.
    pub(super) what: &'static str,
    /// The largest number that makes sense.
    pub(super) most: u32,
}

/// Which nodes a field concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The node that sets it and every node below it.
    Below,
    /// Only the node that sets it.
    Node,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldRow {
    pub(super) name: &'static str,
    pub(super) kind: FieldType,
    pub(super) reach: Reach,
}

/// A year in seconds. Longer times are mistakes.
const YEAR: u32 = 365 * 24 * 3600;

impl TaskField {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 16] = [
        Self::TestFirst,
        Self::Expect,
        Self::MayChange,
        Self::Touches,
        Self::Gate,
        Self::Runner,
        Self::Model,
        Self::MaxRetries,
        Self::Timeout,
        Self::MaxCost,
        Self::MaxTokens,
        Self::MaxTime,
        Self::Review,
        Self::Priority,
        Self::Labels,
        Self::SourceId,
    ];

    pub(super) fn row(self) -> FieldRow {
        use FieldType::{Count, Dollars, Line, Lines, Name, Patterns, Switch};
        let row = |name, kind| FieldRow { name, kind, reach: Reach::Below };
        match self {
            Self::TestFirst => row("test_first", Switch),
            Self::Expect => row("expect", FieldType::Expect),
            Self::MayChange => row("may_change", Patterns),
            Self::Touches => row("touches", Patterns),
            Self::Gate => row("gate", Switch),
            Self::Runner => row("runner", Name),
            Self::Model => row("model", Name),
            Self::MaxRetries => {
                row("max_retries", Count(CountOf { what: "a number of attempts", most: 1_000_000 }))
            }
            Self::Timeout => row("timeout", Count(CountOf { what: "a number of seconds", most: YEAR })),
            Self::MaxCost => row("max_cost", Dollars),
            Self::MaxTokens => {
                row("max_tokens", Count(CountOf { what: "a number of tokens", most: u32::MAX }))
            }
            Self::MaxTime => row("max_time", Count(CountOf { what: "a number of seconds", most: YEAR })),
            Self::Review => row("review", Switch),
            Self::Priority => row("priority", FieldType::Priority),
            Self::Labels => row("labels", Lines),
            Self::SourceId => FieldRow { reach: Reach::Node, ..row("source_id", Line) },
        }
    }

    /// Its name in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it applies to the nodes below the one that sets it.
    #[must_use]
    pub fn is_inherited(self) -> bool {
        self.row().reach == Reach::Below
    }
}

/// The value of a field, of the type that the table says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// On or off.
    Switch(bool),
    /// A kind of change.
    Expect(Expect),
    /// One line, not empty.
    Line(String),
    /// A number from 1.
    Count(NonZeroU32),
    /// An amount of money above 0.
    Dollars(Cost),
    /// Patterns for paths; none if the files are unknown.
    Patterns(Vec<PathPattern>),
    /// Texts of one line each.
    Lines(Vec<String>),
}

impl Serialize for FieldValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Switch(on) => on.serialize(serializer),
            Self::Expect(kind) => kind.word().serialize(serializer),
            Self::Line(line) => line.serialize(serializer),
            Self::Count(count) => count.serialize(serializer),
            Self::Dollars(cost) => cost.serialize(serializer),
            Self::Patterns(patterns) => serializer.collect_seq(patterns.iter().map(PathPattern::as_str)),
            Self::Lines(lines) => serializer.collect_seq(lines),
        }
    }
}

impl fmt::Display for FieldValue {
    /// The value as a person would write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(on) => write!(f, "{on}"),
            Self::Expect(kind) => write!(f, "{kind}"),
            Self::Line(line) => f.write_str(line),
            Self::Count(count) => write!(f, "{count}"),
            Self::Dollars(cost) => write!(f, "{cost}"),
            Self::Patterns(patterns) => {
                let patterns: Vec<&str> = patterns.iter().map(PathPattern::as_str).collect();
                f.write_str(&patterns.join(", "))
            }
            Self::Lines(lines) => f.write_str(&lines.join(", ")),
        }
    }
}

/// Where a field is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetBy {
    /// In the `defaults` of the tree, above every root.
    Defaults,
    /// In this node.
    Node(NodeIx),
}

/// A field that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldEntry {
    /// The field.
    pub field: TaskField,
    /// Its value.
    pub value: Arc<FieldValue>,
    /// Where it is set.
    pub set_by: SetBy,
}

/// The fields that apply to a node, in the order of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet(Vec<FieldEntry>);

impl FieldSet {
    /// The fields that the `defaults` of a tree set, or those of a node before its place is known.
    pub(super) fn new(values: impl IntoIterator<Item = NamedValue>) -> Self {
        let entry = |NamedValue { field, value }| FieldEntry {
            field,
            value: Arc::new(value),
            set_by: SetBy::Defaults,
        };
        Self(values.into_iter().map(entry).collect())
    }

    /// These fields, which the node at `own` sets, and those from above that are not among them.
    pub(super) fn of_node(&self, own: NodeIx, above: &Self) -> Self {
        let entry = |field: TaskField| match self.get(field) {
            Some(entry) => Some(FieldEntry { set_by: SetBy::Node(own), ..entry.clone() }),
            None => above.get(field).filter(|_| field.is_inherited()).cloned(),
        };
        Self(TaskField::ALL.into_iter().filter_map(entry).collect())
    }

    /// The priority, if one is set.
    pub(super) fn priority(&self) -> Option<u32> {
        match &*self.get(TaskField::Priority)?.value {
            FieldValue::Count(count) => Some(count.get()),
            _ => None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A field, if it is set.
    #[must_use]
    pub fn get(&self, field: TaskField) -> Option<&FieldEntry> {
        self.0.iter().find(|entry| entry.field == field)
    }

    /// All fields that are set.
    pub fn iter(&self) -> impl Iterator<Item = &FieldEntry> {
        self.0.iter()
    }
}

impl Serialize for FieldSet {
    /// As in the file: the names of the fields and their values.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|entry| (entry.field.name(), &*entry.value)))
    }
}

#[cfg(test)]
impl schemars::JsonSchema for FieldSet {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FieldSet".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let property = |field: TaskField| {
            let mut property = match field.row().kind {
                FieldType::Switch => serde_json::json!({"type": "boolean"}),
                FieldType::Line | FieldType::Expect | FieldType::Name => {
                    serde_json::json!({"type": "string"})
                }
                FieldType::Count(_) | FieldType::Priority => {
                    serde_json::json!({"type": "integer", "minimum": 1})
                }
                FieldType::Dollars => serde_json::json!({"type": "number", "exclusiveMinimum": 0}),
                FieldType::Patterns | FieldType::Lines => {
                    serde_json::json!({"type": "array", "items": {"type": "string"}})
                }
            };
            let about = field.help().about;
            property["description"] = format!("{}{}.", about[..1].to_uppercase(), &about[1..]).into();
            (field.name().to_owned(), property)
        };
        let properties: serde_json::Map<_, _> = TaskField::ALL.into_iter().map(property).collect();
        schemars::json_schema!({
            "type": "object",
            "description": "The fields of the plan that apply to it: its own, and those that it inherits.",
            "properties": properties,
        })
    }
}

/// A field with its value in the file.
pub(super) struct NamedValue {
    pub(super) field: TaskField,
    pub(super) value: FieldValue,
}
