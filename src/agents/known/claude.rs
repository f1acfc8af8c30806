//! Claude Code by Anthropic.

use crate::agents::agent::{Agent, Counts, Login, Resume, SchemaBy, StatePlace};
use crate::agents::event::ErrorKind::{NoCredit, NotAsRoot, NotLoggedIn, Unreachable, UsageLimit};
use crate::agents::protocol::Protocol;
use crate::agents::unavailable::error_patterns::{ErrorPatterns, PatternGroup};

pub(in crate::agents) const CLAUDE: Agent = Agent {
    name: "claude",
    program: "claude",
    is_default: true,
    protocol: Protocol::Claude,
    implement: &[
        "--print",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-mode",
        "bypassPermissions",
    ],
    review: &["--print", "--output-format", "stream-json", "--verbose", "--tools", "Read,Grep,Glob"],
    max_cost: Some("--max-budget-usd"),
    env: &[("CLAUDE_CODE_MAX_RETRIES", "2")],
    state: StatePlace {
        variable: Some("CLAUDE_CONFIG_DIR"),
        folders: &[".claude"],
        files: &[".claude.json", ".claude.json.backup"],
    },
    reads: &["CLAUDE.md"],
    works_as_root: false,
    install: "npm install -g @anthropic-ai/claude-code",
    login: Login {
        advice: "run `claude` and type `/login`, or set ANTHROPIC_API_KEY",
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
        ],
        files: &[".credentials.json"],
        ..Login::NONE
    },
    schema: Some(SchemaBy::Text("--json-schema")),
    resume: Some(Resume { word: "--resume", counts: Counts::Session }),
    error_patterns: &ERRORS,
    ..Agent::USUAL
};

/// Claude Code with `--print`: it prints the error as its answer, on standard output, and exits 0 or 1.
pub(in crate::agents) const ERRORS: ErrorPatterns = ErrorPatterns {
    finals: &[
        PatternGroup::of(
            UsageLimit,
            &[
                "Claude AI usage limit reached|*",
                "Claude AI usage limit reached",
                "Claude usage limit reached.*",
                "Claude usage limit reached · resets *",
                "You've hit your limit · resets *",
                "You've hit your * limit · resets *",
                "You've hit your * limit",
                "You've hit your * limit.",
                "You've reached your usage limit. Try again *",
                "You're out of extra usage*",
                "Limit reached · resets *",
                "Session limit reached · resets *",
                "5-hour limit reached · resets *",
                "Weekly limit reached · resets *",
                "Opus weekly limit reached · resets *",
                "API Error: Rate limit reached*",
                "API Error: Request rejected (429)*",
                "API Error: 429 *",
            ],
        ),
        PatternGroup::of(
            Unreachable,
            &[
                "API Error: Server is temporarily limiting requests*",
                "API Error: Repeated 529 Overloaded errors*",
                "API Error: 500 *",
                "API Error: 502 *",
                "API Error: 503 *",
                "API Error: 504 *",
                "API Error: 529 *",
                "API Error: Overloaded*",
                "API Error: Connection error.*",
                "API Error: Unable to connect to API*",
                "API Error: Request timed out*",
                "Unable to connect to API*",
            ],
        ),
        PatternGroup::of(
            NotLoggedIn,
            &[
                "Not logged in · *",
                "Invalid API key · *",
                "Missing API key · *",
                "Login expired · *",
                "OAuth token revoked · *",
                "OAuth token has expired · *",
                "OAuth token has expired. Please run /login*",
                "OAuth authentication is currently not supported*",
                "Please run /login · API Error: *",
                "Failed to authenticate. API Error: *",
                "API Error: 401 *",
                "Your account does not have access to Claude Code. Please run /login*",
                "This organization has been disabled*",
                "Your organization has disabled Claude subscription access*",
            ],
        ),
        PatternGroup::of(NoCredit, &["Credit balance is too low*"]),
        PatternGroup::of(
            NotAsRoot,
            &["--dangerously-skip-permissions cannot be used with root/sudo privileges*"],
        ),
    ],
    ..ErrorPatterns::USUAL
};
