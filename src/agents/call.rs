//! Calls a runner, follows what it reports while it works, and finds out how its work ended.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeZone};

use super::activity::Activity;
use super::event::AgentEvent;
use super::known::Runner;
use super::outcome::{Cause, LocalClock, StreamEnd, Unavailable, after_stream, unavailable};
use super::protocol::{EventStream, Protocol};
use super::session::PastSession;
use crate::process::{Captured, EnvChange, ExitReason, Job, JobResult, Launch, Secrets, Watch, Watcher};
use crate::record::{Role, Usage};

/// How long an agent may try again by itself, without a turn in between, before it is ended: the run knows better when to
/// call it again.
const OWN_RETRIES: Duration = Duration::from_secs(90);

/// A request to a runner.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Its role.
    pub role: Role,
    /// What it is to do.
    pub prompt: &'a str,
    /// The file that holds the same text.
    pub prompt_file: &'a Path,
    /// How long it may take.
    pub timeout: Duration,
    /// The session that it continues, if it can; `None` for a fresh one.
    pub session: Option<&'a PastSession>,
}

/// Follows an agent while it works.
pub trait Follower {
    /// Takes note of an event; `activity` includes it.
    fn on(&mut self, event: &AgentEvent, activity: &Activity);

    /// Is called several times a second, also without events.
    fn tick(&mut self, _activity: &Activity) {}
}

/// Follows nothing.
pub struct Unfollowed;

impl Follower for Unfollowed {
    fn on(&mut self, _event: &AgentEvent, _activity: &Activity) {}
}

/// The result of a call.
#[derive(Debug)]
pub struct RunnerResult {
    /// How the program ended. If it reports events, its standard output is its final message alone.
    pub job: JobResult,
    /// What it has done, as far as it reports that.
    pub activity: Activity,
    /// Why the attempt has failed, as a clause; `None` if the runner has ended well.
    pub failure: Option<String>,
    /// Why it could not work; this is no attempt.
    pub unavailable: Option<Unavailable>,
}

impl RunnerResult {
    /// The tools that the runner was not allowed to use.
    pub fn denied(&self) -> impl Iterator<Item = &str> {
        self.activity.denied.iter().map(String::as_str)
    }

    /// What the call has used.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.activity.usage
    }

    /// Whether the runner was to continue a session, and could not even begin because of that, as far as one can tell.
    #[must_use]
    pub fn has_not_resumed(&self) -> bool {
        let cause = self.unavailable.as_ref().map(|unavailable| unavailable.cause);
        self.activity.turns == 0 && matches!(cause, Some(Cause::NoTurn | Cause::Refused))
    }
}

impl Runner {
    /// The job that a request to this runner is.
    #[must_use]
    pub fn job(&self, launch: &Launch, request: Request<'_>) -> Job {
        let invocation = self.invocation_in(request.session, request.role, request.prompt_file);
        let set = |name: &str, value: OsString| EnvChange::Set(name.into(), value);
        let env = invocation.env.iter().map(|(name, value)| set(name, value.into()));
        let model = self.model().map(|model| set("ARBORIST_MODEL", model.into()));
        let prompt_file = set("ARBORIST_PROMPT_FILE", request.prompt_file.into());
        let job = launch.job(invocation.program, request.timeout).args(invocation.args);
        let job = job.env(env.chain(model).chain([prompt_file]));
        if invocation.takes_stdin { job.prompt(request.prompt) } else { job }
    }

    /// Runs a job of this runner to its end. `now` tells the time when it has ended.
    pub fn run<Z: TimeZone>(
        &self,
        job: Job,
        secrets: &Secrets,
        follower: &mut dyn Follower,
        now: impl FnOnce() -> DateTime<Z>,
    ) -> RunnerResult {
        let mut reader = StreamReader {
            top: format!("{}/", job.directory().display()),
            stream: EventStream::new(self.protocol(), secrets),
            activity: Activity::default(),
            follower,
            retries_since: None,
        };
        let result = job.run_watched(&mut reader);
        let ended_well = matches!(result.exit_reason, ExitReason::Exited(0));
        reader.end(ended_well);
        match self.protocol() {
            Protocol::Text => self.result_of_text(result, &now()),
            _ => self.result_of_stream(result, reader.activity, &now()),
        }
    }

    fn result_of_text<Z: TimeZone>(&self, job: JobResult, now: &DateTime<Z>) -> RunnerResult {
        let clock = LocalClock { now, is_zone: &|name| self.zone().is_called(name) };
        let unavailable = not_started(&job).or_else(|| unavailable(&self.error_patterns(), &job, &clock));
        let failure = match &job.exit_reason {
            ExitReason::Exited(0) => None,
            end => Some(end.to_string()),
        };
        RunnerResult { job, activity: Activity::default(), failure, unavailable }
    }

    fn result_of_stream<Z: TimeZone>(
        &self,
        job: JobResult,
        activity: Activity,
        now: &DateTime<Z>,
    ) -> RunnerResult {
        let clock = LocalClock { now, is_zone: &|name| self.zone().is_called(name) };
        let end = match not_started(&job) {
            Some(unavailable) => StreamEnd::Unavailable(unavailable),
            None => after_stream(&activity, &job, &self.error_patterns(), &clock),
        };
        let (failure, unavailable) = match end {
            _ if matches!(job.exit_reason, ExitReason::Cancelled) => {
                (Some(job.exit_reason.to_string()), None)
            }
            StreamEnd::Well => (None, None),
            StreamEnd::Failed(why) => (Some(why), None),
            StreamEnd::Unavailable(unavailable) => (Some(job.exit_reason.to_string()), Some(unavailable)),
        };
        let said = activity.final_message.as_deref().unwrap_or_default().as_bytes();
        RunnerResult {
            job: JobResult { stdout: Captured::whole(said), ..job },
            activity,
            failure,
            unavailable,
        }
    }
}

/// Why a program did not start at all, if so.
fn not_started(job: &JobResult) -> Option<Unavailable> {
    let said = match &job.exit_reason {
        ExitReason::CouldNotStart(error) => error.to_string(),
        // The shell did not find the command, or could not execute it.
        ExitReason::Exited(126 | 127) => job.last_line().unwrap_or_else(|| job.exit_reason.to_string()),
        _ => return None,
    };
    Some(Unavailable { cause: Cause::NotStarted, said })
}

/// Reads the stream of an agent, and ends an agent that only tries again.
struct StreamReader<'f> {
    /// The folder in which it works, with a slash at the end. Paths in it are shown from there.
    top: String,
    stream: EventStream,
    activity: Activity,
    follower: &'f mut dyn Follower,
    /// Since when it only tries again.
    retries_since: Option<Instant>,
}

impl StreamReader<'_> {
    fn take(&mut self, events: Vec<AgentEvent>) {
        for event in events {
            let event = self.relative(event);
            match event {
                AgentEvent::Retries(_) => {
                    self.retries_since.get_or_insert_with(Instant::now);
                }
                AgentEvent::Turn | AgentEvent::Tool { .. } | AgentEvent::Message(_) => {
                    self.retries_since = None;
                }
                _ => {}
            }
            self.activity.add(&event);
            self.follower.on(&event, &self.activity);
        }
    }

    /// The event with paths from the folder in which the agent works.
    fn relative(&self, event: AgentEvent) -> AgentEvent {
        let short = |path: String| path.replace(&self.top, "");
        match event {
            AgentEvent::Tool { name, subject } => AgentEvent::Tool { name, subject: short(subject) },
            AgentEvent::FileChanged(path) => AgentEvent::FileChanged(short(path)),
            event => event,
        }
    }

    fn end(&mut self, ended_well: bool) {
        let events = self.stream.end(ended_well);
        self.take(events);
    }
}

impl Watcher for StreamReader<'_> {
    fn output(&mut self, piece: &[u8]) {
        let events = self.stream.push(piece);
        self.take(events);
    }

    fn tick(&mut self) -> Watch {
        self.follower.tick(&self.activity);
        let retries_too_long = self.retries_since.is_some_and(|since| since.elapsed() >= OWN_RETRIES);
        if retries_too_long { Watch::End } else { Watch::GoOn }
    }
}
