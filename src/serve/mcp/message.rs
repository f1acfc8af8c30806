//! Messages of JSON-RPC 2.0, one on each line.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::tools::ToolRow;
use crate::config::VERSION;

/// JSON that cannot be read.
const PARSE_ERROR: i32 = -32700;
/// A message that is not a request.
pub const INVALID_REQUEST: i32 = -32600;
/// A method that does not exist.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
/// Parameters that do not fit the method.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// A version of the protocol that is not spoken here.
const UNSUPPORTED_VERSION: i32 = -32022;

const JSON_RPC: &str = "2.0";
/// The field of a result with this server.
const SERVER_FIELD: &str = "io.modelcontextprotocol/serverInfo";
/// How long a client may keep what does not change while the server runs, in milliseconds.
const KEPT: u32 = 3_600_000;

/// The id of a request: a text or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Value);

/// A request, or a notification, which gets no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The id of a request; `None` for a notification.
    pub id: Option<RequestId>,
    /// Its method.
    pub method: String,
    /// Its parameters; empty if there are none.
    pub params: Map<String, Value>,
}

/// A message of ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reply {
    jsonrpc: &'static str,
    #[serde(flatten)]
    body: Body,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Body {
    /// The answer to a request.
    Result { id: Value, result: Answer },
    /// The answer to a request that is wrong.
    Error { id: Value, error: Fault },
    /// News about a call.
    Progress { method: &'static str, params: Progress },
}

/// A result, with what the version without a handshake says in each of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(flatten)]
    said: Said,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<BTreeMap<&'static str, ServerInfo>>,
}

/// What a request is answered with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum Said {
    Initialized {
        protocol_version: &'static str,
        capabilities: Capabilities,
        server_info: ServerInfo,
        instructions: &'static str,
    },
    Discovered {
        supported_versions: Vec<&'static str>,
        capabilities: Capabilities,
        instructions: &'static str,
    },
    Tools {
        tools: &'static [ToolRow],
    },
    /// The same JSON as text and as a structure.
    Called {
        content: [Content; 1],
        structured_content: Value,
        is_error: bool,
    },
    Pong {},
}

/// What the server can do: it has tools, without any option.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Capabilities {
    tools: BTreeMap<String, bool>,
}

/// The name and version of a server.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct ServerInfo {
    name: &'static str,
    version: &'static str,
}

/// This server.
pub(super) const SERVER: ServerInfo = ServerInfo { name: "git-arborist", version: VERSION };

/// A part of what a tool says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Content {
    Text { text: String },
}

/// What is wrong with a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Fault {
    code: i32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Unsupported>,
}

/// The versions of the protocol that are spoken here, and the one that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Unsupported {
    supported: Vec<&'static str>,
    requested: String,
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Progress {
    pub(super) progress_token: Value,
    pub(super) progress: u64,
    pub(super) message: String,
}

impl Reply {
    fn new(body: Body) -> Self {
        Self { jsonrpc: JSON_RPC, body }
    }

    pub(super) fn progress(params: Progress) -> Self {
        Self::new(Body::Progress { method: "notifications/progress", params })
    }

    fn fault(id: Value, code: i32, message: &str) -> Self {
        Self::new(Body::Error { id, error: Fault { code, message: message.to_owned(), data: None } })
    }

    /// The answer to a line that is longer than this many bytes. Nobody has read its id.
    #[must_use]
    pub fn too_long(longest: u64) -> Self {
        let what = format!("this message is too long: it may have {longest} bytes");
        Self::fault(Value::Null, INVALID_REQUEST, &what)
    }
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
    pub(super) fn answer(&self, said: Said, is_stateless: bool) -> Reply {
        let keeps = is_stateless && matches!(said, Said::Discovered { .. } | Said::Tools { .. });
        let result = Answer {
            said,
            result_type: is_stateless.then_some("complete"),
            ttl_ms: keeps.then_some(KEPT),
            cache_scope: keeps.then_some("public"),
            meta: is_stateless.then(|| BTreeMap::from([(SERVER_FIELD, SERVER)])),
        };
        Reply::new(Body::Result { id: self.0.clone(), result })
    }

    /// The answer to the request with this id that its parameters are wrong.
    pub(super) fn wrong(&self, message: &str) -> Reply {
        self.error(INVALID_PARAMS, message)
    }

    /// The answer to the request with this id that it is wrong.
    #[must_use]
    pub fn error(&self, code: i32, message: &str) -> Reply {
        Reply::fault(self.0.clone(), code, message)
    }

    /// The answer that the version which the request has is none of those that are spoken here.
    pub(super) fn unsupported(&self, requested: &str, supported: Vec<&'static str>) -> Reply {
        let message = format!("the version {requested:?} of the protocol is not supported");
        let data = Some(Unsupported { supported, requested: requested.to_owned() });
        let error = Fault { code: UNSUPPORTED_VERSION, message, data };
        Reply::new(Body::Error { id: self.0.clone(), error })
    }
}

/// What a line contains, which need not be UTF-8; `None` for the answer to a request, of which we never make one.
///
/// # Errors
/// With the answer to a line that is none of these.
pub fn parse(line: &[u8]) -> Result<Option<Request>, Reply> {
    let value = serde_json::from_slice::<Value>(line).map_err(|error| {
        Reply::fault(Value::Null, PARSE_ERROR, &format!("this line is not JSON: {error}"))
    })?;
    let Value::Object(mut fields) = value else {
        let what =
            if value.is_array() { "batches are not part of this protocol" } else { "a message is an object" };
        return Err(Reply::fault(Value::Null, INVALID_REQUEST, what));
    };
    let given = fields.remove("id");
    let id = given.as_ref().and_then(RequestId::of);
    let wrong = |code, what| {
        let shown = id.as_ref().map_or(Value::Null, |id| id.0.clone());
        Err(Reply::fault(shown, code, what))
    };
    if fields.get("jsonrpc").and_then(Value::as_str) != Some(JSON_RPC) {
        return wrong(INVALID_REQUEST, "`jsonrpc` must be \"2.0\"");
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        None if fields.contains_key("result") || fields.contains_key("error") => return Ok(None),
        _ => return wrong(INVALID_REQUEST, "`method` must be a string"),
    };
    let params = match fields.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return wrong(INVALID_PARAMS, "`params` must be an object"),
    };
    if given.is_some() && id.is_none() {
        return wrong(INVALID_REQUEST, "`id` must be a string or a whole number");
    }
    Ok(Some(Request { id, method, params }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn code(line: &str) -> (Value, i32) {
        match parse(line.as_bytes()) {
            Err(Reply { body: Body::Error { id, error }, .. }) => (id, error.code),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn requests_notifications_and_answers_are_told_apart() {
        let request = parse(br#"{"jsonrpc": "2.0", "id": "a", "method": "ping"}"#).unwrap();
        let id = RequestId::of(&json!("a"));
        assert_eq!(request, Some(Request { id, method: "ping".to_owned(), params: Map::new() }));
        let notice = parse(br#"{"jsonrpc": "2.0", "method": "x", "params": {"a": 1}}"#).unwrap().unwrap();
        assert_eq!((&notice.id, &notice.params["a"]), (&None, &json!(1)));
        assert_eq!(parse(br#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#), Ok(None));
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
        parse(b"\xff\xfe").expect_err("this is not UTF-8");
    }
}
