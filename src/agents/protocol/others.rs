//! Reads the streams of cline, copilot, droid and vibe, which tell in few objects what they do.

use serde_json::Value;

use super::errors::{error, error_in_words, status};
use super::fields::{Fields, UsageFields};
use super::source::Objects;
use super::work::{LastWords, ToolFields, Work, WorkEnding, path, tool};
use crate::agents::event::{AgentError, AgentEvent, ErrorKind};

/// `cline --json`: `run_result` ends the work; `finishReason` tells how. Its `text` is the final message, or the error.
pub(super) const CLINE: Objects = Objects::of(cline);

/// `droid exec --output-format stream-json`: `completion` ends the work well and holds the final message. There is no cost.
pub(super) const DROID: Objects = Objects::of(droid);

/// `copilot --output-format json`: `result` ends the work; its `exitCode` tells whether it ended well. The final message is
/// the last message that calls no tool. Tokens and cost are not told, only requests.
pub(super) const COPILOT: Objects = Objects { read: copilot, missed: copilot_missed, needs_good_exit: false };

/// `vibe --prompt --output streaming`: nothing in the stream marks its end, so the last message is the final one if no tool
/// was used after it and the program exits with 0. Errors are not in the stream, and neither are tokens and cost.
pub(super) const VIBE: Objects = Objects { read: vibe, missed: vibe_missed, needs_good_exit: true };

const CLINE_TOOL: ToolFields = ToolFields {
    name: "/toolName",
    input: "/input",
    id: "/toolCallId",
    editors: &["editor", "write_to_file", "replace_in_file", "apply_patch"],
};

/// While it works, it reports the sum so far.
const CLINE_USAGE: UsageFields = UsageFields {
    input: "/totalInputTokens",
    output: "/totalOutputTokens",
    cached: "/totalCacheReadTokens",
    cost: "/totalCost",
    input_includes_cached: true,
    ..UsageFields::NONE
};

/// At the end, with the agents that it has started.
const CLINE_TOTAL: UsageFields =
    UsageFields { input: "/inputTokens", output: "/outputTokens", cached: "/cacheReadTokens", ..CLINE_USAGE };

fn cline(object: &Value, work: &mut Work) {
    work.session(object.text("/taskId"));
    let event = object.pointer("/event").unwrap_or(&Value::Null);
    match (object.text("/type"), event.text("/type"), event.text("/contentType")) {
        (Some("run_result"), ..) => cline_result(object, work),
        (Some("agent_event"), Some("iteration_end"), _) => {
            work.events.push(AgentEvent::Turn);
            work.error = None;
        }
        (Some("agent_event"), Some("content_end"), Some("text")) => work.says(event.text("/text")),
        (Some("agent_event"), Some("content_start"), Some("tool")) => work.calls(event, &CLINE_TOOL),
        (Some("agent_event"), Some("content_end"), Some("tool")) => {
            work.call_ended(event.text("/toolCallId"), event.flag("/output/success") == Some(true));
        }
        (Some("agent_event"), Some("usage"), _) => {
            work.events.push(AgentEvent::Usage(CLINE_USAGE.of(event)));
        }
        (Some("agent_event"), Some("error"), _) => cline_error(event, work),
        _ => {}
    }
}

fn cline_error(event: &Value, work: &mut Work) {
    let mut failure = error_in_words(event.text("/error/message").unwrap_or_default());
    let class = event.text("/errorClass").unwrap_or_default();
    failure.kind = failure.kind.or_else(|| error("", None, &[class]).kind);
    if event.flag("/recoverable") == Some(true) {
        work.events.push(AgentEvent::Retries(failure));
    } else {
        work.error = Some(failure);
    }
}

fn cline_result(object: &Value, work: &mut Work) {
    let used = object.pointer("/aggregateUsage").or_else(|| object.pointer("/usage"));
    work.events.extend(used.map(|used| AgentEvent::Usage(CLINE_TOTAL.of(used))));
    let text = object.text("/text");
    work.ending = match object.text("/finishReason") {
        Some("completed") => text.map(|text| WorkEnding::Final(text.to_owned())),
        reason => {
            let said = || error_in_words(text.unwrap_or_default());
            let mut failure = work.error.take().unwrap_or_else(said);
            if reason == Some("max_iterations") {
                failure.kind = Some(ErrorKind::TurnLimit);
            }
            Some(WorkEnding::Failed(failure))
        }
    };
}

const DROID_TOOL: ToolFields = ToolFields {
    name: "/toolName",
    input: "/parameters",
    id: "/id",
    editors: &["Create", "Edit", "MultiEdit", "ApplyPatch"],
};

const DROID_USAGE: UsageFields = UsageFields {
    input: "/usage/input_tokens",
    output: "/usage/output_tokens",
    cached: "/usage/cache_read_input_tokens",
    written: "/usage/cache_creation_input_tokens",
    ..UsageFields::NONE
};

fn droid(object: &Value, work: &mut Work) {
    match object.text("/type") {
        Some("system") if object.text("/subtype") == Some("init") => {
            work.session(object.text("/session_id"));
        }
        Some("message") if object.text("/role") == Some("assistant") => {
            work.answers();
            work.says(object.text("/text"));
        }
        Some("tool_call") => {
            work.answers();
            work.calls(object, &DROID_TOOL);
        }
        Some("tool_result") => {
            work.is_asked();
            work.call_ended(object.text("/id"), object.flag("/isError") == Some(false));
        }
        // The error of the program itself only says that there was one.
        Some("error") if work.error.is_none() || object.text("/source") != Some("cli") => {
            work.fails(error_in_words(object.text("/message").unwrap_or_default()));
        }
        Some("completion") => {
            if object.pointer("/usage").is_some() {
                work.events.push(AgentEvent::Usage(DROID_USAGE.of(object)));
            }
            work.ending = object.text("/finalText").map(|text| WorkEnding::Final(text.to_owned()));
            work.error = None;
        }
        _ => {}
    }
}

/// How lines begin that may be long and tell nothing about the final message.
const COPILOT_NO_MESSAGE: &[&str] = &[
    "{\"type\":\"tool.",
    "{\"type\":\"session.",
    "{\"type\":\"user.",
    "{\"type\":\"model.",
    "{\"type\":\"assistant.tool_",
];

const COPILOT_TOOL: ToolFields =
    ToolFields { name: "/data/toolName", input: "/data/arguments", id: "", editors: &[] };

fn copilot(object: &Value, work: &mut Work) {
    let data = object.pointer("/data").unwrap_or(&Value::Null);
    match object.text("/type") {
        Some("assistant.message") => copilot_message(object, work),
        Some("tool.execution_start") => work.calls(object, &COPILOT_TOOL),
        Some("tool.execution_complete") if data.flag("/success") == Some(true) => {
            work.changed(data.list("/fileEdits").iter().filter_map(|edit| edit.text("/path")));
        }
        Some("model.call_failure") => {
            let words = error_in_words(data.text("/errorMessage").unwrap_or_default());
            let names = ["/errorCode", "/errorType"].map(|place| data.text(place).unwrap_or_default());
            let failure = error(&words.message, status(data, "/statusCode"), &names);
            work.request = Some(AgentError { resets: words.resets, ..failure });
        }
        Some("assistant.turn_retry") => {
            let reason = data.text("/reason").unwrap_or_default();
            let failed = work.request.take().unwrap_or_else(|| error(reason, None, &[reason]));
            work.events.push(AgentEvent::Retries(failed));
        }
        Some("session.error") => {
            let name = data.text("/errorType").unwrap_or_default();
            let message = data.text("/message").unwrap_or_default();
            let failure = error(message, status(data, "/statusCode"), &[name]);
            let request = work.request.take().filter(|request| request.status == failure.status);
            work.fails(AgentError { resets: request.and_then(|request| request.resets), ..failure });
        }
        Some("result") => {
            work.session(object.text("/sessionId"));
            match object.count("/exitCode") {
                Some(0) => work.ends_well(),
                Some(_) => {
                    let failure = work.error.take().or_else(|| work.request.take());
                    work.fails(failure.unwrap_or_default());
                }
                None => {}
            }
        }
        _ => {}
    }
}

fn copilot_message(object: &Value, work: &mut Work) {
    // What the agents say that this one has started is only for this one.
    if object.text("/data/parentToolCallId").or_else(|| object.text("/agentId")).is_some() {
        return;
    }
    work.events.push(AgentEvent::Turn);
    work.error = None;
    let text = object.text("/data/content").unwrap_or_default();
    work.says(Some(text).filter(|text| !text.is_empty()));
    let calls_tools = !object.list("/data/toolRequests").is_empty();
    work.words_at(object, "/timestamp", |words| if calls_tools { words.forget() } else { words.are(text) });
}

fn copilot_missed(beginning: &str, work: &mut Work) {
    if !COPILOT_NO_MESSAGE.iter().any(|line| beginning.starts_with(line)) {
        work.words.lose();
    }
}

fn vibe(object: &Value, work: &mut Work) {
    work.session(object.text("/sessionId"));
    match (object.text("/type"), object.text("/role")) {
        (Some("message"), Some("assistant")) => {
            let parts = object.list("/content").iter().filter_map(|part| part.text("/text"));
            let text = parts.collect::<Vec<_>>().join("\n");
            work.answers();
            work.says(Some(&text));
            work.words_at(object, "/createdAt", |words| words.are(&text));
            work.ends_well();
        }
        (Some("effect"), _) => {
            work.answers();
            work.is_asked();
            work.words_at(object, "/createdAt", LastWords::forget);
            let input = object.pointer("/detail/input").unwrap_or(&Value::Null);
            work.events.push(tool(object.text("/detail/toolName").unwrap_or_default(), input));
            let is_change = matches!(object.text("/detail/kind"), Some("file_write" | "file_edit"));
            let is_completed = object.text("/state/status") == Some("completed");
            work.changed(path(input).filter(|_| is_change && is_completed));
        }
        _ => {}
    }
}

/// Nothing marks the last message, so a line that cannot be read may have been it, unless it tells of a tool: what a tool has read or
/// printed may be long.
fn vibe_missed(beginning: &str, work: &mut Work) {
    let kind = beginning.split_once("\"type\":\"").map(|(_, kind)| kind);
    if beginning.starts_with('{') && kind.is_some_and(|kind| kind.starts_with("effect\"")) {
        work.answers();
        work.is_asked();
        work.words.forget();
    } else {
        work.words = LastWords::Lost;
    }
}
