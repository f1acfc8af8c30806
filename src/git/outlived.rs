//! Finds a git command that a killed run had started and that is still running. It may be about to commit.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::call::{CALLER, SETTINGS};
use super::lock_waits::{LOCK_TIMEOUT, POLL_INTERVAL};
use crate::error::{Error, Kind, Result};

/// Waits a little for git commands to end that the killed run with this process id had started.
///
/// # Errors
/// [`Kind::Busy`], naming a command that does not end, or if `stopped` asks to end the wait.
pub fn await_git_of(run: u32, stopped: &dyn Fn() -> bool) -> Result<()> {
    let waiting = Instant::now();
    while let Some(pid) = git_of(run) {
        if waiting.elapsed() > LOCK_TIMEOUT || stopped() {
            return Err(Error::new(
                Kind::Busy,
                format!("git (process {pid}), started by an earlier run, is still running here"),
                "It may be waiting for a hook or for a program that signs: wait until it ends or end it yourself, then \
                 run the same command again.",
            ));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// A git command of that run that is still running; none if processes cannot be inspected.
fn git_of(run: u32) -> Option<String> {
    let mark = format!("{CALLER}={run}");
    let has = |file: PathBuf, wanted: &[u8]| {
        std::fs::read(file).is_ok_and(|bytes| bytes.split(|byte| *byte == 0).any(|word| word == wanted))
    };
    let calls = |process: &Path| {
        // Hooks and daemons that git starts inherit the variable, but not the arguments with our settings.
        has(process.join("cmdline"), SETTINGS[0].as_bytes()) && has(process.join("environ"), mark.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let numbered = processes.filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit());
    let found = numbered.map(|entry| entry.path()).find(|process| calls(process))?;
    Some(found.file_name()?.to_string_lossy().into_owned())
}
