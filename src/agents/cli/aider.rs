//! aider, which works with the models of many.

use crate::agents::agent::{Agent, LoginSigns, MODEL_KEYS, PromptBy, StatePlace};
use crate::agents::outcome::error_patterns::{
    ErrorPatterns,
    Meaning::{NoCredit, NotLoggedIn, Refused, Unreachable, UsageLimit},
    NODE_ERRORS, PatternGroup,
};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const AIDER: Agent = Agent {
    name: "aider",
    program: "aider",
    is_default: false,
    vendor: None,
    protocol: Protocol::Aider,
    implement: &[
        "--yes-always",
        "--no-auto-commits",
        "--no-dirty-commits",
        "--no-gitignore",
        "--no-analytics",
        "--no-check-update",
        "--no-show-model-warnings",
        "--no-pretty",
        "--no-stream",
    ],
    review: &[
        "--chat-mode",
        "ask",
        "--dry-run",
        "--yes-always",
        "--no-auto-commits",
        "--no-dirty-commits",
        "--no-gitignore",
        "--no-analytics",
        "--no-check-update",
        "--no-show-model-warnings",
        "--no-pretty",
        "--no-stream",
    ],
    model: Some("--model"),
    last: &[],
    prompt: PromptBy::File("--message-file"),
    env: &[],
    state: StatePlace { variable: None, folders: &[".aider"], files: &[] },
    leaves: &[".aider.chat.history.md", ".aider.input.history", ".aider.tags.cache.v4"],
    reads: &[],
    works_as_root: true,
    install: "pip install aider-chat",
    login: LoginSigns { variables: MODEL_KEYS, files: &[] },
    schema: None,
    resume: None,
    help: &["--help"],
    error_patterns: &ERRORS,
};

const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "set the API key of its provider",
    look_back: 3,
    finals: &[
        PatternGroup::of(
            NotLoggedIn,
            &["litellm.AuthenticationError: *", "litellm.PermissionDeniedError: *"],
        ),
        PatternGroup::of(
            NoCredit,
            &[
                "litellm.*nsufficient credit*",
                "litellm.RateLimitError: *check your plan and billing details*",
            ],
        ),
        PatternGroup::of(UsageLimit, &["litellm.RateLimitError: *"]),
        PatternGroup::of(
            Unreachable,
            &[
                "litellm.APIConnectionError: *",
                "litellm.APIError: *",
                "litellm.InternalServerError: *",
                "litellm.ServiceUnavailableError: *",
                "litellm.Timeout: *",
            ],
        ),
        PatternGroup::of(Refused, &["litellm.BadRequestError: *", "litellm.NotFoundError: *"]),
    ],
    passing: &[NODE_ERRORS],
    statuses: &[],
};
