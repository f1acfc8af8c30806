//! The tools. Their descriptions are short, because every conversation with a client begins with them.

use std::collections::BTreeMap;

use serde::Serialize;

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// What comes next.
    UnitNext,
    /// Hands in work.
    UnitDone,
    /// How far the plan has come.
    RunStatus,
}

/// What a client has to know of a tool.
pub(super) struct ToolRow {
    tool: Tool,
    pub(super) name: &'static str,
    about: &'static str,
    only_reads: bool,
    pub(super) arguments: &'static [Argument],
}

/// An argument of a tool, which is a text.
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    about: Option<&'static str>,
}

const TOOLS: [ToolRow; 3] = [
    ToolRow {
        tool: Tool::UnitNext,
        name: "unit_next",
        about: "Get the next unit of work: its task, step and prompt. Do what the prompt says in the work tree; never commit.",
        only_reads: true,
        arguments: &[Argument { name: "task", is_required: false, about: None }],
    },
    ToolRow {
        tool: Tool::UnitDone,
        name: "unit_done",
        about: "Hand in a unit. The server itself runs the tests, commits, and returns verdict, evidence and next unit.",
        only_reads: false,
        arguments: &[
            Argument { name: "unit", is_required: true, about: None },
            Argument {
                name: "note",
                is_required: false,
                about: Some("What a reviewer should know about your work"),
            },
            Argument {
                name: "blocked",
                is_required: false,
                about: Some("Only if you cannot go on without a person: what you need to know"),
            },
        ],
    },
    ToolRow {
        tool: Tool::RunStatus,
        name: "run_status",
        about: "Show progress of the plan",
        only_reads: true,
        arguments: &[],
    },
];

/// A tool as the protocol describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolDefinition {
    name: &'static str,
    description: &'static str,
    input_schema: Schema,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<&'static str, bool>,
}

/// The JSON schema of the arguments, or of one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Schema {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    properties: BTreeMap<&'static str, Schema>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<&'static str>,
}

impl Tool {
    pub(super) fn row(self) -> &'static ToolRow {
        TOOLS.iter().find(|row| row.tool == self).expect("every tool has a row")
    }

    /// The tool with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        TOOLS.iter().find(|row| row.name == name).map(|row| row.tool)
    }

    /// All tools as the protocol describes them.
    pub(super) fn definitions() -> Vec<ToolDefinition> {
        TOOLS.iter().map(ToolRow::definition).collect()
    }
}

impl ToolRow {
    fn definition(&self) -> ToolDefinition {
        let argument = |argument: &Argument| {
            let text = Schema { kind: "string", description: argument.about, ..Schema::default() };
            (argument.name, text)
        };
        let required = self.arguments.iter().filter(|argument| argument.is_required);
        ToolDefinition {
            name: self.name,
            description: self.about,
            input_schema: Schema {
                kind: "object",
                properties: self.arguments.iter().map(argument).collect(),
                required: required.map(|argument| argument.name).collect(),
                ..Schema::default()
            },
            annotations: self.only_reads.then_some(("readOnlyHint", true)).into_iter().collect(),
        }
    }
}
