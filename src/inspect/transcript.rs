//! Reads the transcripts of a task for `git arborist show --transcript`.

use std::num::NonZeroU32;

use crate::agents::{AgentError, AgentEvent, StoredTranscript, TranscriptCall, TranscriptLine, Transcripts};
use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::record::{TaskId, Usage};
use crate::report::{CallView, EventView, TranscriptStep, TranscriptView};
use crate::session::Session;
use crate::text::{advice, one_line};

/// The version of the JSON document.
const VERSION: u32 = 1;

/// What the agents did in the steps of a task, or in those of one attempt, counted from 1.
///
/// # Errors
/// [`Kind::No`] if there is no transcript, or an error if one cannot be read.
pub(crate) fn transcript_view(
    session: &Session,
    task: &TaskId,
    attempt: Option<NonZeroU32>,
) -> Result<TranscriptView> {
    let keep = session.config.number(Setting::TranscriptsKeep) as usize;
    let unreadable = |error| unreadable(&format!("the transcripts of {task}"), &error);
    let transcripts = Transcripts::below(&session.work_tree.git_dir, keep);
    let mut stored = transcripts.of_task(task).map_err(unreadable)?;
    stored.retain(|one| attempt.is_none_or(|attempt| one.attempt + 1 == attempt.get()));
    if stored.is_empty() {
        return Err(none(task, attempt));
    }
    let steps = stored.iter().map(step).collect::<std::io::Result<_>>().map_err(unreadable)?;
    Ok(TranscriptView { version: VERSION, task: task.to_string(), steps })
}

/// The error for transcripts that cannot be read.
pub(super) fn unreadable(what: &str, error: &std::io::Error) -> Error {
    Error::new(
        Kind::Environment,
        format!("{what} cannot be read: {error}"),
        "Transcripts are in the folder arborist/transcripts of the git directory.",
    )
}

fn none(task: &TaskId, attempt: Option<NonZeroU32>) -> Error {
    let of_attempt = attempt.map(|attempt| format!(" for attempt {attempt}")).unwrap_or_default();
    Error::new(
        Kind::No,
        format!("there is no transcript of {task}{of_attempt}"),
        format!(
            "Transcripts are written where agents work and are not part of a clone; arborist.transcripts.keep says how many are kept. \
             {} shows what the commits say.",
            advice::show(task)
        ),
    )
}

/// What is stored of a step.
pub(super) fn step(stored: &StoredTranscript) -> std::io::Result<TranscriptStep> {
    let (mut calls, mut cut) = (Vec::<CallView>::new(), false);
    for line in stored.lines()? {
        match (line, calls.last_mut()) {
            (TranscriptLine::Call(TranscriptCall { time, runner }), _) => {
                calls.push(CallView { runner, time, events: Vec::new() });
            }
            (TranscriptLine::Event { after, told }, Some(call)) => call.events.push(event(after, told)),
            // The beginning of the file is missing, so it is not known who told this.
            (TranscriptLine::Event { .. }, None) => {}
            (TranscriptLine::Full, _) => cut = true,
        }
    }
    Ok(TranscriptStep { step: stored.step.word(), attempt: stored.attempt, calls, cut })
}

fn event(after: u64, told: AgentEvent) -> EventView {
    let (kind, text) = match told {
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
        AgentEvent::Retries(error) => ("retries", words(&error)),
        AgentEvent::Error(error) => ("error", words(&error)),
        AgentEvent::Final(text) => ("final", text),
    };
    EventView { after, kind, text }
}

fn words(error: &AgentError) -> String {
    match error.status {
        Some(status) => format!("{} (HTTP status {status})", error.message),
        None => error.message.clone(),
    }
}
