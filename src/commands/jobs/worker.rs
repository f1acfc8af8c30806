//! A worker: another process of this program, which takes one task through its steps in a slot.

use std::path::PathBuf;

use super::events::{EndLine, WorkerLine, read_line};
use crate::agents::LiveLine;
use crate::engine::Event;
use crate::error::{Error, Kind, Result};
use crate::process::{Companion, CompanionCall, CompanionNews, EnvChange};
use crate::record::CommitId;
use crate::worktree::SLOT_VARIABLE;

/// How workers of a run are called.
#[derive(Clone, Debug)]
pub(in crate::commands) struct WorkerCall {
    /// This program.
    pub(in crate::commands) program: PathBuf,
    /// The arguments that all workers of the run have.
    pub(in crate::commands) arguments: Vec<String>,
    /// The environment variables that they must not inherit.
    pub(in crate::commands) local_env: Vec<String>,
}

/// The task of a worker.
#[derive(Clone, Debug)]
pub(in crate::commands) struct WorkerTask {
    /// Its id.
    pub(in crate::commands) id: String,
    /// The tip of the branch of the run.
    pub(in crate::commands) onto: CommitId,
    /// What the branch of the task must name.
    pub(in crate::commands) tip: Option<CommitId>,
    /// The file that says why the task could not be merged.
    pub(in crate::commands) failure: Option<PathBuf>,
    /// The number of its slot.
    pub(in crate::commands) slot: u32,
    /// The folder of its slot.
    pub(in crate::commands) folder: PathBuf,
}

/// What a worker tells.
#[derive(Debug)]
pub(in crate::commands) enum WorkerNews {
    /// Something has happened.
    Event(Event),
    /// It has ended.
    Ended {
        /// What kept it from working.
        error: Option<Error>,
        /// Whether something killed it.
        was_killed: bool,
    },
}

impl WorkerCall {
    /// Starts a worker in its slot. `told` hears of it from another thread.
    ///
    /// # Errors
    /// [`Kind::Environment`] if it cannot be started.
    pub(in crate::commands) fn start(
        &self,
        task: &WorkerTask,
        mut told: impl FnMut(WorkerNews) + Send + 'static,
    ) -> Result<Companion> {
        let mut arguments = vec!["garden".to_owned(), task.id.clone()];
        arguments.extend(self.arguments.iter().cloned());
        arguments.push(format!("--onto={}", task.onto));
        arguments.extend(task.tip.iter().map(|tip| format!("--tip={tip}")));
        arguments.extend(task.failure.iter().map(|file| format!("--not-merged={}", file.display())));
        let number = EnvChange::Set(SLOT_VARIABLE.into(), task.slot.to_string().into());
        let removed = self.local_env.iter().map(|name| EnvChange::Remove(name.into()));
        let call = CompanionCall {
            program: self.program.clone(),
            arguments,
            directory: task.folder.clone(),
            env: removed.chain([number]).collect(),
        };
        let mut end = None;
        // What the agent does now, as far as the worker tells.
        let mut live = LiveLine::new();
        let started = call.start(move |news| match news {
            CompanionNews::Line(line) => match read_line(&line) {
                Some(WorkerLine::Event(event)) => {
                    match &event {
                        Event::Begins(begins) => live = begins.live.clone(),
                        Event::Progress(progress) => live.show(&progress.words(None)),
                        _ => {}
                    }
                    told(WorkerNews::Event(event));
                }
                Some(WorkerLine::End(line)) => end = Some(line),
                None => {}
            },
            CompanionNews::Ended { status, was_killed, last_words } => {
                let was_killed = was_killed && end.is_none();
                let without_word = || Some(ended_without_word(&status, &last_words));
                let error = end.as_ref().map_or_else(without_word, EndLine::error);
                told(WorkerNews::Ended { error, was_killed });
            }
        });
        started.map_err(|error| {
            Error::new(
                Kind::Environment,
                format!("{} cannot be started: {error}", self.program.display()),
                "Every finished step is committed. Correct the cause, then run the same command again.",
            )
        })
    }
}

fn ended_without_word(status: &str, said: &str) -> Error {
    let said = if said.is_empty() { String::new() } else { format!("; it said: {said}") };
    Error::new(
        Kind::Environment,
        format!("a worker ended without saying how ({status}){said}"),
        "Every finished step is committed. Run the same command again.",
    )
}
