//! The events in the output of an agent.

use serde_json::Value;

use super::Protocol;
use super::lines::{Line, Lines};
use super::work::{Work, WorkEnding};
use crate::agents::event::{AgentError, AgentEvent};
use crate::process::{Capture, Secrets};
use crate::record::Usage;
use crate::text::{ellipsis, one_line};

/// The longest line that is read, in bytes.
const LINE_LIMIT: usize = 4 << 20;
/// How much of a name or of a subject is kept, in characters.
const SHORT: usize = 200;
/// How much of an interim message, of an error or of a path is kept, in characters.
const LONG: usize = 4000;
/// How much is kept of the beginning of a final message, and of its end, in bytes.
const HALF: usize = 512 << 10;

/// Reads the output of one agent, piece by piece. All texts in the events are clean and without secrets: an escape in JSON
/// hides a secret from a search in the raw output.
pub struct EventStream {
    protocol: Protocol,
    secrets: Secrets,
    lines: Lines,
    /// All that was printed, if that is text.
    text: Capture,
    work: Work,
    reported: Usage,
    has_missed: bool,
}

impl EventStream {
    /// Reads the output of an agent that begins to work.
    #[must_use]
    pub fn new(protocol: Protocol, secrets: &Secrets) -> Self {
        Self {
            protocol,
            secrets: secrets.clone(),
            lines: Lines::new(LINE_LIMIT),
            text: Capture::new(HALF, HALF),
            work: Work::default(),
            reported: Usage::default(),
            has_missed: false,
        }
    }

    /// Takes the next piece of the output.
    #[must_use]
    pub fn push(&mut self, chunk: &[u8]) -> Vec<AgentEvent> {
        if self.protocol == Protocol::Text {
            self.text.push(chunk);
        }
        let Self { protocol, lines, work, has_missed, .. } = self;
        lines.push(chunk, |line| *has_missed |= read(*protocol, &line, work));
        self.events()
    }

    /// The output has ended. `exited_well` tells whether the program has exited with 0. Whether the agent has ended well is
    /// another question: then, and only then, the last event is its final message.
    #[must_use]
    pub fn end(&mut self, exited_well: bool) -> Vec<AgentEvent> {
        let Self { protocol, lines, work, has_missed, text, .. } = self;
        lines.finish(|line| *has_missed |= read(*protocol, &line, work));
        let ending = match protocol {
            Protocol::Text => {
                let text = std::mem::replace(text, Capture::new(HALF, HALF));
                exited_well.then(|| WorkEnding::Final(whole_or_noted(text)))
            }
            // Its status says whether its last words are all that it had to say, unless an error that it has overcome explains it.
            Protocol::Opencode if !exited_well && !work.has_overcome => {
                work.has_ended_well = false;
                work.ending()
            }
            _ => work.ending(),
        };
        work.events.extend(ending.map(|ending| match ending {
            WorkEnding::Final(message) => AgentEvent::Final(message),
            WorkEnding::Failed(error) => AgentEvent::Error(error),
        }));
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
            AgentEvent::Final(text) => {
                let mut kept = Capture::new(HALF, HALF);
                kept.push(self.secrets.redact(&text).as_bytes());
                AgentEvent::Final(whole_or_noted(kept))
            }
            event @ (AgentEvent::Turn | AgentEvent::Usage(_) | AgentEvent::Limit { .. }) => event,
        }
    }
}

/// Reads a line. Returns whether it may have been an event that could not be read.
fn read(protocol: Protocol, line: &Line<'_>, work: &mut Work) -> bool {
    let (Line::Whole(bytes) | Line::Beginning(bytes)) = line;
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    if protocol == Protocol::Text {
        work.says(Some(text).filter(|text| !text.is_empty()));
        return false;
    }
    match (line, serde_json::from_str(text)) {
        (Line::Whole(_), Ok(Value::Array(list))) => {
            list.iter().for_each(|object| protocol.read(object, work));
        }
        (Line::Whole(_), Ok(object)) => protocol.read(&object, work),
        _ if looks_like_json(text) => {
            // It may have been the final message.
            work.words.lose();
            return true;
        }
        _ => {}
    }
    false
}

/// Whether a line that is not JSON may have been meant as JSON: its beginning, its end, or something that another program has
/// written into it. Other lines are warnings and the like.
fn looks_like_json(line: &str) -> bool {
    line.starts_with('{') || line.contains("{\"") || (line.ends_with('}') && line.contains('"'))
}

/// A final message. If something is missing in it, this is said where it is missing, and on the last line as well, so that
/// the last line of the text itself is no verdict: the missing part may contradict it.
fn whole_or_noted(text: Capture) -> String {
    let captured = text.finish();
    let text = String::from_utf8_lossy(&captured.to_bytes_with_note()).into_owned();
    match captured.omitted() {
        0 => text,
        omitted => {
            format!("{text}\n[This message is not complete: {omitted} bytes of it were left out above.]")
        }
    }
}
