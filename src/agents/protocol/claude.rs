//! Reads `claude --print --output-format stream-json --verbose`, and `amp --execute --stream-json`, which prints the same.
//!
//! The object `result` ends the work and holds the final message. `is_error` tells whether it ended well; `subtype` says
//! `success` even if it did not. A limit of a subscription is told in `rate_limit_event`, before the result.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::answers::Answers;
use super::errors::{error, kind_of_name, status};
use super::fields::Fields;
use super::reader::{Ending, Reader};
use super::tools::{Edits, tool};
use super::totals::Totals;
use crate::agents::event::{AgentError, AgentEvent, ErrorKind};
use crate::record::{Cost, Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] =
    &["Edit", "MultiEdit", "Write", "NotebookEdit", "edit", "write_file", "edit_file", "create_file"];

/// What `subtype` says if the agent has never answered in the form of the schema.
const NO_STRUCTURED_OUTPUT: &str = "error_max_structured_output_retries";

/// What the error of qwen says then. It has no name.
const NOT_IN_FORM: &str = "instead of calling the structured_output tool";

/// How a stream that looks like that of claude differs from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Not at all.
    #[default]
    Claude,
    /// An answer comes in several objects with different names, and its input includes what came from a cache.
    Qwen,
}

/// Reads the stream.
#[derive(Debug, Default)]
pub(super) struct Claude {
    dialect: Dialect,
    answers: Answers,
    totals: Totals,
    /// The name of the last answer.
    answer: String,
    edits: Edits,
    /// The kind of the last error that stood in the place of an answer.
    named: Option<ErrorKind>,
    /// What it has said last.
    said: String,
    /// When the limit that was hit resets.
    resets: Option<DateTime<Utc>>,
    ending: Option<Ending>,
}

impl Reader for Claude {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        match object.text("/type") {
            Some("system") => self.system(object, events),
            Some("assistant") => self.assistant(object, events),
            Some("user") => self.tool_results(object, events),
            Some("rate_limit_event") => self.rate_limit(object, events),
            Some("result") => self.result(object, events),
            _ => {}
        }
    }

    fn ending(&mut self, _exited_well: bool) -> Option<Ending> {
        self.ending.take()
    }
}

impl Claude {
    pub(super) fn of(dialect: Dialect) -> Self {
        Self { dialect, ..Self::default() }
    }

    fn system(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        match object.text("/subtype") {
            Some("init") => {
                events.extend(object.text("/session_id").map(|id| AgentEvent::Session(id.to_owned())));
            }
            Some("api_retry") => {
                let name = object.text("/error").unwrap_or_default();
                events.push(AgentEvent::Retries(error(name, status(object, "/error_status"), &[name])));
            }
            _ => {}
        }
    }

    fn assistant(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        if let Some(name) = object.text("/error").or_else(|| object.text("/message/error")) {
            self.named = kind_of_name(name).or(self.named);
            return;
        }
        // What the agents say that this one has started is only for this one.
        let is_own = object.text("/parent_tool_use_id").is_none();
        let answer = object.text("/message/id").unwrap_or_default();
        if is_own {
            if self.dialect == Dialect::Claude && (answer != self.answer || answer.is_empty()) {
                answer.clone_into(&mut self.answer);
                self.answers.asked();
            }
            self.answers.heard(events);
        }
        for part in object.list("/message/content") {
            match part.text("/type") {
                Some("text") if is_own => {
                    part.text("/text").unwrap_or_default().clone_into(&mut self.said);
                    events.extend(part.text("/text").map(|text| AgentEvent::Message(text.to_owned())));
                }
                Some("tool_use") => self.tool_use(part, events),
                _ => {}
            }
        }
        if let Some(usage) = object.pointer("/message/usage") {
            self.totals.report(answer, Usage { tokens: self.tokens(usage), cost: None });
            events.push(AgentEvent::Usage(self.totals.usage()));
        }
    }

    fn tool_use(&mut self, part: &Value, events: &mut Vec<AgentEvent>) {
        let name = part.text("/name").unwrap_or_default();
        let input = part.pointer("/input").unwrap_or(&Value::Null);
        events.push(tool(name, input));
        if let Some(id) = part.text("/id").filter(|_| EDITORS.contains(&name)) {
            self.edits.begin(id, input);
        }
    }

    fn tool_results(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        for part in object.list("/message/content") {
            if part.text("/type") == Some("tool_result") {
                self.answers.asked();
                let succeeded = part.flag("/is_error") != Some(true);
                events.extend(self.edits.end(part, "/tool_use_id", succeeded));
            }
        }
    }

    fn rate_limit(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        let info = object.pointer("/rate_limit_info").unwrap_or(object);
        // Most of these events only say how much is left.
        if info.text("/status").is_some_and(|status| status.starts_with("allowed")) {
            return;
        }
        self.resets = info.epoch("/resetsAt");
        events.push(AgentEvent::Limit { resets: self.resets });
    }

    fn result(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        events.extend(self.total(object).map(AgentEvent::Usage));
        for denial in object.list("/permission_denials") {
            events.extend(denial.text("/tool_name").map(|tool| AgentEvent::Denied(tool.to_owned())));
        }
        let structured = object.pointer("/structured_output").filter(|output| !output.is_null());
        self.ending = match (object.flag("/is_error"), structured, object.text("/result")) {
            (Some(false), Some(output), _) => Some(Ending::Final(output.to_string())),
            // It had an answer, though not in the form that was asked for.
            _ if object.text("/subtype") == Some(NO_STRUCTURED_OUTPUT) || is_about_form(object) => {
                Some(Ending::Final(object.text("/result").unwrap_or(&self.said).to_owned()))
            }
            (Some(false), None, Some(message)) => Some(Ending::Final(message.to_owned())),
            (Some(false), None, None) => None,
            _ => Some(Ending::Failed(self.failure(object))),
        };
    }

    fn failure(&self, object: &Value) -> AgentError {
        let errors: Vec<&str> = object.list("/errors").iter().filter_map(Value::as_str).collect();
        let words = ["/result", "/error/message", "/error"].iter().find_map(|place| object.text(place));
        let message = words.map_or_else(|| errors.join("\n"), str::to_owned);
        let names = ["/api_error", "/api_error_type"].map(|place| object.text(place).unwrap_or_default());
        let mut error = error(&message, status(object, "/api_error_status"), &names);
        error.kind = match object.text("/subtype") {
            Some("error_max_turns") => Some(ErrorKind::TurnLimit),
            Some("error_max_budget_usd") => Some(ErrorKind::BudgetLimit),
            _ if self.named == Some(ErrorKind::NoCredit) => self.named,
            _ => error.kind.or(self.named).or_else(|| no_answer(object)),
        };
        if error.kind == Some(ErrorKind::UsageLimit) {
            error.resets = self.resets;
        }
        error
    }

    /// The numbers of tokens of one answer, or of all.
    fn tokens(&self, usage: &Value) -> Tokens {
        let cached = usage.count("/cache_read_input_tokens");
        let written = usage.count("/cache_creation_input_tokens").unwrap_or(0);
        let input = usage.count("/input_tokens").map(|input| match self.dialect {
            Dialect::Claude => input.saturating_add(written),
            Dialect::Qwen => input.saturating_sub(cached.unwrap_or(0)),
        });
        Tokens { input, output: usage.count("/output_tokens"), cached }
    }

    /// What all the work has used. Only the numbers by model include those of the agents that this one has started.
    fn total(&self, result: &Value) -> Option<Usage> {
        let cost = result.number("/total_cost_usd").and_then(Cost::from_dollars);
        let models =
            result.pointer("/modelUsage").and_then(Value::as_object).filter(|models| !models.is_empty());
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
            None => self.tokens(result.pointer("/usage")?),
        };
        Some(Usage { tokens, cost })
    }
}

/// The kind of an error that only says that no answer of the service could be read.
fn no_answer(result: &Value) -> Option<ErrorKind> {
    (result.text("/terminal_reason") == Some("api_error")).then_some(ErrorKind::Unreachable)
}

/// Whether the error is that the agent has answered with text instead of a document.
fn is_about_form(object: &Value) -> bool {
    object.text("/error/message").is_some_and(|message| message.contains(NOT_IN_FORM))
}
