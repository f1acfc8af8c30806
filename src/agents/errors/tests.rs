//! Tests what the words of an error say.

use super::*;

/// The status in words, or in the object in them.
fn status_told(words: &str) -> Option<u16> {
    let body = &words[words.find('{').unwrap_or(words.len())..];
    let body: Value = serde_json::from_str(body.trim_end_matches(']')).unwrap_or_default();
    let in_body = ["/status", "/error/code"].iter().find_map(|pointer| status(&body, pointer));
    in_body.or_else(|| status_in(words))
}

#[test]
fn a_status_counts_only_where_one_is_told() {
    for (words, status) in [
        ("401 Incorrect API key provided", Some(401)),
        ("[API Error: 404 The model does not exist.]", Some(404)),
        ("API Error: Request rejected (429) · try again", Some(429)),
        ("HTTP 503: Service Unavailable", Some(503)),
        ("Error code: 500 - {'x': 1}", Some(500)),
        ("request failed with status code 502", Some(502)),
        ("[API Error: {\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\"}}]", Some(429)),
        ("{\"status\":529}", Some(529)),
        ("the file has 404 lines", None),
        ("waited 500 ms", None),
        ("status 200", None),
        ("error 4290", None),
        ("{\"error\":{\"code\":\"x\"", None),
    ] {
        assert_eq!(status_told(words), status, "{words}");
    }
}

#[test]
fn the_words_of_a_service_are_taken_out_of_its_response() {
    let words = |message| error_in_words(message).message;
    assert_eq!(words("{\"error\": {\"message\": \"No.\"}}"), "No.");
    assert_eq!(words("[API Error: {\"error\":{\"message\":\"No.\"}}]"), "No.");
    assert_eq!(words("500 {\"error\":{\"message\":\"No.\"}}"), "500 {\"error\":{\"message\":\"No.\"}}");
}

#[test]
fn no_credit_is_no_credit_whatever_the_status() {
    let kind = |message| error_in_words(message).cause;
    assert_eq!(kind(r#"429 {"error":{"type":"insufficient_quota","message":"x"}}"#), Some(Cause::NoCredit));
    assert_eq!(
        kind(r#"{"error":{"type":"invalid_request_error","code":"invalid_api_key"}}"#),
        Some(Cause::NotLoggedIn)
    );
    assert_eq!(kind(r#"400 {"type":"error","error":{"type":"rate_limit_error"}}"#), Some(Cause::Refused));
    assert_eq!(kind("TypeError: fetch failed"), Some(Cause::Service));
    assert_eq!(kind("Cannot read properties of undefined"), None);
}
