//! Tests what programs that print text say of why they could not work, and what others print that could.

use super::*;

/// The cause that counts whatever came of the work, and the one that counts only if nothing did.
fn causes(status: i32, out: &str, err: &str) -> [Option<Cause>; 2] {
    let job = ended(ExitReason::Exited(status), out, err);
    clock_of(&now(), |clock| [end_of_text(&job, clock), told_at_end(&job, clock)])
        .map(|found| found.map(|found| found.cause))
}

fn until(text: &str) -> Option<Cause> {
    Some(Cause::Limit { resets: Some(text.parse().unwrap()) })
}

#[test]
fn the_last_lines_of_a_program_that_has_failed_say_why() {
    let service = Some(Cause::Service);
    let login = Some(Cause::NotLoggedIn);
    let credit = Some(Cause::NoCredit);
    for (text, expected) in [
        ("You've hit your session limit · resets 3pm (Europe/Berlin)", until("2026-11-21T14:01:00Z")),
        ("You've hit your limit · resets 1pm (UTC)", until("2026-11-21T13:01:00Z")),
        ("You've hit your limit · resets 1pm (Europe/Lisbon)", LIMIT),
        (
            "You've hit your weekly limit · resets Nov 29 at 11am (Europe/Berlin)\n/upgrade to increase your usage limit.",
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
            "API Error: 429 {\"error\":{\"code\":\"1308\",\"message\":\"Usage limit reached for 5 hour. Your limit will reset at \
             2026-11-21 15:13:03\"},\"request_id\":\"abc\"}",
            LIMIT,
        ),
        ("API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", service),
        ("API Error: Repeated 529 Overloaded errors. The API is at capacity", service),
        ("API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited", service),
        ("Not logged in · Please run /login", login),
        ("Invalid API key · Please run /login", login),
        ("Invalid API key · Fix external API key", login),
        ("Login expired · Please run /login", login),
        ("OAuth token has expired. Please run /login", login),
        ("Failed to authenticate. API Error: 401 OAuth access token has expired.", login),
        ("Please run /login · API Error: 403 {\"type\":\"error\"}", login),
        ("Credit balance is too low", credit),
        (
            "ERROR: You've hit your usage limit. Upgrade to Pro (https://example.com/pro), visit https://example.com/usage to \
             purchase more credits or try again at 2:27 PM.",
            until("2026-11-21T13:28:00Z"),
        ),
        ("ERROR: You've hit your usage limit. Try again at 12:16 AM.", until("2026-11-21T23:17:00Z")),
        (
            "ERROR: You've hit your usage limit. To get more access now, send a request to your admin or try again at Dec 5th, \
             2026 8:19 PM.",
            until("2026-12-05T19:20:00Z"),
        ),
        (
            "ERROR: You've hit your usage limit. Upgrade to Pro (https://example.com) or try again in 5 days 22 hours 11 minutes.",
            until("2026-11-27T10:42:00Z"),
        ),
        ("ERROR: You've hit your usage limit. Try again later.", LIMIT),
        ("ERROR: You've hit your usage limit. try again at 10 de jul. de 2027, 11:52.", LIMIT),
        ("ERROR: exceeded retry limit, last status: 429 Too Many Requests, request id: x", LIMIT),
        ("ERROR: Selected model is at capacity. Please try a different model.", service),
        (
            "ERROR: unexpected status 401 Unauthorized: Missing bearer or basic authentication in header",
            login,
        ),
        (
            "ERROR: Your access token could not be refreshed because your refresh token was revoked. Please log out and sign in \
             again.",
            login,
        ),
        ("Error: Not logged in", login),
        ("ERROR: Quota exceeded. Check your plan and billing details.", credit),
        ("You exceeded your current quota, please check your plan and billing details.", credit),
        ("[API Error: You have exhausted your daily quota on this model.]", LIMIT),
        ("✕ [API Error: {\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}]", LIMIT),
        (
            "Attempt 5 failed: You have exhausted your capacity on this model. Your quota will reset after 2s.. Retrying after \
             2516.814032ms...",
            until("2026-11-21T12:30:03Z"),
        ),
        ("[API Error: The model is overloaded. Please try again later. (Status: UNAVAILABLE)]", service),
        ("Error: AI_APICallError: No auth credentials found", login),
        ("Error: Missing Authentication header", login),
        ("Error: Anthropic API key is missing. Pass it using the 'apiKey' parameter", login),
        ("Error: AI_APICallError: Upstream request failed: Invalid credential", login),
        ("Error: The usage limit has been reached", LIMIT),
        ("Error: Overloaded", service),
        ("Error: Your credit balance is too low to access the Anthropic API.", credit),
        ("Error: Unexpected server error", None),
        ("Error: Client error '429 Too Many Requests' for url 'http://127.0.0.1/v1/chat/completions'", LIMIT),
        ("Error: Invalid API key. Please check your API key and try again.", login),
        ("litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key", login),
        ("litellm.RateLimitError: RateLimitError: OpenAIException - The usage limit has been reached", LIMIT),
        ("openai.RateLimitError: Error code: 429 - {'error': {}}", LIMIT),
        ("HTTP 401 from the service", login),
        ("HTTP 429\none\ntwo\nthree", None),
        ("Error: connect ECONNREFUSED 127.0.0.1:5432", None),
        ("Error: 500 Internal Server Error", None),
        ("HTTP 404", None),
        ("SyntaxError: Unexpected token < in JSON at position 0", None),
        ("FAILED tests/test_limits.py::test_429 - AssertionError: '1' != ''\n1 failed", None),
        ("ERROR: could not apply the patch", None),
    ] {
        assert_eq!(causes(1, text, "")[0], expected, "{text}");
        assert_eq!(
            causes(1, "I began to work.\n", &format!("some warning\n\n{text}"))[0],
            expected,
            "{text}"
        );
        assert_eq!(causes(0, text, "")[0], None, "a program that has ended well may say anything: {text}");
    }
}

#[test]
fn a_machine_that_is_short_of_something_counts_only_after_a_failure() {
    let full = Some(Cause::Environment(Trouble::Machine(Shortage::Disk)));
    let line = "Error: No space left on device (os error 28)";
    assert_eq!(causes(1, "", line)[0], full);
    assert_eq!(causes(1, line, "")[0], full);
    assert_eq!(causes(0, line, ""), [None, None]);
    assert_eq!(causes(1, "The test covers ENOSPC: no space left on device.", "")[0], None);
}

#[test]
fn a_program_that_has_done_nothing_else_may_say_that_it_has_hit_a_limit() {
    for line in [
        "Rate limit exceeded.",
        "The usage limit was reached; come back later",
        "quota for this model exceeded",
        "HTTP 429",
        "Please try again in 20 minutes.",
        "Busy. Try again at 3pm",
    ] {
        assert!(matches!(causes(0, line, "")[1], Some(Cause::Limit { .. })), "{line}");
        assert!(matches!(causes(0, "", line)[1], Some(Cause::Limit { .. })), "{line}");
    }
    for line in ["I set the rate limit to 5.", "Try again in the morning.", "port 4290 is used", "Done."] {
        assert_eq!(causes(0, line, "")[1], None, "{line}");
    }
    assert_eq!(causes(0, "HTTP 429\none\ntwo\nthree", "")[1], None, "other lines came after it");
}

#[test]
fn an_agent_that_worked_may_mention_limits_and_logins() {
    let prose = [
        "I added a retry for `429 Too Many Requests`: when the API says \"You've hit your limit · resets 3pm\", the \
         client now waits.",
        "Done. The parser now reads\n\n    Claude AI usage limit reached|1749924000\n\nand gives the time.",
        "The rate limiter returns API Error: 429 with a Retry-After header.",
        "- ERROR: You've hit your usage limit\n- Error: The usage limit has been reached\n- HTTP 429\n\nAll three are tested.",
    ];
    for text in prose {
        let noise = format!("Working...\n{text}\nDone in 3 s\n");
        for (out, err) in [(text, ""), (text, noise.as_str()), ("Done.", text)] {
            assert_eq!(causes(0, out, err)[0], None, "{out} / {err}");
        }
    }
}

#[test]
fn how_the_program_ended_decides_whether_errors_are_looked_for() {
    let line = "You've hit your limit · resets 3pm";
    let of = |end| clock_of(&now(), |clock| end_of_text(&ended(end, line, ""), clock)).is_some();
    assert!(
        of(ExitReason::TimedOut { after: Duration::ZERO })
            && of(ExitReason::Signalled(9))
            && of(ExitReason::Unknown)
    );
    assert!(!of(ExitReason::Cancelled) && !of(ExitReason::Flooded { limit: 1 }));
    let long = format!("{}\n{line}", "x".repeat(20 << 10));
    assert_eq!(causes(1, &long, "")[0], until("2026-11-21T14:01:00Z"));
}

#[test]
fn the_quotation_is_one_short_line_without_control_characters() {
    let out = format!("\x1b[31mAPI Error: 429 {}\x1b[0m", "x".repeat(500));
    let job = ended(ExitReason::Exited(1), &out, "");
    let said = clock_of(&now(), |clock| end_of_text(&job, clock)).unwrap().said;
    assert!(
        said.starts_with("API Error: 429 xxx") && said.ends_with("...") && said.chars().count() == 200,
        "{said}"
    );
}

/// The end of the output of gemini when it gives up, as users have reported it.
const DUMP: &str = "Loaded cached credentials.
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
fn an_agent_whose_stream_says_nothing_may_say_why_in_a_dump_of_many_lines() {
    assert_eq!(cause(&end(&[], ExitReason::Exited(1), DUMP)), until("2026-11-21T14:19:09Z"));
    let auth = "YOLO mode is enabled. All tool calls will be automatically approved.\nPlease set an Auth method in your \
                /root/.gemini/settings.json or specify one of the following environment variables before running: \
                GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA";
    assert_eq!(cause(&end(&[], ExitReason::Exited(41), auth)), Some(Cause::NotLoggedIn));
    let nothing = "An unexpected critical error occurred:[object Object]";
    assert_eq!(cause(&end(&[], ExitReason::Exited(1), nothing)), NOT_STARTED);
}
