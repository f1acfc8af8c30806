//! The call of a worker: what it is told when it starts, and what it tells.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::work::TaskWork;
use crate::engine::{Event, EventLine, IntegrationFailure, StreamEnd};
use crate::error::{Error, Kind, Result};
use crate::files::{self, Folder};
use crate::process::{Companion, CompanionCall, CompanionNews, EnvChange, LiveLine};
use crate::record::{CommitId, TaskId};
use crate::run::KnownBefore;
use crate::worktree::SLOT_VARIABLE;

/// How workers of a run are called.
#[derive(Clone, Debug)]
pub(crate) struct WorkerCall {
    pub(crate) program: PathBuf,
    /// The arguments that all workers of the run have.
    pub(crate) arguments: Vec<String>,
    /// The environment variables that they must not inherit.
    pub(crate) local_env: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct WorkerTask {
    id: String,
    /// The tip of the branch of the run.
    onto: CommitId,
    /// What the branch of the task must name.
    tip: Option<CommitId>,
    /// The file with what the run knows of it.
    told: PathBuf,
    /// The number of its slot.
    slot: u32,
    /// The folder of its slot.
    pub(super) folder: PathBuf,
}

impl WorkerTask {
    /// The task with this id. What is known of it is written down in its slot.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn of(id: &TaskId, work: &TaskWork<'_>) -> Result<Self> {
        let TaskWork { slot, onto, tip, failure, known, .. } = work;
        let git_dir = &slot.work_tree.git_dir;
        Ok(Self {
            id: id.to_string(),
            onto: *onto,
            tip: *tip,
            told: Told { failure: failure.map(|failed| failed.why.clone()), known: known.clone() }
                .write(git_dir)?,
            slot: slot.number,
            folder: slot.work_tree.top.clone(),
        })
    }
}

/// What a worker tells.
#[derive(Debug)]
pub(crate) enum WorkerNews {
    /// Something has happened.
    Event(Box<EventLine>),
    Ended {
        /// What kept it from working.
        error: Option<Error>,
        /// Why it has ended with status 1. If its task is not finished then, it does nothing the next time either.
        refusal: Option<Error>,
        /// Whether something killed it.
        was_killed: bool,
    },
}

impl WorkerCall {
    /// Starts a worker in its slot. `told` hears of it from another thread.
    ///
    /// # Errors
    /// [`Kind::Environment`] if it cannot be started.
    pub(crate) fn start(
        &self,
        task: &WorkerTask,
        mut told: impl FnMut(WorkerNews) + Send + 'static,
    ) -> Result<Companion> {
        let mut end = None;
        // What the agent does now, as far as the worker tells.
        let mut live = LiveLine::new();
        let started = self.companion(task).start(move |news| match news {
            // A line that is no event is of a program that the worker has started.
            CompanionNews::Line(line) => {
                let Ok(line) = serde_json::from_str::<EventLine>(&line) else { return };
                match &line.event {
                    Event::Begins(begins) => live = begins.live.clone(),
                    Event::Progress(progress) => live.show(&progress.words(None)),
                    Event::End(how) => {
                        end = Some(how.clone());
                        return;
                    }
                    _ => {}
                }
                told(WorkerNews::Event(Box::new(line)));
            }
            CompanionNews::Ended { status, was_killed, last_words } => {
                let was_killed = was_killed && end.is_none();
                let without_word = || Some(ended_without_word(&status, &last_words));
                let error = end.as_ref().map_or_else(without_word, error_of);
                let refusal = end.as_ref().filter(|end| end.status == 1).map(|end| told_error(Kind::No, end));
                told(WorkerNews::Ended { error, refusal, was_killed });
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

    /// The process of a worker.
    fn companion(&self, task: &WorkerTask) -> CompanionCall {
        let mut arguments = vec!["garden".to_owned(), task.id.clone()];
        arguments.extend(self.arguments.iter().cloned());
        arguments.push(format!("--onto={}", task.onto));
        arguments.extend(task.tip.iter().map(|tip| format!("--tip={tip}")));
        arguments.push(format!("--told={}", task.told.display()));
        let number = EnvChange::Set(SLOT_VARIABLE.into(), task.slot.to_string().into());
        let removed = self.local_env.iter().map(|name| EnvChange::Remove(name.into()));
        CompanionCall {
            program: self.program.clone(),
            arguments,
            directory: task.folder.clone(),
            env: removed.chain([number]).collect(),
        }
    }
}

/// What a run knows of a task that a worker takes.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Told {
    /// Why it could not be merged.
    pub(crate) failure: Option<IntegrationFailure>,
    pub(crate) known: KnownBefore,
}

impl Told {
    fn write(&self, git_dir: &Path) -> Result<PathBuf> {
        const NAME: &str = "told.json";
        let path = git_dir.join("arborist").join(NAME);
        let text = serde_json::to_string(self).expect("texts can be written as JSON");
        let written = Folder::make_own(git_dir, "").and_then(|own| own.replace(NAME, text.as_bytes()));
        written.map_err(|error| Error::not_written(path.display(), &error))?;
        Ok(path)
    }

    /// What was written down for this worker. Without the file, it works all the same, but does not see the output of the tests that
    /// failed.
    pub(crate) fn read(path: &Path) -> Self {
        let text = files::read(path, files::LARGE).ok();
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }
}

/// What kept a worker from working; `None` if the history says how the task ended.
fn error_of(end: &StreamEnd) -> Option<Error> {
    let kind = match end.status {
        0 | 1 | 7 => return None,
        2 => Kind::Input,
        3 => Kind::Repository,
        5 => Kind::Busy,
        6 => Kind::Unsafe,
        signal @ 129.. => Kind::Signal(signal - 128),
        _ => Kind::Environment,
    };
    Some(told_error(kind, end))
}

/// The error that a worker has told.
fn told_error(kind: Kind, end: &StreamEnd) -> Error {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Error::new(kind, text(&end.message), text(&end.remedy))
}

fn ended_without_word(status: &str, said: &str) -> Error {
    let said = if said.is_empty() { String::new() } else { format!("; it said: {said}") };
    Error::new(
        Kind::Environment,
        format!("a worker ended without saying how ({status}){said}"),
        "Every finished step is committed. Run the same command again.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_worker_is_an_error_only_if_it_could_not_work() {
        let kind = |status| error_of(&StreamEnd { status, ..StreamEnd::default() }).map(|error| error.kind());
        for well in [0, 1, 7] {
            assert_eq!(kind(well), None);
        }
        assert_eq!(kind(4), Some(Kind::Environment));
        assert_eq!(kind(143), Some(Kind::Signal(15)));
    }
}
