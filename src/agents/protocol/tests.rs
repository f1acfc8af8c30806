//! Tests the readers of all streams.

mod claude;
mod codex;
mod gemini;
mod hostile;
mod opencode;
mod samples;
mod stream;

use super::{EventStream, Protocol};
use crate::agents::activity::Activity;
use crate::agents::cause::Cause;
use crate::agents::event::{AgentError, AgentEvent};
use crate::process::Secrets;
use crate::record::{Cost, Tokens, Usage};

/// All events in a stream of these lines.
fn events(protocol: Protocol, lines: &[&str]) -> Vec<AgentEvent> {
    events_of(protocol, (lines.join("\n") + "\n").as_bytes())
}

/// All events in an output that ends well.
fn events_of(protocol: Protocol, output: &[u8]) -> Vec<AgentEvent> {
    let mut stream = EventStream::new(protocol, &Secrets::default());
    let mut events = stream.push(output);
    events.extend(stream.end(true));
    events
}

/// What the agent has done after all these lines.
fn activity(protocol: Protocol, lines: &[&str]) -> Activity {
    let mut activity = Activity::default();
    events(protocol, lines).iter().for_each(|event| activity.add(event));
    activity
}

/// The final message in a stream of these lines.
fn last_word(protocol: Protocol, lines: &[&str]) -> Option<String> {
    activity(protocol, lines).final_message
}

/// The error in a stream of these lines, which has no final message.
#[track_caller]
fn failure(protocol: Protocol, lines: &[&str]) -> AgentError {
    let activity = activity(protocol, lines);
    assert_eq!(activity.final_message, None, "{lines:?}");
    activity.error.unwrap_or_else(|| panic!("there is no error in {lines:?}"))
}

/// The cause of the error in a stream of these lines.
#[track_caller]
fn cause(protocol: Protocol, lines: &[&str]) -> Option<Cause> {
    failure(protocol, lines).cause
}

fn usage(input: u64, output: u64, cached: u64) -> Usage {
    Usage { tokens: Tokens { input: Some(input), output: Some(output), cached: Some(cached) }, cost: None }
}

fn with_cost(usage: Usage, dollars: f64) -> Usage {
    Usage { cost: Cost::from_dollars(dollars), ..usage }
}

fn tool(name: &str, subject: &str) -> AgentEvent {
    AgentEvent::Tool { name: name.to_owned(), subject: subject.to_owned() }
}

fn message(text: &str) -> AgentEvent {
    AgentEvent::Message(text.to_owned())
}

fn last(text: &str) -> AgentEvent {
    AgentEvent::Final(text.to_owned())
}
