//! Calls of tools: what they are about, and which files they change.

use std::collections::VecDeque;

use serde_json::Value;

use super::fields::Fields;
use crate::agents::event::AgentEvent;

/// The parameters that say best what a tool was called for.
const SUBJECTS: &[&str] = &[
    "command",
    "cmd",
    "file_path",
    "filePath",
    "absolute_path",
    "path",
    "file",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
];
/// The parameters that name the file that a tool changes.
const PATHS: &[&str] = &["file_path", "filePath", "absolute_path", "path", "notebook_path", "file"];
/// How many calls can be under way at the same time.
const UNDER_WAY: usize = 64;

/// The call of a tool.
pub(super) fn tool(name: &str, parameters: &Value) -> AgentEvent {
    AgentEvent::Tool { name: name.to_owned(), subject: subject(parameters) }
}

/// What a tool was called for; empty if its parameters do not say it.
fn subject(parameters: &Value) -> String {
    let words = |name: &&str| match parameters.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")),
        _ => None,
    };
    SUBJECTS.iter().find_map(words).unwrap_or_default()
}

/// The file that a tool with these parameters changes.
pub(super) fn path(parameters: &Value) -> Option<&str> {
    PATHS.iter().find_map(|name| parameters.get(name)?.as_str())
}

/// The calls that will have changed a file if they succeed.
#[derive(Debug, Default)]
pub(super) struct Edits {
    under_way: VecDeque<(String, String)>,
}

impl Edits {
    /// The call with the identifier `id` changes the file that its parameters name.
    pub(super) fn begin(&mut self, id: &str, parameters: &Value) {
        let Some(path) = path(parameters) else { return };
        if self.under_way.len() == UNDER_WAY {
            self.under_way.pop_front();
        }
        self.under_way.push_back((id.to_owned(), path.to_owned()));
    }

    /// The call with the identifier at `pointer` has ended.
    pub(super) fn end(&mut self, object: &Value, pointer: &str, succeeded: bool) -> Option<AgentEvent> {
        let id = object.text(pointer)?;
        let at = self.under_way.iter().position(|(known, _)| known == id)?;
        let (_, path) = self.under_way.remove(at)?;
        succeeded.then_some(AgentEvent::FileChanged(path))
    }
}
