//! The events in the output of an agent.

use super::bounded::cut_message;
use super::lines::Lines;
use super::named::Protocol;
use super::source::Source;
use super::work::{Work, WorkEnding};
use crate::agents::event::{AgentError, AgentEvent};
use crate::process::Secrets;
use crate::record::Usage;
use crate::text::{ellipsis, one_line};

/// The longest line that is read, in bytes.
const LINE_LIMIT: usize = 4 << 20;
/// How much of a name or of a subject is kept, in characters.
const SHORT: usize = 200;
/// How much of an interim message, of an error or of a path is kept, in characters.
const LONG: usize = 4000;

/// Reads the output of one agent, piece by piece. All texts in the events are clean and without secrets: an escape in JSON
/// hides a secret from a search in the raw output.
pub struct EventStream {
    secrets: Secrets,
    lines: Lines,
    source: Source,
    work: Work,
    reported: Usage,
    has_missed: bool,
}

impl EventStream {
    /// Reads the output of an agent that begins to work.
    #[must_use]
    pub fn new(protocol: Protocol, secrets: &Secrets) -> Self {
        let (lines, source) = (Lines::new(LINE_LIMIT), protocol.source());
        let (work, reported) = (Work::default(), Usage::default());
        Self { secrets: secrets.clone(), lines, source, work, reported, has_missed: false }
    }

    /// Takes the next piece of the output.
    #[must_use]
    pub fn push(&mut self, chunk: &[u8]) -> Vec<AgentEvent> {
        let Self { lines, source, work, has_missed, .. } = self;
        if let Source::Text(all) = source {
            all.push(chunk);
        }
        lines.push(chunk, |line| *has_missed |= source.read(&line, work));
        self.events()
    }

    /// The output has ended. `exited_well` tells whether the program has exited with 0. Whether the agent has ended well is
    /// another question: then, and only then, the last event is its final message.
    #[must_use]
    pub fn end(&mut self, exited_well: bool) -> Vec<AgentEvent> {
        let Self { lines, source, work, has_missed, .. } = self;
        lines.finish(|line| *has_missed |= source.read(&line, work));
        let ending = source.ending(work, exited_well).map(|ending| match ending {
            WorkEnding::Final(message) => AgentEvent::Final(message),
            WorkEnding::Failed(error) => AgentEvent::Error(error),
        });
        work.events.extend(ending);
        self.events()
    }

    /// Whether a tool is at work, as far as the stream tells.
    #[must_use]
    pub fn tool_is_running(&self) -> bool {
        self.work.is_running()
    }

    /// Whether a line could not be read that may have been an event.
    #[must_use]
    pub fn has_missed(&self) -> bool {
        self.has_missed
    }

    /// How many bytes of an unfinished line are held.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.lines.held()
    }

    /// The events since the last piece, as others may see them.
    fn events(&mut self) -> Vec<AgentEvent> {
        let mut finished = Vec::new();
        for event in std::mem::take(&mut self.work.events) {
            match event {
                AgentEvent::Usage(usage) if usage == std::mem::replace(&mut self.reported, usage) => {}
                event => finished.push(self.clean(event)),
            }
        }
        finished
    }

    fn clean(&self, event: AgentEvent) -> AgentEvent {
        let short = |text: String| ellipsis(&one_line(&self.secrets.redact(&text)), SHORT);
        let long = |text: String| ellipsis(&self.secrets.redact(&text), LONG);
        let error = |error: AgentError| AgentError { message: long(error.message), ..error };
        match event {
            AgentEvent::Session(name) => AgentEvent::Session(short(name)),
            AgentEvent::Message(text) => AgentEvent::Message(long(text)),
            AgentEvent::Tool { name, subject } => {
                AgentEvent::Tool { name: short(name), subject: short(subject) }
            }
            AgentEvent::FileChanged(path) => AgentEvent::FileChanged(long(path)),
            AgentEvent::Denied(tool) => AgentEvent::Denied(short(tool)),
            AgentEvent::Retries(failed) => AgentEvent::Retries(error(failed)),
            AgentEvent::Error(failed) => AgentEvent::Error(error(failed)),
            AgentEvent::Final(text) => AgentEvent::Final(cut_message(self.secrets.redact(&text))),
            event @ (AgentEvent::Turn | AgentEvent::Usage(_) | AgentEvent::Limit { .. }) => event,
        }
    }
}
