//! aider, which works with the models of many.

use crate::agents::agent::{Agent, Login, MODEL_KEYS, PromptBy, StatePlace};
use crate::agents::event::ErrorKind::{NoCredit, NotLoggedIn, Refused, Unreachable, UsageLimit};
use crate::agents::protocol::Protocol;
use crate::agents::unavailable::error_patterns::{ErrorPatterns, PatternGroup};

pub(in crate::agents) const AIDER: Agent = Agent {
    name: "aider",
    program: "aider",
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
    prompt: PromptBy::File("--message-file"),
    state: StatePlace::of(&[".aider"]),
    leaves: &[".aider.chat.history.md", ".aider.input.history", ".aider.tags.cache.v4"],
    install: "pip install aider-chat",
    login: Login { advice: "set the API key of its provider", variables: MODEL_KEYS, ..Login::NONE },
    error_patterns: &ERRORS,
    ..Agent::USUAL
};

const ERRORS: ErrorPatterns = ErrorPatterns {
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
    ..ErrorPatterns::USUAL
};
