//! Runs one git call to its end, but not for ever: a hook, a filter or a signing program that hangs must not hang us.

use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal};

/// How long a call may take where nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(600);
/// Longest time between two looks at clock and program.
const TICK: Duration = Duration::from_millis(50);
/// How long output is still read when git has ended but something that it started holds a pipe.
const DRAIN: Duration = Duration::from_millis(300);
/// Between SIGTERM, on which git removes its lock files, and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// What says how much longer a call may take, if somebody wants an end.
type Left = dyn Fn() -> Option<Duration> + Send + Sync;

/// How long a call of git, with all that git runs for it, may take.
#[derive(Clone)]
pub struct CallLimit {
    timeout: Duration,
    left: Arc<Left>,
}

impl CallLimit {
    /// At most `timeout`; and, from the moment on at which `left` gives a time, that time at most.
    #[must_use]
    pub fn new(timeout: Duration, left: impl Fn() -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self { timeout, left: Arc::new(left) }
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
        let mut tick = Duration::from_micros(100);
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
                self.end();
                return Err(Unfinished::Stopped);
            }
            if began.elapsed() >= limit.timeout {
                self.end();
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

    /// Ends the program with all that runs in its session's group.
    fn end(&mut self) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let signal = |signal| group.map(|group| rustix::process::kill_process_group(group, signal));
        signal(Signal::TERM);
        let kill_at = Instant::now() + GRACE;
        // The group is looked at, not the program: it may be gone and its hook may not.
        while group.is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
            && Instant::now() < kill_at
        {
            let _ = self.ended();
            std::thread::sleep(Duration::from_millis(10));
        }
        signal(Signal::KILL);
        let _ = self.child.inner_mut().wait();
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

    fn shell(script: &str, limit: &CallLimit) -> Result<Finished, Unfinished> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        run(command, b"given".to_vec(), limit)
    }

    fn quick(milliseconds: u64) -> CallLimit {
        CallLimit::new(Duration::from_millis(milliseconds), || None)
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
        let script = format!(
            "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ >> {0}; sleep 60' & echo $$ >> {0}; wait",
            file.display()
        );
        let began = Instant::now();
        let Err(Unfinished::TimedOut(_)) = shell(&script, &quick(300)) else { panic!() };
        assert!(began.elapsed() < Duration::from_secs(10));
        for pid in std::fs::read_to_string(file).unwrap().lines() {
            let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            assert!(status.is_empty() || status.contains(" Z "), "{status}");
        }
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
        let Err(Unfinished::Stopped) = shell("sleep 60", &limit) else { panic!() };
        let Ok(finished) = shell("echo quick", &limit) else { panic!() };
        assert_eq!(finished.stdout, b"quick\n");
    }
}
