//! The tools. Their descriptions are short, because every conversation with a client begins with them.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

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

/// A tool as the protocol describes it.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolRow {
    #[serde(skip)]
    pub(super) tool: Tool,
    pub(super) name: &'static str,
    description: &'static str,
    #[serde(rename = "inputSchema", serialize_with = "schema")]
    pub(super) arguments: &'static [Argument],
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Annotations>,
}

/// What a client may rely on.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Annotations {
    read_only_hint: bool,
}

const ONLY_READS: Option<Annotations> = Some(Annotations { read_only_hint: true });

/// An argument of a tool, which is a text.
#[derive(Debug, PartialEq)]
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    about: Option<&'static str>,
}

pub(super) const TOOLS: &[ToolRow] = &[
    ToolRow {
        tool: Tool::UnitNext,
        name: "unit_next",
        description: "Get the next unit of work: its task, step and prompt. Do what the prompt says in the work tree; never commit.",
        arguments: &[Argument { name: "task", is_required: false, about: None }],
        annotations: ONLY_READS,
    },
    ToolRow {
        tool: Tool::UnitDone,
        name: "unit_done",
        description: "Hand in a unit. The server itself runs the tests, commits, and returns verdict, evidence and next unit.",
        annotations: None,
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
        description: "Show progress of the plan",
        arguments: &[],
        annotations: ONLY_READS,
    },
];

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

fn schema<S: Serializer>(arguments: &&[Argument], serializer: S) -> Result<S::Ok, S::Error> {
    let argument = |argument: &Argument| {
        let text = Schema { kind: "string", description: argument.about, ..Schema::default() };
        (argument.name, text)
    };
    let required = arguments.iter().filter(|argument| argument.is_required);
    let schema = Schema {
        kind: "object",
        properties: arguments.iter().map(argument).collect(),
        required: required.map(|argument| argument.name).collect(),
        ..Schema::default()
    };
    schema.serialize(serializer)
}
