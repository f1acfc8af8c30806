//! Messages of JSON-RPC 2.0, one on each line.

use serde_json::{Map, Value, json};

/// JSON that cannot be read.
pub(super) const PARSE_ERROR: i32 = -32700;
/// A message that is not a request.
pub(super) const INVALID_REQUEST: i32 = -32600;
/// A method that does not exist.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
/// Parameters that do not fit the method.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// A version of the protocol that is not spoken here.
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// The id of a request: a text or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Value);

/// A request, which gets an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its id.
    pub id: RequestId,
    /// Its method.
    pub method: String,
    /// Its parameters; empty if there are none.
    pub params: Map<String, Value>,
}

/// A notification, which gets none.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Its method.
    pub method: String,
    /// Its parameters; empty if there are none.
    pub params: Map<String, Value>,
}

/// What a line contains.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A request.
    Request(Request),
    /// A notification.
    Notice(Notice),
    /// The answer to a request. We never make one, so it means nothing.
    Answer,
    /// Something else, and the error with which it is answered.
    Wrong(Value),
}

impl RequestId {
    /// The id in this value; `None` if it cannot be one.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(_) => Some(Self(value.clone())),
            // The protocol allows no fractions.
            Value::Number(number) if number.is_i64() || number.is_u64() => Some(Self(value.clone())),
            _ => None,
        }
    }

    /// The answer to the request with this id.
    #[must_use]
    pub fn answer(&self, result: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.0, "result": result})
    }

    /// The answer to the request with this id that it is wrong.
    #[must_use]
    pub fn error(&self, code: i32, message: &str) -> Value {
        error_for(&self.0, code, message)
    }

    /// The same with data for programs.
    #[must_use]
    pub fn error_with(&self, code: i32, message: &str, data: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.0, "error": {"code": code, "message": message, "data": data}})
    }
}

fn error_for(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// The answer to a line that is longer than this many bytes. Nobody has read its id.
#[must_use]
pub fn too_long(longest: u64) -> Value {
    error_for(
        &Value::Null,
        INVALID_REQUEST,
        &format!("this message is too long: it may have {longest} bytes"),
    )
}

/// What a line contains, which need not be UTF-8.
#[must_use]
pub fn parse(line: &[u8]) -> Message {
    let value = match serde_json::from_slice::<Value>(line) {
        Ok(value) => value,
        Err(error) => {
            let what = format!("this line is not JSON: {error}");
            return Message::Wrong(error_for(&Value::Null, PARSE_ERROR, &what));
        }
    };
    let wrong = |id: &Value, what: &str| Message::Wrong(error_for(id, INVALID_REQUEST, what));
    let Value::Object(mut fields) = value else {
        let what =
            if value.is_array() { "batches are not part of this protocol" } else { "a message is an object" };
        return wrong(&Value::Null, what);
    };
    let given = fields.remove("id");
    let id = given.as_ref().and_then(RequestId::of);
    let shown = id.as_ref().map_or(Value::Null, |id| id.0.clone());
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return wrong(&shown, "`jsonrpc` must be \"2.0\"");
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        None if fields.contains_key("result") || fields.contains_key("error") => return Message::Answer,
        _ => return wrong(&shown, "`method` must be a string"),
    };
    let params = match fields.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Message::Wrong(error_for(&shown, INVALID_PARAMS, "`params` must be an object")),
    };
    match (given, id) {
        (None, _) => Message::Notice(Notice { method, params }),
        (Some(_), Some(id)) => Message::Request(Request { id, method, params }),
        (Some(_), None) => wrong(&Value::Null, "`id` must be a string or a whole number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> (Value, i64) {
        match parse(line.as_bytes()) {
            Message::Wrong(answer) => (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn requests_notifications_and_answers_are_told_apart() {
        let request = parse(br#"{"jsonrpc": "2.0", "id": "a", "method": "ping"}"#);
        let id = RequestId::of(&json!("a")).unwrap();
        assert_eq!(request, Message::Request(Request { id, method: "ping".to_owned(), params: Map::new() }));
        let notice = parse(br#"{"jsonrpc": "2.0", "method": "x", "params": {"a": 1}}"#);
        let Message::Notice(notice) = notice else { panic!("{notice:?}") };
        assert_eq!(notice.params["a"], 1);
        assert_eq!(parse(br#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#), Message::Answer);
    }

    #[test]
    fn what_is_no_message_is_answered_with_the_code_for_it() {
        let cases = [
            ("", (Value::Null, -32700)),
            ("{", (Value::Null, -32700)),
            ("[]", (Value::Null, -32600)),
            (r#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#, (Value::Null, -32600)),
            ("7", (Value::Null, -32600)),
            (r#"{"id": 1, "method": "ping"}"#, (json!(1), -32600)),
            (r#"{"jsonrpc": "2.0", "id": 1}"#, (json!(1), -32600)),
            (r#"{"jsonrpc": "2.0", "id": 1, "method": 2}"#, (json!(1), -32600)),
            (r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, (Value::Null, -32600)),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, (Value::Null, -32600)),
            (r#"{"jsonrpc": "2.0", "id": "b", "method": "ping", "params": [1]}"#, (json!("b"), -32602)),
        ];
        for (line, expected) in cases {
            assert_eq!(code(line), expected, "{line}");
        }
        let Message::Wrong(_) = parse(b"\xff\xfe") else { panic!("this is not UTF-8") };
    }
}
