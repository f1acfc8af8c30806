//! The Gemini CLI by Google.

use crate::agents::agent::{Agent, Counts, Login, Resume, StatePlace};
use crate::agents::event::ErrorKind::{NoCredit, NotLoggedIn, Unreachable, UsageLimit};
use crate::agents::protocol::Protocol;
use crate::agents::unavailable::error_patterns::{ErrorPatterns, NODE_ERRORS, PatternGroup};

pub(in crate::agents) const GEMINI: Agent = Agent {
    name: "gemini",
    program: "gemini",
    is_default: true,
    protocol: Protocol::Gemini,
    implement: &["--output-format", "stream-json", "--approval-mode", "yolo", "--skip-trust"],
    review: &["--output-format", "stream-json", "--approval-mode", "plan", "--skip-trust"],
    state: StatePlace::of(&[".gemini"]),
    install: "npm install -g @google/gemini-cli",
    login: Login {
        advice: "run `gemini` and choose how to log in, or set GEMINI_API_KEY",
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
        files: &["oauth_creds.json"],
        ..Login::NONE
    },
    resume: Some(Resume { word: "--resume", counts: Counts::Call }),
    error_patterns: &ERRORS,
    ..Agent::USUAL
};

/// The Gemini CLI: its errors are dumps on standard error, several lines long, and 41 is its status of failed logins.
pub(in crate::agents) const ERRORS: ErrorPatterns = ErrorPatterns {
    look_back: 40,
    finals: &[
        PatternGroup::of(
            UsageLimit,
            &[
                "[API Error: You have exhausted your *",
                "[API Error: Resource has been exhausted *",
                "[API Error: Resource exhausted.*",
                "[API Error: Quota exceeded for *",
                "[API Error: You exceeded your current quota*",
                "[API Error: *RESOURCE_EXHAUSTED*",
                "You have reached your daily *quota limit.*",
            ],
        ),
        PatternGroup::of(
            Unreachable,
            &[
                "[API Error: The model is overloaded.*",
                "[API Error: *UNAVAILABLE*",
                "[API Error: *fetch failed*",
            ],
        ),
        PatternGroup::of(
            NotLoggedIn,
            &[
                "Please set an Auth method in your *",
                "When using Gemini API, you must specify the GEMINI_API_KEY environment variable*",
                "When using Vertex AI, you must specify *",
                "The auth type '*' is enforced, but no authentication is configured.",
                "[API Error: API key not valid.*",
                "[API Error: *UNAUTHENTICATED*",
            ],
        ),
    ],
    passing: &[
        NODE_ERRORS,
        PatternGroup::of(NoCredit, &["*Your prepayment credits are depleted.*"]),
        PatternGroup::of(
            UsageLimit,
            &[
                "*TerminalQuotaError: *",
                "*RetryableQuotaError: *",
                "Attempt * failed: You have exhausted your *",
                "Attempt * failed with status 429*",
                "message: 'You have exhausted your *",
                "reason: 'QUOTA_EXHAUSTED'*",
                "reason: 'RATE_LIMIT_EXCEEDED'*",
                "\"status\": \"RESOURCE_EXHAUSTED\"*",
                "status: 'RESOURCE_EXHAUSTED'*",
            ],
        ),
        PatternGroup::of(
            Unreachable,
            &[
                "Attempt * failed with status 408*",
                "Attempt * failed with status 5*",
                "Attempt * failed. Retrying with backoff*",
                "\"status\": \"UNAVAILABLE\"*",
                "status: 'UNAVAILABLE'*",
            ],
        ),
        PatternGroup::of(NotLoggedIn, &["\"status\": \"UNAUTHENTICATED\"*", "status: 'UNAUTHENTICATED'*"]),
    ],
    statuses: &[(41, NotLoggedIn)],
};
