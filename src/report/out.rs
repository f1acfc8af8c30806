//! Prints results to standard output and everything else to standard error, with secrets masked. No other module prints.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::json::{Printed, json_document};
use super::masking::masked;
use super::screen::{Screen, Style, can_ask, columns_of};
use super::text;
use crate::error::{Error, Kind, Result};
use crate::text::clean;

/// Prints a result to standard output in one piece. It is not an error if the reader has closed the pipe (`| head`).
///
/// # Errors
/// [`Kind::Environment`] if it cannot be written, for example on a full disk.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(masked(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::of_write(
            format!("the answer could not be written to standard output: {error}"),
            &error,
            "Send standard output to a file that can be written, or to a terminal.",
        )),
        _ => Ok(()),
    }
}

/// Prints sentences to standard output as [`print`] does. On a terminal, long lines are broken between words.
///
/// # Errors
/// As for [`print`].
pub fn print_sentences(text: &str) -> Result<()> {
    print(&fitted(text, columns_of(&std::io::stdout())))
}

/// `text` laid out for a terminal with this many columns, or unchanged where there is none.
pub(super) fn fitted(text: &str, columns: Option<usize>) -> String {
    columns.map_or_else(|| text.to_owned(), |columns| text::fitted(text, columns))
}

/// Prints a JSON document of this definition to standard output.
///
/// # Errors
/// As for [`print`].
pub fn print_document(definition: &str, value: &impl Serialize) -> Result<()> {
    print(&json_document(&Printed::new(definition, value)))
}

/// Prints one or more lines to standard error; on a terminal, long ones are broken between words. If that fails, nothing more can
/// be done.
pub fn eprint(text: &str) {
    let mut err = std::io::stderr().lock();
    let text = fitted(&masked(text), columns_of(&err));
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.write_all(b"\n"));
}

/// Says on standard error what a command does next.
pub fn announce(screen: &Screen, what: &str) {
    eprint(&format!("{} {what}", screen.arrow()));
}

/// Writes to standard output what a terminal draws. If that fails, the terminal is gone.
pub(super) fn write_live(text: &str) {
    let text = masked(text);
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a text and asks a question that is answered with yes or no; `None` if nobody can answer, because standard
/// input or standard error is not a terminal. Anything but yes means no.
#[must_use]
pub fn confirm(text: &str, question: &str) -> Option<bool> {
    if !can_ask() {
        return None;
    }
    eprint(text);
    redraw(&format!("{question} [y/N] "));
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    let answer = answer.trim().to_ascii_lowercase();
    Some(read.is_ok() && matches!(answer.as_str(), "y" | "yes"))
}

/// Writes to standard error without a line end, to draw a line again.
pub(super) fn redraw(text: &str) {
    let text = masked(text);
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Prints a question to standard error, and reads the answer that is typed behind it, without white space around it; `None` if there
/// is none, or `is_stopped` says so while it waits.
#[must_use]
pub fn ask(question: &str, is_stopped: impl Fn() -> bool) -> Option<String> {
    redraw(question);
    let input = std::io::stdin();
    let mut line = String::new();
    // A signal that this process handles does not end the reading of a line.
    while !is_stopped() {
        let typed = &mut [PollFd::new(&input, PollFlags::IN)];
        if matches!(poll(typed, Some(&LOOK_AGAIN)), Ok(0) | Err(Errno::INTR)) {
            continue;
        }
        match input.read_line(&mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => return Some(line.trim().to_owned()),
        }
    }
    eprint("");
    None
}

/// How long a wait for an answer lasts before it is checked whether to go on waiting.
const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Prints a warning to standard error.
pub fn warn(screen: &Screen, text: &str) {
    eprint(&warning(screen, text));
}

/// A warning as text.
#[must_use]
pub fn warning(screen: &Screen, text: &str) -> String {
    format!("{} {}", screen.err.paint(Style::Yellow, "warning:"), clean(text.as_bytes()))
}

/// Prints an error to standard error: what is wrong, then what to do. If the user stopped a command, that is not shown
/// as an error.
pub fn report(screen: &Screen, error: &Error) {
    let text = clean(error.to_string().as_bytes());
    match error.kind() {
        Kind::Signal(_) => eprint(&text),
        _ => eprint(&format!("{} {text}", screen.err.paint(Style::Red, "error:"))),
    }
}

/// Standard output as the channel of a protocol. What the rest of the program prints goes to standard error instead.
#[derive(Debug)]
pub struct ProtocolOutput(Mutex<File>);

impl ProtocolOutput {
    /// Takes standard output over.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub fn take() -> std::io::Result<Self> {
        let own = rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 3)?;
        rustix::stdio::dup2_stdout(std::io::stderr())?;
        Ok(Self(Mutex::new(own.into())))
    }

    /// Whether the reader is gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut polled = [PollFd::new(&*own, PollFlags::empty())];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        poll(&mut polled, Some(&at_once)).is_ok_and(|_| polled[0].revents().intersects(gone))
    }

    /// Writes a line, whole.
    ///
    /// # Errors
    /// If the reader is gone, or the line cannot be written.
    pub fn line(&self, line: &str) -> std::io::Result<()> {
        // A thread that has ended badly has written a whole line or none.
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        own.write_all(format!("{}\n", masked(line)).as_bytes())
    }
}
