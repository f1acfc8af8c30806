//! Starts a job's program in a session of its own, or says exactly why it cannot be started.
//!
//! The errors of the system do not suffice: the same ENOENT stands for a missing program, a missing interpreter and a
//! missing directory. So what can be seen before is looked at before.

use super::cookie::Cookie;
use super::job::{EnvChange, Job};
use super::{StartError, registry};
use crate::files;
use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::fs::Access;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

/// How often, and with which pause, a program is tried that is just being written (an update, or a forked process that
/// has not yet closed the file).
const BUSY_TRIES: u32 = 10;
const BUSY_PAUSE: Duration = Duration::from_millis(50);

/// How long a program that was just killed may take to be reaped; mostly it has ended long before.
const DROP_PATIENCE: Duration = Duration::from_millis(200);

/// A program that was started, and our ends of its pipes.
pub(super) struct Started {
    pub(super) child: Child,
    /// To its standard input, if there is a prompt.
    pub(super) input: Option<OwnedFd>,
    /// From its standard output and error.
    pub(super) outputs: [Option<OwnedFd>; 2],
}

/// A program, running or not yet reaped. When this is dropped, its process group is killed and the program reaped.
pub(super) struct Child {
    pid: Pid,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// Nobody knows: the system did not keep it.
    Unknown,
}

impl Child {
    /// Its process id, which is also that of its process group and its session.
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// How the program ended, or `None` while it runs; it is not reaped yet.
    pub(super) fn status(&self) -> Option<Status> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(self.pid), options) {
            Ok(None) | Err(Errno::INTR) => None,
            Ok(Some(status)) => Some(match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => Status::Exited(code),
                (None, Some(signal)) => Status::Signalled(signal),
                (None, None) => Status::Unknown,
            }),
            Err(_) => Some(Status::Unknown),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // At the proper end nobody is left in the group. After a panic, which only a log can cause, somebody may be.
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        registry::ends_within(self.pid, DROP_PATIENCE);
        registry::leave(self.pid);
    }
}

/// Starts the program of `job`, with `cookie` in its environment.
pub(super) fn start(job: &Job, cookie: &Cookie) -> Result<Started, StartError> {
    check_directory(&job.directory)?;
    check_program(&job.program)?;
    for _ in 1..BUSY_TRIES {
        match try_start(job, cookie) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::sleep(BUSY_PAUSE),
            outcome => return outcome.map_err(|error| explain(error, &job.program)),
        }
    }
    try_start(job, cookie).map_err(|error| explain(error, &job.program))
}

fn try_start(job: &Job, cookie: &Cookie) -> io::Result<Started> {
    let mut command = CommandWrap::with_new(&job.program, |command| {
        command.args(&job.args).current_dir(&job.directory);
        command.stdin(if job.prompt.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        for change in &job.env {
            match change {
                EnvChange::Set(name, value) => command.env(name, value),
                EnvChange::Remove(name) => command.env_remove(name),
            };
        }
        command.env(cookie.name(), cookie.value());
    });
    // Only for setsid: its ways of waiting reap the whole group, which must stay until the tree has been looked at.
    command.wrap(ProcessSession);
    registry::start_job(|| {
        let mut child = command.spawn()?;
        let pid = pid_of(child.as_ref())?;
        let input = child.stdin().take().map(OwnedFd::from);
        let outputs = [child.stdout().take().map(OwnedFd::from), child.stderr().take().map(OwnedFd::from)];
        Ok((Started { child: Child { pid }, input, outputs }, pid))
    })
}

/// The process id of `child`.
pub(super) fn pid_of(child: &dyn ChildWrapper) -> io::Result<Pid> {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    id.ok_or_else(|| io::Error::other("the system gave an impossible process id"))
}

fn check_directory(directory: &Path) -> Result<(), StartError> {
    let enterable = directory.is_dir() && rustix::fs::access(directory, Access::EXEC_OK).is_ok();
    if enterable { Ok(()) } else { Err(StartError::NoDirectory(directory.to_owned())) }
}

fn check_program(program: &Path) -> Result<(), StartError> {
    if !program.is_absolute() {
        return Err(StartError::NotAbsolute(program.to_owned()));
    }
    let metadata = fs::metadata(program).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => StartError::NotFound(program.to_owned()),
        io::ErrorKind::PermissionDenied => StartError::NotExecutable(program.to_owned()),
        _ => StartError::Other(error),
    })?;
    if !metadata.is_file() || rustix::fs::access(program, Access::EXEC_OK).is_err() {
        return Err(StartError::NotExecutable(program.to_owned()));
    }
    match beginning(program) {
        // The C library may run such a file with /bin/sh; an empty one would then succeed at everything.
        Some(bytes) if !bytes.starts_with(b"#!") && !bytes.contains(&0) => {
            Err(StartError::NoShebang(program.to_owned()))
        }
        _ => Ok(()),
    }
}

/// What an error of the system means, given that directory and program were there.
fn explain(error: io::Error, program: &Path) -> StartError {
    match error.kind() {
        io::ErrorKind::NotFound => {
            StartError::BadInterpreter { program: program.to_owned(), interpreter: interpreter(program) }
        }
        io::ErrorKind::PermissionDenied => StartError::NotExecutable(program.to_owned()),
        io::ErrorKind::ArgumentListTooLong => StartError::ArgumentsTooLong,
        io::ErrorKind::InvalidInput => StartError::NulByte,
        _ if Errno::from_io_error(&error) == Some(Errno::NOEXEC) => StartError::NoShebang(program.to_owned()),
        _ => StartError::Other(error),
    }
}

/// The interpreter that a script names in its first line.
fn interpreter(program: &Path) -> Option<String> {
    let bytes = beginning(program)?;
    let line = bytes.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let words = String::from_utf8_lossy(line).into_owned();
    // A carriage return at the end is part of the name that the system looks for, and mostly the mistake.
    words.trim_matches([' ', '\t']).split([' ', '\t']).next().map(str::to_owned)
}

/// The first bytes of a file; `None` if it cannot be read, as a program need not be.
fn beginning(program: &Path) -> Option<Vec<u8>> {
    files::open(program).ok()?.read_beginning(512).ok()
}
