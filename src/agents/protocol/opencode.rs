//! Reads `opencode run --format json`, and `kilo run --format json`, which prints the same.
//!
//! The work has ended well if the last step finished with the reason `stop`. The final message is the text of that step.

use chrono::Utc;
use serde_json::Value;

use super::errors::{error, error_in_words, resets_in_headers, status};
use super::fields::{Fields, known_cost};
use super::source::Objects;
use super::work::{Work, path, tool};
use crate::agents::event::{AgentError, AgentEvent, ErrorKind};
use crate::record::{Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] = &["edit", "write", "multiedit", "patch"];

pub(super) const OBJECTS: Objects = Objects { read, missed, needs_good_exit: true };

fn read(object: &Value, work: &mut Work) {
    work.session(object.text("/sessionID"));
    match object.text("/type") {
        Some("step_start") => begin(object.text("/part/messageID").unwrap_or_default(), work),
        Some("text") => text(object, work),
        Some("tool_use") => tool_use(object, work),
        Some("step_finish") => step_finish(object, work),
        Some("error") => work.fails(failure(object.pointer("/error").unwrap_or(&Value::Null))),
        _ => {}
    }
}

fn missed(beginning: &str, work: &mut Work) {
    if !beginning.starts_with("{\"type\":\"tool_use\"") {
        work.words.lose();
    }
}

/// What follows belongs to this message, unless a later one has begun: their names are in order.
fn begin(message: &str, work: &mut Work) {
    if message >= work.message.as_str() {
        work.words.forget();
        work.has_ended_well = false;
        message.clone_into(&mut work.message);
    }
}

fn text(object: &Value, work: &mut Work) {
    let Some(text) = object.text("/part/text") else { return };
    work.is_answering = true;
    work.says(Some(text));
    let message = object.text("/part/messageID").unwrap_or_default();
    // What belongs to an earlier message is not the last word.
    if message < work.message.as_str() {
        return;
    }
    if message > work.message.as_str() {
        begin(message, work);
    }
    if work.words.get().is_some() {
        work.words.go_on("\n");
    }
    work.words.go_on(text);
}

fn tool_use(object: &Value, work: &mut Work) {
    let name = object.text("/part/tool").unwrap_or_default();
    let input = object.pointer("/part/state/input").unwrap_or(&Value::Null);
    work.is_answering = true;
    work.events.push(tool(name, input));
    match object.text("/part/state/status") {
        Some("completed") if EDITORS.contains(&name) => work.changed(path(input)),
        Some("error") if object.text("/part/state/error").is_some_and(is_refusal) => {
            work.events.push(AgentEvent::Denied(name.to_owned()));
        }
        _ => {}
    }
}

fn step_finish(object: &Value, work: &mut Work) {
    // A service that answers nothing gives steps without anything in them, one after the other, as long as opencode may go on.
    let answered = std::mem::take(&mut work.is_answering);
    work.events.push(if answered { AgentEvent::Turn } else { AgentEvent::Retries(empty_answer()) });
    work.adds_usage(usage(object.pointer("/part").unwrap_or(&Value::Null)));
    // Earlier errors were overcome.
    work.ends_well();
    let is_of_these_words = object.text("/part/messageID").is_none_or(|message| message == work.message);
    work.has_ended_well = is_of_these_words && object.text("/part/reason") == Some("stop");
}

fn empty_answer() -> AgentError {
    let message = "its service answers nothing".to_owned();
    AgentError { kind: Some(ErrorKind::Unreachable), message, ..AgentError::default() }
}

fn is_refusal(words: &str) -> bool {
    words.contains("rejected permission") || words.contains("prevents you from using this specific tool call")
}

fn failure(error_object: &Value) -> AgentError {
    let name = error_object.text("/name").unwrap_or_default();
    let message = error_object.text("/data/message").or_else(|| error_object.text("/message"));
    let message = message.unwrap_or(name);
    let body = error_object.text("/data/responseBody").map(error_in_words).unwrap_or_default();
    let status = status(error_object, "/data/statusCode");
    let mut failure = match status {
        Some(_) => error(message, status, &[name]),
        None => error_in_words(message),
    };
    if body.kind == Some(ErrorKind::NoCredit) {
        failure.kind = body.kind;
    }
    failure.kind =
        failure.kind.or_else(|| error(message, None, &[name]).kind).or(body.kind).or_else(|| {
            (error_object.flag("/data/isRetryable") == Some(true)).then_some(ErrorKind::Unreachable)
        });
    if let Some(headers) = error_object.pointer("/data/responseHeaders") {
        failure.resets = resets_in_headers(headers, Utc::now());
    }
    failure
}

/// The input does not include what came from a cache. Where the output does not include the reasoning, the total shows it.
fn usage(part: &Value) -> Usage {
    let count = |name: &str| part.count(&format!("/tokens/{name}"));
    let (input, said, cached) = (count("input"), count("output"), count("cache/read"));
    let written = count("cache/write").unwrap_or(0);
    let reasoned = count("reasoning").unwrap_or(0);
    let read = input.unwrap_or(0).saturating_add(cached.unwrap_or(0)).saturating_add(written);
    let output = said.map(|said| {
        let with_reasoning = said.saturating_add(reasoned);
        count("total").map_or(with_reasoning, |all| all.saturating_sub(read).clamp(said, with_reasoning))
    });
    let tokens = Tokens { input: input.map(|read| read.saturating_add(written)), output, cached };
    Usage { tokens, cost: part.number("/cost").and_then(|dollars| known_cost(dollars, &tokens)) }
}
