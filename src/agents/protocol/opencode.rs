//! Reads `opencode run --format json`, and `kilo run --format json`, which prints the same.
//!
//! The work has ended well if the last step finished with the reason `stop`. The final message is the text of that step.

use chrono::Utc;
use serde_json::Value;

use super::work::{Work, path, tool};
use crate::agents::cause::Cause;
use crate::agents::errors::{error, error_in_words, resets_in_headers, status};
use crate::agents::event::{AgentError, AgentEvent};
use crate::agents::fields::{Fields, known_cost};
use crate::record::{Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] = &["edit", "write", "multiedit", "patch"];

pub(super) fn read(object: &Value, work: &mut Work) {
    work.session(object.text("/sessionID"));
    match object.text("/type") {
        Some("step_start") => {
            work.words.forget();
            work.has_ended_well = false;
        }
        Some("text") => {
            let Some(text) = object.text("/part/text") else { return };
            work.is_answering = true;
            work.says(Some(text));
            if work.words.get().is_some() {
                work.words.go_on("\n");
            }
            work.words.go_on(text);
        }
        Some("tool_use") => tool_use(object, work),
        Some("step_finish") => step_finish(object, work),
        Some("error") => work.fails(failure(object.pointer("/error").unwrap_or(&Value::Null))),
        _ => {}
    }
}

fn tool_use(object: &Value, work: &mut Work) {
    let name = object.text("/part/tool").unwrap_or_default();
    let input = object.pointer("/part/state/input").unwrap_or(&Value::Null);
    work.is_answering = true;
    work.events.push(tool(name, input));
    let is_refusal = |words: &str| {
        words.contains("rejected permission")
            || words.contains("prevents you from using this specific tool call")
    };
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
    work.events.push(if std::mem::take(&mut work.is_answering) {
        AgentEvent::Turn
    } else {
        let message = "its service answers nothing".to_owned();
        AgentEvent::Retries(AgentError { cause: Some(Cause::Service), message, ..AgentError::default() })
    });
    let part = object.pointer("/part").unwrap_or(&Value::Null);
    work.used(None, usage(part));
    // Earlier errors were overcome.
    work.ends_well();
    work.has_ended_well = part.text("/reason") == Some("stop");
}

fn failure(object: &Value) -> AgentError {
    let name = object.text("/name").unwrap_or_default();
    let message = object.text("/data/message").or_else(|| object.text("/message")).unwrap_or(name);
    let body = object.text("/data/responseBody").map(error_in_words).unwrap_or_default();
    let status = status(object, "/data/statusCode");
    let own = match status {
        Some(_) => error(message, status, &[name]),
        None => error_in_words(message),
    };
    let is_retryable = || (object.flag("/data/isRetryable") == Some(true)).then_some(Cause::Service);
    let cause = match body.cause {
        no_credit @ Some(Cause::NoCredit) => no_credit,
        _ => own.cause.or_else(|| error(message, None, &[name]).cause).or(body.cause).or_else(is_retryable),
    };
    let resets = || resets_in_headers(object.pointer("/data/responseHeaders")?, Utc::now());
    AgentError { cause: cause.map(|cause| cause.until(resets)), ..own }
}

/// What precedes the error on a line of its log, after many other fields: of a request that has failed, of an answer that has ended
/// with an error, and of a run that could not begin.
const LOGGED: [(&str, &str); 3] =
    [("", " error.error=\""), ("", " error.error.message=\""), (" message=failed ", " error=\"")];

/// The error on a line of its log. It waits silently for the end of a limit, and only its log says so.
pub(super) fn wait(line: &str) -> Option<AgentError> {
    let line = line.strip_prefix("timestamp=")?;
    let kinds = LOGGED.iter().filter(|(kind, _)| line.contains(kind));
    let (_, words) = kinds.clone().find_map(|(_, mark)| line.split_once(mark))?;
    let words = words.split_once("\" ").map_or(words, |(words, _)| words).trim_end_matches('"');
    Some(error_in_words(words)).filter(|error| error.cause.is_some())
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
