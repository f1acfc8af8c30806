//! The meaning of the fields in which agents report errors.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::fields::{Fields, epoch};
use crate::agents::event::{AgentError, ErrorKind};

/// The names of kinds of errors, as services and agents use them in fields. Case and underscores do not matter.
const NAMES: &[(&str, ErrorKind)] = &[
    ("ratelimit", ErrorKind::UsageLimit),
    ("ratelimiterror", ErrorKind::UsageLimit),
    ("ratelimitexceeded", ErrorKind::UsageLimit),
    ("usagelimitreached", ErrorKind::UsageLimit),
    ("usagelimitexceeded", ErrorKind::UsageLimit),
    ("resourceexhausted", ErrorKind::UsageLimit),
    ("toomanyrequests", ErrorKind::UsageLimit),
    ("billingerror", ErrorKind::NoCredit),
    ("insufficientquota", ErrorKind::NoCredit),
    ("insufficientcredits", ErrorKind::NoCredit),
    ("paymentrequired", ErrorKind::NoCredit),
    ("authenticationfailed", ErrorKind::NotLoggedIn),
    ("authenticationerror", ErrorKind::NotLoggedIn),
    ("fatalauthenticationerror", ErrorKind::NotLoggedIn),
    ("invalidapikey", ErrorKind::NotLoggedIn),
    ("oauthorgnotallowed", ErrorKind::NotLoggedIn),
    ("permissiondenied", ErrorKind::NotLoggedIn),
    ("permissionerror", ErrorKind::NotLoggedIn),
    ("providerautherror", ErrorKind::NotLoggedIn),
    ("authentication", ErrorKind::NotLoggedIn),
    ("auth", ErrorKind::NotLoggedIn),
    ("unauthenticated", ErrorKind::NotLoggedIn),
    ("unauthorized", ErrorKind::NotLoggedIn),
    ("permissiondeniederror", ErrorKind::NotLoggedIn),
    ("apikeyinvalid", ErrorKind::NotLoggedIn),
    ("contextlengthexceeded", ErrorKind::ContextTooLong),
    ("contextoverflowerror", ErrorKind::ContextTooLong),
    ("badrequesterror", ErrorKind::Refused),
    ("invalidrequest", ErrorKind::Refused),
    ("invalidrequesterror", ErrorKind::Refused),
    ("modelnotfound", ErrorKind::Refused),
    ("notfounderror", ErrorKind::Refused),
    ("providermodelnotfounderror", ErrorKind::Refused),
    ("overloaded", ErrorKind::Unreachable),
    ("overloadederror", ErrorKind::Unreachable),
    ("servererror", ErrorKind::Unreachable),
    ("internalservererror", ErrorKind::Unreachable),
    ("serviceunavailableerror", ErrorKind::Unreachable),
    ("apiconnectionerror", ErrorKind::Unreachable),
    ("serveroverloaded", ErrorKind::Unreachable),
    ("unavailable", ErrorKind::Unreachable),
    ("connectionfailed", ErrorKind::Unreachable),
    ("fatalturnlimitederror", ErrorKind::TurnLimit),
];

/// Words in errors that have no status, with the kinds of errors that they mean.
const WORDS: &[(&str, ErrorKind)] = &[
    ("hit your usage limit", ErrorKind::UsageLimit),
    ("usage limit has been reached", ErrorKind::UsageLimit),
    ("Rate limit reached", ErrorKind::UsageLimit),
    ("exhausted your daily quota", ErrorKind::UsageLimit),
    ("Resource has been exhausted", ErrorKind::UsageLimit),
    ("exhausted your capacity", ErrorKind::UsageLimit),
    ("Quota exceeded. Check your plan", ErrorKind::NoCredit),
    ("Insufficient credit", ErrorKind::NoCredit),
    ("prompt is too long", ErrorKind::ContextTooLong),
    ("input is too long", ErrorKind::ContextTooLong),
    ("context_length_exceeded", ErrorKind::ContextTooLong),
    ("maximum context length", ErrorKind::ContextTooLong),
    ("exceeds the context window", ErrorKind::ContextTooLong),
    ("context window of this model", ErrorKind::ContextTooLong),
    ("ran out of room in the model's context window", ErrorKind::ContextTooLong),
    ("exceed context limit", ErrorKind::ContextTooLong),
    ("exceed the remaining context window", ErrorKind::ContextTooLong),
    ("input token count exceeds the maximum", ErrorKind::ContextTooLong),
    ("input token count (", ErrorKind::ContextTooLong),
    ("credits are depleted", ErrorKind::NoCredit),
    ("API key not valid", ErrorKind::NotLoggedIn),
    ("API key expired", ErrorKind::NotLoggedIn),
    ("API_KEY_INVALID", ErrorKind::NotLoggedIn),
    ("Selected model is at capacity", ErrorKind::Unreachable),
    ("currently experiencing high demand", ErrorKind::Unreachable),
    ("stream disconnected before completion", ErrorKind::Unreachable),
    ("timeout waiting for", ErrorKind::Unreachable),
    ("Connection failed", ErrorKind::Unreachable),
    ("Connection error", ErrorKind::Unreachable),
    ("Connection dropped", ErrorKind::Unreachable),
    ("Request timed out", ErrorKind::Unreachable),
    ("fetch failed", ErrorKind::Unreachable),
    ("socket hang up", ErrorKind::Unreachable),
    ("error sending request", ErrorKind::Unreachable),
    ("error decoding response body", ErrorKind::Unreachable),
    ("connection was closed unexpectedly", ErrorKind::Unreachable),
    ("connection closed before message completed", ErrorKind::Unreachable),
    ("Cannot connect to API", ErrorKind::Unreachable),
    ("API Error: terminated", ErrorKind::Unreachable),
    ("stream ended without", ErrorKind::Unreachable),
    ("in JSON at position", ErrorKind::Unreachable),
    ("is overloaded", ErrorKind::Unreachable),
    ("The server had an error", ErrorKind::Unreachable),
    ("request ended without sending any chunks", ErrorKind::Unreachable),
    ("response contained no usable output", ErrorKind::Unreachable),
    ("JSON parsing failed", ErrorKind::Unreachable),
    ("Failed to parse chat-completions stream", ErrorKind::Unreachable),
    ("ECONNREFUSED", ErrorKind::Unreachable),
    ("ECONNRESET", ErrorKind::Unreachable),
    ("access token could not be refreshed", ErrorKind::NotLoggedIn),
    ("Failed to refresh token", ErrorKind::NotLoggedIn),
    ("Missing environment variable", ErrorKind::NotLoggedIn),
    ("The model `", ErrorKind::Refused),
    ("is not found for API version", ErrorKind::Refused),
];

/// The kind of an error, as its words tell.
fn kind_of_words(message: &str) -> Option<ErrorKind> {
    // All that Node.js says of a connection that was closed too early.
    if message == "terminated" {
        return Some(ErrorKind::Unreachable);
    }
    let plain = message.to_ascii_lowercase();
    WORDS.iter().find(|(words, _)| plain.contains(&words.to_ascii_lowercase())).map(|(_, kind)| *kind)
}

/// The kind of an error, as a name in a field tells.
pub(super) fn kind_of_name(name: &str) -> Option<ErrorKind> {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    NAMES.iter().find(|(known, _)| plain.eq_ignore_ascii_case(known)).map(|(_, kind)| *kind)
}

/// The error with these words and names in its fields. The status decides its kind, unless a name or the words say that there is no
/// credit, which services send with the statuses of other errors, or it only says that the request is wrong, and names or
/// words say more.
pub(super) fn error(message: &str, status: Option<u16>, names: &[&str]) -> AgentError {
    let named = names.iter().filter_map(|name| kind_of_name(name));
    let no_credit = named.clone().chain(kind_of_words(message)).find(|kind| *kind == ErrorKind::NoCredit);
    let of_status = status.and_then(ErrorKind::of_status);
    let told = kind_of_words(message).or_else(|| named.clone().next());
    let is_more = |kind: &ErrorKind| matches!(kind, ErrorKind::NotLoggedIn | ErrorKind::ContextTooLong);
    let kind = no_credit.or(match of_status {
        None => told,
        Some(ErrorKind::Refused) => told.filter(is_more).or(of_status),
        of_status => of_status,
    });
    AgentError { kind, status, resets: None, message: message.to_owned() }
}

/// The status of an HTTP response at `pointer`, as a number or as text.
pub(super) fn status(object: &Value, pointer: &str) -> Option<u16> {
    let number = object.count(pointer).or_else(|| object.text(pointer)?.parse().ok());
    number.and_then(|status| u16::try_from(status).ok()).filter(|status| (400..600).contains(status))
}

/// The words of an agent about an error of its service, which have the status of the response, or the response itself, in
/// them.
pub(super) fn error_in_words(message: &str) -> AgentError {
    let (before, body) = split_at_body(message);
    let told = ["/status", "/error/code", "/error/status", "/code", "/statusCode"];
    let status = told.iter().find_map(|pointer| status(&body, pointer)).or_else(|| status_in(message));
    let names = ["/error/code", "/error/type", "/error/status", "/code", "/type"];
    let names: Vec<&str> = names.iter().filter_map(|pointer| body.text(pointer)).collect();
    let is_only_body = before.is_empty() || before == "[API Error: ";
    let inner = || ["/error/message", "/message"].iter().find_map(|pointer| body.text(pointer));
    let words = if is_only_body { inner() } else { None };
    let resets = ["/error/resets_at", "/resets_at"].iter().find_map(|pointer| body.epoch(pointer));
    AgentError { resets, ..error(words.unwrap_or(message), status, &names) }
}

/// The text before the first JSON object in a message, and that object.
fn split_at_body(message: &str) -> (&str, Value) {
    let Some(at) = message.find('{') else { return (message, Value::Null) };
    let first = serde_json::Deserializer::from_str(&message[at..]).into_iter().next();
    (&message[..at], first.and_then(Result::ok).unwrap_or_default())
}

/// The words that agents put before the status of a response.
const BEFORE_STATUS: &[&str] =
    &["status", "code", "http", "error", "status:", "code:", "error:", "http/1.1", "http/2"];

/// The status of a response in words such as `unexpected status 401 Unauthorized`, `429 Too Many Requests` or `API Error
/// (503)`.
fn status_in(message: &str) -> Option<u16> {
    let mut before = String::new();
    for word in message.split_whitespace() {
        let number = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let status = number.parse().ok().filter(|status| number.len() == 3 && (400..600).contains(status));
        let is_marked = before.is_empty()
            || word.starts_with('(')
            || BEFORE_STATUS.contains(&before.trim_start_matches(['(', '[', '"']));
        if let Some(status) = status.filter(|_| is_marked) {
            return Some(status);
        }
        before = word.to_ascii_lowercase();
    }
    None
}

/// The time at which the limit resets, according to the headers of a response that arrived at `now`.
pub(super) fn resets_in_headers(headers: &Value, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let headers = headers.as_object()?;
    let header = |name: &str| {
        let (_, value) = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        value.as_str().map(str::to_owned).or_else(|| value.as_f64().map(|number| number.to_string()))
    };
    let after_millis = || now.checked_add_signed(millis(&header("retry-after-ms")?, 1.0)?);
    let after = || {
        let value = header("retry-after")?;
        let date = || Some(DateTime::parse_from_rfc2822(&value).ok()?.to_utc());
        millis(&value, 1000.0).and_then(|wait| now.checked_add_signed(wait)).or_else(date)
    };
    let at = || epoch(header("anthropic-ratelimit-unified-reset")?.parse().ok()?);
    at().or_else(after_millis).or_else(after)
}

/// A number of units of so many milliseconds.
fn millis(number: &str, unit: f64) -> Option<TimeDelta> {
    let number: f64 = number.trim().parse().ok().filter(|number| (0.0..1e9).contains(number))?;
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
    TimeDelta::try_milliseconds((number * unit).ceil() as i64)
}
