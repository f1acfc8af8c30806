//! Reads `codex exec --json`.
//!
//! `turn.completed` and `turn.failed` decide how the work has ended. The final message is the last `agent_message`. An item
//! of type `error` may be a warning, and an `error` that says `Reconnecting` is a retry. Errors have no fields but their
//! words, which are those of codex itself.

use serde_json::Value;

use super::work::{Work, tool};
use crate::agents::errors::error_in_words;
use crate::agents::event::AgentEvent;
use crate::agents::fields::{Fields, usage};

pub(super) fn read(object: &Value, work: &mut Work) {
    let item = object.pointer("/item").unwrap_or(&Value::Null);
    match object.text("/type") {
        Some("thread.started") => work.session(object.text("/thread_id")),
        Some("item.started") => started(item, work),
        Some("item.completed") => completed(item, work),
        Some("turn.completed") => {
            let used = object.pointer("/usage");
            let cached = used.and_then(|used| used.count("/cached_input_tokens"));
            work.events.extend(used.map(|used| AgentEvent::Usage(usage(used, cached, true))));
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

fn started(item: &Value, work: &mut Work) {
    let (name, subject) = match item.text("/type") {
        Some("command_execution") => ("shell", item),
        Some("mcp_tool_call") => {
            (item.text("/tool").unwrap_or_default(), item.pointer("/arguments").unwrap_or(item))
        }
        Some("web_search") => ("web_search", item),
        _ => return,
    };
    tool_called(work);
    work.runs(item.text("/id"));
    work.events.push(tool(name, subject));
}

fn completed(item: &Value, work: &mut Work) {
    match item.text("/type") {
        Some("agent_message") => {
            work.answers();
            work.says(item.text("/text"));
            work.words.are(item.text("/text").unwrap_or_default());
        }
        Some("reasoning") => work.answers(),
        Some("file_change") => {
            tool_called(work);
            let paths: Vec<&str> =
                item.list("/changes").iter().filter_map(|change| change.text("/path")).collect();
            let subject = paths.join(" ");
            work.events.push(AgentEvent::Tool { name: "apply_patch".to_owned(), subject });
            match item.text("/status") {
                Some("completed") => work.changed(paths),
                Some("declined") => work.events.push(AgentEvent::Denied("apply_patch".to_owned())),
                _ => {}
            }
            work.is_asked();
        }
        Some("command_execution" | "mcp_tool_call" | "web_search") => {
            tool_called(work);
            work.runs_no_more(item.text("/id"));
            if item.text("/status") == Some("declined") {
                work.events.push(AgentEvent::Denied("shell".to_owned()));
            }
            work.is_asked();
        }
        _ => {}
    }
}

/// What was said before a tool was called is not the final message.
fn tool_called(work: &mut Work) {
    work.answers();
    work.words.forget();
}
