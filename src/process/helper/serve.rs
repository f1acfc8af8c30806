//! The work of a helper: it starts the program, reports its end and ends its remaining processes. It ends everything
//! when it is told to, or when its connection closes.

use super::process_tree::{Tree, become_reaper};
use super::report::HelperReport;
use super::request::{self, StartRequest};
use super::watch::WatchedJob;
use crate::error::{Error, Kind};
use process_wrap::std::{CommandWrap, ProcessSession};
use rustix::io::{Errno, FdFlags};
use rustix::process::Pid;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// The argument that turns this program into a helper. It looks like an option, so it cannot be the name of a command.
pub(super) const ARGUMENT: &str = "--watch-over-a-job";

/// How often, and with which pause, to retry a program that is just being written (by an update, or by a forked process
/// that has not yet closed the file).
const BUSY_TRIES: u32 = 10;
const BUSY_PAUSE: Duration = Duration::from_millis(50);

/// Whether this program becomes a helper when it is started with [`ARGUMENT`].
static KNOWN: OnceLock<()> = OnceLock::new();

/// To be called first in the main function of a program that starts jobs, with its first argument: does the work of a
/// helper and returns `Some` if that is what this process was started for.
#[must_use]
pub fn serve(argument: Option<&OsStr>) -> Option<Result<(), Error>> {
    KNOWN.get_or_init(|| ());
    (argument? == ARGUMENT).then(|| {
        watch_over_a_job().map_err(|error| {
            Error::new(
                Kind::Input,
                format!("{ARGUMENT} is not for people: git-arborist starts itself with it to watch over a program ({error})"),
                "`git arborist` lists the commands.",
            )
        })
    })
}

/// Whether [`serve`] was called.
pub(super) fn is_known_to_this_program() -> bool {
    KNOWN.get().is_some()
}

fn watch_over_a_job() -> io::Result<()> {
    let line = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (request, descriptors) = request::receive(&line)?;
    // If a signal ended us, nothing would watch over the job. We use a handler because the job would inherit an ignored
    // signal.
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, std::sync::Arc::default())?;
    }
    let (ended, ended_here) = UnixStream::pair()?;
    ended.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGCHLD, ended_here)?;
    let visibility = become_reaper();
    request.marker.put_on_this_process();
    // We hold it until we end, and so does everything that we start.
    let (standard, _held) = prepare(descriptors)?;
    let started = start(&request, &standard);
    // Only the program holds them now, so its outputs end when it closes them.
    drop(standard);
    match started {
        Ok(leader) => {
            HelperReport::Started { pid: leader.as_raw_pid() }.send(&line);
            line.set_nonblocking(true)?;
            let tree = Tree::new(leader, visibility);
            WatchedJob::new(line, ended, tree, request.leak_grace).run();
        }
        Err(error) => {
            let code = Errno::from_io_error(&error).map_or(0, Errno::raw_os_error);
            HelperReport::NotStarted { code }.send(&line);
        }
    }
    Ok(())
}

/// The three descriptors that become standard input, output and error, and the others, which the program inherits
/// unchanged.
fn prepare(mut descriptors: Vec<OwnedFd>) -> io::Result<([OwnedFd; 3], Vec<OwnedFd>)> {
    let held = descriptors.split_off(descriptors.len().min(3));
    for descriptor in &descriptors {
        rustix::io::fcntl_setfd(descriptor, FdFlags::CLOEXEC)?;
    }
    for descriptor in &held {
        rustix::io::fcntl_setfd(descriptor, FdFlags::empty())?;
    }
    let standard = descriptors.try_into().map_err(|_| io::Error::from(ErrorKind::InvalidData))?;
    Ok((standard, held))
}

/// Starts the program in a session of its own.
fn start(request: &StartRequest, standard: &[OwnedFd; 3]) -> io::Result<Pid> {
    let mut tries = 1;
    loop {
        match try_start(request, standard) {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES => {
                tries += 1;
                thread::sleep(BUSY_PAUSE);
            }
            outcome => return outcome,
        }
    }
}

fn try_start(request: &StartRequest, standard: &[OwnedFd; 3]) -> io::Result<Pid> {
    let mut command = Command::new(&request.program);
    command.args(&request.args).current_dir(&request.directory);
    let [input, output, error] = standard;
    command.stdin(input.try_clone()?).stdout(output.try_clone()?).stderr(error.try_clone()?);
    let child = CommandWrap::from(command).wrap(ProcessSession).spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    Ok(pid.expect("a process that was started has an id"))
}
