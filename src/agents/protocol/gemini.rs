//! Reads `gemini --output-format stream-json`.
//!
//! `result` tells how the work has ended. The final message is what the model has said after the last tool, in pieces.

use serde_json::Value;

use super::errors::{error_in_words, kind_of_name};
use super::fields::Fields;
use super::source::Objects;
use super::work::{LastWords, ToolFields, Work};
use crate::agents::event::{AgentError, AgentEvent, ErrorKind};
use crate::record::{Tokens, Usage};

pub(super) const OBJECTS: Objects = Objects { read, missed, needs_good_exit: false };

const TOOL: ToolFields = ToolFields {
    name: "/tool_name",
    input: "/parameters",
    id: "/tool_id",
    editors: &["write_file", "replace", "edit"],
};

fn read(object: &Value, work: &mut Work) {
    match object.text("/type") {
        Some("init") => work.session(object.text("/session_id")),
        Some("message") if object.text("/role") == Some("assistant") => message(object, work),
        Some("tool_use") => {
            work.answers();
            let said = work.words.get().map(str::to_owned);
            work.says(said.as_deref());
            not_the_last_word(object, work);
            work.calls(object, &TOOL);
        }
        Some("tool_result") => tool_result(object, work),
        Some("error") if object.text("/severity") != Some("warning") => {
            work.error = Some(error_in_words(object.text("/message").unwrap_or_default()));
        }
        Some("result") => {
            work.events.extend(object.pointer("/stats").map(usage).map(AgentEvent::Usage));
            if object.text("/status") == Some("success") {
                work.ends_well();
            } else {
                let earlier = work.error.take().unwrap_or_default();
                work.fails(failure(object, earlier));
            }
        }
        _ => {}
    }
}

fn missed(beginning: &str, work: &mut Work) {
    if beginning.starts_with("{\"type\":\"tool_result\"") {
        work.words.forget();
    } else {
        work.words.lose();
    }
}

fn message(object: &Value, work: &mut Work) {
    let Some(text) = object.text("/content") else { return };
    work.answers();
    work.has_ended_well = false;
    let goes_on = object.flag("/delta") == Some(true);
    work.words_at(object, "/timestamp", |words| if goes_on { words.go_on(text) } else { words.are(text) });
}

/// What was said before this object, which belongs to a tool, is not the final message.
fn not_the_last_word(object: &Value, work: &mut Work) {
    work.words_at(object, "/timestamp", LastWords::forget);
    work.has_ended_well = false;
}

fn tool_result(object: &Value, work: &mut Work) {
    work.is_asked();
    not_the_last_word(object, work);
    work.call_ended(object.text("/tool_id"), object.text("/status") == Some("success"));
    let denied = ["policy_violation", "execution_denied"];
    if object.text("/error/type").is_some_and(|kind| denied.contains(&kind)) {
        let tool = object.text("/tool_id").unwrap_or_default();
        work.events.push(AgentEvent::Denied(tool.to_owned()));
    }
}

/// The error in a result, with what an `earlier` error has told besides.
fn failure(object: &Value, earlier: AgentError) -> AgentError {
    let mut failure = object.text("/error/message").map_or_else(AgentError::default, error_in_words);
    if failure.message.is_empty() {
        failure.message = earlier.message;
    }
    let named = object.text("/error/type").and_then(kind_of_name);
    failure.kind = failure.kind.or(earlier.kind).or(named);
    if named == Some(ErrorKind::TurnLimit) {
        failure.kind = named;
    }
    failure.status = failure.status.or(earlier.status);
    failure
}

/// The input includes what came from a cache, and the output does not include the thoughts.
fn usage(stats: &Value) -> Usage {
    let all_input = stats.count("/input_tokens");
    let cached = stats.count("/cached");
    let said = stats.count("/output_tokens");
    let thought = || stats.count("/total_tokens")?.checked_sub(all_input?);
    let tokens = Tokens {
        input: all_input.map(|all| all.saturating_sub(cached.unwrap_or(0))),
        output: said.map(|said| thought().map_or(said, |all| all.max(said))),
        cached,
    };
    Usage { tokens, cost: None }
}
