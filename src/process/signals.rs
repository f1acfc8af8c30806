//! Signals that ask us to stop: the first lets the running program end in its grace, the second ends it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use super::Stop;
use crate::error::{Error, Kind, Result};

/// The signals that were received, as far as they ask us to stop.
#[derive(Clone, Debug, Default)]
pub struct StopSignals(Arc<AtomicI32>);

impl StopSignals {
    /// From now on Ctrl-C (SIGINT), SIGTERM and SIGHUP ask `stop` instead of ending this process. A SIGHUP that is
    /// ignored stays so, where that can be seen: `nohup` is for runs that go on without a terminal.
    ///
    /// # Errors
    /// [`Kind::Surroundings`] if the system does not let us.
    pub fn watch(stop: &Stop) -> Result<Self> {
        let received = Self::default();
        let (stop, last) = (stop.clone(), received.0.clone());
        // A run under `nohup` outlives its terminal.
        let hang_up = Some(SIGHUP).filter(|signal| !is_ignored(*signal));
        let wanted = [SIGINT, SIGTERM].into_iter().chain(hang_up);
        let mut signals = Signals::new(wanted).map_err(|error| cannot_watch(&error))?;
        // Its default would end us, where a failed write can be told and nothing is lost.
        let ignored = signal_hook::flag::register(SIGXFSZ, Arc::default());
        ignored.map_err(|error| cannot_watch(&error))?;
        std::thread::spawn(move || {
            for signal in signals.forever() {
                last.store(signal, Ordering::SeqCst);
                stop.ask();
            }
        });
        Ok(received)
    }

    /// The number of the last one, if there was one.
    #[must_use]
    pub fn last(&self) -> Option<u8> {
        u8::try_from(self.0.load(Ordering::SeqCst)).ok().filter(|number| *number > 0)
    }
}

fn cannot_watch(error: &std::io::Error) -> Error {
    Error::new(
        Kind::Surroundings,
        format!("signals cannot be watched: {error}"),
        "Without that an interrupted run could leave its agent running, so none is started.",
    )
}

/// Whether this process ignores a signal; where there is no `/proc`, it does not.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
