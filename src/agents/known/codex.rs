//! Codex by `OpenAI`.

use crate::agents::agent::{Agent, Counts, Login, Resume, SchemaBy, StatePlace};
use crate::agents::event::ErrorKind::{DiskFull, NoCredit, NotLoggedIn, Unreachable, UsageLimit};
use crate::agents::protocol::Protocol;
use crate::agents::unavailable::error_patterns::{ErrorPatterns, PatternGroup};

pub(in crate::agents) const CODEX: Agent = Agent {
    name: "codex",
    program: "codex",
    is_default: true,
    protocol: Protocol::Codex,
    implement: &["exec", "--json", "--sandbox", "workspace-write", "--skip-git-repo-check"],
    review: &["exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check"],
    last: &["-"],
    state: StatePlace { variable: Some("CODEX_HOME"), folders: &[".codex"], files: &[] },
    reads: &["AGENTS.md"],
    install: "npm install -g @openai/codex",
    login: Login {
        advice: "run `codex login`, or set CODEX_API_KEY",
        variables: &["CODEX_API_KEY"],
        files: &["auth.json"],
        ..Login::NONE
    },
    schema: Some(SchemaBy::File("--output-schema")),
    resume: Some(Resume { word: "resume", counts: Counts::Session }),
    help: &["exec", "--help"],
    error_patterns: &ERRORS,
    ..Agent::USUAL
};

/// `codex exec`: standard error contains the prompt and everything that the agent did and said, so errors count only
/// with their label.
pub(in crate::agents) const ERRORS: ErrorPatterns = ErrorPatterns {
    look_back: 6,
    finals: &[
        PatternGroup::of(
            UsageLimit,
            &[
                "ERROR: You've hit your usage limit*",
                "ERROR: exceeded retry limit, last status: 429*",
                "ERROR: unexpected status 429*",
                "ERROR: Rate limit reached for *",
                "ERROR: stream disconnected before completion: Rate limit reached for *",
                "ERROR: {\"type\":\"error\",\"status\":429,*",
            ],
        ),
        PatternGroup::of(
            Unreachable,
            &[
                "ERROR: Selected model is at capacity.*",
                "ERROR: We're currently experiencing high demand*",
                "ERROR: exceeded retry limit, last status: 5*",
                "ERROR: unexpected status 5*",
                "ERROR: stream disconnected before completion: *",
                "ERROR: Connection failed: *",
            ],
        ),
        PatternGroup::of(
            NotLoggedIn,
            &[
                "ERROR: unexpected status 401 *",
                "ERROR: exceeded retry limit, last status: 401*",
                "ERROR: Your access token could not be refreshed*",
                "ERROR: Failed to refresh token: *",
                "ERROR: Your authentication token has been invalidated.*",
                "ERROR: Your session has ended. Please log in again.",
                "ERROR: Not logged in*",
                "Error: Not logged in*",
                "Not logged in",
            ],
        ),
        PatternGroup::of(
            NoCredit,
            &[
                "ERROR: Quota exceeded. Check your plan and billing details.",
                "ERROR: You exceeded your current quota, please check your plan and billing details*",
                "You exceeded your current quota, please check your plan and billing details*",
                "ERROR: To use Codex with your ChatGPT plan, *",
                "ERROR: Your workspace is out of credits.*",
                "ERROR: You hit your spend cap *",
            ],
        ),
    ],
    passing: &[PatternGroup::of(DiskFull, &["*No space left on device (os error 28)"])],
    ..ErrorPatterns::USUAL
};
