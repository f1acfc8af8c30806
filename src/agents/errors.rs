//! What the errors that agents report mean: by their fields, and by their words.
//!
//! The words come from the sources of the agents, if these are open (codex, gemini, opencode), from documentation (claude), and from
//! what users have reported.

use std::sync::LazyLock;

use chrono::{DateTime, TimeDelta, Utc};
use regex_lite::Regex;
use serde_json::Value;

use super::cause::Cause;
use super::event::AgentError;
use super::fields::{Fields, epoch};
use crate::text::{clean, ellipsis, one_line};

use Cause::{NoCredit, NotLoggedIn, Refused, Service};
const LIMIT: Cause = Cause::LIMIT;

/// What a text looks like that means a cause. The first row of a table that fits decides.
struct Words {
    cause: Cause,
    pattern: Regex,
}

fn words(cause: Cause, pattern: &str) -> Words {
    Words { cause, pattern: Regex::new(pattern).expect("the pattern is valid") }
}

/// Parts of the names of errors, as services and agents use them in fields, in lower case and without underscores.
static NAMES: LazyLock<Vec<Words>> = LazyLock::new(|| {
    vec![
        words(LIMIT, "ratelimit|usagelimit|resourceexhausted|toomanyrequests|quotaerror"),
        words(NoCredit, "billing|insufficientquota|insufficientcredit|paymentrequired"),
        words(NotLoggedIn, "auth|apikey|permission"),
        words(Refused, "badrequest|invalidrequest|notfound|contextlength|contextoverflow"),
        words(Service, "overloaded|servererror|unavailable|connection"),
    ]
});

/// Words by which a program says what is wrong, in lower case. They count on the last lines of any program that has failed.
static WORDS: LazyLock<Vec<Words>> = LazyLock::new(|| {
    vec![
        words(Service, "temporarily limiting requests"),
        words(NoCredit, "credit balance is too low|insufficient[ _](credit|balance|quota)"),
        words(NoCredit, "credits are depleted|out of credits|hit your spend cap"),
        words(NoCredit, "to use codex with your chatgpt plan"),
        words(LIMIT, "(usage|rate)[ _]?limit[ _]?(has been )?(reached|exceeded|error)"),
        words(LIMIT, "reached your usage limit|you've hit your|limit reached ·|account's rate limit"),
        words(LIMIT, "too many requests|quota exceeded for|out of extra usage|free usage exceeded"),
        words(LIMIT, "exhausted your|resource[ _](has been )?exhausted|quota[ _]?(exhausted|error)"),
        words(LIMIT, "daily quota"),
        words(NoCredit, "check your plan and billing"),
        words(NotLoggedIn, "not logged in|please (run /login|log in)|login expired|unauthenticated"),
        words(NotLoggedIn, "oauth (token |authentication is)|(invalid|missing|incorrect) (x-)?api[ -]key"),
        words(NotLoggedIn, "api key (is missing|not valid|expired)|api_key_invalid"),
        words(NotLoggedIn, "missing authentication header|(authentication|loadapikey)error"),
        words(NotLoggedIn, "invalid credential|no auth credentials|check credentials and configuration"),
        words(NotLoggedIn, "token (could not be refreshed|has been invalidated)"),
        words(NotLoggedIn, "failed to (refresh token|authenticate)|no authentication is configured"),
        words(NotLoggedIn, "set an auth method|you must specify the gemini_api_key"),
        words(NotLoggedIn, "does not have access to claude code|organization has (been )?disabled"),
        words(NotLoggedIn, "missing environment variable|using vertex ai, you must specify"),
        words(Service, "overloaded|selected model is at capacity|currently experiencing high demand"),
    ]
});

/// Words that mean the same only in an error that an agent itself reports: any program may print them in its output.
static WORDS_OF_ERRORS: LazyLock<Vec<Words>> = LazyLock::new(|| {
    vec![
        words(Refused, "(prompt|input) is too long|context_length_exceeded|maximum context length"),
        words(Refused, "context (window|limit)|(input|prompt) token count|the model `|model ?not ?found"),
        words(Refused, "is not found for api version"),
        words(Service, "stream (disconnected before completion|ended without)|timeout waiting for"),
        words(Service, "timed out|connection (failed|error|dropped|(was )?closed)"),
        words(Service, "(cannot|unable to) connect to api|fetch failed|socket hang up"),
        words(Service, "error (sending request|decoding response body)|api error: terminated"),
        words(Service, "in json at position|json parsing failed|the server had an error"),
        words(Service, "without sending any chunks|contained no usable output|econn(refused|reset)"),
        words(Service, "unavailable|failed to parse chat-completions stream"),
    ]
});

/// The cause in the first row that fits this text.
fn find(table: &[Words], text: &str) -> Option<Cause> {
    table.iter().find(|words| words.pattern.is_match(text)).map(|words| words.cause)
}

/// The cause that a line of any program that has failed tells in known words.
pub(super) fn cause_of_line(line: &str) -> Option<Cause> {
    // Other statuses may be those of a program that was tested.
    let of_status = || status_in(line).filter(|status| [401, 429, 529].contains(status)).and_then(of_status);
    find(&WORDS, &line.to_ascii_lowercase()).or_else(of_status)
}

/// The cause that the words of an error of an agent tell.
fn cause_of_words(message: &str) -> Option<Cause> {
    // All that Node.js says of a connection that was closed too early.
    if message == "terminated" {
        return Some(Service);
    }
    let plain = message.to_ascii_lowercase().replace('’', "'");
    find(&WORDS, &plain).or_else(|| find(&WORDS_OF_ERRORS, &plain))
}

/// The cause that a name in a field tells.
pub(super) fn cause_of_name(name: &str) -> Option<Cause> {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    find(&NAMES, &plain.to_ascii_lowercase())
}

/// The cause that the status of an HTTP response means; `None` if the response is no error.
fn of_status(status: u16) -> Option<Cause> {
    Some(match status {
        401 | 403 => NotLoggedIn,
        402 => NoCredit,
        429 => LIMIT,
        408 | 425 | 500..=599 => Service,
        400..=499 => Refused,
        _ => return None,
    })
}

/// The usual words about a limit.
static ABOUT_LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    let limit = r"(?:(?:usage|rate)[ _-]limit|quota)";
    let passed = "(?:reached|exceeded)";
    let again = r"\b429\b|try again (?:in|at) (?:\d|an? )";
    let words = format!("(?i)(?:{limit}.*{passed}|{passed}.*{limit}|{again})");
    Regex::new(&words).expect("the pattern is valid")
});

/// Whether a line contains one of the usual words about a limit. A program that is not known has hit one if it says this and nothing
/// else came of its work.
pub(super) fn is_about_limit(line: &str) -> bool {
    ABOUT_LIMIT.is_match(line)
}

/// The error with these words and names in its fields. The status decides, unless a name or the words say that there is no credit,
/// which services send with the statuses of other errors, or it only says that the request is wrong, and names or words say more.
pub(super) fn error(message: &str, status: Option<u16>, names: &[&str]) -> AgentError {
    let told: Vec<Cause> = cause_of_words(message)
        .into_iter()
        .chain(names.iter().filter_map(|name| cause_of_name(name)))
        .collect();
    let cause = match status.and_then(of_status) {
        _ if told.contains(&NoCredit) => Some(NoCredit),
        Some(Refused) if told.contains(&NotLoggedIn) => Some(NotLoggedIn),
        None => told.first().copied(),
        of_status => of_status,
    };
    let is_used_up = names.iter().any(|name| name.contains("TurnLimit"));
    AgentError { cause, is_used_up, message: message.to_owned() }
}

/// The status of an HTTP response at `pointer`, as a number or as text.
pub(super) fn status(object: &Value, pointer: &str) -> Option<u16> {
    let number = object.count(pointer).or_else(|| object.text(pointer)?.parse().ok());
    number.and_then(|status| u16::try_from(status).ok()).filter(|status| (400..600).contains(status))
}

/// The words of an agent about an error of its service, which have the status of the response, or the response itself, in them.
pub(super) fn error_in_words(message: &str) -> AgentError {
    let (before, body) = message.split_at(message.find('{').unwrap_or(message.len()));
    let body = serde_json::Deserializer::from_str(body).into_iter().next().and_then(Result::ok);
    let body: Value = body.unwrap_or_default();
    let told = ["/status", "/error/code", "/error/status", "/code", "/statusCode"];
    let status = told.iter().find_map(|pointer| status(&body, pointer)).or_else(|| status_in(message));
    let names = ["/error/code", "/error/type", "/error/status", "/code", "/type"];
    let names: Vec<&str> = names.iter().filter_map(|pointer| body.text(pointer)).collect();
    let inner = ["/error/message", "/message"].iter().find_map(|pointer| body.text(pointer));
    let is_only_body = before.is_empty() || before == "[API Error: ";
    let words = inner.filter(|_| is_only_body).unwrap_or(message);
    let resets = || ["/error/resets_at", "/resets_at"].iter().find_map(|pointer| body.epoch(pointer));
    let error = error(words, status, &names);
    AgentError { cause: error.cause.map(|cause| cause.until(resets)), ..error }
}

/// The status of a response in words such as `unexpected status 401 Unauthorized`, `429 Too Many Requests` or `API Error (503)`.
static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    let before = r"(?:^\W*|\(|\b(?:status|code|error|http(?:/[\d.]+)?):? \W*)";
    Regex::new(&format!(r"(?i){before}([45]\d\d)\b")).expect("the pattern is valid")
});

fn status_in(message: &str) -> Option<u16> {
    STATUS.captures(message)?[1].parse().ok()
}

/// The time at which a limit resets, according to the headers of a response that arrived at `now`.
pub(super) fn resets_in_headers(headers: &Value, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let headers = headers.as_object()?;
    let header = |name: &str| {
        let (_, value) = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        value.as_str().map(str::to_owned).or_else(|| value.as_f64().map(|number| number.to_string()))
    };
    let after = |name: &str, unit: f64| {
        let number: f64 = header(name)?.trim().parse().ok().filter(|number| (0.0..1e9).contains(number))?;
        #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
        now.checked_add_signed(TimeDelta::try_milliseconds((number * unit).ceil() as i64)?)
    };
    let at = || epoch(header("anthropic-ratelimit-unified-reset")?.parse().ok()?);
    let date = || Some(DateTime::parse_from_rfc2822(&header("retry-after")?).ok()?.to_utc());
    at().or_else(|| after("retry-after-ms", 1.0)).or_else(|| after("retry-after", 1000.0)).or_else(date)
}

/// How much of an agent's words is quoted, in characters.
const QUOTE: usize = 200;
/// How the lines begin that are part of a stack trace, of a dump or of a warning, in lower case.
const NOISE: &[&str] = &["at ", "{", "}", "(node:", "node.js v", "file://", "warn", "note:", "^"];

/// The first line of the words of an error that can be quoted; empty if there is none.
pub(super) fn quoted(message: &str) -> String {
    let is_fit = |line: &String| {
        let plain = line.to_ascii_lowercase();
        !line.is_empty() && !line.ends_with('{') && !NOISE.iter().any(|noise| plain.starts_with(noise))
    };
    message.lines().map(one_line).find(is_fit).map(|line| ellipsis(&line, QUOTE)).unwrap_or_default()
}

/// Marks that agents put before an error.
const MARKS: &[char] = &['⎿', '■', '✕', '✖', '✗', '●', '│', ' '];

/// A line with single spaces, plain apostrophes and one kind of dot, without leading marks.
pub(super) fn spelled(line: &str) -> String {
    let line = one_line(&clean(line.as_bytes())).replace('’', "'").replace(['∙', '•'], "·");
    line.trim_start_matches(MARKS).to_owned()
}

#[cfg(test)]
mod tests;
