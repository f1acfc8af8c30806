//! What ends a run before all its tasks are done: a moment, a number of tasks, or a request of the user.

use std::fmt;
use std::time::{Duration, Instant};

use chrono::{DateTime, Local, TimeZone};

use super::budget::{Budget, Reached};
use crate::record::TaskId;
use crate::text::{advice, duration};

/// After what a run ends so that a person can look at the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunGate {
    /// After each phase.
    Phase,
    /// After so many tasks.
    Tasks(u32),
}

/// Why a run ended although it had more to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pause {
    /// This moment came (`--until`).
    Until(DateTime<Local>),
    /// This much time passed (`--max-time`).
    MaxTime(Duration),
    /// Its steps have used as much as they may (`--max-cost`, `--max-tokens`).
    Budget(Reached),
    /// The steps of this task have used as much as they may (`arborist.task.maxCost` and others).
    TaskBudget(TaskId, Reached),
    /// So many tasks were worked on (`--max-tasks`).
    MaxTasks(u32),
    /// A person is to look at the work (`--gate`).
    Gate(RunGate),
    /// A person asked for it (`git arborist stop`).
    Stop,
}

impl Pause {
    /// Its word in the events of a run.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Until(_) => "until",
            Self::MaxTime(_) | Self::Budget(Reached::Time { .. }) => "max-time",
            Self::Budget(Reached::Cost { .. }) => "max-cost",
            Self::Budget(Reached::Tokens { .. }) => "max-tokens",
            Self::TaskBudget(..) => "task-budget",
            Self::MaxTasks(_) => "max-tasks",
            Self::Gate(_) => "gate",
            Self::Stop => "stop",
        }
    }
}

impl fmt::Display for Pause {
    /// Why the run ended, as a clause after "the run ended".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tasks = |count: u32| if count == 1 { "1 task".to_owned() } else { format!("{count} tasks") };
        match self {
            Self::Until(at) => write!(f, "because it is past {} (--until)", clock(at)),
            Self::MaxTime(length) => write!(f, "after {} (--max-time)", duration(*length)),
            Self::Budget(reached) => {
                let option = match reached {
                    Reached::Cost { .. } => "--max-cost",
                    Reached::Tokens { .. } => "--max-tokens",
                    Reached::Time { .. } => "--max-time",
                };
                write!(f, "because its steps {reached} ({option})")
            }
            Self::TaskBudget(task, reached) => {
                let setting = reached.task_setting();
                write!(f, "because the steps of {task} {reached} (arborist.{setting})")
            }
            Self::Stop => write!(f, "because of {}", advice::stop()),
            Self::MaxTasks(count) => write!(f, "after {} (--max-tasks)", tasks(*count)),
            Self::Gate(RunGate::Phase) => f.write_str("after a phase (--gate), so that you can look at it"),
            Self::Gate(RunGate::Tasks(count)) => {
                write!(f, "after {} (--gate), so that you can look at the work", tasks(*count))
            }
        }
    }
}

/// What a run may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunLimits {
    /// The time that it has.
    pub time: TimeLimits,
    /// What its steps may use.
    pub budget: Budget,
}

/// The time that a run has. No step begins when it is over; a step that has begun is finished.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeLimits {
    /// The moment when it is over.
    pub until: Option<DateTime<Local>>,
    /// How long it lasts at most.
    pub max_time: Option<TimeSpan>,
}

/// A length of time since a moment.
#[derive(Clone, Copy, Debug)]
pub struct TimeSpan {
    /// When it began.
    pub began: Instant,
    /// How long it is.
    pub length: Duration,
}

impl TimeLimits {
    /// Why the run must end now; `None` if it may go on.
    pub(crate) fn reached(&self) -> Option<Pause> {
        let until = self.until.filter(|until| Local::now() >= *until).map(Pause::Until);
        let passed = self.max_time.filter(|span| span.began.elapsed() >= span.length);
        until.or_else(|| passed.map(|span| Pause::MaxTime(span.length)))
    }
}

/// A moment in local time: the time of day, and the date if it is not today.
pub fn clock<Z: TimeZone>(at: &DateTime<Z>) -> String {
    let (at, now) = (at.with_timezone(&Local), Local::now());
    let format = if at.date_naive() == now.date_naive() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    at.format(format).to_string()
}
