//! Tests real output of agents that could not work, and of agents that did.

use std::time::Duration;

use super::error_patterns::{ErrorPatterns, OTHERS};
use super::resets::tests::now;
use super::*;
use crate::agents::Captured;
use crate::agents::known::claude::ERRORS as CLAUDE;
use crate::agents::known::codex::ERRORS as CODEX;
use crate::agents::known::gemini::ERRORS as GEMINI;
use crate::agents::known::opencode::ERRORS as OPENCODE;
use crate::agents::known::vibe::ERRORS as VIBE;

fn unavailable(error_patterns: &[&ErrorPatterns], ended: &JobResult) -> Option<Unavailable> {
    super::unavailable(
        error_patterns,
        ended,
        &LocalClock { now: &now(), is_zone: &|name| name == "Europe/Berlin" },
    )
}

fn ended(exit_reason: ExitReason, out: &str, err: &str) -> JobResult {
    let [stdout, stderr] = [out, err].map(|text| Captured::whole(text.as_bytes()));
    let (leaked, survivors) = (Vec::new(), Vec::new());
    JobResult { exit_reason, stdout, stderr, duration: Duration::ZERO, leaked, survivors }
}

fn cause(error_patterns: &ErrorPatterns, status: i32, out: &str, err: &str) -> Option<Cause> {
    unavailable(&[error_patterns], &ended(ExitReason::Exited(status), out, err))
        .map(|unavailable| unavailable.cause)
}

const LIMIT: Option<Cause> = Some(Cause::UsageLimit { resets: None });

fn until(text: &str) -> Option<Cause> {
    Some(Cause::UsageLimit { resets: Some(text.parse().unwrap()) })
}

#[test]
fn claude_prints_its_errors_as_its_answer_and_exits_with_0_or_1() {
    let cases = [
        ("You've hit your session limit · resets 3pm (Europe/Berlin)", until("2026-11-21T14:01:00Z")),
        ("You've hit your limit · resets 1pm (UTC)", until("2026-11-21T13:01:00Z")),
        ("You've hit your limit · resets 1pm (Europe/Lisbon)", LIMIT),
        (
            "You've hit your weekly limit · resets Nov 29 at 11am (Europe/Berlin)\n/upgrade to increase your \
             usage limit.",
            until("2026-11-29T10:01:00Z"),
        ),
        ("You've hit your session limit · resets 10:30pm (Europe/Berlin)\n", until("2026-11-21T21:31:00Z")),
        ("You’ve hit your limit ∙ resets 3:30am (Asia/Calcutta)", LIMIT),
        ("Claude AI usage limit reached|1795276800", until("2026-11-21T16:00:01Z")),
        (
            "Claude usage limit reached. Your limit will reset at 3pm (Europe/Berlin).",
            until("2026-11-21T14:01:00Z"),
        ),
        ("5-hour limit reached ∙ resets 3pm", until("2026-11-21T14:01:00Z")),
        ("You're out of extra usage · resets 4pm (GMT-6)", until("2026-11-21T22:01:00Z")),
        ("API Error: Rate limit reached", LIMIT),
        ("API Error: Request rejected (429) · this may be a temporary capacity issue.", LIMIT),
        (
            "API Error: 429 {\"error\":{\"code\":\"1308\",\"message\":\"Usage limit reached for 5 hour. Your limit will \
             reset at 2026-11-21 15:13:03\"},\"request_id\":\"abc\"}",
            LIMIT,
        ),
        (
            "API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}",
            Some(Cause::Unreachable),
        ),
        ("API Error: Repeated 529 Overloaded errors. The API is at capacity", Some(Cause::Unreachable)),
        (
            "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited",
            Some(Cause::Unreachable),
        ),
        ("Not logged in · Please run /login", Some(Cause::NotLoggedIn)),
        ("Invalid API key · Please run /login", Some(Cause::NotLoggedIn)),
        ("Invalid API key · Fix external API key", Some(Cause::NotLoggedIn)),
        ("Login expired · Please run /login", Some(Cause::NotLoggedIn)),
        ("OAuth token has expired. Please run /login", Some(Cause::NotLoggedIn)),
        ("Failed to authenticate. API Error: 401 OAuth access token has expired.", Some(Cause::NotLoggedIn)),
        ("Please run /login · API Error: 403 {\"type\":\"error\"}", Some(Cause::NotLoggedIn)),
        ("Credit balance is too low", Some(Cause::NoCredit)),
        (
            "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons",
            Some(Cause::NotAsRoot),
        ),
    ];
    for (text, expected) in cases {
        for status in [0, 1] {
            assert_eq!(cause(&CLAUDE, status, text, ""), expected, "{status}: {text}");
        }
        assert_eq!(cause(&CLAUDE, 1, "", &format!("some warning\n\n{text}")), expected, "{text}");
        assert_eq!(cause(&CLAUDE, 1, &format!("I began to work.\n{text}"), ""), expected, "{text}");
    }
}

#[test]
fn a_full_disk_counts_only_after_a_failure() {
    let full = Some(Cause::DiskFull);
    for agent in [&CLAUDE, &GEMINI, &OPENCODE] {
        assert_eq!(cause(agent, 1, "", "Error: ENOSPC: no space left on device, write"), full);
        assert_eq!(cause(agent, 1, "Error: ENOSPC: no space left on device, write", ""), full);
        assert_eq!(cause(agent, 0, "Error: ENOSPC: no space left on device, write", ""), None);
        assert_eq!(cause(agent, 1, "The test covers ENOSPC: no space left on device.", ""), None);
    }
    assert_eq!(cause(&CODEX, 1, "", "Error: No space left on device (os error 28)"), full);
}

#[test]
fn codex_prints_its_errors_on_standard_error_after_a_label() {
    let cases = [
        (
            "ERROR: You've hit your usage limit. Upgrade to Pro (https://example.com/pro), visit \
             https://example.com/usage to purchase more credits or try again at 2:27 PM.",
            until("2026-11-21T13:28:00Z"),
        ),
        ("ERROR: You've hit your usage limit. Try again at 12:16 AM.", until("2026-11-21T23:17:00Z")),
        (
            "ERROR: You've hit your usage limit. To get more access now, send a request to your admin or try again at \
             Dec 5th, 2026 8:19 PM.",
            until("2026-12-05T19:20:00Z"),
        ),
        (
            "ERROR: You've hit your usage limit. Upgrade to Pro (https://example.com) or try again in 5 days 22 hours 11 \
             minutes.",
            until("2026-11-27T10:42:00Z"),
        ),
        ("ERROR: You've hit your usage limit. Try again later.", LIMIT),
        ("[2026-11-21T12:00:00] ERROR: You've hit your usage limit. Try again later.", LIMIT),
        ("ERROR: You've hit your usage limit. try again at 10 de jul. de 2027, 11:52.", LIMIT),
        ("ERROR: exceeded retry limit, last status: 429 Too Many Requests, request id: x", LIMIT),
        ("ERROR: Selected model is at capacity. Please try a different model.", Some(Cause::Unreachable)),
        ("ERROR: stream disconnected before completion: error sending request", Some(Cause::Unreachable)),
        (
            "ERROR: unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: \
             https://example.com/v1/responses",
            Some(Cause::NotLoggedIn),
        ),
        (
            "ERROR: exceeded retry limit, last status: 401 Unauthorized, request id: x",
            Some(Cause::NotLoggedIn),
        ),
        (
            "ERROR: Your access token could not be refreshed because your refresh token was revoked. Please log out and \
             sign in again.",
            Some(Cause::NotLoggedIn),
        ),
        ("Error: Not logged in", Some(Cause::NotLoggedIn)),
        ("ERROR: Quota exceeded. Check your plan and billing details.", Some(Cause::NoCredit)),
        (
            "You exceeded your current quota, please check your plan and billing details.",
            Some(Cause::NoCredit),
        ),
    ];
    for (text, expected) in cases {
        let err =
            format!("OpenAI Codex\n--------\nuser\nDo it.\n\x1b[31m{text}\x1b[0m\ntokens used\n1,234\n");
        for status in [0, 1] {
            assert_eq!(cause(&CODEX, status, "", &err), expected, "{status}: {text}");
        }
    }
}

/// The end of its output when it gives up, as users have reported it.
const GEMINI_DUMP: &str = "Loaded cached credentials.
Error when talking to Gemini API Full report available at: /tmp/report.json TerminalQuotaError: You have exhausted your \
capacity on this model. Your quota will reset after 1h49m8s.
    at classifyGoogleError (file:///usr/lib/googleQuotaErrors.js:252:28)
    at retryWithBackoff (file:///usr/lib/retry.js:131:37) {
  cause: {
    code: 429,
    message: 'You have exhausted your capacity on this model. Your quota will reset after 1h49m8s.',
    details: [ [Object], [Object] ]
  },
  retryDelayMs: 6548000.1,
  reason: 'QUOTA_EXHAUSTED'
}
An unexpected critical error occurred:[object Object]
";

#[test]
fn gemini_prints_its_errors_in_dumps_and_has_an_exit_status_for_logins() {
    let auth = "YOLO mode is enabled. All tool calls will be automatically approved.\nPlease set an Auth method in your \
                /root/.gemini/settings.json or specify one of the following environment variables before running: \
                GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA";
    let retrying = "Attempt 5 failed: You have exhausted your capacity on this model. Your quota will reset after 2s.. \
                    Retrying after 2516.814032ms...";
    let cases = [
        (1, GEMINI_DUMP, until("2026-11-21T14:19:09Z")),
        (1, "[API Error: You have exhausted your daily quota on this model.]", LIMIT),
        (1, "✕ [API Error: {\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}]", LIMIT),
        (1, "  \"status\": \"RESOURCE_EXHAUSTED\",\n  \"details\": []\n}", LIMIT),
        (1, retrying, until("2026-11-21T12:30:03Z")),
        (
            1,
            "[API Error: The model is overloaded. Please try again later. (Status: UNAVAILABLE)]",
            Some(Cause::Unreachable),
        ),
        (41, auth, Some(Cause::NotLoggedIn)),
        (1, auth, Some(Cause::NotLoggedIn)),
        (41, "Something else about logins", Some(Cause::NotLoggedIn)),
        (41, "", Some(Cause::NotLoggedIn)),
        (0, retrying, None),
        (
            1,
            "Attempt 3 failed with status 502. Retrying with backoff... _ApiError: <html>",
            Some(Cause::Unreachable),
        ),
        (1, "Attempt 3 failed. Retrying with backoff... TypeError: fetch failed", Some(Cause::Unreachable)),
        (1, "An unexpected critical error occurred:[object Object]", None),
        (53, "Reached max session turns for this session.", None),
    ];
    for (status, err, expected) in cases {
        assert_eq!(cause(&GEMINI, status, "", err), expected, "{status}: {err}");
    }
}

#[test]
fn opencode_passes_on_the_errors_of_the_service_and_exits_with_0_or_1() {
    let cases = [
        ("Error: AI_APICallError: No auth credentials found", Some(Cause::NotLoggedIn)),
        ("Error: Missing Authentication header", Some(Cause::NotLoggedIn)),
        (
            "Error: Anthropic API key is missing. Pass it using the 'apiKey' parameter or the ANTHROPIC_API_KEY environment \
             variable.",
            Some(Cause::NotLoggedIn),
        ),
        ("Error: AI_APICallError: Upstream request failed: Invalid credential", Some(Cause::NotLoggedIn)),
        ("Error: The usage limit has been reached", LIMIT),
        (
            "Error: OpenAI API error (429): {\"code\":\"rate_limit_exceeded\",\"type\":\"rate_limit_error\"}",
            LIMIT,
        ),
        ("Error: Overloaded", Some(Cause::Unreachable)),
        ("Error: Your credit balance is too low to access the Anthropic API.", Some(Cause::NoCredit)),
        ("Error: AI_APICallError: prompt token count of 129923 exceeds the limit of 128000", None),
        ("Error: Unexpected server error", None),
        ("Error: Request failed with status code: 429", None),
    ];
    for (text, expected) in cases {
        let err = format!("\n> build · some-model\n\n\x1b[91m\x1b[1mError: \x1b[0m{}\n\n", &text[7..]);
        for status in [0, 1] {
            assert_eq!(cause(&OPENCODE, status, "", &err), expected, "{status}: {text}");
        }
        assert_eq!(
            cause(&OPENCODE, 0, "I changed the file.\n", &err),
            None,
            "a tool may have failed: {text}"
        );
    }
}

#[test]
fn the_log_of_opencode_tells_why_it_was_silent_until_its_timeout() {
    let logged = |error: &str| {
        format!(
            "timestamp=2026-11-22T22:20:36.245Z level=ERROR run=e7ba9de9 message=\"stream error\" providerID=mock \
             session.id=ses_d small=false agent=build mode=primary error.error=\"{error}\"\n"
        )
    };
    let of = |error: &str| {
        let end = ExitReason::TimedOut { after: Duration::ZERO };
        unavailable(&[&OPENCODE], &ended(end, "", &logged(error)))
    };
    let limit = of("AI_APICallError: The usage limit has been reached").expect("it says why");
    assert_eq!(Some(limit.cause), LIMIT);
    assert_eq!(limit.said, "Error: AI_APICallError: The usage limit has been reached");
    let in_answer = "timestamp=2026-11-28T06:57:31.679Z level=ERROR run=f message=\"stream error\" small=false agent=build \
                     error.error.message=\"Rate limit reached for requests\" error.error.type=rate_limit_error";
    let in_answer =
        unavailable(&[&OPENCODE], &ended(ExitReason::TimedOut { after: Duration::ZERO }, "", in_answer));
    assert_eq!(in_answer.map(|found| found.cause), LIMIT);
    let model = "timestamp=2026-11-28T06:03:32.269Z level=ERROR run=419f37ee message=failed ref=err_1 error=\"ProviderModelNotFoundError: \
                 Model not found: x/y. Did you mean: y?\" cause=\"ProviderModelNotFoundError: Model not found: x/y.\"";
    let model = unavailable(&[&OPENCODE], &ended(ExitReason::Exited(1), "", model)).expect("it says why");
    assert_eq!(model.cause, Cause::Refused);
    assert_eq!(model.said, "Error: ProviderModelNotFoundError: Model not found: x/y. Did you mean: y?");
    let broken = of("AI_APICallError: Cannot connect to API: read ECONNRESET").map(|found| found.cause);
    assert_eq!(broken, Some(Cause::Unreachable));
    assert_eq!(of("AI_APICallError: prompt token count of 129923 exceeds the limit of 128000"), None);
}

#[test]
fn vibe_prints_its_errors_on_standard_error() {
    let client_error = |status: &str| {
        format!(
            "Error: Client error '{status}' for url 'http://127.0.0.1/v1/chat/completions'\nFor more information check: \
             https://example.com/: It did not work.\n"
        )
    };
    for (status, err, expected) in [
        (
            1,
            "Error: Invalid API key. Please check your API key and try again.".to_owned(),
            Cause::NotLoggedIn,
        ),
        (2, client_error("402 Payment Required"), Cause::NoCredit),
        (2, client_error("404 Not Found"), Cause::Refused),
        (2, client_error("429 Too Many Requests"), Cause::UsageLimit { resets: None }),
    ] {
        assert_eq!(cause(&VIBE, status, "{\"type\":\"message\"}", &err), Some(expected), "{err}");
    }
}

#[test]
fn commands_of_users_print_the_errors_of_the_agents_that_they_start() {
    let all = [&CLAUDE, &CODEX, &GEMINI, &OPENCODE, &OTHERS];
    let cause = |status, out, err| {
        unavailable(&all, &ended(ExitReason::Exited(status), out, err)).map(|unavailable| unavailable.cause)
    };
    assert_eq!(cause(0, "Invalid API key · Please run /login", ""), Some(Cause::NotLoggedIn));
    assert_eq!(cause(1, "", GEMINI_DUMP), until("2026-11-21T14:19:09Z"));
    assert_eq!(cause(1, "", "openai.RateLimitError: Error code: 429 - {'error': {}}"), LIMIT);
    assert_eq!(cause(1, "", "HTTP 401 from the service"), Some(Cause::NotLoggedIn));
    assert_eq!(cause(0, "", "HTTP 429, trying again"), None, "it did not say that it gave up");
    assert_eq!(cause(1, "", "HTTP 429\none\ntwo\nthree"), None, "other errors came after it");
}

#[test]
fn an_agent_that_worked_may_mention_limits_and_logins() {
    let prose = [
        "I added a retry for `429 Too Many Requests`: when the API says \"You've hit your limit · resets 3pm\", the \
         client now waits.",
        "Done. The parser now reads\n\n    Claude AI usage limit reached|1749924000\n\nand gives the time.",
        "Invalid API key handling: the login page now shows \"Not logged in · Please run /login\".",
        "The rate limiter returns API Error: 429 with a Retry-After header.",
        "fn message() -> &'static str {\n    \"ERROR: You've hit your usage limit. Try again later.\"\n}\n\nThat is all.",
        "You have exhausted your quota of bad jokes.\nAPPROVED",
        "- ERROR: You've hit your usage limit\n- Error: The usage limit has been reached\n- HTTP 429\n\nAll three are tested.",
        "Limits:\nAPI Error: Rate limit reached\nis what the user sees. I wrote the test for it.\nNothing else changed.",
    ];
    let all = [&CLAUDE, &CODEX, &GEMINI, &OPENCODE, &OTHERS];
    for text in prose {
        let noise = format!("Working...\n{text}\nDone in 3 s\n");
        for (out, err) in [(text, ""), (text, noise.as_str()), ("Done.", text)] {
            let unavailable = unavailable(&all, &ended(ExitReason::Exited(0), out, err));
            assert_eq!(unavailable, None, "{out} / {err}");
        }
    }
    let tests_failed =
        "FAILED tests/test_limits.py::test_429 - AssertionError: 'Rate limit exceeded' != ''\n1 failed";
    for err in ["", tests_failed, "ERROR: could not apply the patch"] {
        let unavailable = unavailable(&all, &ended(ExitReason::Exited(1), prose[0], err));
        assert_eq!(unavailable, None, "{err}");
    }
}

#[test]
fn how_the_program_ended_decides_where_errors_are_looked_for() {
    let line = "You've hit your limit · resets 3pm";
    let of = |end| unavailable(&[&CLAUDE], &ended(end, line, "")).is_some();
    assert!(
        of(ExitReason::TimedOut { after: Duration::ZERO })
            && of(ExitReason::Signalled(9))
            && of(ExitReason::Unknown)
    );
    assert!(!of(ExitReason::Cancelled) && !of(ExitReason::Flooded { limit: 1 }));
    let long = format!("{}\n{line}", "x".repeat(20 << 10));
    assert_eq!(cause(&CLAUDE, 0, &long, ""), None);
    assert_eq!(cause(&CLAUDE, 1, &long, ""), until("2026-11-21T14:01:00Z"));
}

#[test]
fn the_quotation_is_one_short_line_without_control_characters() {
    let out = format!("\x1b[31mAPI Error: 429 {}\x1b[0m", "x".repeat(500));
    let said = unavailable(&[&CLAUDE], &ended(ExitReason::Exited(1), &out, "")).unwrap().said;
    assert!(
        said.starts_with("API Error: 429 xxx") && said.ends_with("...") && said.chars().count() == 200,
        "{said}"
    );
}

#[test]
fn a_pattern_matches_a_whole_line() {
    for (form, line, expected) in [
        ("abc", "abc", true),
        ("abc", "abcd", false),
        ("abc*", "abcd", true),
        ("*abc", "xabc", true),
        ("*abc", "abcx", false),
        ("a*b*c", "a-b-c", true),
        ("a*b*c", "a-c", false),
        ("a*b*b", "ab", false),
        ("a*", "ba", false),
        ("*", "", true),
    ] {
        assert_eq!(error_patterns::matches_pattern(form, line), expected, "{form} {line}");
    }
}
