//! Reads `claude --print --output-format stream-json --verbose`, and what others print in the same form (amp, cursor-agent, qwen).
//!
//! The object `result` ends the work and holds the final message. `is_error` tells whether it ended well; `subtype` says
//! `success` even if it did not. A limit of a subscription is told in `rate_limit_event`, before the result.

use serde_json::Value;

use super::work::{Work, WorkEnding};
use crate::agents::cause::Cause;
use crate::agents::errors::{cause_of_name, error, error_in_words, status};
use crate::agents::event::{AgentError, AgentEvent};
use crate::agents::fields::{Fields, usage};
use crate::record::{Cost, Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] =
    &["Edit", "MultiEdit", "Write", "NotebookEdit", "edit", "write_file", "edit_file", "create_file"];

/// What `subtype` says if the agent has never answered in the form of the schema.
const NO_STRUCTURED_OUTPUT: &str = "error_max_structured_output_retries";
/// What the error of qwen says then. It has no name.
const NOT_IN_FORM: &str = "instead of calling the structured_output tool";
/// What begins an error that qwen reports as a success, as its message or at the end of it.
const ERROR_AS_ANSWER: &str = "[API Error:";

pub(super) fn read(object: &Value, work: &mut Work) {
    match (object.text("/type"), object.text("/subtype")) {
        (Some("system"), Some("init")) => work.session(object.text("/session_id")),
        (Some("system"), Some("api_retry")) => {
            let name = object.text("/error").unwrap_or_default();
            work.events.push(AgentEvent::Retries(error(name, status(object, "/error_status"), &[name])));
        }
        (Some("assistant"), _) => assistant(object, work),
        (Some("user"), _) => {
            let parts = object.list("/message/content").iter();
            for part in parts.filter(|part| part.text("/type") == Some("tool_result")) {
                work.is_asked();
                work.runs_no_more(part.text("/tool_use_id"));
            }
        }
        (Some("rate_limit_event"), _) => rate_limit(object, work),
        (Some("result"), _) => result(object, work),
        _ => {}
    }
}

fn assistant(object: &Value, work: &mut Work) {
    if let Some(name) = object.text("/error").or_else(|| object.text("/message/error")) {
        let request = work.request.get_or_insert_default();
        request.cause = cause_of_name(name).or(request.cause);
        return;
    }
    let parts = object.list("/message/content");
    if parts.iter().any(|part| part.text("/text").is_some_and(|text| error_as_answer(text).is_some())) {
        return;
    }
    // What the agents say that this one has started is only for this one.
    let is_own = object.text("/parent_tool_use_id").is_none();
    let answer = object.text("/message/id");
    if is_own {
        work.answers();
    }
    for part in parts {
        match part.text("/type") {
            Some("text") if is_own => {
                work.words.are(part.text("/text").unwrap_or_default());
                work.says(part.text("/text"));
            }
            Some("tool_use") => {
                let input = part.pointer("/input").unwrap_or(&Value::Null);
                work.calls(part.text("/name").unwrap_or_default(), part.text("/id"), input, EDITORS);
            }
            _ => {}
        }
    }
    if let Some(used) = object.pointer("/message/usage") {
        work.used(answer, tokens(used));
    }
}

/// The error in the place of an answer, or at the end of one that has broken off.
fn error_as_answer(message: &str) -> Option<&str> {
    let error = &message[message.rfind(ERROR_AS_ANSWER)?..];
    (error.len() == message.trim_start().len() || error.trim_end().ends_with(']')).then_some(error)
}

fn rate_limit(object: &Value, work: &mut Work) {
    let info = object.pointer("/rate_limit_info").unwrap_or(object);
    // Most of these events only say how much is left.
    if info.text("/status").is_some_and(|status| status.starts_with("allowed")) {
        return;
    }
    work.events.push(AgentEvent::Limit { resets: info.epoch("/resetsAt") });
}

fn result(object: &Value, work: &mut Work) {
    work.events.extend(total(object).map(AgentEvent::Usage));
    for denial in object.list("/permission_denials") {
        work.events.extend(denial.text("/tool_name").map(|tool| AgentEvent::Denied(tool.to_owned())));
    }
    let structured = object.pointer("/structured_output").filter(|output| !output.is_null());
    let is_about_form = object.text("/subtype") == Some(NO_STRUCTURED_OUTPUT)
        || object.text("/error/message").is_some_and(|message| message.contains(NOT_IN_FORM));
    let message = object.text("/result");
    work.ending = match (object.flag("/is_error"), structured, message) {
        (Some(false), Some(output), _) => Some(WorkEnding::Final(output.to_string())),
        // It had an answer, though not in the form that was asked for.
        _ if is_about_form => {
            let said = message.or_else(|| work.words.get()).unwrap_or_default();
            Some(WorkEnding::Final(said.to_owned()))
        }
        (Some(false), None, Some(message)) => match error_as_answer(message) {
            Some(error) => Some(WorkEnding::Failed(error_in_words(error))),
            // A result without a word, after which nothing was said either, is no answer.
            None if message.trim().is_empty() && !work.is_answering && work.words.get().is_none() => None,
            None => Some(WorkEnding::Final(message.to_owned())),
        },
        (Some(false), None, None) => None,
        _ => Some(WorkEnding::Failed(failure(object, work))),
    };
}

fn failure(object: &Value, work: &Work) -> AgentError {
    let errors: Vec<&str> = object.list("/errors").iter().filter_map(Value::as_str).collect();
    let words = ["/result", "/error/message", "/error"].iter().find_map(|place| object.text(place));
    let message = words.map_or_else(|| errors.join("\n"), str::to_owned);
    let names = ["/api_error", "/api_error_type"].map(|place| object.text(place).unwrap_or_default());
    let status = status(object, "/api_error_status");
    let own = error(&message, status, &names);
    let in_words = || error_in_words(&message).cause.filter(|_| status.is_none());
    // What an object in the place of an answer has told before.
    let named = work.request.as_ref().and_then(|request| request.cause);
    // An error that only says that no answer of the service could be read.
    let unread = || (object.text("/terminal_reason") == Some("api_error")).then_some(Cause::Service);
    let cause = match named {
        Some(Cause::NoCredit) => named,
        _ => own.cause.or_else(in_words).or(named).or_else(unread),
    };
    let is_used_up = matches!(object.text("/subtype"), Some("error_max_turns" | "error_max_budget_usd"));
    AgentError { cause, is_used_up, ..own }
}

/// What all the work has used. Only the numbers by model include those of the agents that this one has started.
fn total(result: &Value) -> Option<Usage> {
    let cost = result.number("/total_cost_usd").and_then(Cost::from_dollars);
    let models = result.pointer("/modelUsage").and_then(Value::as_object).filter(|models| !models.is_empty());
    let Some(models) = models else {
        return Some(Usage { cost, ..tokens(result.pointer("/usage")?) });
    };
    let sum = |name: &str| {
        models.values().try_fold(0_u64, |sum, model| Some(sum.saturating_add(model.count(name)?)))
    };
    let written = sum("/cacheCreationInputTokens").unwrap_or(0);
    let tokens = Tokens {
        input: sum("/inputTokens").map(|read| read.saturating_add(written)),
        output: sum("/outputTokens"),
        cached: sum("/cacheReadInputTokens"),
    };
    Some(Usage { tokens, cost })
}

/// What was used. Where there is a total (qwen), the input includes what came from a cache.
fn tokens(used: &Value) -> Usage {
    usage(used, used.count("/cache_read_input_tokens"), used.pointer("/total_tokens").is_some())
}
