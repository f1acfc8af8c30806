//! The tables of error messages by which each agent says that it could not work.
//!
//! A pattern matches a whole line, and `*` matches any text. The patterns come from the agents' sources, if these are
//! open (codex, gemini, opencode), from the documentation of errors (claude), and from users' reports with exit status
//! and stream.

/// The meaning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::agents) enum Meaning {
    UsageLimit,
    Unreachable,
    NoCredit,
    NotLoggedIn,
    NotAsRoot,
    DiskFull,
}

use Meaning::{DiskFull, NoCredit, NotAsRoot, NotLoggedIn, Unreachable, UsageLimit};

/// The messages that an agent prints if it could not work.
#[derive(Debug)]
pub(in crate::agents) struct ErrorPatterns {
    /// How to log in: the middle part of "To log in, ..., then run the same command again".
    pub(in crate::agents) login: &'static str,
    /// How many of the last lines of standard error count after a failure.
    pub(super) look_back: usize,
    /// Last lines of an agent that gives up.
    finals: &'static [PatternGroup],
    /// Lines after which an agent may also continue, so they count only after a failure.
    passing: &'static [PatternGroup],
    /// Exit statuses with a meaning.
    statuses: &'static [(i32, Meaning)],
}

impl ErrorPatterns {
    /// The meaning of the last line of an agent.
    pub(super) fn of_final(&self, line: &str) -> Option<Meaning> {
        of(self.finals, line)
    }

    /// The meaning of a line after a failure.
    pub(super) fn of_any(&self, line: &str) -> Option<Meaning> {
        self.of_final(line).or_else(|| of(self.passing, line))
    }

    /// The meaning of an exit status.
    pub(super) fn of_status(&self, status: i32) -> Option<Meaning> {
        self.statuses.iter().find(|(known, _)| *known == status).map(|(_, meaning)| *meaning)
    }
}

/// Patterns of lines with the same meaning.
#[derive(Debug)]
struct PatternGroup {
    meaning: Meaning,
    patterns: &'static [&'static str],
}

impl PatternGroup {
    const fn of(meaning: Meaning, patterns: &'static [&'static str]) -> Self {
        Self { meaning, patterns }
    }
}

fn of(table: &[PatternGroup], line: &str) -> Option<Meaning> {
    let matches_pattern =
        |row: &&PatternGroup| row.patterns.iter().any(|pattern| matches_pattern(pattern, line));
    table.iter().find(matches_pattern).map(|row| row.meaning)
}

/// The errors of agents that run in Node.js, as most of them do.
const NODE_ERRORS: PatternGroup = PatternGroup::of(
    DiskFull,
    &["Error: ENOSPC: no space left on device*", "ENOSPC: no space left on device*"],
);

/// Whether a line matches this pattern.
pub(super) fn matches_pattern(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Claude Code with `--print`: it prints the error as its answer, on standard output, and exits 0 or 1.
pub(in crate::agents) const CLAUDE: ErrorPatterns = ErrorPatterns {
    login: "run `claude` and type `/login`, or set ANTHROPIC_API_KEY",
    look_back: 3,
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
    passing: &[NODE_ERRORS],
    statuses: &[],
};

/// `codex exec`: standard error contains the prompt and everything that the agent did and said, so errors count only
/// with their label.
pub(in crate::agents) const CODEX: ErrorPatterns = ErrorPatterns {
    login: "run `codex login`, or set CODEX_API_KEY",
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
    statuses: &[],
};

/// The Gemini CLI: its errors are dumps on standard error, several lines long, and 41 is its status of failed logins.
pub(in crate::agents) const GEMINI: ErrorPatterns = ErrorPatterns {
    login: "run `gemini` and choose how to log in, or set GEMINI_API_KEY",
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
        PatternGroup::of(Unreachable, &["\"status\": \"UNAVAILABLE\"*", "status: 'UNAVAILABLE'*"]),
        PatternGroup::of(NotLoggedIn, &["\"status\": \"UNAUTHENTICATED\"*", "status: 'UNAUTHENTICATED'*"]),
    ],
    statuses: &[(41, NotLoggedIn)],
};

/// `opencode run`: it passes on messages of the service with a label on standard error, and older versions exit with 0.
/// Failed tools have the same label.
pub(in crate::agents) const OPENCODE: ErrorPatterns = ErrorPatterns {
    login: "run `opencode auth login`",
    look_back: 3,
    finals: &[
        PatternGroup::of(
            UsageLimit,
            &[
                "Error: The usage limit has been reached*",
                "Error: Usage limit reached *",
                "Error: *usage_limit_reached*",
                "Error: Too Many Requests*",
                "Error: AI_APICallError: Too Many Requests*",
                "Error: *Rate limit exceeded*",
                "Error: Rate limit reached *",
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
    passing: &[NODE_ERRORS],
    statuses: &[],
};

/// Errors of other programs that use such services. For commands of users, they apply together with all patterns above.
pub(in crate::agents) const OTHERS: ErrorPatterns = ErrorPatterns {
    login: "log in to the agent that its command starts",
    look_back: 3,
    finals: &[],
    passing: &[
        PatternGroup::of(
            UsageLimit,
            &[
                "429 Too Many Requests*",
                "HTTP 429*",
                "Error: 429 *",
                "Error code: 429 *",
                "openai.RateLimitError: *",
                "anthropic.RateLimitError: *",
                "Error: *rate_limit_error*",
                "Rate limit exceeded*",
                "Error: Rate limit exceeded*",
            ],
        ),
        PatternGroup::of(
            NotLoggedIn,
            &[
                "401 Unauthorized*",
                "HTTP 401*",
                "Error: 401 *",
                "Error code: 401 *",
                "openai.AuthenticationError: *",
                "anthropic.AuthenticationError: *",
                "Not logged in*",
                "Error: not logged in*",
            ],
        ),
    ],
    statuses: &[],
};
