//! Reads `claude --print --output-format stream-json --verbose`, and `amp --execute --stream-json`, which prints the same.
//!
//! The object `result` ends the work and holds the final message. `is_error` tells whether it ended well; `subtype` says
//! `success` even if it did not. A limit of a subscription is told in `rate_limit_event`, before the result.

use serde_json::Value;

use super::errors::{error, kind_of_name, status};
use super::fields::{Fields, UsageFields};
use super::source::Objects;
use super::work::{LastWords, ToolFields, Work, WorkEnding};
use crate::agents::event::{AgentError, AgentEvent, ErrorKind};
use crate::record::{Cost, Tokens, Usage};

pub(super) const OBJECTS: Objects = Objects::of(|object, work| read(object, work, &DIALECT));

const TOOL: ToolFields = ToolFields {
    name: "/name",
    input: "/input",
    id: "/id",
    editors: &[
        "Edit",
        "MultiEdit",
        "Write",
        "NotebookEdit",
        "edit",
        "write_file",
        "edit_file",
        "create_file",
    ],
};

/// What `subtype` says if the agent has never answered in the form of the schema.
const NO_STRUCTURED_OUTPUT: &str = "error_max_structured_output_retries";

/// What the error of qwen says then. It has no name.
const NOT_IN_FORM: &str = "instead of calling the structured_output tool";

/// How a stream that looks like that of claude is understood.
pub(super) struct ClaudeDialect {
    pub(super) usage: UsageFields,
    /// Whether all objects of an answer have its name, so that another name begins another answer.
    pub(super) names_answers: bool,
    /// What a text means for the last words.
    pub(super) said: fn(&mut LastWords, &str),
}

/// That of claude itself.
pub(super) const DIALECT: ClaudeDialect = ClaudeDialect {
    usage: UsageFields {
        input: "/input_tokens",
        output: "/output_tokens",
        cached: "/cache_read_input_tokens",
        written: "/cache_creation_input_tokens",
        ..UsageFields::NONE
    },
    names_answers: true,
    said: LastWords::are,
};

/// Reads an object of such a stream.
pub(super) fn read(object: &Value, work: &mut Work, dialect: &ClaudeDialect) {
    match (object.text("/type"), object.text("/subtype")) {
        (Some("system"), Some("init")) => work.session(object.text("/session_id")),
        (Some("system"), Some("api_retry")) => {
            let name = object.text("/error").unwrap_or_default();
            work.events.push(AgentEvent::Retries(error(name, status(object, "/error_status"), &[name])));
        }
        (Some("assistant"), _) => assistant(object, work, dialect),
        (Some("user"), _) => {
            let parts = object.list("/message/content").iter();
            for part in parts.filter(|part| part.text("/type") == Some("tool_result")) {
                work.is_asked();
                work.call_ended(part.text("/tool_use_id"), part.flag("/is_error") != Some(true));
            }
        }
        (Some("rate_limit_event"), _) => rate_limit(object, work),
        (Some("result"), _) => result(object, work, dialect),
        _ => {}
    }
}

fn assistant(object: &Value, work: &mut Work, dialect: &ClaudeDialect) {
    if let Some(name) = object.text("/error").or_else(|| object.text("/message/error")) {
        let request = work.request.get_or_insert_default();
        request.kind = kind_of_name(name).or(request.kind);
        return;
    }
    // What the agents say that this one has started is only for this one.
    let is_own = object.text("/parent_tool_use_id").is_none();
    let answer = object.text("/message/id").unwrap_or_default();
    if is_own {
        if dialect.names_answers && (answer != work.message || answer.is_empty()) {
            answer.clone_into(&mut work.message);
            work.is_asked();
        }
        work.answers();
    }
    for part in object.list("/message/content") {
        match part.text("/type") {
            Some("text") if is_own => {
                (dialect.said)(&mut work.words, part.text("/text").unwrap_or_default());
                work.says(part.text("/text"));
            }
            Some("tool_use") => work.calls(part, &TOOL),
            _ => {}
        }
    }
    if let Some(usage) = object.pointer("/message/usage") {
        work.sets_usage(answer, dialect.usage.of(usage));
    }
}

fn rate_limit(object: &Value, work: &mut Work) {
    let info = object.pointer("/rate_limit_info").unwrap_or(object);
    // Most of these events only say how much is left.
    if info.text("/status").is_some_and(|status| status.starts_with("allowed")) {
        return;
    }
    let resets = info.epoch("/resetsAt");
    work.request.get_or_insert_default().resets = resets;
    work.events.push(AgentEvent::Limit { resets });
}

fn result(object: &Value, work: &mut Work, dialect: &ClaudeDialect) {
    work.events.extend(total(object, dialect).map(AgentEvent::Usage));
    for denial in object.list("/permission_denials") {
        work.events.extend(denial.text("/tool_name").map(|tool| AgentEvent::Denied(tool.to_owned())));
    }
    let structured = object.pointer("/structured_output").filter(|output| !output.is_null());
    work.ending = match (object.flag("/is_error"), structured, object.text("/result")) {
        (Some(false), Some(output), _) => Some(WorkEnding::Final(output.to_string())),
        // It had an answer, though not in the form that was asked for.
        _ if object.text("/subtype") == Some(NO_STRUCTURED_OUTPUT) || is_about_form(object) => {
            let said = object.text("/result").or_else(|| work.words.get()).unwrap_or_default();
            Some(WorkEnding::Final(said.to_owned()))
        }
        (Some(false), None, Some(message)) if has_answered(message, work) => {
            Some(WorkEnding::Final(message.to_owned()))
        }
        (Some(false), None, _) => None,
        _ => Some(WorkEnding::Failed(failure(object, work))),
    };
}

/// Whether the model has answered anything. A result without a word, after which nothing was said either, is none.
fn has_answered(message: &str, work: &Work) -> bool {
    !message.trim().is_empty() || work.is_answering || work.words.get().is_some()
}

fn failure(object: &Value, work: &Work) -> AgentError {
    let errors: Vec<&str> = object.list("/errors").iter().filter_map(Value::as_str).collect();
    let words = ["/result", "/error/message", "/error"].iter().find_map(|place| object.text(place));
    let message = words.map_or_else(|| errors.join("\n"), str::to_owned);
    let names = ["/api_error", "/api_error_type"].map(|place| object.text(place).unwrap_or_default());
    let mut error = error(&message, status(object, "/api_error_status"), &names);
    // What an object in the place of an answer, or a limit, has told before.
    let (named, resets) = work.request.as_ref().map_or((None, None), |told| (told.kind, told.resets));
    error.kind = match object.text("/subtype") {
        Some("error_max_turns") => Some(ErrorKind::TurnLimit),
        Some("error_max_budget_usd") => Some(ErrorKind::BudgetLimit),
        _ if named == Some(ErrorKind::NoCredit) => named,
        _ => error.kind.or(named).or_else(|| no_answer(object)),
    };
    error.resets = if error.kind == Some(ErrorKind::UsageLimit) { resets } else { error.resets };
    error
}

/// What all the work has used. Only the numbers by model include those of the agents that this one has started.
fn total(result: &Value, dialect: &ClaudeDialect) -> Option<Usage> {
    let cost = result.number("/total_cost_usd").and_then(Cost::from_dollars);
    let models = result.pointer("/modelUsage").and_then(Value::as_object).filter(|models| !models.is_empty());
    let tokens = match models {
        Some(models) => {
            let sum = |name: &str| {
                models.values().try_fold(0_u64, |sum, model| Some(sum.saturating_add(model.count(name)?)))
            };
            let written = sum("/cacheCreationInputTokens").unwrap_or(0);
            Tokens {
                input: sum("/inputTokens").map(|read| read.saturating_add(written)),
                output: sum("/outputTokens"),
                cached: sum("/cacheReadInputTokens"),
            }
        }
        None => dialect.usage.of(result.pointer("/usage")?).tokens,
    };
    Some(Usage { tokens, cost })
}

/// The kind of an error that only says that no answer of the service could be read.
fn no_answer(result: &Value) -> Option<ErrorKind> {
    (result.text("/terminal_reason") == Some("api_error")).then_some(ErrorKind::Unreachable)
}

/// Whether the error is that the agent has answered with text instead of a document.
fn is_about_form(object: &Value) -> bool {
    object.text("/error/message").is_some_and(|message| message.contains(NOT_IN_FORM))
}
