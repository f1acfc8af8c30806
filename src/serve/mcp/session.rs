//! Decides what a request asks for, in both lifecycles.

use serde_json::{Map, Value, json};

use super::message::{INVALID_PARAMS, METHOD_NOT_FOUND, Notice, Request, RequestId, UNSUPPORTED_VERSION};
use super::tools::{self, Tool};

/// The version in which every request says for itself what it needs to know.
const STATELESS: &str = "2026-07-28";
/// The versions that begin with `initialize`, newest first.
const WITH_HANDSHAKE: [&str; 2] = ["2025-11-25", "2025-06-18"];
/// The field of a request with its version.
const VERSION_FIELD: &str = "io.modelcontextprotocol/protocolVersion";
/// The field of a request with its client.
const CLIENT_FIELD: &str = "io.modelcontextprotocol/clientInfo";
/// The field of a result with this server.
const SERVER_FIELD: &str = "io.modelcontextprotocol/serverInfo";
/// How long a client may keep what does not change while the server runs, in milliseconds.
const KEPT: u32 = 3_600_000;

const INSTRUCTIONS: &str = "Call unit_next, do what its prompt says by editing files, and call unit_done with its unit. Never commit, \
                            and never claim test results: the server runs the tests itself. If a unit is stale, call unit_next again.";

/// What is said instead to the agent of a step, which has its task already.
const IGNORE: &str = "Ignore this server, and do what your prompt says: you are at work on a step already.";

/// What is known about a client.
#[derive(Debug)]
pub struct ClientSession {
    version: &'static str,
    /// Whether it is the agent of a step, which gets no tools.
    is_of_step: bool,
    /// The name that the client has given with `initialize`.
    client: Option<String>,
}

/// What a request gets.
#[derive(Debug, PartialEq)]
pub enum SessionAnswer {
    /// This message.
    Message(Value),
    /// What a tool says.
    Call(ToolCall),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The request.
    pub id: RequestId,
    /// The tool.
    pub tool: Tool,
    /// Its arguments, all of which are texts.
    pub arguments: Map<String, Value>,
    /// The name of the client.
    pub client: String,
    /// With what the client recognises news about this call; `None` if it wants none.
    pub token: Option<Value>,
    /// Whether the request has the version without a handshake.
    is_stateless: bool,
    version: &'static str,
}

impl ClientSession {
    /// Of a client of which nothing is known, with this version of our program.
    #[must_use]
    pub fn new(version: &'static str) -> Self {
        Self { version, is_of_step: false, client: None }
    }

    /// Of the agent of a step.
    #[must_use]
    pub fn of_step(version: &'static str) -> Self {
        Self { is_of_step: true, ..Self::new(version) }
    }

    fn instructions(&self) -> &'static str {
        if self.is_of_step { IGNORE } else { INSTRUCTIONS }
    }

    fn tools(&self) -> Value {
        if self.is_of_step { json!({"tools": []}) } else { tools::list() }
    }

    /// What a request gets.
    pub fn ask(&mut self, request: &Request) -> SessionAnswer {
        self.answer(request).unwrap_or_else(SessionAnswer::Message)
    }

    fn answer(&mut self, request: &Request) -> Result<SessionAnswer, Value> {
        let Request { id, method, params } = request;
        let meta = params.get("_meta").and_then(Value::as_object);
        let is_stateless = match meta.and_then(|meta| meta.get(VERSION_FIELD)) {
            None => false,
            Some(Value::String(version)) if version == STATELESS => true,
            Some(Value::String(version)) => return Err(unsupported(id, version)),
            Some(_) => return Err(id.error(INVALID_PARAMS, &format!("`{VERSION_FIELD}` must be a string"))),
        };
        let result = match (method.as_str(), is_stateless) {
            ("initialize", false) => self.initialize(id, params)?,
            ("ping", false) => json!({}),
            ("server/discover", true) => discovered(self.instructions()),
            ("server/discover", false) => {
                let what = format!("`_meta` must say the version of the protocol as `{VERSION_FIELD}`");
                return Err(id.error(INVALID_PARAMS, &what));
            }
            ("tools/list", true) => cacheable(self.tools()),
            ("tools/list", false) => self.tools(),
            ("tools/call", _) => return self.call(request, is_stateless).map(SessionAnswer::Call),
            _ => return Err(id.error(METHOD_NOT_FOUND, &format!("there is no method {method:?}"))),
        };
        let result = if is_stateless { complete(result, &self.server()) } else { result };
        Ok(SessionAnswer::Message(id.answer(&result)))
    }

    /// The request that a notification cancels, if it does.
    #[must_use]
    pub fn cancelled(notice: &Notice) -> Option<RequestId> {
        let is_cancelled = notice.method == "notifications/cancelled";
        RequestId::of(notice.params.get("requestId")?).filter(|_| is_cancelled)
    }

    fn server(&self) -> Value {
        json!({"name": "git-arborist", "version": self.version})
    }

    fn initialize(&mut self, id: &RequestId, params: &Map<String, Value>) -> Result<Value, Value> {
        let Some(asked) = params.get("protocolVersion").and_then(Value::as_str) else {
            return Err(id.error(INVALID_PARAMS, "`protocolVersion` must be a string"));
        };
        let version = WITH_HANDSHAKE.into_iter().find(|known| *known == asked).unwrap_or(WITH_HANDSHAKE[0]);
        self.client = params.get("clientInfo").map(name_of);
        Ok(json!({
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": self.server(),
            "instructions": self.instructions(),
        }))
    }

    fn call(&self, request: &Request, is_stateless: bool) -> Result<ToolCall, Value> {
        let Request { id, params, .. } = request;
        let wrong = |what: String| id.error(INVALID_PARAMS, &what);
        let name = params
            .get("name")
            .and_then(Value::as_str)
            .ok_or_else(|| wrong("`name` must be a string".to_owned()))?;
        let tool = Tool::named(name).filter(|_| !self.is_of_step);
        let tool = tool.ok_or_else(|| match self.is_of_step {
            true => wrong(IGNORE.to_owned()),
            false => wrong(format!("there is no tool {name:?}")),
        })?;
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err(wrong("`arguments` must be an object".to_owned())),
        };
        let (known, required) = tool.arguments();
        for (name, value) in &arguments {
            if !known.contains(&name.as_str()) {
                return Err(wrong(format!("{} takes no argument {name:?}", tool.name())));
            }
            if !value.is_string() {
                return Err(wrong(format!("the argument {name:?} must be a string")));
            }
        }
        if let Some(missing) = known[..required].iter().find(|name| !arguments.contains_key(**name)) {
            return Err(wrong(format!("{} needs the argument {missing:?}", tool.name())));
        }
        let meta = params.get("_meta");
        let own = meta.and_then(|meta| meta.get(CLIENT_FIELD)).map(name_of);
        let client = own.or_else(|| self.client.clone()).unwrap_or_else(|| "mcp-client".to_owned());
        let token = meta.and_then(|meta| meta.get("progressToken")).cloned();
        let token = token.filter(|token| token.is_string() || token.is_number());
        Ok(ToolCall { id: id.clone(), tool, arguments, client, token, is_stateless, version: self.version })
    }
}

impl ToolCall {
    /// An argument; empty if it is not given.
    #[must_use]
    pub fn argument(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The message with what the tool says.
    #[must_use]
    pub fn answer(&self, answer: &Value, is_error: bool) -> Value {
        let result = tools::result(answer, is_error);
        let server = json!({"name": "git-arborist", "version": self.version});
        self.id.answer(&if self.is_stateless { complete(result, &server) } else { result })
    }

    /// News about the call; `None` if the client wants none.
    #[must_use]
    pub fn progress(&self, count: u64, text: &str) -> Option<Value> {
        let token = self.token.as_ref()?;
        let params = json!({"progressToken": token, "progress": count, "message": text});
        Some(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
    }
}

fn unsupported(id: &RequestId, asked: &str) -> Value {
    let data = json!({"supported": versions(), "requested": asked});
    id.error_with(
        UNSUPPORTED_VERSION,
        &format!("the version {asked:?} of the protocol is not supported"),
        &data,
    )
}

fn versions() -> Vec<&'static str> {
    std::iter::once(STATELESS).chain(WITH_HANDSHAKE).collect()
}

fn discovered(instructions: &str) -> Value {
    cacheable(json!({
        "supportedVersions": versions(),
        "capabilities": {"tools": {}},
        "instructions": instructions,
    }))
}

/// A result that a client may keep.
fn cacheable(mut result: Value) -> Value {
    result["ttlMs"] = json!(KEPT);
    result["cacheScope"] = json!("public");
    result
}

/// A result in the form of the version without a handshake.
fn complete(mut result: Value, server: &Value) -> Value {
    result["resultType"] = json!("complete");
    result["_meta"] = json!({SERVER_FIELD: server});
    result
}

/// The name of a client, in the form in which commits name a worker.
fn name_of(client: &Value) -> String {
    const LIMIT: usize = 40;
    let name = client.get("name").and_then(Value::as_str).unwrap_or_default();
    let fit =
        |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().take(LIMIT).map(fit).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "mcp-client".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::mcp::message::{Message, parse};

    fn ask(session: &mut ClientSession, method: &str, params: &Value) -> SessionAnswer {
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let Message::Request(request) = parse(line.as_bytes()) else { panic!("{line}") };
        session.ask(&request)
    }

    fn message(method: &str, params: &Value) -> Value {
        match ask(&mut ClientSession::new("1.0"), method, params) {
            SessionAnswer::Message(message) => message,
            SessionAnswer::Call(call) => panic!("{call:?}"),
        }
    }

    fn stateless() -> Value {
        json!({VERSION_FIELD: STATELESS, CLIENT_FIELD: {"name": "My Client!", "version": "2"}})
    }

    #[test]
    fn initialize_agrees_on_a_version_that_both_sides_know() {
        for (asked, expected) in
            [("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25")]
        {
            let said = message("initialize", &json!({"protocolVersion": asked}));
            assert_eq!(said["result"]["protocolVersion"], expected);
            assert_eq!(said["result"]["serverInfo"]["version"], "1.0");
            assert!(said["result"].get("resultType").is_none());
        }
        assert_eq!(message("initialize", &json!({}))["error"]["code"], -32602);
    }

    #[test]
    fn without_a_handshake_every_request_says_its_version() {
        let said = message("server/discover", &json!({"_meta": stateless()}));
        let result = &said["result"];
        assert_eq!(result["supportedVersions"], json!(["2026-07-28", "2025-11-25", "2025-06-18"]));
        assert_eq!((&result["resultType"], &result["cacheScope"]), (&json!("complete"), &json!("public")));
        assert_eq!(result["_meta"][SERVER_FIELD]["name"], "git-arborist");
        assert_eq!(message("server/discover", &json!({}))["error"]["code"], -32602);
        let said = message("tools/list", &json!({"_meta": {VERSION_FIELD: "2030-01-01"}}));
        assert_eq!(said["error"]["code"], -32022);
        assert_eq!(said["error"]["data"]["requested"], "2030-01-01");
        assert_eq!(said["error"]["data"]["supported"][0], STATELESS);
        // This version has no ping and no handshake.
        for method in ["ping", "initialize"] {
            assert_eq!(message(method, &json!({"_meta": stateless()}))["error"]["code"], -32601);
        }
        assert_eq!(message("ping", &json!({}))["result"], json!({}));
        assert_eq!(message("resources/list", &json!({}))["error"]["code"], -32601);
    }

    #[test]
    fn the_agent_of_a_step_gets_no_tools_and_is_told_to_ignore_the_server() {
        let of_step =
            |method: &str, params: &Value| match ask(&mut ClientSession::of_step("1.0"), method, params) {
                SessionAnswer::Message(message) => message,
                SessionAnswer::Call(call) => panic!("{call:?}"),
            };
        for meta in [json!({"protocolVersion": "x"}), json!({"_meta": stateless()})] {
            assert_eq!(of_step("tools/list", &meta)["result"]["tools"], json!([]));
        }
        let said = [
            of_step("initialize", &json!({"protocolVersion": "x"}))["result"]["instructions"].clone(),
            of_step("server/discover", &json!({"_meta": stateless()}))["result"]["instructions"].clone(),
            of_step("tools/call", &json!({"name": "unit_next"}))["error"]["message"].clone(),
        ];
        assert!(said.iter().all(|said| said == IGNORE), "{said:?}");
    }

    #[test]
    fn arguments_that_a_tool_does_not_take_are_refused() {
        let wrong = [
            json!({}),
            json!({"name": 7}),
            json!({"name": "unit_undo"}),
            json!({"name": "unit_done"}),
            json!({"name": "unit_done", "arguments": []}),
            json!({"name": "unit_done", "arguments": {"unit": 7}}),
            json!({"name": "unit_done", "arguments": {"unit": "x", "tests_passed": "99"}}),
        ];
        for params in wrong {
            assert_eq!(message("tools/call", &params)["error"]["code"], -32602, "{params}");
        }
    }

    #[test]
    fn a_call_knows_its_client_in_both_lifecycles() {
        let mut session = ClientSession::new("1.0");
        ask(
            &mut session,
            "initialize",
            &json!({"protocolVersion": "x", "clientInfo": {"name": "Claude Code"}}),
        );
        let params = json!({"name": "unit_next", "_meta": {"progressToken": 5}});
        let SessionAnswer::Call(call) = ask(&mut session, "tools/call", &params) else { panic!() };
        assert_eq!(call.client, "claude-code");
        assert_eq!(call.progress(1, "x").unwrap()["params"]["progressToken"], 5);
        assert!(call.answer(&json!({}), false)["result"].get("resultType").is_none());
        let params = json!({"name": "unit_next", "_meta": stateless()});
        let SessionAnswer::Call(call) = ask(&mut session, "tools/call", &params) else { panic!() };
        assert_eq!((call.client.as_str(), &call.progress(1, "x")), ("my-client", &None));
        assert_eq!(call.answer(&json!({"a": 1}), true)["result"]["resultType"], "complete");
    }

    #[test]
    fn an_answer_is_the_same_as_text_and_as_a_structure() {
        let result = tools::result(&json!({"a": [1, "\u{1f333}"]}), false);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
    }
}
