//! The tools. Their descriptions are short, because every conversation with a client begins with them.

use serde_json::{Value, json};

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

impl Tool {
    /// All tools.
    pub const ALL: [Self; 3] = [Self::UnitNext, Self::UnitDone, Self::RunStatus];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::UnitNext => "unit_next",
            Self::UnitDone => "unit_done",
            Self::RunStatus => "run_status",
        }
    }

    /// The tool with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Its arguments, of which the first are required. All of them are texts.
    #[must_use]
    pub fn arguments(self) -> (&'static [&'static str], usize) {
        match self {
            Self::UnitNext => (&["task"], 0),
            Self::UnitDone => (&["unit", "note", "blocked"], 1),
            Self::RunStatus => (&[], 0),
        }
    }

    fn definition(self) -> Value {
        let text = json!({"type": "string"});
        match self {
            Self::UnitNext => json!({
                "name": self.name(),
                "description": "Get the next unit of work: its task, step and prompt. Do what the prompt says in the work tree; \
                    never commit.",
                "inputSchema": {"type": "object", "properties": {"task": text}},
                "annotations": {"readOnlyHint": true},
            }),
            Self::UnitDone => json!({
                "name": self.name(),
                "description": "Hand in a unit. The server itself runs the tests, commits, and returns verdict, evidence and \
                    next unit.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "unit": text,
                        "note": {
                            "type": "string",
                            "description": "What a reviewer should know about your work",
                        },
                        "blocked": {
                            "type": "string",
                            "description": "Only if you cannot go on without a person: what you need to know",
                        },
                    },
                    "required": ["unit"],
                },
            }),
            Self::RunStatus => json!({
                "name": self.name(),
                "description": "Show progress of the plan",
                "inputSchema": {"type": "object"},
                "annotations": {"readOnlyHint": true},
            }),
        }
    }
}

/// The list of all tools.
#[must_use]
pub(super) fn list() -> Value {
    json!({"tools": Tool::ALL.map(Tool::definition)})
}

/// The result of a tool: the same JSON as text and as a structure.
#[must_use]
pub(super) fn result(answer: &Value, is_error: bool) -> Value {
    json!({
        "content": [{"type": "text", "text": answer.to_string()}],
        "structuredContent": answer,
        "isError": is_error,
    })
}
