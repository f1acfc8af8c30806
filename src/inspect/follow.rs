//! What agents printed, for `git arborist show`: as it is kept, and as it appears.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::PathBuf;

use crate::agents::{AgentEvent, EventStream, OutputCaller, Protocol, StoredOutput};
use crate::error::{Error, Kind, Result};
use crate::git::WorkTree;
use crate::record::{TaskId, Usage};
use crate::report::{Screen, Style, told_line};
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
    let mut stored = Vec::new();
    let WorkTree { git_dir, common_dir, .. } = &session.work_tree;
    for git_dir in BTreeSet::from([git_dir, common_dir]) {
        stored.extend(StoredOutput::of_task(git_dir, task).map_err(unreadable)?);
    }
    stored.sort_by_key(|one| (one.attempt, one.step));
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
        let printed = clean(&one.after(0).map_err(unreadable)?);
        if !printed.is_empty() {
            text.push_str(&printed);
            text.push('\n');
        }
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
    /// The last call of each output.
    read: BTreeMap<PathBuf, FollowedCall>,
}

/// A call of an agent that is followed.
struct FollowedCall {
    stored: StoredOutput,
    /// Who it is.
    caller: OutputCaller,
    stream: EventStream,
    /// How many bytes of the output were read.
    bytes: u64,
    has_ended: bool,
}

impl FollowedCall {
    /// Whether what a file says about a caller is about this call.
    fn is_of(&self, caller: &OutputCaller) -> bool {
        let begins_again = self.has_ended && caller.exited_well.is_none();
        self.caller.begin == caller.begin && self.caller.runner == caller.runner && !begins_again
    }

    /// What it has done since the last look. It has ended if its file says so, if another call has begun, or if the run works on
    /// something else.
    fn news(&mut self, is_at_work: bool) -> std::io::Result<Vec<AgentEvent>> {
        if self.has_ended {
            return Ok(Vec::new());
        }
        // Whoever writes that a call has ended has written all of its output before.
        let last = self.stored.caller();
        let mut new = self.stored.after(self.bytes)?;
        let next = last.as_ref().filter(|last| !self.is_of(last));
        if let Some(next) = next {
            new.truncate(usize::try_from(next.begin.saturating_sub(self.bytes)).unwrap_or(usize::MAX));
        }
        self.bytes += new.len() as u64;
        let mut events = self.stream.push(&new);
        let exited_well = last.as_ref().filter(|_| next.is_none()).and_then(|last| last.exited_well);
        if exited_well.is_some() || next.is_some() || !is_at_work {
            self.has_ended = true;
            events.extend(self.stream.end(exited_well.unwrap_or(false)));
        }
        Ok(events)
    }
}

impl<'c> Followed<'c> {
    /// Nothing was shown yet.
    pub(crate) fn new(call: &'c Call) -> Self {
        Self { call, read: BTreeMap::new() }
    }

    /// What agents have done since the last look, all of them or that of one task; `None` if no run is at work, and all was told.
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
        if runs.is_empty() && self.read.values().all(|call| call.has_ended) {
            return Ok(None);
        }
        let mut at_work = Vec::new();
        for run in runs {
            let Some(unit) = JournalView::read(&run.git_dir).unit.map(|unit| unit.unit.begun) else {
                continue;
            };
            if only.is_some_and(|only| *only != unit.task) {
                continue;
            }
            let is_it = |one: &StoredOutput| one.step == unit.step && one.attempt == unit.attempt.number;
            // What an agent prints in a slot is kept in the git directory of the repository.
            for git_dir in [&run.git_dir, &session.work_tree.common_dir] {
                let stored = StoredOutput::of_task(git_dir, &unit.task);
                let stored = stored.map_err(|error| unreadable(&unit.task, &error))?;
                if let Some(stored) = stored.into_iter().find(is_it) {
                    at_work.push((stored, unit));
                    break;
                }
            }
        }
        let mut text = String::new();
        for (path, call) in &mut self.read {
            if at_work.iter().all(|(stored, _)| stored.path != *path) {
                text.push_str(&lines(call.news(false).unwrap_or_default(), screen));
            }
        }
        for (stored, unit) in at_work {
            let unreadable = |error| unreadable(&unit.task, &error);
            let Some(caller) = stored.caller() else { continue };
            let path = stored.path.clone();
            if let Some(before) = self.read.get_mut(&path).filter(|before| !before.is_of(&caller)) {
                text.push_str(&lines(before.news(false).map_err(unreadable)?, screen));
                self.read.remove(&path);
            }
            let call = self.read.entry(path).or_insert_with(|| {
                let heading = format!("{} {}, attempt {}", unit.task, unit.step.word(), stored.attempt + 1);
                text.push_str(&format!("{heading} by {}\n", one_line(&caller.runner)));
                let protocol = Protocol::named(&caller.protocol).unwrap_or(Protocol::Text);
                let stream = EventStream::new(protocol, &self.call.secrets());
                FollowedCall { stored, stream, bytes: caller.begin, caller, has_ended: false }
            });
            text.push_str(&lines(call.news(true).map_err(unreadable)?, screen));
        }
        Ok(Some(text))
    }
}

/// Events as they are shown.
fn lines(events: Vec<AgentEvent>, screen: &Screen) -> String {
    events.into_iter().map(|event| line(event, screen)).collect()
}

/// An event: in one word what it is, and what it says.
fn line(event: AgentEvent, screen: &Screen) -> String {
    let told = |kind, style, words: String| told_line(kind, style, &words, screen);
    match event {
        AgentEvent::Session(name) => told("session", Style::Dim, name),
        AgentEvent::Message(text) => told("message", Style::Bold, text),
        AgentEvent::Turn => told("turn", Style::Dim, String::new()),
        AgentEvent::Tool { name, subject } => {
            told("tool", Style::Dim, format!("{name} {subject}").trim_end().to_owned())
        }
        AgentEvent::FileChanged(path) => told("changed", Style::Dim, one_line(&path)),
        AgentEvent::Usage(usage) => told("usage", Style::Dim, Usage::told(usage)),
        AgentEvent::Limit { resets } => {
            let resets = resets.map(|at| format!("resets at {}", at.format("%Y-%m-%d %H:%M UTC")));
            told("limit", Style::Red, resets.unwrap_or_default())
        }
        AgentEvent::Denied(tool) => told("denied", Style::Red, tool),
        AgentEvent::Retries(reported) => told("retries", Style::Yellow, reported.message),
        AgentEvent::Error(reported) => told("error", Style::Red, reported.message),
        AgentEvent::Final(text) => told("final", Style::Green, text),
    }
}
