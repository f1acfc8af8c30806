//! The fields of a plan, in one table each for the whole file, a node and a test command, with what a reader of the file has to
//! know about them; and those that say how a task is done, which a node sets for itself and for every node below it.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use self::FieldType::{Count, Dollars, Line, Lines, Name, Patterns, Switch};
use super::expect::Expect;
use super::node_ix::NodeIx;
use super::paths::PathPattern;
use crate::record::Cost;

/// What a field of a plan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldHelp {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub value: &'static str,
    /// What it means, as one clause.
    pub about: &'static str,
}

const fn field(name: &'static str, value: &'static str, about: &'static str) -> FieldHelp {
    FieldHelp { name, value, about }
}

/// The fields of the whole file.
pub const FILE_FIELDS: [FieldHelp; 11] = [
    field("spec_id", "a text", "the name of the plan; a commit that changes it begins a new run"),
    field("title", "a text", "the title of the plan, as one line"),
    field("summary", "a text", "what the plan is to achieve"),
    field(
        "documents",
        "a list of objects",
        "files that belong to the whole plan: `{\"path\": PATH, \"for\": KIND}`, where KIND is `requirements`, `design`, \
         `conventions`, `research`, `contract` or `data model`",
    ),
    field("nodes", "an object", "the tasks and phases, each under its id"),
    field("root_ids", "a list of ids", "those without a parent, in order"),
    field("execution_order", "a list of ids", "the order of the tasks, as far as the dependencies allow it"),
    field("spec_files", "a list of paths", "the files from which the plan was made"),
    field("built", "an object", "what `git arborist build` needs to update the file; a run does not read it"),
    field("suite", "a text", "a command that runs all tests; it has no effect: set `arborist.suite`"),
    field("defaults", "an object", "the fields below that say how tasks are done, for the whole plan"),
];

/// The fields of a node besides those of [`TaskField`](TaskField).
pub const NODE_FIELDS: [FieldHelp; 13] = [
    field("id", "a text", "the id: letters, digits, `.`, `_` and `-`, at most 64 of them"),
    field("name", "a text", "the name, as one line"),
    field("was", "a list of texts", "earlier names of the same task, whose steps still count"),
    field("description", "a text", "what the agent is asked to do"),
    field(
        "acceptance",
        "a list of texts",
        "what must be so when it is done; what is below may have a list of its own",
    ),
    field("documents", "a list of objects", "files for it and all below, besides those of the whole plan"),
    field("parent", "an id", "the phase above"),
    field("children", "a list of ids", "what is below, in order"),
    field("depends_on", "a list of ids", "what must be complete first; a phase means all tasks below it"),
    field("is_leaf", "`true` or `false`", "whether it is a task; it must agree with `children`"),
    field("source_file", "a path", "where the task was specified"),
    field("source_line", "a number", "the line in that file"),
    field("test_commands", "a list of objects", "the commands that decide whether the task is done"),
];

/// The fields of a test command.
pub const COMMAND_FIELDS: [FieldHelp; 5] = [
    field(
        "type",
        "a word",
        "`unit`, `integration` or `e2e`; `setup` runs before the others, `mutation` after them if they passed, and `teardown` last, even after a failure",
    ),
    field("command", "a text", "what `sh` runs at the top of the work tree; its exit status decides"),
    field("framework", "a text", "the format of the output, if it is not recognised"),
    field("timeout", "a number of seconds", "a limit in place of `arborist.testTimeout`"),
    field("coverage", "a text", "the coverage report that it writes, as in `lcov:coverage/lcov.info`"),
];

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
    /// A whole number from 1, with its name in messages, and the largest one that makes sense.
    Count { what: &'static str, most: u32 },
    /// The same, or a word such as `high`. Anything else says nothing, because other tools have such a field as well.
    Priority,
    /// An amount of money above 0, in US dollars.
    Dollars,
    /// A list of patterns for paths.
    Patterns,
    /// A list of texts.
    Lines,
}

/// A year in seconds. Longer times are mistakes, and would overflow clocks.
pub(super) const YEAR: u32 = 365 * 24 * 3600;

/// A number of seconds.
const SECONDS: FieldType = Count { what: "a number of seconds", most: YEAR };

/// Makes the fields from their rows: name in the file, type, what the value is, and what it means.
macro_rules! fields {
    ($($field:ident $name:literal : $kind:expr, $value:literal, $about:literal;)+) => {
        /// A field that says how a task is done, or more about it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum TaskField {
            $(#[doc = $about] $field,)+
        }

        impl TaskField {
            /// All of them, in the order of the documentation.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$field),+];

            /// The type of its value.
            pub(super) fn kind(self) -> FieldType {
                match self {
                    $(Self::$field => $kind,)+
                }
            }

            /// What the field is.
            pub fn help(self) -> FieldHelp {
                match self {
                    $(Self::$field => FieldHelp { name: $name, value: $value, about: $about },)+
                }
            }
        }
    };
}

fields! {
    TestFirst "test_first": Switch, "`true` or `false`",
        "whether an agent writes failing tests for the task before another writes its code";
    Expect "expect": FieldType::Expect, "`change`, `refactor`, `tests`, `docs` or `config`",
        "what kind of change the task makes, and so what proves it: a test that fails without it, equal results before and after, failing or passing new tests, or nothing";
    MayChange "may_change": Patterns, "a list of patterns",
        "tests and other files that judge the task, but may be changed by it";
    Touches "touches": Patterns, "a list of patterns", "the files that the task is expected to change";
    Gate "gate": Switch, "`true` or `false`", "whether a person must approve the task before it is complete";
    Runner "runner": Name, "a name", "the runner that implements the task";
    Model "model": Name, "a name", "the model that implements the task";
    MaxRetries "max_retries": Count { what: "a number of attempts", most: 1_000_000 }, "a number from 1",
        "how many attempts the task has";
    Timeout "timeout": SECONDS, "a number of seconds", "how long a runner may work on the task at a time";
    MaxCost "max_cost": Dollars, "an amount, as in 2.50",
        "how many US dollars all steps of the task may cost; it can only lower the limit of the user";
    MaxTokens "max_tokens": Count { what: "a number of tokens", most: u32::MAX }, "a number from 1",
        "how many tokens all steps of the task may use; it can only lower the limit of the user";
    MaxTime "max_time": SECONDS, "a number of seconds",
        "how long the runners and tests of the task may work together; it can only lower the limit of the user";
    Review "review": Switch, "`true` or `false`", "whether the task is reviewed";
    Priority "priority": FieldType::Priority, "a number from 1, or `critical`, `high`, `medium` or `low` (1 to 4)",
        "which of several tasks that are ready comes first: the smallest number, and those without one last";
    Labels "labels": Lines, "a list of texts", "words for readers of the file";
    SourceId "source_id": Line, "a text", "the id in the source from which it was made; it applies to that task or phase alone";
}

impl TaskField {
    /// Its name in the file.
    pub fn name(self) -> &'static str {
        self.help().name
    }

    /// Whether it applies to the nodes below the one that sets it.
    pub fn is_inherited(self) -> bool {
        self != Self::SourceId
    }
}

/// The value of a field, of the type that the table says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
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
pub struct FieldSet(pub(super) Vec<FieldEntry>);

impl FieldSet {
    /// These fields, which the node at `own` sets, and those from above that are not among them.
    pub(super) fn of_node(&self, own: NodeIx, above: &Self) -> Self {
        let entry = |field: TaskField| match self.get(field) {
            Some(entry) => Some(FieldEntry { set_by: SetBy::Node(own), ..entry.clone() }),
            None => above.get(field).filter(|_| field.is_inherited()).cloned(),
        };
        Self(TaskField::ALL.into_iter().filter_map(entry).collect())
    }

    /// A field, if it is set.
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
            let mut property = match field.kind() {
                FieldType::Switch => serde_json::json!({"type": "boolean"}),
                FieldType::Line | FieldType::Expect | FieldType::Name => {
                    serde_json::json!({"type": "string"})
                }
                FieldType::Count { .. } | FieldType::Priority => {
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
