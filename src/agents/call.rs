//! Calls a runner, follows what it reports while it works, and finds out how its work ended.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, TimeZone};

use super::activity::Activity;
use super::cap::Cap;
use super::invocation::CallOptions;
use super::live::{Following, LiveCall, LiveReader, ReadCall};
use super::program::Program;
use super::protocol::Protocol;
use super::runner::Runner;
use super::session::PastSession;
use super::unavailable::{
    CallEnd, Cause, EndedCall, LocalClock, ServiceWait, Unavailable, told_limit, unavailable,
};
use crate::process::{Captured, EnvChange, ExitReason, Job, JobResult, Launch};
use crate::record::{Role, Usage};

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
    /// What it may use.
    pub cap: Cap,
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
    /// The limit of which a program that is not known speaks at the end of its output. It has hit that limit if nothing else
    /// came of its work.
    pub told_limit: Option<Unavailable>,
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
    /// The job of a request to this runner.
    #[must_use]
    pub fn job(&self, launch: &Launch, request: Request<'_>) -> Job {
        let Request { role, prompt_file, session, cap, .. } = request;
        let max_cost = cap.max_cost;
        let invocation = self.invocation_with(CallOptions { role, prompt_file, session, max_cost });
        let set = |name: &str, value: OsString| EnvChange::Set(name.into(), value);
        let env = invocation.env.iter().map(|(name, value)| set(name, value.into()));
        let model = self.model().map(|model| set("ARBORIST_MODEL", model.into()));
        let prompt_file = set("ARBORIST_PROMPT_FILE", request.prompt_file.into());
        let job = launch.job(invocation.program, request.timeout).args(invocation.args);
        let job = job.env(env.chain(model).chain([prompt_file]));
        if invocation.takes_stdin { job.prompt(request.prompt) } else { job }
    }

    /// Runs a job of this runner to its end. `now` tells the time.
    pub fn run<Z: TimeZone>(
        &self,
        job: Job,
        following: Following<'_>,
        now: impl Fn() -> DateTime<Z>,
    ) -> RunnerResult {
        let (directory, error_patterns) = (job.directory().to_owned(), self.error_patterns());
        let is_zone = |name: &str| self.zone().is_called(name);
        let listen = |line: &str| {
            ServiceWait::in_line(&error_patterns, line, &LocalClock { now: &now(), is_zone: &is_zone })
        };
        let call = LiveCall { directory: &directory, protocol: self.protocol(), listen: &listen, following };
        let mut reader = LiveReader::new(call);
        let result = job.run_watched(&mut reader);
        let read = reader.end(matches!(result.exit_reason, ExitReason::Exited(0)));
        match self.protocol() {
            Protocol::Text => self.result_of_text(result, &now()),
            _ => self.result_of_stream(result, read, &now()),
        }
    }

    /// The same end. If there is no sign of a login, an error whose cause is not known may mean that the login is missing.
    fn with_hint(&self, end: CallEnd) -> CallEnd {
        let Program::Agent(agent, _) = &self.program else { return end };
        let hints = |said: &str| agent.login.hints.iter().any(|hint| said.starts_with(hint));
        match end {
            CallEnd::Unavailable(why)
                if matches!(why.cause, Cause::NoTurn | Cause::Refused)
                    && self.found.has_no_login
                    && hints(&why.said) =>
            {
                CallEnd::Unavailable(Unavailable { cause: Cause::NotLoggedIn, ..why })
            }
            end => end,
        }
    }

    fn result_of_text<Z: TimeZone>(&self, job: JobResult, now: &DateTime<Z>) -> RunnerResult {
        let clock = LocalClock { now, is_zone: &|name| self.zone().is_called(name) };
        let unavailable = not_started(&job).or_else(|| unavailable(&self.error_patterns(), &job, &clock));
        let told_limit = if self.is_command() { told_limit(&job, &clock) } else { None };
        let failure = match &job.exit_reason {
            ExitReason::Exited(0) => None,
            end => Some(end.to_string()),
        };
        RunnerResult { job, activity: Activity::default(), failure, unavailable, told_limit }
    }

    fn result_of_stream<Z: TimeZone>(
        &self,
        job: JobResult,
        ReadCall { activity, seen }: ReadCall,
        now: &DateTime<Z>,
    ) -> RunnerResult {
        let clock = LocalClock { now, is_zone: &|name| self.zone().is_called(name) };
        let end = match not_started(&job) {
            Some(unavailable) => CallEnd::Unavailable(unavailable),
            None => {
                let (activity, seen, error_patterns) = (&activity, &seen, &self.error_patterns());
                let call = EndedCall { activity, seen, result: &job, error_patterns, clock: &clock };
                self.with_hint(call.end())
            }
        };
        let (failure, unavailable) = match end {
            _ if matches!(job.exit_reason, ExitReason::Cancelled) => {
                (Some(job.exit_reason.to_string()), None)
            }
            CallEnd::Well => (None, None),
            CallEnd::Failed(why) => (Some(why), None),
            CallEnd::Unavailable(unavailable) => (Some(job.exit_reason.to_string()), Some(unavailable)),
        };
        let said = activity.final_message.as_deref().unwrap_or_default().as_bytes();
        RunnerResult {
            job: JobResult { stdout: Captured::whole(said), ..job },
            activity,
            failure,
            unavailable,
            told_limit: None,
        }
    }
}

/// Why a program did not start at all, if so.
fn not_started(job: &JobResult) -> Option<Unavailable> {
    let said = match &job.exit_reason {
        ExitReason::CouldNotStart(error) => {
            let cause = error.shortage().map_or(Cause::NotStarted, Cause::of_shortage);
            return Some(Unavailable { cause, said: error.to_string() });
        }
        // The shell did not find the command, or could not execute it.
        ExitReason::Exited(126 | 127) => job.last_line().unwrap_or_else(|| job.exit_reason.to_string()),
        _ => return None,
    };
    Some(Unavailable { cause: Cause::NotStarted, said })
}
