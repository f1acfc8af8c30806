//! The clients of the Model Context Protocol whose files we know, and our entry in them.

use serde_json::{Value, json};

use super::json_text;

/// The name of our entry.
const NAME: &str = "git-arborist";
/// The heading of our part of a TOML file.
const HEADING: &str = "[mcp_servers.git-arborist]";

/// The member that opencode adds to its file, and its value.
const SCHEMA: (&str, &str) = ("$schema", "https://opencode.ai/config.json");

#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its file, from the top of the work tree.
    pub(super) file: &'static str,
    /// What is there if the client is used here.
    traces: &'static [&'static str],
    form: Form,
    /// What it asks before it starts a server of a repository, as a sentence; empty if it asks nothing.
    pub(crate) asks: &'static str,
}

/// How a client writes its servers.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// In this member of a JSON object, as a command and its arguments.
    Json(&'static str),
    /// The same with the type of the server.
    Typed(&'static str),
    /// As one list of words, with a type.
    OpenCode,
    /// In TOML.
    Codex,
}

/// All clients, sorted by name.
pub(crate) const CLIENTS: [Client; 6] = [
    Client {
        name: "claude",
        file: ".mcp.json",
        traces: &[".mcp.json", ".claude", "CLAUDE.md"],
        form: Form::Json("mcpServers"),
        asks: "claude asks first whether it may start the servers of this file.",
    },
    Client {
        name: "codex",
        file: ".codex/config.toml",
        traces: &[".codex"],
        form: Form::Codex,
        asks: "codex asks first whether it may trust this folder, and ignores this file until then.",
    },
    Client {
        name: "cursor",
        file: ".cursor/mcp.json",
        traces: &[".cursor"],
        form: Form::Json("mcpServers"),
        asks: "Cursor starts the server once you have switched it on in its settings for MCP.",
    },
    Client {
        name: "gemini",
        file: ".gemini/settings.json",
        traces: &[".gemini", "GEMINI.md"],
        form: Form::Json("mcpServers"),
        asks: "gemini asks first whether it may trust this folder, and starts no server of it until then.",
    },
    Client {
        name: "opencode",
        file: "opencode.json",
        traces: &["opencode.json", ".opencode"],
        form: Form::OpenCode,
        asks: "",
    },
    Client {
        name: "vscode",
        file: ".vscode/mcp.json",
        traces: &[".vscode"],
        form: Form::Typed("servers"),
        asks: "VS Code asks first whether you trust the server, and asks again when its entry changes.",
    },
];

impl Client {
    /// What shows that it is used here.
    pub(super) fn traces(&self) -> &'static [&'static str] {
        self.traces
    }

    /// Whether a file has an entry of ours. One that cannot be read has none.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match self.form {
            Form::Codex => text.lines().any(|line| line.trim() == HEADING),
            _ => json_text::get(text, &self.place(text)).is_ok_and(|entry| entry.is_some()),
        }
    }

    /// The file with our entry as it ought to be.
    ///
    /// # Errors
    /// If the file cannot be understood: why, as a clause.
    pub(super) fn with_entry(&self, text: &str) -> Result<String, String> {
        let entry = match self.form {
            Form::Codex => return with_toml(text),
            Form::Json(_) => json!({"command": "git", "args": ["arborist", "mcp"]}),
            Form::Typed(_) => json!({"type": "stdio", "command": "git", "args": ["arborist", "mcp"]}),
            Form::OpenCode => json!({"type": "local", "command": ["git", "arborist", "mcp"]}),
        };
        let with_schema = self.with_schema(text)?;
        let text = with_schema.as_str();
        let place = self.place(text);
        match json_text::get(text, &place)? {
            // Other fields of it, such as a time limit, are the user's.
            Some(there) if has_all(&there, &entry) => Ok(text.to_owned()),
            Some(there) => json_text::set(text, &place, &merged(there, &entry)),
            None => json_text::set(text, &place, &entry),
        }
    }

    /// The text with what the client itself would add as soon as it reads the file.
    fn with_schema(&self, text: &str) -> Result<String, String> {
        match self.form {
            Form::OpenCode if json_text::get(text, &[SCHEMA.0])?.is_none() => {
                json_text::set(text, &[SCHEMA.0], &json!(SCHEMA.1))
            }
            _ => Ok(text.to_owned()),
        }
    }

    fn place(&self, text: &str) -> Vec<&'static str> {
        match self.form {
            Form::Json(member) | Form::Typed(member) => vec![member, NAME],
            // Newer versions have one member more.
            Form::OpenCode => match json_text::get(text, &["mcp", "servers"]) {
                Ok(Some(Value::Object(servers))) if !servers.contains_key("type") => {
                    vec!["mcp", "servers", NAME]
                }
                _ => vec!["mcp", NAME],
            },
            Form::Codex => Vec::new(),
        }
    }
}

fn has_all(there: &Value, wanted: &Value) -> bool {
    wanted.as_object().is_some_and(|wanted| wanted.iter().all(|(name, value)| there.get(name) == Some(value)))
}

fn merged(there: Value, wanted: &Value) -> Value {
    let Value::Object(mut fields) = there else { return wanted.clone() };
    for (name, value) in wanted.as_object().into_iter().flatten() {
        fields.insert(name.clone(), value.clone());
    }
    Value::Object(fields)
}

/// A TOML file with our table. The lines of others stay as they are.
fn with_toml(text: &str) -> Result<String, String> {
    const LINES: [&str; 2] = ["command = \"git\"", "args = [\"arborist\", \"mcp\"]"];
    let lines: Vec<&str> = text.lines().collect();
    let Some(start) = lines.iter().position(|line| line.trim() == HEADING) else {
        if text.contains(NAME) {
            return Err(format!("it mentions {NAME}, but has no line {HEADING}"));
        }
        let gap = if text.trim().is_empty() { "" } else { "\n" };
        let text =
            if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
        return Ok(format!("{text}{gap}{HEADING}\n{}\n{}\n", LINES[0], LINES[1]));
    };
    let end = lines[start + 1..].iter().position(|line| line.trim_start().starts_with('['));
    let end = end.map_or(lines.len(), |length| start + 1 + length);
    let own = &lines[start + 1..end];
    if LINES.iter().all(|wanted| own.iter().any(|line| line.trim() == *wanted)) {
        return Ok(text.to_owned());
    }
    let is_key = |line: &str, key: &str| line.split('=').next().is_some_and(|before| before.trim() == key);
    let others = own.iter().filter(|line| !is_key(line, "command") && !is_key(line, "args"));
    let mut new: Vec<&str> = lines[..=start].to_vec();
    new.extend(LINES);
    new.extend(others);
    new.extend(&lines[end..]);
    Ok(format!("{}\n", new.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_gets_its_entry_once_and_keeps_what_is_its_own() {
        for client in CLIENTS {
            let new = client.with_entry("").unwrap();
            assert!(client.is_in(&new), "{}: {new}", client.name);
            assert_eq!(client.with_entry(&new).unwrap(), new, "{}", client.name);
            let old = new.replace("\"mcp\"]", "\"old\"]").replace(
                "\"mcp\"
", "\"old\"
",
            );
            let repaired = client.with_entry(&old).unwrap();
            assert!(old != new && !repaired.contains("old"), "{}: {repaired}", client.name);
        }
        let own = CLIENTS[0].with_entry(r#"{"mcpServers": {"git-arborist": {"timeout": 9}}}"#).unwrap();
        let own: Value = serde_json::from_str(&own).unwrap();
        assert_eq!(own["mcpServers"]["git-arborist"]["timeout"], 9);
    }

    #[test]
    fn tables_of_others_in_toml_stay() {
        let codex = CLIENTS[1];
        let text = "model = \"x\"\n\n[mcp_servers.git-arborist]\ncommand = \"old\" \nenabled = true\n\n[tools]\na = 1\n";
        let new = codex.with_entry(text).unwrap();
        assert_eq!(
            new,
            "model = \"x\"\n\n[mcp_servers.git-arborist]\ncommand = \"git\"\nargs = [\"arborist\", \"mcp\"]\nenabled = true\n\n\
             [tools]\na = 1\n"
        );
        assert_eq!(codex.with_entry(&new).unwrap(), new);
        assert_eq!(codex.with_entry("a = 1").unwrap().lines().next(), Some("a = 1"));
        assert!(codex.with_entry("mcp_servers = { git-arborist = {} }").is_err());
    }

    #[test]
    fn newer_files_of_opencode_are_understood() {
        let opencode = CLIENTS[4];
        let new = opencode.with_entry(r#"{"mcp": {"servers": {}}}"#).unwrap();
        let new: Value = serde_json::from_str(&new).unwrap();
        assert_eq!(new["mcp"]["servers"]["git-arborist"]["type"], "local");
        assert_eq!(new["$schema"], "https://opencode.ai/config.json");
        let own = r#"{"$schema": "https://example.com/own.json"}"#;
        assert!(opencode.with_entry(own).unwrap().contains("https://example.com/own.json"));
    }
}
