//! Commands that are at work while the state is shown.

use serde::Serialize;

/// A command that is at work in a work tree of the repository. What is not known is `None`.
#[derive(Clone, Debug, Serialize)]
pub struct RunAtWork {
    /// The top of its work tree.
    pub work_tree: Option<String>,
    /// Whether that is the work tree whose state is shown.
    pub here: bool,
    /// The command.
    pub command: Option<String>,
    /// The id of its process.
    pub process: Option<u32>,
    /// When it began.
    pub since: Option<String>,
    /// Whether it was killed, and something that it started still runs.
    pub killed: bool,
    /// The task that it works on.
    pub task: Option<String>,
    /// The step.
    pub step: Option<&'static str>,
    /// In which attempt, from 0.
    pub attempt: Option<u32>,
}

impl RunAtWork {
    /// A command that calls itself like this: `gardener (process 1) since 2026-11-20T22:14:05+00:00`.
    #[must_use]
    pub fn named(shown: &str) -> Self {
        let (who, since) = match shown.rsplit_once(" since ") {
            Some((who, since)) => (who, Some(since.to_owned())),
            None => (shown, None),
        };
        let (command, process) = match who.split_once(" (process ") {
            Some((command, rest)) => (command, rest.trim_end_matches(')').parse().ok()),
            None => (who, None),
        };
        Self {
            work_tree: None,
            here: true,
            command: Some(command.to_owned()).filter(|command| !command.is_empty()),
            process,
            since,
            killed: false,
            task: None,
            step: None,
            attempt: None,
        }
    }

    /// It in one line.
    pub(super) fn line(&self) -> String {
        let mut line = "At work".to_owned();
        if !self.here {
            line.push_str(" in another work tree");
            line.extend(self.work_tree.iter().map(|top| format!(", {top}")));
        }
        line.push_str(": ");
        line.push_str(self.command.as_deref().unwrap_or("a command"));
        line.extend(self.process.map(|process| format!(" (process {process})")));
        line.extend(self.since.iter().map(|since| format!(" since {since}")));
        if let (Some(task), Some(step)) = (&self.task, self.step) {
            line.push_str(&format!(", in the {step} step of {task}"));
            line.extend(self.attempt.map(|attempt| format!(" (attempt {})", attempt + 1)));
        }
        if self.killed {
            line.push_str(". It was killed, and something that it started is still running");
        }
        line.push('.');
        line
    }
}
