//! Runs one git call to its end, but not for ever: a hook, a filter or a signing program that hangs must not hang us.

use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal, WaitOptions};

/// How long a call may take where nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(600);
/// Longest time between two looks at clock and program.
const TICK: Duration = Duration::from_millis(50);
/// How long output is still read when git has ended but something that it started holds a pipe.
const DRAIN: Duration = Duration::from_millis(300);
/// Between SIGTERM, on which git removes its lock files, and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long what was killed may take to be gone. A zombie that nobody reaps never is.
const DYING: Duration = Duration::from_secs(1);

/// What says how much longer a call may take, if somebody wants an end.
type Left = dyn Fn() -> Option<Duration> + Send + Sync;

/// How long a call of git, with all that git runs for it, may take.
#[derive(Clone)]
pub struct CallLimit {
    timeout: Duration,
    grace: Duration,
    left: Arc<Left>,
}

impl CallLimit {
    /// At most `timeout`; and, from the moment on at which `left` gives a time, that time at most.
    #[must_use]
    pub fn new(timeout: Duration, left: impl Fn() -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self { timeout, grace: GRACE, left: Arc::new(left) }
    }

    /// Whether somebody wants an end, so that nothing more is to be waited for.
    pub(super) fn is_end_wanted(&self) -> bool {
        (self.left)().is_some()
    }
}

impl Default for CallLimit {
    /// Ten minutes.
    fn default() -> Self {
        Self::new(TIMEOUT, || None)
    }
}

impl std::fmt::Debug for CallLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallLimit").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// A call that has ended by itself.
pub(super) struct Finished {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Why a call has not ended by itself.
pub(super) enum Unfinished {
    /// It did not begin.
    NotStarted(io::Error),
    /// It was ended after this time.
    TimedOut(Duration),
    /// It was ended because somebody wanted an end.
    Stopped,
}

/// Runs a command with these bytes for standard input, in a session of its own: no terminal is asked for anything.
pub(super) fn run(command: Command, stdin: Vec<u8>, limit: &CallLimit) -> Result<Finished, Unfinished> {
    let mut command = CommandWrap::from(command);
    command.command_mut().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.wrap(ProcessSession).spawn().map_err(Unfinished::NotStarted)?;
    Call::of(child, stdin).wait(limit)
}

/// A call that runs.
struct Call {
    child: Box<dyn ChildWrapper>,
    outputs: [Arc<Mutex<Vec<u8>>>; 2],
    /// Closed when both outputs have been read to their end.
    open: Receiver<()>,
}

impl Call {
    fn of(mut child: Box<dyn ChildWrapper>, stdin: Vec<u8>) -> Self {
        if let Some(mut pipe) = child.stdin().take() {
            // A program that does not read to the end says so by its exit status.
            std::thread::spawn(move || pipe.write_all(&stdin));
        }
        let (closing, open) = channel();
        let stdout = child.stdout().take().map(|pipe| keep(pipe, closing.clone())).unwrap_or_default();
        let stderr = child.stderr().take().map(|pipe| keep(pipe, closing)).unwrap_or_default();
        Self { child, outputs: [stdout, stderr], open }
    }

    fn wait(mut self, limit: &CallLimit) -> Result<Finished, Unfinished> {
        let began = Instant::now();
        let mut stop_at = None;
        let mut tick = Duration::from_micros(20);
        loop {
            if self.outputs_end_within(TICK) {
                std::thread::sleep(tick);
                tick = (tick * 2).min(TICK);
            }
            if let Some(status) = self.ended() {
                self.outputs_end_within(DRAIN);
                let [stdout, stderr] = self.outputs.each_ref().map(taken);
                return Ok(Finished { status, stdout, stderr });
            }
            if let Some(left) = (limit.left)() {
                let at = Instant::now() + left;
                stop_at = Some(stop_at.map_or(at, |known: Instant| known.min(at)));
            }
            if stop_at.is_some_and(|at| Instant::now() >= at) {
                self.end(limit.grace);
                return Err(Unfinished::Stopped);
            }
            if began.elapsed() >= limit.timeout {
                self.end(limit.grace);
                return Err(Unfinished::TimedOut(limit.timeout));
            }
        }
    }

    /// Whether both outputs are at their end, now or within this time.
    fn outputs_end_within(&self, time: Duration) -> bool {
        self.open.recv_timeout(time) != Err(RecvTimeoutError::Timeout)
    }

    /// The program's own status: what it left running does not count.
    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.inner_mut().try_wait().ok().flatten()
    }

    /// Ends the program with all that runs in its session's group, and waits for the end of all of it: whatever a hook
    /// started writes no more when we go on.
    fn end(&mut self, grace: Duration) {
        let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) else { return };
        let _ = rustix::process::kill_process_group(group, Signal::TERM);
        if !self.gone_within(group, grace) {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
            self.gone_within(group, DYING);
        }
        let _ = self.child.inner_mut().wait();
    }

    /// Whether nothing of the group is left, now or within this time. The group is looked at, not the program: it may be
    /// gone and its hook may not, and what has been killed is not gone at once.
    fn gone_within(&mut self, group: Pid, time: Duration) -> bool {
        let until = Instant::now() + time;
        loop {
            // A zombie is still of the group: the program's own, and those that its hook left and the system gave to us.
            let _ = self.ended();
            while let Ok(Some(_)) = rustix::process::waitpgid(group, WaitOptions::NOHANG) {}
            if rustix::process::test_kill_process_group(group).is_err() {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Reads a pipe to its end, beside everything else.
fn keep(mut pipe: impl Read + Send + 'static, closing: Sender<()>) -> Arc<Mutex<Vec<u8>>> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let ours = kept.clone();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            ours.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..count]);
        }
        drop(closing);
    });
    kept
}

fn taken(kept: &Arc<Mutex<Vec<u8>>>) -> Vec<u8> {
    std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many programs a call starts that hangs.
    const CHILDREN: usize = 40;

    fn shell(script: &str, limit: &CallLimit) -> Result<Finished, Unfinished> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        run(command, b"given".to_vec(), limit)
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
    fn a_call_that_hangs_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pids");
        // So many that a machine needs some time for them to die, even when all have been killed.
        let script = format!(
            "trap '' TERM; for n in $(seq {CHILDREN}); do sh -c 'echo $$ >> {0}; exec sleep 60' & done; wait",
            file.display()
        );
        let began = Instant::now();
        let pids = file.clone();
        let pids = move || std::fs::read_to_string(&pids).unwrap_or_default();
        let started = pids.clone();
        let all_run = move || (started().lines().count() == CHILDREN).then_some(Duration::ZERO);
        let limit = CallLimit { grace: Duration::from_millis(100), ..CallLimit::new(TIMEOUT, all_run) };
        let Err(Unfinished::Stopped) = shell(&script, &limit) else { panic!() };
        let alive = |pid: &&str| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !status.is_empty() && !status.contains(" Z ")
        };
        assert_eq!(pids().lines().filter(alive).count(), 0);
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn what_a_call_leaves_running_does_not_keep_us() {
        let began = Instant::now();
        let Ok(finished) = shell("sleep 20 & echo done", &CallLimit::default()) else { panic!() };
        assert_eq!(finished.stdout, b"done\n");
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn who_wants_an_end_gets_it_after_the_time_that_is_left() {
        let limit = CallLimit::new(TIMEOUT, || Some(Duration::from_millis(100)));
        let Err(Unfinished::Stopped) = shell("exec sleep 60", &limit) else { panic!() };
        let Ok(finished) = shell("echo quick", &limit) else { panic!() };
        assert_eq!(finished.stdout, b"quick\n");
    }
}
