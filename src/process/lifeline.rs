//! Ends a job's process group when we are killed in a way that leaves us no time for it.
//!
//! A small shell, in a session of its own, reads from a pipe whose other end only we hold. A word on it means that all
//! is well; its end without a word means that we are gone, and the shell kills the group. Without a shell there is no
//! lifeline, and `end_orphans` of the next run does it.

use super::registry;
use super::start::pid_of;
use process_wrap::std::{CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal};
use std::io::Write;
use std::process::{ChildStdin, Stdio};
use std::time::Duration;

const SHELL: &str = "/bin/sh";
const SCRIPT: &str = r#"read -r word; test "$word" = done || kill -s KILL -- "-$1""#;
/// How long the shell may take to hear that all is well.
const PATIENCE: Duration = Duration::from_millis(500);

/// A watcher of one process group.
pub(super) struct Lifeline {
    watcher: Pid,
    pipe: ChildStdin,
}

impl Lifeline {
    /// Watches over the group that `leader` leads.
    pub(super) fn of(leader: Pid) -> Option<Self> {
        let mut command = CommandWrap::with_new(SHELL, |command| {
            command.args(["-c", SCRIPT, "arborist-lifeline", &leader.as_raw_pid().to_string()]);
            command.current_dir("/").env_clear();
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        });
        command.wrap(ProcessSession);
        registry::start_helper(|| {
            let mut child = command.spawn().map_err(drop)?;
            let watcher = pid_of(child.as_ref()).map_err(drop)?;
            let pipe = child.stdin().take().ok_or(())?;
            Ok::<_, ()>((Self { watcher, pipe }, watcher))
        })
        .ok()
    }
}

impl Drop for Lifeline {
    /// Lets go; to be dropped before the leader is reaped, so that no other group can be meant.
    fn drop(&mut self) {
        // That it cannot be told means that it is dead already.
        let _ = self.pipe.write_all(b"done\n");
        if !registry::ends_within(self.watcher, PATIENCE) {
            let _ = rustix::process::kill_process(self.watcher, Signal::KILL);
        }
        registry::leave(self.watcher);
    }
}
