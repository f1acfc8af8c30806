//! What the agent of a step has done so far.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lengths::whole_seconds;
use crate::agents::ToolUse;
use crate::record::{Cost, Step, TaskId, Usage, grouped};
use crate::text::duration;

/// For how long an agent may do nothing before the words about it say so.
const QUIET: Duration = Duration::from_secs(10);

/// What the agent of a step has done so far, as far as it tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentProgress {
    /// The task.
    pub task: TaskId,
    /// The step.
    pub step: Step,
    /// The runner, and its model behind a slash.
    pub runner: String,
    /// How many turns it has completed.
    pub turns: u64,
    /// How many tools it has called.
    pub tools: u64,
    /// The last of them.
    pub last_tool: Option<ToolUse>,
    /// How many files it has changed.
    #[serde(rename = "files_changed")]
    pub files: usize,
    /// What it has used.
    #[serde(flatten)]
    pub usage: Usage,
    /// The last line that it has printed, if it tells nothing else; only a worker of `--jobs` says it.
    #[serde(default)]
    pub line: Option<String>,
    /// How long ago the last turn or call of a tool was.
    #[serde(rename = "idle_seconds", with = "whole_seconds")]
    #[cfg_attr(test, schemars(with = "u64"))]
    pub idle: Duration,
}

impl AgentProgress {
    /// It in a few words; empty if the agent has told nothing yet. What matters most comes first, because a narrow terminal
    /// cuts the end; `first` comes before everything else but for how long the agent is quiet.
    #[must_use]
    pub fn words(&self, first: Option<String>) -> String {
        let Self { turns, files, usage, last_tool, line, idle, .. } = self;
        let count = |number: u64, noun: &str| match number {
            0 => None,
            1 => Some(format!("1 {noun}")),
            _ => Some(format!("{number} {noun}s")),
        };
        let told = [
            first,
            count(*turns, "turn"),
            count(*files as u64, "file"),
            usage.tokens.total().map(|tokens| format!("{} tokens", grouped(tokens))),
            usage.cost.map(Cost::told),
            last_tool.as_ref().map(|tool| format!("{} {}", tool.name, tool.subject).trim_end().to_owned()),
            line.clone(),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        let is_quiet = *idle >= QUIET && !told.is_empty();
        let quiet = is_quiet.then(|| format!("quiet for {}", duration(*idle)));
        quiet.into_iter().chain(told).collect::<Vec<_>>().join(" · ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_say_first_for_how_long_an_agent_is_quiet_and_last_what_it_works_on() {
        let told = |turns: u64, idle: u64| AgentProgress {
            task: TaskId::parse("T001").unwrap(),
            step: Step::IMPLEMENT,
            runner: "agent".to_owned(),
            turns,
            tools: turns,
            last_tool: (turns > 0)
                .then(|| ToolUse { name: "Edit".to_owned(), subject: "src/a.rs".to_owned() }),
            files: usize::from(turns > 0),
            usage: Usage::default(),
            line: None,
            idle: Duration::from_secs(idle),
        };
        assert_eq!(told(0, 60).words(None), "");
        let line = Some("reads the schema".to_owned());
        assert_eq!(AgentProgress { line, ..told(0, 0) }.words(None), "reads the schema");
        assert_eq!(told(1, 0).words(None), "1 turn · 1 file · Edit src/a.rs");
        let quiet = told(1, 60).words(Some("tries again".to_owned()));
        assert!(quiet.starts_with("quiet for 1 min · tries again · 1 turn"), "{quiet}");
    }
}
