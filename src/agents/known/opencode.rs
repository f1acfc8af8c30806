//! opencode, which works with the models of many.

use crate::agents::agent::{Agent, Counts, Login, MODEL_KEYS, Resume, StatePlace};
use crate::agents::event::ErrorKind::{NoCredit, NotLoggedIn, Refused, Unreachable, UsageLimit};
use crate::agents::protocol::Protocol;
use crate::agents::unavailable::error_patterns::{ErrorPatterns, PatternGroup};

pub(in crate::agents) const OPENCODE: Agent = Agent {
    name: "opencode",
    program: "opencode",
    is_default: true,
    protocol: Protocol::Opencode,
    implement: &["run", "--format", "json", "--print-logs", "--log-level", "ERROR", "--auto"],
    review: &["run", "--format", "json", "--print-logs", "--log-level", "ERROR", "--agent", "plan"],
    review_env: &[("OPENCODE_PERMISSION", ANSWERS)],
    state: StatePlace::of(&[".local/share/opencode", ".local/state/opencode", ".config/opencode"]),
    reads: &["AGENTS.md", "CLAUDE.md"],
    install: "npm install -g opencode-ai",
    login: Login {
        advice: "run `opencode auth login`",
        variables: MODEL_KEYS,
        files: &["auth.json"],
        hints: &["Unexpected server error", "Error: ProviderModelNotFoundError: "],
    },
    resume: Some(Resume { word: "--session", counts: Counts::Call }),
    help: &["run", "--help"],
    error_patterns: &ERRORS,
    ..Agent::USUAL
};

/// Where it would ask a person, it gets a refusal, which is an answer. A question would end the work of a reviewer without a word.
const ANSWERS: &str = r#"{"external_directory":"deny","doom_loop":"deny","question":"deny"}"#;

/// `opencode run`: it passes on messages of the service with a label on standard error, and older versions exit with 0.
/// Failed tools have the same label. It waits silently for the end of a limit, and only its log says so.
pub(in crate::agents) const ERRORS: ErrorPatterns = ErrorPatterns {
    finals: &[
        PatternGroup::of(
            UsageLimit,
            &[
                "Error: The usage limit has been reached*",
                "Error: AI_APICallError: The usage limit has been reached*",
                "Error: Usage limit reached *",
                "Error: *usage_limit_reached*",
                "Error: Too Many Requests*",
                "Error: AI_APICallError: Too Many Requests*",
                "Error: *Rate limit exceeded*",
                "Error: Rate limit reached *",
                "Error: AI_APICallError: *ate limit exceeded*",
                "Error: AI_APICallError: Rate limit reached *",
                "Error: *rate_limit_error*",
                "Error: *rate_limit_exceeded*",
                "Error: *would exceed your account's rate limit*",
                "Error: Free usage exceeded*",
            ],
        ),
        PatternGroup::of(
            Unreachable,
            &[
                "Error: Overloaded",
                "Error: AI_APICallError: Overloaded",
                "Error: AI_APICallError: *is overloaded*",
                "Error: AI_APICallError: The server had an error*",
                "Error: *overloaded_error*",
                "Error: Cannot connect to API*",
                "Error: AI_APICallError: Cannot connect to API*",
            ],
        ),
        PatternGroup::of(
            NotLoggedIn,
            &[
                "Error: No auth credentials found",
                "Error: AI_APICallError: No auth credentials found",
                "Error: AI_LoadAPIKeyError: *",
                "Error: * API key is missing. Pass it using *",
                "Error: Missing Authentication header*",
                "Error: AI_APICallError: Missing Authentication header*",
                "Error: invalid x-api-key*",
                "Error: AI_APICallError: invalid x-api-key*",
                "Error: Incorrect API key provided*",
                "Error: AI_APICallError: Incorrect API key provided*",
                "Error: Invalid API key*",
                "Error: *Invalid credential",
                "Error: Failed to initialize provider *. Check credentials and configuration.",
            ],
        ),
        PatternGroup::of(Refused, &["Error: ProviderModelNotFoundError: *"]),
        PatternGroup::of(
            NoCredit,
            &[
                "Error: *credit balance is too low*",
                "Error: *Insufficient credits*",
                "Error: Insufficient balance*",
                "Error: You exceeded your current quota, please check your plan and billing details*",
            ],
        ),
    ],
    ..ErrorPatterns::USUAL
};
