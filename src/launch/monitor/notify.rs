//! Tells a command of the user what happens in a run (`arborist.notify.command`): an event as JSON on its standard input
//! (docs/schema.json).

use std::cell::RefCell;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use chrono::{SecondsFormat, Utc};
use serde::Serialize;

use super::ending::{self, EndKind, RunEndCause, RunEnding, ids};
use crate::config::Setting;
use crate::engine::{Event, RunEnd, RunPart, StepEnded};
use crate::error::{Error, Kind};
use crate::launch::before_run::Start;
use crate::plan::NodeIx;
use crate::process::{CallLimit, ProgramCall, Unfinished, call_program};
use crate::record::{Effect, Finding, Outcome, TaskId};
use crate::report;
use crate::text::{advice, clean, counted, duration};

/// How long the command may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Fields may be added to a notification of this version, but never renamed or removed.
const VERSION: u32 = 1;

/// What a notification is about. What matters most comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum Occasion {
    /// The run has ended, and only a person can make it go on.
    NeedsYou,
    /// A task, the tests of a phase or the suite have failed.
    Failed,
    /// The run waits until a usage limit resets.
    Limit,
    /// A runner cannot work now, and another one works instead.
    Fallback,
    /// An agent makes no progress.
    Stalled,
    /// The run has ended and has done what it was asked to do.
    Done,
}

/// What the command is told.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Notification<'a> {
    version: u32,
    /// `needs-you`: the run has ended, and only a person can make it go on. `failed`: a task, the tests of a phase or
    /// the suite have failed. `limit`: the run waits until a usage limit resets. `fallback`: a runner cannot work now,
    /// and another one works instead. `stalled`: an agent makes no progress. `done`: the run has ended and has done what it was asked to do.
    event: Occasion,
    /// When it happened.
    time: String,
    /// The name of the plan.
    spec_id: Option<&'a str>,
    /// The top of the work tree.
    work_tree: String,
    /// The task, if it is about one.
    task: Option<&'a str>,
    /// What happened, as a sentence.
    message: &'a str,
    /// What to do, as a sentence.
    remedy: Option<&'a str>,
    /// The state at the end of the run.
    complete: Option<usize>,
    /// How many tasks the plan has.
    total: usize,
    /// The tasks that have failed, at the end of the run.
    failed: Vec<&'a str>,
}

/// Tells the command what happens.
pub(crate) struct Notifier<'a> {
    start: Start<'a>,
    shell: PathBuf,
    /// The command; `None` if the user wants to be told nothing.
    command: Option<String>,
    calls: RefCell<Vec<JoinHandle<Option<String>>>>,
    /// The task of whose failure the command was told, if nothing has happened since.
    failure: RefCell<Option<TaskId>>,
}

impl<'a> Notifier<'a> {
    /// Tells the command of the settings, which this shell runs.
    pub(crate) fn new(start: Start<'a>, shell: PathBuf) -> Self {
        let command = start.session.config.optional(Setting::NotifyCommand);
        // What happens to a single task of a larger run is told by that run.
        let command = command.filter(|_| !matches!(start.part, RunPart::Task(_)));
        Self { start, shell, command, calls: RefCell::default(), failure: RefCell::default() }
    }

    /// Takes note of an event.
    pub(crate) fn on(&self, event: &Event) {
        if self.command.is_none() {
            return;
        }
        match event {
            Event::Fallback(fallback) => {
                let message = format!("{}: {}.", fallback.task, ending::fallback_words(fallback));
                self.tell(Occasion::Fallback, Some(&fallback.task), &message, None, None);
            }
            Event::Stalled { task, step, runner, idle } => {
                let message = format!(
                    "{task} {}: {runner} has completed no turn and called no tool for {}.",
                    step.word(),
                    duration(*idle)
                );
                self.tell(Occasion::Stalled, Some(task), &message, None, None);
            }
            Event::Waits(wait) if wait.is_for_limit => {
                let message = format!("{} waits {}: {}.", wait.task, duration(wait.length), wait.why);
                self.tell(Occasion::Limit, Some(&wait.task), &message, None, None);
            }
            Event::Ended(ended) => self.step_ended(ended),
            _ => {}
        }
    }

    fn step_ended(&self, ended: &StepEnded) {
        self.failure.replace(None);
        let has_failed =
            ended.result.outcome == Outcome::Fail && ended.result.step.row().effect == Effect::End;
        if !has_failed {
            return;
        }
        let attempts = counted(ended.attempt.number as usize + 1, "attempt");
        let message = format!("{} failed after {attempts}.", ended.task);
        let look = format!("{} shows why.", advice::show(&ended.task));
        self.tell(Occasion::Failed, Some(&ended.task), &message, Some(&look), None);
        self.failure.replace(Some(ended.task.clone()));
    }

    /// Tells how the run ended.
    pub(crate) fn ended(&self, end: &RunEnd) {
        let (tree, again) = (&self.start.plan.tree, self.start.again);
        let ending = RunEnding::new(end, tree, again);
        let kind = ending.cause.kind();
        if kind == EndKind::Failed && end.failed.len() == 1 && self.failure.borrow().is_some() {
            return;
        }
        let occasion = match kind {
            EndKind::Failed => Occasion::Failed,
            EndKind::NeedsPerson => Occasion::NeedsYou,
            EndKind::AsAsked => Occasion::Done,
        };
        let failed = |nodes: &[NodeIx]| format!("{} failed.", ids(tree, nodes).join(", "));
        let message = match (&ending.cause, &ending.words) {
            (RunEndCause::TaskFailed, _) => failed(&end.failed),
            (RunEndCause::PhaseFailed, _) => end.failure.iter().fold(
                format!("The tests of {} fail.", ids(tree, &end.failed_phases).join(", ")),
                |told, what| format!("{told} {what}."),
            ),
            (RunEndCause::Superseded, _) => {
                end.warnings.iter().map(Finding::sentence).collect::<Vec<_>>().join(" ")
            }
            (_, Some(words)) => words.message.clone(),
            (_, None) => {
                let done = report::tasks_done(end.complete, end.skipped.len(), tree.order().len());
                format!("The run has ended: {done}.")
            }
        };
        let remedy = ending.words.as_ref().map(|words| words.remedy.as_str());
        self.tell(occasion, None, &message, remedy, Some(end));
    }

    /// Tells that an error has ended the run, unless the user did.
    pub(crate) fn stopped(&self, error: &Error) {
        if !matches!(error.kind(), Kind::Signal(_)) {
            self.tell(Occasion::NeedsYou, None, error.what(), Some(error.remedy()), None);
        }
    }

    /// Tells of an event, or of the end of the run.
    fn tell(
        &self,
        event: Occasion,
        task: Option<&TaskId>,
        message: &str,
        remedy: Option<&str>,
        end: Option<&RunEnd>,
    ) {
        let (Some(command), tree) = (&self.command, &self.start.plan.tree) else { return };
        let masked = |text: &str| self.start.call.mask(text);
        let remedy = remedy.map(masked);
        let top = &self.start.session.work_tree.top;
        let notification = Notification {
            version: VERSION,
            event,
            time: Utc::now().to_rfc3339_opts(SecondsFormat::Secs, false),
            spec_id: tree.spec_id(),
            work_tree: top.to_string_lossy().into_owned(),
            task: task.map(TaskId::as_str),
            message: &masked(message),
            remedy: remedy.as_deref(),
            complete: end.map(|end| end.complete),
            total: tree.order().len(),
            failed: end.map(|end| ids(tree, &end.failed)).unwrap_or_default(),
        };
        let input = report::json_line(&notification).into_bytes();
        let (shell, args, folder) = (self.shell.clone(), ["-c".to_owned(), command.clone()], top.clone());
        // The run goes on meanwhile.
        let told = std::thread::spawn(move || {
            run(&ProgramCall { program: &shell, args: &args, folder: &folder, env: &[] }, input)
        });
        self.calls.borrow_mut().push(told);
    }

    /// Waits until the command was told everything. Returns what went wrong.
    pub(crate) fn finish(&self) -> Vec<String> {
        let calls = self.calls.take();
        let problem = |call: JoinHandle<Option<String>>| {
            call.join().unwrap_or_else(|_| Some("its thread has panicked".to_owned()))
        };
        let problems = calls.into_iter().filter_map(problem);
        problems.map(|problem| format!("arborist.notify.command failed: {problem}")).collect()
    }
}

/// Runs the command. Returns what went wrong, as a clause.
fn run(command: &ProgramCall<'_>, input: Vec<u8>) -> Option<String> {
    match call_program(command, input, &CallLimit::within(TIMEOUT)) {
        Ok(finished) if finished.status.success() => None,
        Ok(finished) => {
            let said = clean(&finished.stderr);
            let said = said.lines().rev().find(|line| !line.trim().is_empty());
            let said = said.map(|line| format!(" ({})", line.trim())).unwrap_or_default();
            Some(format!("{}{said}", finished.status))
        }
        Err(Unfinished::NotStarted(error)) => Some(format!("it could not be started: {error}")),
        Err(Unfinished::TimedOut(after)) => Some(format!("it did not end within {}", duration(after))),
        Err(Unfinished::Stopped) => Some("it was stopped".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Notification<'_>>("notification", "arborist.notify.command");
    }
}
