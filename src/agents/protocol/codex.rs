//! Reads `codex exec --json`.
//!
//! `turn.completed` and `turn.failed` decide how the work has ended. The final message is the last `agent_message`. An item
//! of type `error` may be a warning, and an `error` that says `Reconnecting` is a retry. Errors have no fields but their
//! words, which are those of codex itself.

use serde_json::Value;

use super::errors::error_in_words;
use super::fields::{Fields, UsageFields};
use super::source::Objects;
use super::work::{Work, tool};
use crate::agents::event::AgentEvent;

pub(super) const OBJECTS: Objects = Objects { read, missed, needs_good_exit: false };

const USAGE: UsageFields = UsageFields {
    input: "/usage/input_tokens",
    output: "/usage/output_tokens",
    cached: "/usage/cached_input_tokens",
    input_includes_cached: true,
    ..UsageFields::NONE
};

/// Items that belong to tools, as the beginning of an unreadable line names them.
const TOOLS: &[&str] = &["command_execution", "file_change", "mcp_tool_call", "web_search"];
/// Other items that are no message.
const NO_MESSAGE: &[&str] = &["todo_list", "reasoning"];

fn read(object: &Value, work: &mut Work) {
    let item = object.pointer("/item").unwrap_or(&Value::Null);
    match object.text("/type") {
        Some("thread.started") => work.session(object.text("/thread_id")),
        Some("item.started") => started(item, work),
        Some("item.completed") => completed(item, work),
        Some("turn.completed") => {
            if object.pointer("/usage").is_some() {
                work.events.push(AgentEvent::Usage(USAGE.of(object)));
            }
            work.ends_well();
        }
        Some("turn.failed") => {
            work.fails(error_in_words(object.text("/error/message").unwrap_or_default()));
        }
        Some("error") => {
            let error = error_in_words(object.text("/message").unwrap_or_default());
            if error.message.starts_with("Reconnecting") {
                work.events.push(AgentEvent::Retries(error));
            } else {
                work.fails(error);
            }
        }
        _ => {}
    }
}

fn missed(beginning: &str, work: &mut Work) {
    let is_one_of = |items: &[&str]| {
        beginning.starts_with('{')
            && items.iter().any(|item| beginning.contains(&format!("\"type\":\"{item}\"")))
    };
    if is_one_of(TOOLS) {
        work.words.forget();
    } else if !is_one_of(NO_MESSAGE) {
        work.words.lose();
    }
}

fn started(item: &Value, work: &mut Work) {
    let (name, subject) = match item.text("/type") {
        Some("command_execution") => ("shell", item),
        Some("mcp_tool_call") => {
            (item.text("/tool").unwrap_or_default(), item.pointer("/arguments").unwrap_or(item))
        }
        Some("web_search") => ("web_search", item),
        _ => return,
    };
    tool_called(item, work);
    item.text("/id").into_iter().for_each(|id| work.runs(id));
    work.events.push(tool(name, subject));
}

fn completed(item: &Value, work: &mut Work) {
    match item.text("/type") {
        Some("agent_message") => {
            work.answers();
            work.says(item.text("/text"));
            if let Some(text) = item.text("/text")
                && is_last(item, work)
            {
                work.words.are(text);
            }
        }
        Some("reasoning") => work.answers(),
        Some("file_change") => {
            tool_called(item, work);
            file_change(item, work);
        }
        Some("command_execution" | "mcp_tool_call" | "web_search") => {
            tool_called(item, work);
            work.runs_no_more(item.text("/id"));
            if item.text("/status") == Some("declined") {
                work.events.push(AgentEvent::Denied("shell".to_owned()));
            }
            work.is_asked();
        }
        _ => {}
    }
}

/// Whether this item is the last so far. Items are numbered, so one that arrives late is known.
fn is_last(item: &Value, work: &mut Work) -> bool {
    let number: Option<u64> = item.text("/id").and_then(|id| id.strip_prefix("item_")?.parse().ok());
    work.is_latest(number.map(|number| format!("{number:020}")).unwrap_or_default())
}

/// What was said before a tool was called is not the final message.
fn tool_called(item: &Value, work: &mut Work) {
    work.answers();
    if is_last(item, work) {
        work.words.forget();
    }
}

fn file_change(item: &Value, work: &mut Work) {
    let paths: Vec<&str> = item.list("/changes").iter().filter_map(|change| change.text("/path")).collect();
    work.events.push(AgentEvent::Tool { name: "apply_patch".to_owned(), subject: paths.join(" ") });
    if item.text("/status") == Some("completed") {
        work.changed(paths);
    }
    work.is_asked();
}
