//! Decides what a request asks for, in both lifecycles.

use serde_json::{Map, Value};

use super::message::{
    Capabilities, Content, METHOD_NOT_FOUND, Progress, Reply, Request, RequestId, SERVER, Said,
};
use super::tools::{Argument, TOOLS, Tool, ToolRow};

/// The version in which every request says for itself what it needs to know.
const STATELESS: &str = "2026-07-28";
/// The versions that begin with `initialize`, newest first.
const WITH_HANDSHAKE: [&str; 2] = ["2025-11-25", "2025-06-18"];
/// The field of a request with its version.
const VERSION_FIELD: &str = "io.modelcontextprotocol/protocolVersion";
/// The field of a request with its client.
const CLIENT_FIELD: &str = "io.modelcontextprotocol/clientInfo";

const INSTRUCTIONS: &str = "Call unit_next, do what its prompt says by editing files, and call unit_done with its unit. Never commit, \
                            and never claim test results: the server runs the tests itself. If a unit is stale, call unit_next again.";

/// What is said instead to the agent of a step, which has its task already.
const IGNORE: &str = "Ignore this server, and do what your prompt says: you are at work on a step already.";

/// What is known about a client.
#[derive(Debug)]
pub struct ClientSession {
    /// Whether it is the agent of a step, which gets no tools.
    is_of_step: bool,
    /// The name that the client has given with `initialize`.
    client: Option<String>,
}

/// What a request gets.
#[derive(Debug, PartialEq)]
pub enum SessionAnswer {
    /// This message.
    Message(Reply),
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
}

impl ClientSession {
    /// Of a client of which nothing is known, or of the agent of a step.
    #[must_use]
    pub fn new(is_of_step: bool) -> Self {
        Self { is_of_step, client: None }
    }

    /// What the request with this id gets.
    pub fn ask(&mut self, id: &RequestId, request: &Request) -> SessionAnswer {
        self.answer(id, request).unwrap_or_else(SessionAnswer::Message)
    }

    fn answer(
        &mut self,
        id: &RequestId,
        Request { method, params, .. }: &Request,
    ) -> Result<SessionAnswer, Reply> {
        let meta = params.get("_meta").and_then(Value::as_object);
        let is_stateless = match meta.and_then(|meta| meta.get(VERSION_FIELD)) {
            None => false,
            Some(Value::String(version)) if version == STATELESS => true,
            Some(Value::String(version)) => {
                let known = std::iter::once(STATELESS).chain(WITH_HANDSHAKE).collect();
                return Err(id.unsupported(version, known));
            }
            Some(_) => return Err(id.wrong(&format!("`{VERSION_FIELD}` must be a string"))),
        };
        let capabilities = Capabilities::default();
        let instructions = if self.is_of_step { IGNORE } else { INSTRUCTIONS };
        let said = match (method.as_str(), is_stateless) {
            ("initialize", false) => {
                let Some(asked) = params.get("protocolVersion").and_then(Value::as_str) else {
                    return Err(id.wrong("`protocolVersion` must be a string"));
                };
                let known = WITH_HANDSHAKE.into_iter().find(|known| *known == asked);
                let protocol_version = known.unwrap_or(WITH_HANDSHAKE[0]);
                self.client = params.get("clientInfo").map(name_of);
                Said::Initialized { protocol_version, capabilities, server_info: SERVER, instructions }
            }
            ("ping", false) => Said::Pong {},
            ("server/discover", true) => {
                let supported_versions = std::iter::once(STATELESS).chain(WITH_HANDSHAKE).collect();
                Said::Discovered { supported_versions, capabilities, instructions }
            }
            ("server/discover", false) => {
                let what = format!("`_meta` must say the version of the protocol as `{VERSION_FIELD}`");
                return Err(id.wrong(&what));
            }
            ("tools/list", _) if self.is_of_step => Said::Tools { tools: &[] },
            ("tools/list", _) => Said::Tools { tools: TOOLS },
            ("tools/call", _) => {
                return match self.call(id, params, is_stateless) {
                    Ok(call) => Ok(SessionAnswer::Call(call)),
                    Err(what) => Err(id.wrong(&what)),
                };
            }
            _ => return Err(id.error(METHOD_NOT_FOUND, &format!("there is no method {method:?}"))),
        };
        Ok(SessionAnswer::Message(id.answer(said, is_stateless)))
    }

    /// The request that a notification cancels, if it does.
    #[must_use]
    pub fn cancelled(notice: &Request) -> Option<RequestId> {
        let is_cancelled = notice.method == "notifications/cancelled";
        RequestId::of(notice.params.get("requestId")?).filter(|_| is_cancelled)
    }

    /// The call of a tool with these parameters, or what is wrong with them.
    fn call(
        &self,
        id: &RequestId,
        params: &Map<String, Value>,
        is_stateless: bool,
    ) -> Result<ToolCall, String> {
        let name = params.get("name").and_then(Value::as_str).ok_or("`name` must be a string")?;
        if self.is_of_step {
            return Err(IGNORE.to_owned());
        }
        let row = TOOLS.iter().find(|row| row.name == name);
        let ToolRow { tool, arguments: known, .. } =
            row.ok_or_else(|| format!("there is no tool {name:?}"))?;
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err("`arguments` must be an object".to_owned()),
        };
        for (argument, value) in &arguments {
            if !known.iter().any(|known| known.name == argument) {
                return Err(format!("{name} takes no argument {argument:?}"));
            }
            if !value.is_string() {
                return Err(format!("the argument {argument:?} must be a string"));
            }
        }
        let is_missing =
            |argument: &&Argument| argument.is_required && !arguments.contains_key(argument.name);
        if let Some(missing) = known.iter().find(is_missing) {
            return Err(format!("{name} needs the argument {:?}", missing.name));
        }
        let meta = params.get("_meta");
        let own = meta.and_then(|meta| meta.get(CLIENT_FIELD)).map(name_of);
        let client = own.or_else(|| self.client.clone()).unwrap_or_else(|| UNNAMED.to_owned());
        let token = meta.and_then(|meta| meta.get("progressToken")).cloned();
        let token = token.filter(|token| token.is_string() || token.is_number());
        Ok(ToolCall { id: id.clone(), tool: *tool, arguments, client, token, is_stateless })
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
    pub fn answer(&self, document: Value, is_error: bool) -> Reply {
        let content = [Content::Text { text: document.to_string() }];
        let said = Said::Called { content, structured_content: document, is_error };
        self.id.answer(said, self.is_stateless)
    }

    /// News about the call; `None` if the client wants none.
    #[must_use]
    pub fn progress(&self, progress: u64, message: String) -> Option<Reply> {
        let progress_token = self.token.clone()?;
        Some(Reply::progress(Progress { progress_token, progress, message }))
    }
}

/// The name of a client that says none.
const UNNAMED: &str = "mcp-client";

/// The name of a client, in the form in which commits name a worker.
fn name_of(client: &Value) -> String {
    const LIMIT: usize = 40;
    let name = client.get("name").and_then(Value::as_str).unwrap_or_default();
    let fit =
        |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().take(LIMIT).map(fit).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { UNNAMED.to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::mcp::message::parse;
    use serde_json::json;

    fn ask(session: &mut ClientSession, method: &str, params: &Value) -> SessionAnswer {
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let request = parse(line.as_bytes()).unwrap().unwrap();
        session.ask(request.id.as_ref().unwrap(), &request)
    }

    fn written(reply: &Reply) -> Value {
        serde_json::to_value(reply).unwrap()
    }

    fn message_in(session: &mut ClientSession, method: &str, params: &Value) -> Value {
        match ask(session, method, params) {
            SessionAnswer::Message(message) => written(&message),
            SessionAnswer::Call(call) => panic!("{call:?}"),
        }
    }

    fn message(method: &str, params: &Value) -> Value {
        message_in(&mut ClientSession::new(false), method, params)
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
            assert_eq!(said["result"]["serverInfo"]["version"], crate::config::VERSION);
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
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "git-arborist");
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
            |method: &str, params: &Value| message_in(&mut ClientSession::new(true), method, params);
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
        let mut session = ClientSession::new(false);
        ask(
            &mut session,
            "initialize",
            &json!({"protocolVersion": "x", "clientInfo": {"name": "Claude Code"}}),
        );
        let params = json!({"name": "unit_next", "_meta": {"progressToken": 5}});
        let SessionAnswer::Call(call) = ask(&mut session, "tools/call", &params) else { panic!() };
        assert_eq!(call.client, "claude-code");
        let news = written(&call.progress(1, "x".to_owned()).unwrap());
        assert_eq!(news["method"], "notifications/progress");
        assert_eq!(news["params"], json!({"progressToken": 5, "progress": 1, "message": "x"}));
        let result = &written(&call.answer(json!({"a": [1, "\u{1f333}"]}), false))["result"];
        assert!(result.get("resultType").is_none());
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        let params = json!({"name": "unit_next", "_meta": stateless()});
        let SessionAnswer::Call(call) = ask(&mut session, "tools/call", &params) else { panic!() };
        assert_eq!((call.client.as_str(), &call.progress(1, "x".to_owned())), ("my-client", &None));
        assert_eq!(written(&call.answer(json!({"a": 1}), true))["result"]["resultType"], "complete");
    }

    #[test]
    fn the_tools_are_listed_with_a_schema_of_their_arguments() {
        let tools = message("tools/list", &json!({}))["result"]["tools"].clone();
        let names: Vec<&Value> = tools.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["unit_next", "unit_done", "run_status"]);
        assert_eq!(
            tools[0]["inputSchema"],
            json!({"type": "object", "properties": {"task": {"type": "string"}}})
        );
        assert_eq!(tools[0]["annotations"], json!({"readOnlyHint": true}));
        let done = &tools[1];
        assert_eq!((&done["inputSchema"]["required"], done.get("annotations")), (&json!(["unit"]), None));
        let note = &done["inputSchema"]["properties"]["note"];
        assert_eq!(
            note,
            &json!({"type": "string", "description": "What a reviewer should know about your work"})
        );
        assert_eq!(tools[2]["inputSchema"], json!({"type": "object"}));
    }
}
