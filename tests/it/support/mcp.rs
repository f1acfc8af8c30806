//! A server of the Model Context Protocol, and messages to it over pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::garden::{Garden, one_task};

/// A repository without an agent, with a task that is judged by `sh tests/check.sh`.
pub(crate) fn test_first() -> Garden {
    let mut tree = one_task(&["sh tests/check.sh"]);
    tree["nodes"]["T001"]["test_first"] = json!(true);
    tree["nodes"]["T001"]["description"] = json!("Write the word right into T001.txt. ".repeat(40));
    without_agent(&tree)
}

pub(crate) fn without_agent(tree: &Value) -> Garden {
    let garden = Garden::new(tree);
    garden.git(&["config", "--remove-section", "arborist"]);
    garden
}

/// Configures a reviewer, who is no agent for other steps.
pub(crate) fn with_reviewer(garden: &Garden, says: &str) {
    garden.runner("reviewer", &format!("cat > /dev/null; {says}"));
    garden.config("arborist.review.runner", "reviewer");
}

/// A server and the pipes to it.
pub(crate) struct Server {
    child: Child,
    pub(crate) input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    count: u64,
}

impl Server {
    pub(crate) fn start(garden: &Garden) -> Self {
        Self::start_as(garden.arborist(&["mcp"]))
    }

    /// The same with this command.
    pub(crate) fn start_as(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Self { child, input, output, count: 0 };
        let params = json!({"protocolVersion": "2025-11-25", "clientInfo": {"name": "test", "version": "1"}});
        assert_eq!(server.ask("initialize", &params)["result"]["protocolVersion"], "2025-11-25");
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.line(message.to_string().as_bytes());
    }

    pub(crate) fn line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(&[line, b"\n"].concat()).unwrap();
    }

    pub(crate) fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server is gone");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a request, and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.count += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}));
        self.count
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub(crate) fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({"name": name, "arguments": arguments}));
        let result = answer["result"].clone();
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        let mut said = result["structuredContent"].clone();
        said["isError"] = result["isError"].clone();
        said
    }

    /// Reads no more answers and closes our end, as a program that has ended, and returns the exit status.
    pub(crate) fn leave(self) -> Option<i32> {
        let Self { mut child, input, output, .. } = self;
        drop(output);
        drop(input);
        child.wait().unwrap().code()
    }

    /// Closes our end, and returns the exit status.
    pub(crate) fn close(mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().unwrap().code()
    }
}

/// The unit that is next, or a text that is none.
pub(crate) fn server_unit(server: &mut Server) -> Value {
    let unit = server.tool("unit_next", &json!({}))["unit"].clone();
    if unit.is_null() { json!("none") } else { unit }
}
