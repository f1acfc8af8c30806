//! What a run tells its watchers while it happens.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use crate::runner::LiveLine;
use crate::task::{Attempt, CommitId, Outcome, Step, TaskId};

/// Something that happened, or begins to happen.
#[derive(Debug)]
pub enum Event<'a> {
    /// A step begins.
    Begins {
        /// Of which task, or of which phase.
        task: &'a TaskId,
        /// Its name.
        name: &'a str,
        /// Which step.
        step: Step,
        /// In which attempt.
        attempt: Attempt,
        /// Who does it, where a runner does.
        runner: Option<String>,
        /// The last line of output, as long as it lasts.
        live: LiveLine,
    },
    /// A step ended in a commit.
    Ended {
        /// Of which task, or of which phase.
        task: &'a TaskId,
        /// Its name.
        name: &'a str,
        /// Which step.
        step: Step,
        /// How it ended.
        outcome: Outcome,
        /// In which attempt.
        attempt: Attempt,
        /// The commit.
        commit: CommitId,
        /// How long it took.
        duration: Duration,
        /// A few words more, for example test counts; may be empty.
        detail: String,
    },
    /// A runner could not work, and the run waits until it can.
    Waits {
        /// Of which task.
        task: &'a TaskId,
        /// For which step.
        step: Step,
        /// What the runner is hindered by, as a clause.
        why: &'a str,
        /// How long at the most.
        length: Duration,
        /// When the runner said that it can work again; `None` if it did not say.
        until: Option<DateTime<Utc>>,
        /// When `length` has passed.
        ends: Instant,
    },
    /// The tests of a phase failed; there is no commit.
    PhaseFailed {
        /// Which phase.
        phase: &'a TaskId,
        /// Its name.
        name: &'a str,
        /// Which command, and how it ended.
        detail: String,
    },
    /// Something that the user ought to know.
    Warning(&'a str),
}

/// Somebody who watches a run.
pub trait Observer {
    /// Takes note of an event.
    fn on(&mut self, event: &Event<'_>);
}
