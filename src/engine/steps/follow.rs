//! Follows an agent while it works: keeps what it prints, shows what it does, and notices when it does nothing.

use std::time::{Duration, Instant};

use crate::agents::{
    Activity, AgentEvent, Follower, LiveLine, OutputCaller, OutputFile, OutputKey, PastSession, Protocol,
    Runner, RunnerResult,
};
use crate::engine::event::{AgentProgress, Event};
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::{RunContext, RunPart};
use crate::process::ExitReason;
use crate::record::Usage;
use crate::text::one_line;
use crate::worktree::outputs_of;
use crate::worktree::secret_search::SecretSearch;

/// The shortest time between two events about the progress of an agent.
const EVENT_PERIOD: Duration = Duration::from_secs(1);
/// How often the line is made again that says for how long an agent has done nothing.
const LINE_PERIOD: Duration = Duration::from_secs(1);

/// Follows one call of an agent.
pub(super) struct StepFollower<'a, 'r> {
    run: &'a RunContext<'r>,
    job: Assignment<'a>,
    runner: String,
    /// Whether it tells about turns and tools.
    tells_progress: bool,
    live: LiveLine,
    output: Option<OutputFile>,
    /// When it last made progress: a turn or a call of a tool.
    progress: Instant,
    pace: EventPace,
    /// When the line was made.
    shown: Instant,
    /// The last line that was sent.
    line: String,
    is_stalled: bool,
    /// What the agent has used in earlier calls, and counts again.
    counted_again: Option<Usage>,
}

/// When events about the progress of a call are sent.
#[derive(Default)]
struct EventPace {
    /// When the last one was sent.
    sent: Option<Instant>,
    /// Whether something has happened since.
    has_news: bool,
}

impl EventPace {
    /// Whether the last one is long enough ago.
    fn is_due(&self) -> bool {
        self.sent.is_none_or(|sent| sent.elapsed() >= EVENT_PERIOD)
    }
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
            output: output(run, job, runner),
            progress: now,
            pace: EventPace::default(),
            shown: now,
            line: String::new(),
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

    /// Writes what an agent prints, unless that has failed before.
    fn write(&mut self, write: impl FnOnce(&mut OutputFile, SecretSearch<'_>) -> std::io::Result<()>) {
        let Some(output) = &mut self.output else { return };
        if let Err(error) = write(output, self.run.secret_search()) {
            self.output = None;
            not_kept(self.run, self.job, &error);
        }
    }

    /// Sends what was not sent yet, because the call has ended.
    pub(super) fn finish(&mut self, RunnerResult { job, activity, .. }: &RunnerResult) {
        let exited_well = matches!(job.exit_reason, ExitReason::Exited(0));
        let session = PastSession::of_activity(activity);
        self.write(|output, secrets| output.end(exited_well, session, |text| secrets.mask(text)));
        self.pace.sent = None;
        self.send(activity);
    }

    fn send(&mut self, activity: &Activity) {
        if !self.tells_progress || !self.pace.has_news || !self.pace.is_due() {
            return;
        }
        self.pace = EventPace { sent: Some(Instant::now()), has_news: false };
        self.run.observer.on(Event::Progress(self.progress(activity)));
    }

    fn progress(&self, activity: &Activity) -> AgentProgress {
        AgentProgress {
            task: self.job.task.id.clone(),
            step: self.job.step,
            runner: self.runner.clone(),
            turns: activity.turns,
            tools: activity.tools,
            last_tool: activity.last_tool.clone(),
            files: activity.files.len(),
            usage: self.used(activity),
            line: None,
            idle: self.progress.elapsed(),
        }
    }

    /// Tells a scheduler the last line of an agent that tells nothing else. It is in another process, so it does not see the line
    /// itself.
    fn send_line(&mut self, activity: &Activity) {
        if self.tells_progress || !self.pace.is_due() || !matches!(self.run.part, RunPart::Task(_)) {
            return;
        }
        let line = self.run.secret_search().redact(&one_line(&self.live.get()));
        if !line.is_empty() && line != self.line {
            self.line.clone_from(&line);
            self.pace.sent = Some(Instant::now());
            let progress = AgentProgress { line: Some(line), ..self.progress(activity) };
            self.run.observer.on(Event::Progress(progress));
        }
    }

    fn show(&mut self, activity: &Activity) {
        self.shown = Instant::now();
        let retries = activity.retrying.as_ref().map(|error| format!("tries again: {}", error.message));
        let words = self.progress(activity).words(retries);
        if !words.is_empty() {
            self.live.show(&words);
        }
    }
}

impl Follower for StepFollower<'_, '_> {
    fn output(&mut self, piece: &[u8]) {
        self.write(|output, secrets| output.add(piece, |text| secrets.mask(text)));
    }

    fn on(&mut self, event: &AgentEvent, activity: &Activity) {
        if matches!(event, AgentEvent::Turn | AgentEvent::Tool { .. }) {
            self.progress = Instant::now();
            self.is_stalled = false;
        }
        self.pace.has_news = true;
        // Plain lines are shown by whoever reads them.
        if !matches!(event, AgentEvent::Message(_)) || self.tells_progress {
            self.show(activity);
        }
        self.send(activity);
    }

    fn tick(&mut self, activity: &Activity) {
        if self.shown.elapsed() >= LINE_PERIOD {
            self.show(activity);
        }
        self.send(activity);
        self.send_line(activity);
        let idle = self.progress.elapsed();
        if self.tells_progress && !self.is_stalled && idle >= self.run.settings.runner.patience.stall() {
            self.is_stalled = true;
            self.run.observer.on(Event::Stalled {
                task: self.job.task.id.clone(),
                step: self.job.step,
                runner: self.runner.clone(),
                idle,
            });
        }
    }
}

/// Where the output of a call that begins now is kept; `None` if that cannot be written.
fn output(run: &RunContext<'_>, job: Assignment<'_>, runner: &Runner) -> Option<OutputFile> {
    let key = OutputKey { task: job.task.id, attempt: job.attempt.number, step: job.step };
    let protocol = runner.protocol().name().to_owned();
    let caller = OutputCaller::new(runner.label(), protocol);
    OutputFile::begin(outputs_of(&run.work_tree), key, caller)
        .inspect_err(|error| not_kept(run, job, error))
        .ok()
}

fn not_kept(run: &RunContext<'_>, job: Assignment<'_>, error: &std::io::Error) {
    run.warn(&format!("what the agent of {} prints cannot be kept: {error}", job.task.id));
}
