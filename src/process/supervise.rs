//! Supervises one job: asks a helper to start it, watches the clock, the output and requests to end, and reports how it
//! ended.

use super::clock::Clock;
use super::decide::{EndCause, HELPER_LIMIT, JobAction, JobPhase, Observed, decide};
use super::helper::{
    Helper, HelperCommand, HelperExit, HelperReport, ProgramExit, Received, StartRequest, error_from,
};
use super::job::{Front, Job, Unwatched};
use super::job_marker::JobMarker;
use super::orphans;
use super::pipes::Pipes;
use super::processes::{self, ProcessGroup};
use super::record::OutputRecord;
use super::start_error::{StartError, check, explain};
use super::{CancelLevel, ExitReason, JobPrograms, JobResult, ProcessName, Watch, Watcher};
use rustix::process::{Pid, Signal};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest time between two checks of the clock and requests.
const TICK: Duration = Duration::from_millis(50);
/// The longest time between SIGTERM and SIGKILL for processes that the program leaves behind.
const LEAK_GRACE: Duration = Duration::from_secs(1);
/// The capacity of the pipe of standard output, in bytes: as much as Linux allows every user.
#[cfg(target_os = "linux")]
const LARGE_PIPE: usize = 1 << 20;
/// How long a request to end may come after a signal has ended the program. Engines such as Slurm send every process of theirs
/// the same signal, us as well.
const SAME_MOMENT: Duration = Duration::from_secs(2);
/// The exit statuses of programs that end in an orderly way at SIGHUP, SIGINT or SIGTERM.
const AFTER_SIGNAL: [i32; 3] = [129, 130, 143];
/// How long output is still read when everything has ended but a pipe is open.
const DRAIN: Duration = Duration::from_millis(500);

impl Job {
    /// Runs the program and blocks until it and everything that it started are gone.
    ///
    /// This takes at most the timeout and the grace period, and a few seconds for processes that resist. The time
    /// during which we are suspended does not count.
    #[must_use]
    pub fn run(self) -> JobResult {
        self.run_watched(&mut Unwatched)
    }

    /// Does the same, and lets a watcher see standard output on this thread as it arrives.
    #[must_use]
    pub fn run_watched(mut self, watcher: &mut dyn Watcher) -> JobResult {
        if self.launch.cancel.level() != CancelLevel::None {
            return JobResult::without_start(ExitReason::Cancelled);
        }
        match RunningJob::start(&mut self) {
            Ok(job) => job.run(&self, watcher),
            Err(error) => JobResult::without_start(ExitReason::CouldNotStart(error)),
        }
    }

    /// The program that the system starts.
    fn first_program(&self) -> &Path {
        self.launch.front.as_ref().map_or(&self.program, |front| &front.program)
    }
}

struct RunningJob {
    helper: Helper,
    pipes: Pipes<OutputRecord>,
    clock: Clock,
    phase: JobPhase,
    marker: JobMarker,
    /// The program, once it is running.
    leader: Option<Pid>,
    status: Option<ProgramExit>,
}

/// Both ends of the pipes of a program.
struct PipeEnds {
    /// The ends for standard input, output and error of the program.
    theirs: [OwnedFd; 3],
    /// Our end of standard input, if there is something to write.
    input: Option<OwnedFd>,
    /// Our ends of the outputs.
    outputs: [Option<OwnedFd>; 2],
}

/// The processes that a job left behind, or why it could not start.
#[derive(Default)]
struct JobLeftovers {
    leaked: Vec<ProcessName>,
    survivors: Vec<ProcessName>,
    could_not_start: Option<StartError>,
}

impl RunningJob {
    fn start(job: &mut Job) -> Result<Self, StartError> {
        let request = request_for(job)?;
        let mut command = Helper::command().map_err(StartError::NoHelper)?;
        for change in job.launch.env.iter().chain(job.launch.front.iter().flat_map(|front| &front.env)) {
            change.apply(&mut command);
        }
        let PipeEnds { theirs, input, outputs } =
            PipeEnds::open(job.prompt.is_some()).map_err(StartError::Other)?;
        let held = job.launch.held.as_ref().map(|file| file.as_fd());
        let descriptors: Vec<BorrowedFd<'_>> = theirs.iter().map(AsFd::as_fd).chain(held).collect();
        let clock = Clock::start();
        let helper = Helper::start(command, &request, &descriptors).map_err(without_helper)?;
        drop(descriptors);
        drop(theirs);
        job.launch.cancel.include(helper.control());
        let record = || OutputRecord::new(job.limits, job.launch.secrets.as_ref(), &job.live);
        let mut pipes = Pipes::new(outputs, [record(), record()]);
        if let Some((pipe, prompt)) = input.zip(job.prompt.take()) {
            pipes.feed(pipe, prompt);
        }
        let (phase, marker) = (JobPhase::Running, request.marker);
        Ok(Self { helper, pipes, clock, phase, marker, leader: None, status: None })
    }

    fn run(mut self, job: &Job, watcher: &mut dyn Watcher) -> JobResult {
        let reported = self.watch(job, watcher);
        self.pipes.close_input();
        let JobLeftovers { leaked, survivors, could_not_start } =
            reported.unwrap_or_else(|| self.end_without_helper());
        self.pipes.drain(DRAIN);
        self.pipes.sinks().into_iter().for_each(OutputRecord::end);
        self.show(watcher);
        let duration = self.clock.elapsed();
        let exit_reason = match self.exit_reason(job, could_not_start) {
            reason if is_by_signal(&reason) && is_cancelled_soon(job) => ExitReason::Cancelled,
            reason => reason,
        };
        let [stdout, stderr] = self.pipes.finish().map(OutputRecord::finish);
        JobResult { exit_reason, stdout, stderr, duration, leaked, survivors }
    }

    /// Watches until the helper has sent its final report; `None` if there is none, because the helper was killed or hangs.
    fn watch(&mut self, job: &Job, watcher: &mut dyn Watcher) -> Option<JobLeftovers> {
        loop {
            self.pipes.pump(TICK, Some(self.helper.readable()));
            self.show(watcher);
            let watch = watcher.tick(self);
            match self.helper.listen() {
                Received::Ended => return None,
                Received::Reports(reports) => {
                    for report in reports {
                        match report {
                            HelperReport::Started { pid } => self.leader = Pid::from_raw(pid),
                            HelperReport::NotStarted { code } => {
                                let error = explain(error_from(code), job.first_program());
                                let could_not_start = Some(error);
                                return Some(JobLeftovers { could_not_start, ..JobLeftovers::default() });
                            }
                            HelperReport::Ended(status) => self.has_ended(status),
                            HelperReport::Gone { leaked, survivors } => {
                                return Some(JobLeftovers { leaked, survivors, could_not_start: None });
                            }
                        }
                    }
                }
            }
            let observed = self.observed(job, watch);
            let action = decide(self.phase, observed);
            if self.phase == JobPhase::Running && matches!(action, JobAction::Ask(_) | JobAction::Kill(_)) {
                watcher.ends(self);
            }
            match action {
                JobAction::GoOn => {}
                JobAction::Ask(cause) => {
                    self.helper.control().send(HelperCommand::End);
                    self.phase =
                        JobPhase::Asked { cause, kill_at: observed.now.saturating_add(job.launch.grace) };
                }
                JobAction::Kill(cause) => {
                    self.helper.control().send(HelperCommand::Kill);
                    self.phase = JobPhase::Killed { cause, overdue_at: observed.now + HELPER_LIMIT };
                }
                JobAction::GiveUp => return None,
            }
        }
    }

    /// Shows the watcher what has arrived since the last time.
    fn show(&mut self, watcher: &mut dyn Watcher) {
        let [output, error] = self.pipes.sinks().map(OutputRecord::take_fresh);
        if !output.is_empty() {
            watcher.output(&output);
        }
        if !error.is_empty() {
            watcher.error_output(&error);
        }
    }

    fn has_ended(&mut self, status: ProgramExit) {
        self.status = Some(status);
        self.pipes.close_input();
        if self.phase == JobPhase::Running {
            self.phase = JobPhase::Leaving { overdue_at: self.clock.elapsed() + HELPER_LIMIT };
        }
    }

    fn observed(&mut self, job: &Job, watch: Watch) -> Observed {
        Observed {
            now: self.clock.elapsed(),
            timeout: job.timeout,
            cancel: job.launch.cancel.level(),
            is_flooded: self.pipes.total() > job.limits.flood,
            watch,
        }
    }

    /// Ends the processes of the job that can be found when its helper can no longer do it. In this case it is unknown
    /// which processes leaked.
    fn end_without_helper(&mut self) -> JobLeftovers {
        let helper_exit = self.helper.end();
        if let Some(leader) = self.leader {
            ProcessGroup::of(leader).signal(Signal::KILL);
        }
        let survivors = orphans::end_job(self.marker).survivors;
        let never = self.leader.is_none() && helper_exit == HelperExit::GaveUp;
        let could_not_start = never.then(|| StartError::NoHelper(io::Error::other("it ended at once")));
        JobLeftovers { leaked: Vec::new(), survivors, could_not_start }
    }

    fn exit_reason(&self, job: &Job, could_not_start: Option<StartError>) -> ExitReason {
        let cause = match self.phase {
            JobPhase::Running | JobPhase::Leaving { .. } => None,
            JobPhase::Asked { cause, .. } => Some(cause),
            JobPhase::Killed { cause, .. } => cause,
        };
        match (cause, could_not_start, self.status) {
            (Some(EndCause::Timeout), _, _) => ExitReason::TimedOut { after: job.timeout },
            (Some(EndCause::Cancel), _, _) => ExitReason::Cancelled,
            (Some(EndCause::Watcher), _, _) => ExitReason::EndedEarly,
            (Some(EndCause::Flood), _, _) => ExitReason::Flooded { limit: job.limits.flood },
            (None, Some(error), _) => ExitReason::CouldNotStart(error),
            (None, None, Some(ProgramExit::Exited(code))) => ExitReason::Exited(code),
            (None, None, Some(ProgramExit::Signalled(signal))) => ExitReason::Signalled(signal),
            (None, None, None) => ExitReason::Unknown,
        }
    }
}

impl JobPrograms for RunningJob {
    fn started_since(&self, at: Instant) -> Option<bool> {
        let since = processes::ticks_at(at)?;
        let leader = self.leader?.as_raw_pid();
        let began = processes::start_of(leader)?;
        let mut below = processes::below(leader).into_iter();
        Some(below.any(|process| processes::has_started_since(process.identity.start, since, began)))
    }
}

/// What the helper of a job has to start: the program of the job, or the command in front of it with the program behind.
fn request_for(job: &Job) -> Result<StartRequest, StartError> {
    let directory = &job.launch.directory;
    check(&job.program, directory, &job.args)?;
    let (program, args) = match &job.launch.front {
        None => (&job.program, job.args.clone()),
        Some(Front { program, args, .. }) => {
            check(program, directory, args)?;
            let behind = std::iter::once(job.program.as_os_str().to_owned()).chain(job.args.iter().cloned());
            (program, args.iter().cloned().chain(behind).collect())
        }
    };
    Ok(StartRequest {
        marker: JobMarker::new(job.launch.tag),
        leak_grace: job.launch.grace.min(LEAK_GRACE),
        directory: directory.clone(),
        program: program.clone(),
        args,
    })
}

/// Whether a signal has ended the program.
fn is_by_signal(reason: &ExitReason) -> bool {
    match reason {
        ExitReason::Signalled(_) => true,
        ExitReason::Exited(status) => AFTER_SIGNAL.contains(status),
        _ => false,
    }
}

/// Whether its end is requested at about the same moment.
fn is_cancelled_soon(job: &Job) -> bool {
    let mut clock = Clock::start();
    while job.launch.cancel.level() == CancelLevel::None && clock.elapsed() < SAME_MOMENT {
        std::thread::sleep(TICK);
    }
    job.launch.cancel.level() != CancelLevel::None
}

impl PipeEnds {
    fn open(prompt: bool) -> io::Result<Self> {
        let (out, theirs_out) = io::pipe()?;
        enlarge(&theirs_out);
        let (err, theirs_err) = io::pipe()?;
        let (theirs_in, input) = if prompt {
            let (theirs, ours) = io::pipe()?;
            (OwnedFd::from(theirs), Some(OwnedFd::from(ours)))
        } else {
            (OwnedFd::from(OpenOptions::new().read(true).open("/dev/null")?), None)
        };
        Ok(Self {
            theirs: [theirs_in, theirs_out.into(), theirs_err.into()],
            input,
            outputs: [Some(out.into()), Some(err.into())],
        })
    }
}

/// Lets a pipe hold more, if the system allows it. There are agents that exit before all that they have written was read,
/// and lose the rest.
fn enlarge(pipe: &io::PipeWriter) {
    // A pipe of the usual size works, too.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, LARGE_PIPE);
    #[cfg(not(target_os = "linux"))]
    let _ = pipe;
}

/// Why the helper could not be started. The environment of the program may be the reason, because the helper has it
/// too.
fn without_helper(error: io::Error) -> StartError {
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong => StartError::ArgumentsTooLong,
        io::ErrorKind::InvalidInput => StartError::NulByte,
        _ => StartError::NoHelper(error),
    }
}
