//! Sessions of agents that a later call may continue. Their names are read from transcripts.

use super::activity::Activity;
use super::agent::{Agent, Counts};
use super::event::AgentEvent;
use super::transcript::{StoredTranscript, TranscriptLine};
use crate::record::Usage;

/// The longest name of a session.
const LONGEST: usize = 200;

/// A session of an agent that a later call may continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastSession {
    /// Its name, which is safe as an argument.
    name: String,
    /// What it has used, as the agent has reported that; unknown what it has not reported.
    reported: Usage,
}

impl PastSession {
    /// The session of the last call of a runner, given by its label; `None` if the transcript names none, or cannot be read.
    #[must_use]
    pub fn of_last_call(transcript: &StoredTranscript, runner: &str) -> Option<Self> {
        let lines = transcript.lines().ok()?;
        let is_call =
            |line: &TranscriptLine| matches!(line, TranscriptLine::Call(call) if call.runner == runner);
        let begin = lines.iter().rposition(is_call)?;
        let told = lines[begin + 1..].iter().map_while(|line| match line {
            TranscriptLine::Call(_) => None,
            TranscriptLine::Full => Some(None),
            TranscriptLine::Event { told, .. } => Some(Some(told)),
        });
        let (mut name, mut reported) = (None, Usage::default());
        for event in told.flatten() {
            match event {
                AgentEvent::Session(session) => name = Some(session.clone()),
                AgentEvent::Usage(usage) => reported = *usage,
                _ => {}
            }
        }
        let name = name.filter(|name| is_name(name))?;
        Some(Self { name, reported })
    }

    /// The session of a call that has just ended; `None` if the agent has not named it.
    #[must_use]
    pub fn of_activity(activity: &Activity) -> Option<Self> {
        let name = activity.session.clone().filter(|name| is_name(name))?;
        Some(Self { name, reported: activity.usage })
    }

    /// The arguments with which an agent continues it; none if the agent cannot.
    pub(super) fn arguments(&self, agent: &Agent) -> Option<[String; 2]> {
        Some([agent.resume?.word.to_owned(), self.name.clone()])
    }

    /// What an agent has reported before, and counts again when it continues this session.
    pub(super) fn counted_again(&self, agent: &Agent) -> Option<Usage> {
        (agent.resume?.counts == Counts::Session).then_some(self.reported)
    }
}

/// Whether this can be the name of a session. It comes from the output of an agent, and must not be an option.
fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    name.len() <= LONGEST
        && name.bytes().all(fits)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::agents::transcript::{TranscriptCall, TranscriptKey, Transcripts};
    use crate::record::{Step, TaskId, Tokens};

    fn usage(input: u64) -> Usage {
        Usage { tokens: Tokens { input: Some(input), ..Tokens::default() }, cost: None }
    }

    #[test]
    fn the_session_is_that_of_the_last_call_of_the_same_runner() {
        let folder = tempfile::tempdir().unwrap();
        let transcripts = Transcripts::below(folder.path(), 9);
        let task = TaskId::parse("T1").unwrap();
        let key = TranscriptKey { task: &task, attempt: 0, step: Step::IMPLEMENT };
        let call = |runner: &str, told: &[AgentEvent]| {
            let call = TranscriptCall { time: DateTime::UNIX_EPOCH, runner: runner.to_owned() };
            let mut transcript = transcripts.begin(key, call).unwrap().unwrap();
            told.iter().for_each(|event| transcript.add(event).unwrap());
        };
        let session = |name: &str| AgentEvent::Session(name.to_owned());
        let past = |runner: &str| PastSession::of_last_call(&transcripts.of_task(&task).unwrap()[0], runner);
        call("claude", &[session("s1"), AgentEvent::Usage(usage(1))]);
        call("claude", &[session("s2"), AgentEvent::Usage(usage(2)), AgentEvent::Usage(usage(3))]);
        call("codex", &[session("t1")]);
        assert_eq!(past("claude"), Some(PastSession { name: "s2".to_owned(), reported: usage(3) }));
        assert_eq!(past("codex"), Some(PastSession { name: "t1".to_owned(), reported: Usage::default() }));
        assert_eq!(past("claude/opus"), None);
        call("claude", &[]);
        assert_eq!(past("claude"), None);
        for name in ["--model", "", "a b", "a;b", &"x".repeat(201)] {
            call("claude", &[session(name)]);
            assert_eq!(past("claude"), None, "{name}");
        }
    }
}
