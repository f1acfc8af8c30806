//! Follows an agent while it works: writes its transcript, shows what it does, and notices when it does nothing.

use std::time::{Duration, Instant};

use chrono::Utc;

use crate::agents::{
    Activity, AgentEvent, Follower, LiveLine, Protocol, Runner, Transcript, TranscriptCall, TranscriptKey,
    Transcripts,
};
use crate::engine::assignment::Assignment;
use crate::engine::context::RunContext;
use crate::engine::event::{AgentProgress, Event, Stalled};
use crate::record::{Cost, Usage, grouped};
use crate::text::duration;

/// The shortest time between two events about the progress of an agent.
const EVENT_PERIOD: Duration = Duration::from_secs(1);
/// How often the line is made again that says for how long an agent has done nothing.
const LINE_PERIOD: Duration = Duration::from_secs(1);
/// For how long an agent may do nothing before the line says so.
const QUIET: Duration = Duration::from_secs(10);

/// Follows one call of an agent.
pub(super) struct StepFollower<'a, 'r> {
    run: &'a RunContext<'r>,
    job: Assignment<'a>,
    runner: String,
    /// Whether it tells about turns and tools.
    tells_progress: bool,
    live: LiveLine,
    transcript: Option<Transcript>,
    /// When it last made progress: a turn or a call of a tool.
    progress: Instant,
    /// When the last event about its progress was sent.
    sent: Option<Instant>,
    /// Whether something has happened since.
    is_unsent: bool,
    /// When the line was made.
    shown: Instant,
    is_stalled: bool,
    /// What the agent has used in earlier calls, and counts again.
    counted_again: Option<Usage>,
}

impl<'a, 'r> StepFollower<'a, 'r> {
    /// Follows a call that begins now.
    pub(super) fn new(run: &'a RunContext<'r>, job: Assignment<'a>, runner: &Runner, live: LiveLine) -> Self {
        let now = Instant::now();
        Self {
            run,
            job,
            runner: runner.label(),
            tells_progress: runner.protocol() != Protocol::Text,
            live,
            transcript: transcript(run, job, runner),
            progress: now,
            sent: None,
            is_unsent: false,
            shown: now,
            is_stalled: false,
            counted_again: None,
        }
    }

    /// Follows an agent that counts again what it has used in earlier calls.
    pub(super) fn without(self, counted_again: Option<Usage>) -> Self {
        Self { counted_again, ..self }
    }

    /// What the agent has used in this call. Only the sum at its end contains what it counts again.
    pub(super) fn used(&self, activity: &Activity) -> Usage {
        let has_ended = activity.final_message.is_some() || activity.error.is_some();
        match self.counted_again {
            Some(before) if has_ended => activity.usage.since(before),
            _ => activity.usage,
        }
    }

    fn write(&mut self, event: &AgentEvent) {
        let Some(transcript) = &mut self.transcript else { return };
        if let Err(error) = transcript.add(event) {
            self.transcript = None;
            self.run.warn(&format!("the transcript of {} cannot be written: {error}", self.job.task.id));
        }
    }

    /// Sends what was not sent yet, because the call has ended.
    pub(super) fn finish(&mut self, activity: &Activity) {
        self.sent = None;
        self.send(activity);
    }

    fn send(&mut self, activity: &Activity) {
        let is_due = self.tells_progress && self.sent.is_none_or(|sent| sent.elapsed() >= EVENT_PERIOD);
        if !self.is_unsent || !is_due {
            return;
        }
        (self.sent, self.is_unsent) = (Some(Instant::now()), false);
        self.run.observer.on(Event::Progress(AgentProgress {
            task: self.job.task.id.clone(),
            step: self.job.step,
            runner: self.runner.clone(),
            turns: activity.turns,
            tools: activity.tools,
            last_tool: activity.last_tool.clone(),
            files: activity.files.len(),
            usage: self.used(activity),
            idle: self.progress.elapsed(),
        }));
    }

    fn show(&mut self, activity: &Activity) {
        self.shown = Instant::now();
        let idle = Some(self.progress.elapsed()).filter(|idle| *idle >= QUIET);
        let words = words(activity, self.used(activity), idle);
        if !words.is_empty() {
            self.live.show(&words);
        }
    }
}

impl Follower for StepFollower<'_, '_> {
    fn on(&mut self, event: &AgentEvent, activity: &Activity) {
        self.write(event);
        if matches!(event, AgentEvent::Turn | AgentEvent::Tool { .. }) {
            self.progress = Instant::now();
            self.is_stalled = false;
        }
        self.is_unsent = true;
        self.show(activity);
        self.send(activity);
    }

    fn tick(&mut self, activity: &Activity) {
        if self.shown.elapsed() >= LINE_PERIOD {
            self.show(activity);
        }
        self.send(activity);
        let idle = self.progress.elapsed();
        if self.tells_progress && !self.is_stalled && idle >= self.run.settings.stall {
            self.is_stalled = true;
            self.run.observer.on(Event::Stalled(Stalled {
                task: self.job.task.id.clone(),
                step: self.job.step,
                runner: self.runner.clone(),
                idle,
            }));
        }
    }
}

/// The transcript of a call that begins now; `None` if there is to be none, or it cannot be written.
fn transcript(run: &RunContext<'_>, job: Assignment<'_>, runner: &Runner) -> Option<Transcript> {
    let transcripts = Transcripts::below(&run.work_tree.git_dir, run.settings.transcripts);
    let key = TranscriptKey { task: job.task.id, attempt: job.attempt.number, step: job.step };
    let call = TranscriptCall { time: Utc::now(), runner: runner.label() };
    transcripts.begin(key, call).unwrap_or_else(|error| {
        run.warn(&format!("the transcript of {} cannot be written: {error}", job.task.id));
        None
    })
}

/// What an agent does, in a few words; empty if it has told nothing yet. What matters most comes first, because a narrow
/// terminal cuts the end.
fn words(activity: &Activity, used: Usage, idle: Option<Duration>) -> String {
    let count = |number: u64, noun: &str| match number {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{number} {noun}s")),
    };
    let retries = activity.retrying.as_ref().map(|error| format!("tries again: {}", error.message));
    let tool = activity.last_tool.as_ref();
    let told = [
        retries,
        count(activity.turns, "turn"),
        count(activity.files.len() as u64, "file"),
        used.tokens.total().map(|tokens| format!("{} tokens", grouped(tokens))),
        used.cost.map(Cost::told),
        tool.map(|tool| format!("{} {}", tool.name, tool.subject).trim_end().to_owned()),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    let idle = idle.filter(|_| !told.is_empty()).map(|idle| format!("quiet for {}", duration(idle)));
    idle.into_iter().chain(told).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_first_for_how_long_an_agent_is_quiet_and_last_what_it_works_on() {
        let mut activity = Activity::default();
        assert_eq!(words(&activity, Usage::default(), Some(Duration::from_secs(60))), "");
        activity.extend(&[
            AgentEvent::Turn,
            AgentEvent::Tool { name: "Edit".to_owned(), subject: "src/a.rs".to_owned() },
            AgentEvent::FileChanged("src/a.rs".to_owned()),
        ]);
        assert_eq!(words(&activity, Usage::default(), None), "1 turn · 1 file · Edit src/a.rs");
        let quiet = words(&activity, Usage::default(), Some(Duration::from_secs(60)));
        assert!(quiet.starts_with("quiet for 1 min · 1 turn"), "{quiet}");
    }
}
