//! Commands that are at work while the state is shown.

use std::time::Duration;

use chrono::{DateTime, Local};
use serde::Serialize;

use crate::plan::NodeIx;
use crate::record::{Attempt, Step};
use crate::text::whole;

/// A command that is at work in a work tree of the repository. What is not known is `None`.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunAtWork {
    /// The top of its work tree.
    pub work_tree: Option<String>,
    /// Whether that is the work tree whose state is shown.
    pub here: bool,
    /// The number of the slot that this work tree is.
    pub slot: Option<u32>,
    /// The command.
    pub command: Option<String>,
    /// The id of its process.
    pub process: Option<u32>,
    /// The name of the machine on which it runs.
    pub host: Option<String>,
    /// When it began.
    pub since: Option<String>,
    /// Whether it was killed, and something that it started still runs.
    pub killed: bool,
    /// The task that it works on.
    pub task: Option<String>,
    /// The step.
    pub step: Option<&'static str>,
    /// In which attempt, from 0; `None` for a step that is not part of one.
    pub attempt: Option<u32>,
    /// How many attempts the task has.
    pub max_attempts: Option<u32>,
    /// When the step began.
    pub step_since: Option<String>,
    /// The accounts with which its runners do not work now, because they could not.
    pub left_alone: Vec<AccountLeftAlone>,
    /// What its step waits for.
    pub waits: Option<WaitAtWork>,
}

/// A wait for a runner that cannot work now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WaitAtWork {
    /// Why it cannot work, as a clause.
    pub reason: String,
    /// Until when.
    pub until: String,
}

/// An account with which the runners of a run do not work now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AccountLeftAlone {
    /// The name of the runners that have it.
    pub account: String,
    /// Why, as a clause.
    pub reason: String,
    /// Until when; `None` for the rest of the run.
    pub until: Option<String>,
}

impl RunAtWork {
    /// A command that calls itself like this: `gardener (process 1) since 2026-11-20T22:14:05+00:00`.
    #[must_use]
    pub fn named(shown: &str) -> Self {
        let (who, since) = match shown.rsplit_once(" since ") {
            Some((who, since)) => (who, Some(since.to_owned())),
            None => (shown, None),
        };
        let (command, process) = match who.split_once(" (process ") {
            Some((command, rest)) => (command, rest.trim_end_matches(')').parse().ok()),
            None => (who, None),
        };
        let command = Some(command.to_owned()).filter(|command| !command.is_empty());
        Self { here: true, command, process, since, ..Self::default() }
    }

    /// Whether it works on one of the tasks that a run takes at the same time.
    pub(crate) fn is_alive_in_slot(&self) -> bool {
        self.slot.is_some() && !self.here && !self.killed
    }

    /// Whether it works on the state that is shown.
    pub(crate) fn is_alive_here(&self) -> bool {
        self.here && !self.killed
    }

    /// Whether it works on no task itself, such as one that works in slots.
    pub(super) fn is_between_tasks(&self) -> bool {
        self.is_alive_here() && self.task.is_none()
    }

    /// The run in one line, at the time `now` in seconds since the epoch.
    pub(crate) fn line(&self, now: i64) -> String {
        match self.killed {
            true => format!(
                "killed{}: {}; something that it started is still running",
                self.place(),
                self.who(now)
            ),
            false => format!("running{}: {} ({})", self.place(), self.work(now), self.who(now)),
        }
    }

    /// A line for each account that it leaves alone, and one for what it waits for.
    pub(crate) fn runner_lines(&self) -> impl Iterator<Item = String> {
        let time = |until: &str| {
            moment(until).map_or_else(|| until.to_owned(), |at| at.format("%Y-%m-%d %H:%M").to_string())
        };
        let left_alone = self.left_alone.iter().map(move |AccountLeftAlone { account, reason, until }| {
            let until = until.as_deref().map(|until| format!("until {}", time(until)));
            let until = until.unwrap_or_else(|| "for the rest of the run".to_owned());
            format!("left alone {until}: {account} ({reason})")
        });
        let waits = self.waits.iter().map(move |WaitAtWork { reason, until }| {
            let task = self.task.as_deref().map(|task| format!("{task} ")).unwrap_or_default();
            format!("{task}waits until {}: {reason}", time(until))
        });
        left_alone.chain(waits)
    }

    fn place(&self) -> String {
        let mut place = String::new();
        if let Some(slot) = self.slot {
            place.push_str(&format!(" in slot {slot}"));
        } else if !self.here {
            place.push_str(" in another work tree");
            place.extend(self.work_tree.iter().map(|top| format!(", {top}")));
        }
        place
    }

    /// What it does: `T003 implement 2/5 for 3 min`.
    fn work(&self, now: i64) -> String {
        let (Some(task), Some(step)) = (&self.task, self.step) else { return "between two steps".to_owned() };
        let mut work = format!("{task} {step}");
        if let (Some(attempt), Some(max)) = (self.attempt, self.max_attempts) {
            work.push_str(&format!(" {}/{max}", attempt.saturating_add(1)));
        }
        work.extend(elapsed(self.step_since.as_deref(), now).map(|time| format!(" for {time}")));
        work
    }

    /// `gardener, process 4711 on host, since 22:14:05`, with the date if that is another day.
    pub(super) fn who(&self, now: i64) -> String {
        let mut who = self.command.as_deref().unwrap_or("a command").to_owned();
        who.extend(self.process.map(|process| format!(", process {process}")));
        who.extend(self.host.iter().map(|host| format!(" on {host}")));
        let today = DateTime::from_timestamp(now, 0).map(|now| now.with_timezone(&Local).date_naive());
        let local = |text: &str| {
            let since = moment(text)?;
            let form = if Some(since.date_naive()) == today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
            Some(since.format(form).to_string())
        };
        who.extend(self.since.as_deref().and_then(local).map(|since| format!(", since {since}")));
        who
    }
}

/// A step that is running, of which there is no commit yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningStep {
    /// The task, or the phase whose tests are running.
    pub node: NodeIx,
    /// The step.
    pub step: Step,
    /// The attempt; `None` for a step that is not part of one.
    pub attempt: Option<Attempt>,
    /// For how long it has been running.
    pub elapsed: Duration,
    /// The slot in which it runs.
    pub slot: Option<u32>,
    /// Whether it runs the tests before the work, and not yet the step itself.
    pub is_before_work: bool,
}

impl RunningStep {
    /// What it does, in a word or few.
    pub(crate) fn during(&self) -> &'static str {
        if self.is_before_work { "running the tests before the work" } else { self.step.row().during }
    }

    /// The step in words: `implementing, attempt 2/5, 3 min`.
    pub(crate) fn remark(&self) -> String {
        let mut remark = self.during().to_owned();
        remark.extend(self.attempt.map(|attempt| format!(", attempt {attempt}")));
        remark.push_str(&format!(", {}", whole(self.elapsed.as_secs())));
        remark.extend(self.slot.map(|slot| format!(", slot {slot}")));
        remark
    }
}

fn moment(text: &str) -> Option<DateTime<Local>> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.with_timezone(&Local))
}

/// The time that has passed since a moment.
fn elapsed(since: Option<&str>, now: i64) -> Option<String> {
    let since = moment(since?)?.timestamp();
    Some(whole(u64::try_from(now.saturating_sub(since)).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_by_its_step_and_its_process() {
        let run = RunAtWork {
            host: Some("box".to_owned()),
            task: Some("T003".to_owned()),
            step: Some("implement"),
            attempt: Some(1),
            max_attempts: Some(5),
            step_since: Some("2026-11-20T22:14:05+00:00".to_owned()),
            ..RunAtWork::named("gardener (process 4711) since 2026-11-20T22:00:00+00:00")
        };
        let now = moment("2026-11-20T22:17:06+00:00").unwrap().timestamp();
        let line = run.line(now);
        let expected = "running: T003 implement 2/5 for 3 min (gardener, process 4711 on box, since ";
        assert!(line.starts_with(expected) && !line.contains("2026"), "{line}");
        let later = run.line(now + 3 * 24 * 3600);
        assert!(later.contains(", since 2026-11-2") && later.contains(" for 3 days ("), "{later}");
        let line = RunAtWork { killed: true, ..run }.line(now);
        assert!(
            line.starts_with("killed: gardener, process 4711 on box") && !line.contains("T003"),
            "{line}"
        );
        let line =
            RunAtWork { here: false, work_tree: Some("/w".to_owned()), ..RunAtWork::named("") }.line(now);
        assert_eq!(line, "running in another work tree, /w: between two steps (a command)");
    }
}
