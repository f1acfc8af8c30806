//! Runs one short command of a program that we trust, such as git: to its end, but within a time limit.
//!
//! Such a command must not have a helper: if we are killed, a git that is committing must be left to finish, or it
//! would leave its lock files behind. A helper would also add a tenth to its time or more. But programs that git runs
//! for us (hooks, filters, signing programs) can hang. So the command runs where no program can ask on a terminal (in its
//! own session, if we have one), and its process group is ended at its time limit. Other processes are not searched for.
//!
//! Ctrl-Z stops us but not the command: a stopped git would keep its locks while the user works in the shell.

use super::Cancel;
use super::CancelLevel;
use super::EnvChange;
use super::clock::Clock;
use super::pipes::Pipes;
use super::processes::ProcessGroup;
use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The default time limit of a call.
const TIMEOUT: Duration = Duration::from_secs(600);
/// How long a call may continue after one request to stop: as long as a runner may take to end.
const TIME_TO_STOP: Duration = Duration::from_secs(10);
/// How long it may continue after a second request.
const TIME_TO_STOP_NOW: Duration = Duration::from_secs(2);
/// How long a program may take that is asked a small question.
const TIME_TO_ANSWER: Duration = Duration::from_secs(5);
/// The longest time between two checks of the clock and the program.
const TICK: Duration = Duration::from_millis(50);
/// How long output is still read after the program has ended if a process that it started holds a pipe open.
const DRAIN: Duration = Duration::from_millis(300);
/// The time between two checks of processes that are being ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// The time between SIGTERM, on which git removes its lock files, and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long killed processes may take to disappear. A zombie that is never reaped stays for ever.
const DYING: Duration = Duration::from_secs(1);

/// How long a call may take, including everything that the program runs.
#[derive(Clone)]
pub struct CallLimit {
    timeout: Duration,
    grace: Duration,
    time_to_stop: Duration,
    cancel: Cancel,
}

impl CallLimit {
    /// At most `timeout`. After a first request to stop, the call has ten more seconds to end by itself, and after a
    /// second one, two.
    #[must_use]
    pub fn new(timeout: Duration, cancel: &Cancel) -> Self {
        Self { timeout, grace: GRACE, time_to_stop: TIME_TO_STOP, cancel: cancel.clone() }
    }

    /// The same, but with this time to end by itself after a first request to stop.
    #[must_use]
    pub fn stopping_within(self, time_to_stop: Duration) -> Self {
        Self { time_to_stop, ..self }
    }

    /// At most `timeout`. Requests to stop have no effect.
    #[must_use]
    pub fn within(timeout: Duration) -> Self {
        Self::new(timeout, &Cancel::new())
    }

    /// Whether the run was asked to stop, so that it should not wait for anything more.
    #[must_use]
    pub fn is_end_wanted(&self) -> bool {
        self.cancel.level() != CancelLevel::None
    }

    /// How much longer a call may take after the requests to stop so far.
    fn left(&self) -> Option<Duration> {
        match self.cancel.level() {
            CancelLevel::None => None,
            CancelLevel::Soon => Some(self.time_to_stop),
            CancelLevel::Now => Some(TIME_TO_STOP_NOW),
        }
    }
}

impl Default for CallLimit {
    /// Ten minutes.
    fn default() -> Self {
        Self::within(TIMEOUT)
    }
}

impl fmt::Debug for CallLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallLimit").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// A call that has ended by itself.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Why a call did not end by itself.
#[derive(Debug)]
pub enum Unfinished {
    /// It did not begin.
    NotStarted(io::Error),
    /// It was ended after this time.
    TimedOut(Duration),
    /// It was ended because the run was asked to stop.
    Stopped,
}

/// Runs a command with these bytes on standard input, and blocks until it has ended.
///
/// # Errors
/// [`Unfinished`] if it did not end by itself. In that case it has been ended.
pub fn call(command: Command, stdin: Vec<u8>, limit: &CallLimit) -> Result<Finished, Unfinished> {
    let mut command = CommandWrap::from(command);
    command.command_mut().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if may_have_terminal() {
        command.wrap(ProcessSession);
    } else {
        // The system starts a program in a new group several times as fast as one in a new session, for which our memory
        // has to be copied.
        command.command_mut().process_group(0);
    }
    let mut child = command.spawn().map_err(Unfinished::NotStarted)?;
    let outputs = [child.stdout().take().map(OwnedFd::from), child.stderr().take().map(OwnedFd::from)];
    let mut pipes = Pipes::new(outputs, [Vec::new(), Vec::new()]);
    if let Some(pipe) = child.stdin().take() {
        // If a program does not read its whole input, its exit status shows whether that matters.
        pipes.feed(pipe.into(), stdin);
    }
    RunningCall { child, pipes, clock: Clock::start() }.wait(limit)
}

/// Runs a program with arguments in a folder, with these bytes on standard input, and blocks until it has ended.
///
/// # Errors
/// As for [`call`].
pub fn call_program(
    program: &ProgramCall<'_>,
    stdin: Vec<u8>,
    limit: &CallLimit,
) -> Result<Finished, Unfinished> {
    let mut command = Command::new(program.program);
    command.args(program.args).current_dir(program.folder);
    for change in program.env {
        change.apply(&mut command);
    }
    call(command, stdin, limit)
}

/// What a program prints to standard output, if it succeeds within seconds.
#[must_use]
pub fn answer_of(program: &Path, args: &[OsString]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(args);
    let finished = call(command, Vec::new(), &CallLimit::within(TIME_TO_ANSWER)).ok()?;
    finished.status.success().then(|| String::from_utf8_lossy(&finished.stdout).into_owned())
}

/// A program with its arguments.
#[derive(Clone, Copy, Debug)]
pub struct ProgramCall<'a> {
    /// Its path.
    pub program: &'a Path,
    /// Its arguments.
    pub args: &'a [String],
    /// The folder in which it runs.
    pub folder: &'a Path,
    /// Changes to the environment that it inherits.
    pub env: &'a [EnvChange],
}

/// Whether a program that we start in our session may find a terminal. We do not lead our session if we have none, so we
/// never get one later.
fn may_have_terminal() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    *FOUND.get_or_init(|| !matches!(rustix::fs::open("/dev/tty", flags, Mode::empty()), Err(Errno::NXIO)))
}

struct RunningCall {
    child: Box<dyn ChildWrapper>,
    pipes: Pipes<Vec<u8>>,
    clock: Clock,
}

impl RunningCall {
    fn wait(mut self, limit: &CallLimit) -> Result<Finished, Unfinished> {
        let mut stop_at = Duration::MAX;
        let mut tick = Duration::from_micros(20);
        loop {
            // We wake up when both outputs end. Usually the program ends at the same time or a moment later.
            self.pipes.pump(if self.pipes.outputs_ended() { tick } else { TICK }, None);
            if let Some(status) = self.status() {
                self.pipes.drain(DRAIN);
                let [stdout, stderr] = self.pipes.finish();
                return Ok(Finished { status, stdout, stderr });
            }
            if self.pipes.outputs_ended() {
                tick = (tick * 2).min(TICK);
            }
            let now = self.clock.elapsed();
            stop_at = limit.left().map_or(stop_at, |left| stop_at.min(now + left));
            if now >= stop_at {
                self.end(limit.grace);
                return Err(Unfinished::Stopped);
            }
            if now >= limit.timeout {
                self.end(limit.grace);
                return Err(Unfinished::TimedOut(limit.timeout));
            }
        }
    }

    /// The status of the program itself. Processes that it left running do not count.
    fn status(&mut self) -> Option<ExitStatus> {
        self.child.inner_mut().try_wait().ok().flatten()
    }

    /// Ends the program and everything in its process group, and waits until all of it has ended, so that nothing that
    /// a hook started writes any more when we continue.
    fn end(&mut self, grace: Duration) {
        let leader = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let leader = leader.expect("the system numbers processes from 1, in 31 bits");
        let group = ProcessGroup::of(leader);
        group.ask();
        if !self.is_gone_within(leader, grace) {
            group.signal(Signal::KILL);
            self.is_gone_within(leader, DYING);
        }
        // How it ended does not matter, because we have ended it.
        let _ = self.child.inner_mut().wait();
    }

    /// Whether the group is empty, now or within this time. The program alone does not count, because its hook may
    /// outlive it, and killed processes do not disappear at once.
    fn is_gone_within(&mut self, leader: Pid, time: Duration) -> bool {
        let until = Instant::now() + time;
        loop {
            // Zombies still belong to the group: the program itself, and processes of its hook that the system has
            // handed to us.
            let _ = self.status();
            while let Ok(Some(_)) = rustix::process::waitpgid(leader, WaitOptions::NOHANG) {}
            if ProcessGroup::of(leader).is_gone() {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            self.pipes.pump(POLL_INTERVAL, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many programs the call starts that hangs.
    const CHILDREN: usize = 40;

    fn shell(script: &str, limit: &CallLimit) -> Result<Finished, Unfinished> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        call(command, b"given".to_vec(), limit)
    }

    #[test]
    fn a_call_that_ends_gives_status_and_both_outputs() {
        let Ok(finished) = shell("cat; echo said >&2; exit 3", &CallLimit::default()) else { panic!() };
        assert_eq!(finished.status.code(), Some(3));
        assert_eq!((finished.stdout.as_slice(), finished.stderr.as_slice()), (&b"given"[..], &b"said\n"[..]));
        let Ok(much) = shell("head -c 1000000 /dev/zero", &CallLimit::default()) else { panic!() };
        assert_eq!(much.stdout.len(), 1_000_000);
    }

    #[test]
    fn a_megabyte_goes_in_while_a_megabyte_comes_out() {
        let mut command = Command::new("/bin/cat");
        command.arg("-");
        let input: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
        let finished = call(command, input.clone(), &CallLimit::default()).unwrap();
        assert!(finished.stdout == input);
    }

    #[test]
    fn a_call_that_hangs_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pids");
        // There are so many that it takes a machine some time to remove them, even after all have been killed.
        let script = format!(
            "trap '' TERM; for n in $(seq {CHILDREN}); do sh -c 'echo $$ >> {0}; exec sleep 60' & done; wait",
            file.display()
        );
        let pids = || std::fs::read_to_string(&file).unwrap_or_default();
        let cancel = Cancel::new();
        let limit = CallLimit {
            grace: Duration::from_millis(100),
            ..CallLimit::new(Duration::from_secs(600), &cancel)
        };
        std::thread::scope(|scope| {
            let running = scope.spawn(|| shell(&script, &limit));
            while pids().lines().count() < CHILDREN {
                std::thread::sleep(POLL_INTERVAL);
            }
            cancel.request();
            cancel.request();
            let Err(Unfinished::Stopped) = running.join().unwrap() else { panic!() };
        });
        let alive = |pid: &&str| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !status.is_empty() && !status.contains(" Z ")
        };
        assert_eq!(pids().lines().filter(alive).count(), 0);
    }

    #[test]
    fn a_process_that_a_call_leaves_running_is_not_waited_for() {
        let Ok(finished) = shell("sleep 600 & echo $!", &CallLimit::default()) else { panic!() };
        let pid = String::from_utf8(finished.stdout).unwrap().trim().to_owned();
        Command::new("kill").args(["-KILL", &pid]).status().unwrap();
    }

    #[test]
    fn a_call_over_its_time_limit_is_ended_and_a_quick_one_is_not() {
        let limit = CallLimit::within(Duration::from_millis(200));
        let Err(Unfinished::TimedOut(_)) = shell("exec sleep 600", &limit) else { panic!() };
        let cancel = Cancel::new();
        cancel.request();
        // After a request to stop, a call that ends by itself is still waited for.
        let limit = CallLimit::new(TIMEOUT, &cancel);
        let Ok(finished) = shell("echo quick", &limit) else { panic!() };
        assert_eq!(finished.stdout, b"quick\n");
    }
}
