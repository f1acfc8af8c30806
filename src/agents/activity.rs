//! What an agent has done so far, summed up from its events.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::event::{AgentError, AgentEvent};
use crate::record::Usage;

/// How many files, and how many tools that were denied, are remembered by name.
const MOST_NAMES: usize = 1000;

/// What an agent has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// The name by which it can continue its session.
    pub session: Option<String>,
    /// How many times the model has answered.
    pub turns: u64,
    /// How many times it has called a tool.
    pub tools: u64,
    /// The last call of a tool.
    pub last_tool: Option<ToolUse>,
    /// The files that it has changed; at most a thousand.
    pub files: BTreeSet<String>,
    /// All that it has used.
    pub usage: Usage,
    /// The tools that it was not allowed to use; at most a thousand.
    pub denied: BTreeSet<String>,
    /// The commands with which it has made git skip hooks, such as `git commit --no-verify`; at most a thousand.
    pub skipped_hooks: BTreeSet<String>,
    /// The limit that it has hit, unless the model has answered since then.
    pub limit: Option<Limit>,
    /// How many times it has called its service again.
    pub retries: u64,
    /// Why it is calling its service again, unless the model has answered since then.
    pub retrying: Option<AgentError>,
    /// Why it has failed.
    pub error: Option<AgentError>,
    /// The last message so far, which may not be the final one.
    pub last_message: Option<String>,
    /// Its final message. It has ended well if there is one.
    pub final_message: Option<String>,
}

/// The call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ToolUse {
    /// The tool, as the agent calls it.
    pub name: String,
    /// What it was called for; may be empty.
    pub subject: String,
}

/// A rate or usage limit that an agent has hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// When it can work again, if it says so.
    pub resets: Option<DateTime<Utc>>,
}

impl Activity {
    /// Takes an event into account.
    pub fn add(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Session(name) => self.session = Some(name.clone()),
            AgentEvent::Message(text) => self.last_message = Some(text.clone()),
            AgentEvent::Turn => {
                self.turns += 1;
                self.limit = None;
                self.retrying = None;
            }
            AgentEvent::Tool { name, subject } => {
                self.tools += 1;
                if skips_hooks(subject) {
                    insert(&mut self.skipped_hooks, subject);
                }
                self.last_tool = Some(ToolUse { name: name.clone(), subject: subject.clone() });
            }
            AgentEvent::FileChanged(path) => insert(&mut self.files, path),
            AgentEvent::Usage(usage) => self.usage = *usage,
            AgentEvent::Limit { resets } => self.limit = Some(Limit { resets: *resets }),
            AgentEvent::Denied(tool) => insert(&mut self.denied, tool),
            AgentEvent::Retries(error) => {
                self.retries += 1;
                self.retrying = Some(error.clone());
            }
            AgentEvent::Error(error) => {
                self.error = Some(error.clone());
                self.final_message = None;
            }
            AgentEvent::Final(text) => {
                self.error = None;
                self.final_message = Some(text.clone());
            }
        }
    }
}

/// Whether a command makes git skip the hooks of the repository.
fn skips_hooks(command: &str) -> bool {
    let mut words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'', ';', '&', '(', ')']));
    let runs_git = command.contains("git ");
    runs_git && words.any(|word| word == "--no-verify" || word.starts_with("core.hooksPath="))
}

fn insert(names: &mut BTreeSet<String>, name: &str) {
    if names.len() < MOST_NAMES {
        names.insert(name.to_owned());
    }
}

#[cfg(test)]
mod tests;
