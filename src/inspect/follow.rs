//! What agents printed, for `git arborist show`: as it is kept, and as it appears.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

use crate::agents::{AgentError, AgentEvent, EventStream, Protocol, StoredOutput};
use crate::error::{Error, Kind, Result};
use crate::record::{TaskId, Usage};
use crate::report::{Screen, told_line};
use crate::run::JournalView;
use crate::session::{Call, Session};
use crate::text::{advice, clean, one_line};
use crate::worktree::active_runs;

/// What agents printed in the steps of a task, or in those of one attempt, counted from 1. Where there are several outputs, the path
/// of each is before it.
///
/// # Errors
/// [`Kind::No`] if nothing is kept, or an error if it cannot be read.
pub(crate) fn raw_output(session: &Session, task: &TaskId, attempt: Option<NonZeroU32>) -> Result<String> {
    let unreadable = |error| unreadable(task, &error);
    let mut stored = StoredOutput::of_task(&session.work_tree.git_dir, task).map_err(unreadable)?;
    stored.retain(|one| attempt.is_none_or(|attempt| one.attempt + 1 == attempt.get()));
    if stored.is_empty() {
        let of_attempt = attempt.map(|attempt| format!(" in attempt {attempt}")).unwrap_or_default();
        return Err(Error::new(
            Kind::No,
            format!("nothing is kept of what agents printed for {task}{of_attempt}"),
            format!(
                "It is kept where agents work, is not part of a clone, and the oldest is removed. {} shows what the commits say.",
                advice::show(task)
            ),
        ));
    }
    let mut text = String::new();
    for one in &stored {
        if stored.len() > 1 {
            text.push_str(&format!("==> {} <==\n", one.path.display()));
        }
        text.push_str(&clean(&one.after(0).map_err(unreadable)?));
    }
    Ok(text)
}

fn unreadable(task: &TaskId, error: &std::io::Error) -> Error {
    Error::new(
        Kind::Environment,
        format!("what agents printed for {task} cannot be read: {error}"),
        "It is in the folder arborist/output of the git directory.",
    )
}

/// What was shown of the agents at work.
pub(crate) struct Followed<'c> {
    call: &'c Call,
    /// What was read of each output.
    read: HashMap<PathBuf, FollowedOutput>,
}

/// An output that is followed.
struct FollowedOutput {
    /// Who prints it.
    runner: String,
    stream: EventStream,
    /// How many bytes of it were read.
    bytes: u64,
}

impl<'c> Followed<'c> {
    /// Nothing was shown yet.
    pub(crate) fn new(call: &'c Call) -> Self {
        Self { call, read: HashMap::new() }
    }

    /// What agents have done since the last look, all of them or that of one task; `None` if no run is at work.
    ///
    /// # Errors
    /// If an output cannot be read.
    pub(crate) fn news(
        &mut self,
        session: &Session,
        only: Option<&TaskId>,
        screen: &Screen,
    ) -> Result<Option<String>> {
        let runs: Vec<_> =
            active_runs(&session.work_tree).into_iter().filter(|run| !run.was_killed).collect();
        if runs.is_empty() {
            return Ok(None);
        }
        let mut text = String::new();
        for run in runs {
            let Some(unit) = JournalView::read(&run.git_dir).unit.map(|unit| unit.unit.begun) else {
                continue;
            };
            if only.is_some_and(|only| *only != unit.task) {
                continue;
            }
            let unreadable = |error| unreadable(&unit.task, &error);
            let stored = StoredOutput::of_task(&run.git_dir, &unit.task).map_err(unreadable)?;
            let is_it = |one: &StoredOutput| one.step == unit.step && one.attempt == unit.attempt.number;
            let Some(stored) = stored.into_iter().find(is_it) else { continue };
            let Some(caller) = stored.caller() else { continue };
            let before = self.read.get(&stored.path);
            if before.is_none_or(|before| before.runner != caller.runner) {
                let bytes = before.map_or(0, |before| before.bytes);
                let protocol = Protocol::named(&caller.protocol).unwrap_or(Protocol::Text);
                let stream = EventStream::new(protocol, &self.call.secrets());
                let heading = format!("{} {}, attempt {}", unit.task, unit.step.word(), stored.attempt + 1);
                text.push_str(&format!("{heading} by {}\n", one_line(&caller.runner)));
                let output = FollowedOutput { runner: caller.runner, stream, bytes };
                self.read.insert(stored.path.clone(), output);
            }
            let output = self.read.get_mut(&stored.path).expect("it was just put there");
            let new = stored.after(output.bytes).map_err(unreadable)?;
            output.bytes += new.len() as u64;
            for event in output.stream.push(&new) {
                let (kind, words) = told(event);
                text.push_str(&told_line(kind, &words, screen));
            }
        }
        Ok(Some(text))
    }
}

/// The kind of an event, as one word, and its words.
fn told(event: AgentEvent) -> (&'static str, String) {
    let error = |AgentError { status, message, .. }: AgentError| match status {
        Some(status) => format!("{message} (HTTP status {status})"),
        None => message,
    };
    match event {
        AgentEvent::Session(name) => ("session", name),
        AgentEvent::Message(text) => ("message", text),
        AgentEvent::Turn => ("turn", String::new()),
        AgentEvent::Tool { name, subject } => ("tool", format!("{name} {subject}").trim_end().to_owned()),
        AgentEvent::FileChanged(path) => ("changed", one_line(&path)),
        AgentEvent::Usage(usage) => ("usage", Usage::told(usage)),
        AgentEvent::Limit { resets } => (
            "limit",
            resets.map(|at| format!("resets at {}", at.format("%Y-%m-%d %H:%M UTC"))).unwrap_or_default(),
        ),
        AgentEvent::Denied(tool) => ("denied", tool),
        AgentEvent::Retries(reported) => ("retries", error(reported)),
        AgentEvent::Error(reported) => ("error", error(reported)),
        AgentEvent::Final(text) => ("final", text),
    }
}
