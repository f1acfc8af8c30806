//! Reads `aider --no-pretty --no-stream`.
//!
//! It prints text and exits with 0, whatever happens. A line with its tokens follows every answer of the model, and no error:
//! so the last answer is the final message, unless an error comes after it.

use super::errors::error;
use super::work::{LastWords, Work, WorkEnding};
use crate::agents::event::{AgentError, AgentEvent};

/// The last line of what it says about itself before it begins.
const BEGINS: &str = "Repo-map: ";
/// The beginning of the line that follows an answer.
const ANSWERED: &str = "Tokens: ";
/// The beginning of an error of the library with which it calls models.
const ERROR: &str = "litellm.";
/// How many lines of an error are kept. It breaks them after 80 characters.
const ERROR_LINES: usize = 10;

/// Reads the text.
#[derive(Debug, Default)]
pub(super) struct Aider {
    /// What was printed since the last answer ended.
    printed: LastWords,
    answer: LastWords,
    /// The lines of an error after it.
    error: Vec<String>,
    is_in_error: bool,
}

impl Aider {
    /// Reads a line.
    pub(super) fn read(&mut self, line: &str, work: &mut Work) {
        if line.starts_with(BEGINS) && self.answer.get().is_none() {
            self.printed.forget();
        } else if line.starts_with(ANSWERED) && line.contains(" sent") {
            work.events.push(AgentEvent::Turn);
            work.says(self.printed.get().map(str::trim));
            self.answer = std::mem::take(&mut self.printed);
            self.error.clear();
            self.is_in_error = false;
        } else if line.starts_with(ERROR) {
            self.error = vec![line.to_owned()];
            self.is_in_error = true;
            self.print(line);
        } else if line.starts_with("Retrying in ") && !self.error.is_empty() {
            work.events.push(AgentEvent::Retries(self.failure()));
            self.is_in_error = false;
            // What was printed was that error.
            self.printed.forget();
        } else {
            work.changed(line.strip_prefix("Applied edit to "));
            self.is_in_error &= !line.is_empty() && self.error.len() < ERROR_LINES;
            if self.is_in_error {
                self.error.push(line.to_owned());
            }
            self.print(line);
        }
    }

    /// A line could not be read.
    pub(super) fn missed(&mut self) {
        self.printed.lose();
    }

    /// How the work has ended, once the output has.
    pub(super) fn ending(&mut self, exited_well: bool) -> Option<WorkEnding> {
        if !self.error.is_empty() {
            return Some(WorkEnding::Failed(self.failure()));
        }
        let answer = self.answer.get().filter(|_| exited_well)?;
        Some(WorkEnding::Final(answer.trim().to_owned()))
    }

    fn print(&mut self, line: &str) {
        self.printed.go_on(line);
        self.printed.go_on("\n");
    }

    fn failure(&self) -> AgentError {
        let message = self.error.join(" ");
        let name = message.strip_prefix(ERROR).and_then(|rest| rest.split(':').next()).unwrap_or_default();
        error(&message, None, &[name])
    }
}
