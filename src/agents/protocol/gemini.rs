//! Reads `gemini --output-format stream-json`.
//!
//! `result` tells how the work has ended. The final message is what the model has said after the last tool, in pieces.

use serde_json::Value;

use super::work::Work;
use crate::agents::errors::{error, error_in_words};
use crate::agents::event::{AgentError, AgentEvent};
use crate::agents::fields::Fields;
use crate::record::{Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] = &["write_file", "replace", "edit"];

pub(super) fn read(object: &Value, work: &mut Work) {
    let tool = object.text("/tool_id");
    match object.text("/type") {
        Some("init") => work.session(object.text("/session_id")),
        Some("message") if object.text("/role") == Some("assistant") => {
            let Some(text) = object.text("/content") else { return };
            work.answers();
            work.has_ended_well = false;
            if object.flag("/delta") == Some(true) { work.words.go_on(text) } else { work.words.are(text) }
        }
        Some("tool_use") => {
            work.answers();
            let said = work.words.get().map(str::to_owned);
            work.says(said.as_deref());
            not_the_last_word(work);
            let input = object.pointer("/parameters").unwrap_or(&Value::Null);
            work.calls(object.text("/tool_name").unwrap_or_default(), tool, input, EDITORS);
        }
        Some("tool_result") => {
            work.is_asked();
            not_the_last_word(work);
            work.runs_no_more(tool);
            if matches!(object.text("/error/type"), Some("policy_violation" | "execution_denied")) {
                // The name of the tool is the beginning of that of the call.
                let name = tool.unwrap_or_default().split("__").next().unwrap_or_default();
                work.events.push(AgentEvent::Denied(name.to_owned()));
            }
        }
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

/// What was said before an object that belongs to a tool is not the final message.
fn not_the_last_word(work: &mut Work) {
    work.words.forget();
    work.has_ended_well = false;
}

/// The error in a result, with what an `earlier` error has told besides.
fn failure(object: &Value, earlier: AgentError) -> AgentError {
    let failure = error_in_words(object.text("/error/message").unwrap_or_default());
    let named = error("", None, &[object.text("/error/type").unwrap_or_default()]);
    AgentError {
        cause: failure.cause.or(earlier.cause).or(named.cause),
        is_used_up: named.is_used_up,
        message: if failure.message.is_empty() { earlier.message } else { failure.message },
    }
}

/// `Attempt 5 failed: You have exhausted your capacity on this model. ... Retrying after 2516.8ms...`
pub(super) fn wait(line: &str) -> Option<AgentError> {
    Some(error_in_words(line)).filter(|error| line.starts_with("Attempt ") && error.cause.is_some())
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
