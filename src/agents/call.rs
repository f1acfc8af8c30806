//! Calls a runner, follows what it reports while it works, and finds out how its work ended.

use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use chrono::{Local, TimeZone, Utc};
use regex_lite::Regex;

use super::activity::Activity;
use super::cap::Cap;
use super::cause::{Cause, Trouble, Unavailable};
use super::ending::{CallEnd, Seen, end_of_stream, end_of_text, not_started, told_at_end, wait_limit};
use super::invocation::CallOptions;
use super::live::{Following, LiveReader};
use super::protocol::Protocol;
use super::resets::Clock;
use super::runner::Runner;
use super::schema::AnswerSchema;
use super::session::PastSession;
use super::zone::LocalZone;
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
    /// The schema of its answer, to which it is bound if it can be.
    pub schema: Option<&'static AnswerSchema>,
}

/// How the names of tools begin without which nothing can be written.
static WRITES: LazyLock<Regex> = LazyLock::new(|| {
    let names = "write|edit|multiedit|notebookedit|bash|shell|run_shell_command|replace|apply_patch";
    Regex::new(&format!("(?i)^(?:{names})")).expect("the pattern is valid")
});

/// What codex says of a patch that it has refused; its stream says nothing of that.
const REFUSED_PATCH: &str = "codex_core::tools::router: error=patch rejected";

/// How many characters at the end of standard error are searched for it.
const SEARCHED: usize = 50_000;

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
    /// What a program that prints text says at the end of its output of why it could not work. It means that only if nothing else
    /// came of its work.
    pub told: Option<Unavailable>,
}

impl RunnerResult {
    /// What the call has used.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.activity.usage
    }

    /// That it was not allowed to use a tool without which nothing can be written, if so. This is no attempt if nothing came of it.
    #[must_use]
    pub fn denied(&self) -> Option<Unavailable> {
        let tool = self.activity.denied.iter().find(|tool| WRITES.is_match(tool))?;
        Some(Unavailable::by(Trouble::Denied, format!("was not allowed to use {tool}")))
    }

    /// Whether the runner was to continue a session, and could not even begin because of that, as far as one can tell.
    #[must_use]
    pub fn has_not_resumed(&self) -> bool {
        let cause = self.unavailable.as_ref().map(|unavailable| unavailable.cause);
        self.activity.turns == 0
            && matches!(cause, Some(Cause::Environment(Trouble::NotStarted) | Cause::Refused))
    }
}

impl Runner {
    /// The job of a request to this runner.
    #[must_use]
    pub fn job(&self, launch: &Launch, request: Request<'_>) -> Job {
        let Request { role, prompt_file, session, schema, .. } = request;
        let max_cost = request.cap.max_cost;
        let invocation = self.invocation_with(CallOptions { role, prompt_file, session, max_cost, schema });
        let set = |name: &str, value: OsString| EnvChange::Set(name.into(), value);
        let env = invocation.env.iter().map(|(name, value)| set(name, value.into()));
        let model = self.model().map(|model| set("ARBORIST_MODEL", model.into()));
        let prompt_file = set("ARBORIST_PROMPT_FILE", request.prompt_file.into());
        let job = launch.job(invocation.program, request.timeout).args(invocation.args);
        let job = job.env(env.chain(model).chain([prompt_file]));
        if invocation.takes_stdin { job.prompt(request.prompt) } else { job }
    }

    /// Runs a job of this runner to its end.
    pub fn run(&self, job: Job, following: Following<'_>) -> RunnerResult {
        let (directory, protocol) = (job.directory().to_owned(), self.protocol());
        let listen = |line: &str| {
            protocol.wait_in(line).map(|error| self.at_this_time(|clock| wait_limit(error, clock)))
        };
        let mut reader = LiveReader::new(&directory, protocol, &listen, following);
        let job = job.run_watched(&mut reader);
        let (activity, seen) = reader.end(matches!(job.exit_reason, ExitReason::Exited(0)));
        self.at_this_time(|clock| match protocol {
            Protocol::Text => result_of_text(job, clock),
            _ => result_of_stream(job, activity, &seen, clock),
        })
    }

    /// What this makes of the clock of this machine.
    fn at_this_time<T>(&self, read: impl FnOnce(&Clock<'_>) -> T) -> T {
        let now = Local::now();
        read(&Clock {
            now: now.to_utc(),
            local: now.naive_local(),
            to_utc: &|time| Some(Local.from_local_datetime(&time).latest()?.with_timezone(&Utc)),
            is_zone: &|name| LocalZone::of(&self.lookup.environment).is_called(name),
        })
    }
}

fn result_of_text(job: JobResult, clock: &Clock<'_>) -> RunnerResult {
    let unavailable = not_started(&job).or_else(|| end_of_text(&job, clock));
    let told = told_at_end(&job, clock);
    let failure = match &job.exit_reason {
        ExitReason::Exited(0) => None,
        end => Some(end.to_string()),
    };
    RunnerResult { job, activity: Activity::default(), failure, unavailable, told }
}

fn result_of_stream(job: JobResult, mut activity: Activity, seen: &Seen, clock: &Clock<'_>) -> RunnerResult {
    if job.stderr.tail_lossy(SEARCHED).contains(REFUSED_PATCH) {
        activity.denied.insert("apply_patch".to_owned());
    }
    let end = match not_started(&job) {
        Some(unavailable) => CallEnd::Unavailable(unavailable),
        None => end_of_stream(&activity, seen, &job, clock),
    };
    let (failure, unavailable) = match end {
        _ if matches!(job.exit_reason, ExitReason::Cancelled) => (Some(job.exit_reason.to_string()), None),
        CallEnd::Well => (None, None),
        CallEnd::Failed(why) => (Some(why), None),
        CallEnd::Unavailable(unavailable) => (Some(job.exit_reason.to_string()), Some(unavailable)),
    };
    let said = activity.final_message.as_deref().unwrap_or_default().as_bytes();
    let job = JobResult { stdout: Captured::whole(said), ..job };
    RunnerResult { job, activity, failure, unavailable, told: None }
}
