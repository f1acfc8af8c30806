//! Handles signals from the user. The first request to end lets the running program end within its grace period, and
//! the second ends it at once. Ctrl-Z suspends the program together with us.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGXFSZ};
use signal_hook::iterator::Signals;

use super::{Cancel, proc_files};
use crate::error::{Error, Kind, Result};

/// Within this time the same signal counts once. As `git arborist`, we get Ctrl-C twice: from the terminal, and from
/// git, which passes on signals that the terminal has sent to it too.
const SAME: Duration = Duration::from_millis(200);

/// The signals that were received, as far as they ask us to stop.
#[derive(Clone, Debug, Default)]
pub struct StopSignals(Arc<AtomicI32>);

impl StopSignals {
    /// From now on Ctrl-C (SIGINT), SIGTERM and SIGHUP ask `cancel` instead of ending this process. If SIGHUP is
    /// ignored, as far as that can be seen, it stays ignored: `nohup` is for runs that continue without a terminal.
    /// Ctrl-Z (SIGTSTP) suspends the jobs of `cancel` and then us, and SIGCONT continues all of them.
    ///
    /// # Errors
    /// [`Kind::Environment`] if the system does not allow it.
    pub fn watch(cancel: &Cancel) -> Result<Self> {
        let received = Self::default();
        let (cancel, last) = (cancel.clone(), received.0.clone());
        // A run under `nohup` outlives its terminal.
        let ignored = Ignored::now();
        let unless_ignored = [SIGHUP, SIGTSTP].into_iter().filter(|signal| !ignored.has(*signal));
        let wanted = [SIGINT, SIGTERM, SIGCONT].into_iter().chain(unless_ignored);
        let mut signals = Signals::new(wanted).map_err(|error| cannot_watch(&error))?;
        // By default, this signal would end us. A failed write can be reported instead, and nothing is lost.
        let ignored = signal_hook::flag::register(SIGXFSZ, Arc::default());
        ignored.map_err(|error| cannot_watch(&error))?;
        let watching = std::thread::Builder::new().spawn(move || {
            let mut heeded: Option<(i32, Instant)> = None;
            while !signals.is_closed() {
                let came: Vec<i32> = signals.wait().collect();
                // The order of signals that arrived together is unknown. One that does not suspend us wins.
                let goes_on = came.contains(&SIGCONT);
                for signal in came {
                    match signal {
                        SIGCONT => cancel.resume(),
                        SIGTSTP if !goes_on => suspend(&cancel),
                        SIGTSTP => {}
                        _ if heeded.is_some_and(|(before, at)| before == signal && at.elapsed() < SAME) => {}
                        _ => {
                            heeded = Some((signal, Instant::now()));
                            last.store(signal, Ordering::SeqCst);
                            cancel.request();
                        }
                    }
                }
            }
        });
        watching.map_err(|error| cannot_watch(&error))?;
        Ok(received)
    }

    /// The number of the last signal, if there was one.
    #[must_use]
    pub fn last(&self) -> Option<u8> {
        u8::try_from(self.0.load(Ordering::SeqCst)).ok().filter(|number| *number > 0)
    }
}

/// Suspends the jobs, then this process. SIGCONT, which cannot be missed, continues all of them.
fn suspend(cancel: &Cancel) {
    // The first process of a container cannot be stopped from inside: its jobs would wait for ever.
    if getpid().is_init() {
        return;
    }
    cancel.suspend();
    // No handler can keep this signal from stopping us, but that may happen a moment later, on another thread.
    let _ = kill_process(getpid(), Signal::STOP);
}

fn cannot_watch(error: &std::io::Error) -> Error {
    Error::new(
        Kind::Environment,
        format!("signals cannot be watched: {error}"),
        "Without that an interrupted run could leave its agent running, so none is started.",
    )
}

/// The signals that this process ignores.
enum Ignored {
    /// What `/proc` tells: bit 0 stands for signal 1.
    Mask(u64),
    /// Where there is no `/proc`, only this is known: whether SIGHUP is among them.
    Hangup(bool),
}

impl Ignored {
    fn now() -> Self {
        let status = proc_files::read("self/status").unwrap_or_default();
        let status = String::from_utf8_lossy(&status);
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.map_or_else(|| Self::Hangup(a_child_survives_a_hangup()), Self::Mask)
    }

    fn has(&self, signal: i32) -> bool {
        match *self {
            Self::Mask(mask) => mask >> (signal - 1) & 1 == 1,
            Self::Hangup(is_ignored) => signal == SIGHUP && is_ignored,
        }
    }
}

/// Whether a shell that sends SIGHUP to itself goes on: a program inherits what the one that starts it ignores, and a shell
/// leaves that as it is. If no shell can be started, the signal counts as heard.
fn a_child_survives_a_hangup() -> bool {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "kill -s HUP $$"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}
