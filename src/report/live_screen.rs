//! A part of the terminal that is drawn again and again: the whole screen, or one line.

use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};

use super::out::write_live;
use super::screen::TerminalSize;

/// The other screen of the terminal, without a cursor, and with long lines cut at its edge.
const ENTER_PAGE: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[2J";
const LEAVE_PAGE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";
const ENTER_LINE: &str = "\x1b[?25l\x1b[?7l";
const LEAVE_LINE: &str = "\r\x1b[K\x1b[?7h\x1b[?25h";

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveForm {
    /// The whole screen. What was on it before comes back at the end.
    Page,
    /// One line, below what was printed before.
    Line,
}

/// The terminal on standard output while it is drawn. It is as before when this is dropped, and after a panic, which drops
/// nothing in a program that is built for release.
#[derive(Debug)]
pub struct LiveScreen {
    form: LiveForm,
    drawn: Vec<String>,
    reads_keys: bool,
}

/// How the terminal was before it was taken over.
#[derive(Clone, Debug)]
struct TerminalBefore {
    form: LiveForm,
    /// How it treated keys; `None` if that was not changed.
    keys: Option<Termios>,
}

/// The terminal that is taken over now.
static TAKEN: Mutex<Option<TerminalBefore>> = Mutex::new(None);

fn taken() -> MutexGuard<'static, Option<TerminalBefore>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves the terminal as it was, if it is taken over.
fn restore() {
    let Some(TerminalBefore { form, keys }) = taken().take() else { return };
    if let Some(keys) = keys {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &keys);
    }
    write_live(match form {
        LiveForm::Page => LEAVE_PAGE,
        LiveForm::Line => LEAVE_LINE,
    });
}

/// Lets a panic restore the terminal before it is reported.
fn restore_at_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            report(panic);
        }));
    });
}

impl LiveScreen {
    /// Takes over the terminal.
    #[must_use]
    pub fn enter(form: LiveForm) -> Self {
        restore_at_panic();
        let keys = read_keys();
        let reads_keys = keys.is_some();
        *taken() = Some(TerminalBefore { form, keys });
        write_live(match form {
            LiveForm::Page => ENTER_PAGE,
            LiveForm::Line => ENTER_LINE,
        });
        Self { form, drawn: Vec::new(), reads_keys }
    }

    /// Draws these lines, which must not be more than there is room for, unless they are there already.
    pub fn draw(&mut self, lines: Vec<String>) {
        if self.drawn == lines {
            return;
        }
        match self.form {
            LiveForm::Line => write_live(&format!("\r\x1b[2K{}", lines.concat())),
            LiveForm::Page => {
                // Erased before it is written: at the edge, the cursor stays on the last character.
                let mut text = "\x1b[H".to_owned();
                for (place, line) in lines.iter().enumerate() {
                    let end = if place == 0 { "" } else { "\r\n" };
                    text.push_str(&format!("{end}\x1b[2K{line}"));
                }
                // On a full screen, nothing is below the last line.
                if lines.len() < TerminalSize::of_output().rows {
                    text.push_str("\r\n\x1b[J");
                }
                write_live(&text);
            }
        }
        self.drawn = lines;
    }

    /// Waits for a key, but not longer than this, and not longer than until the next signal.
    #[must_use]
    pub fn key(&self, at_most: Duration) -> Option<u8> {
        let input = std::io::stdin();
        if !self.reads_keys {
            wait(&mut [], at_most);
            return None;
        }
        wait(&mut [PollFd::new(&input, PollFlags::IN)], at_most);
        let mut key = [0];
        // The terminal is set up so that this does not wait.
        matches!(rustix::io::read(&input, &mut key), Ok(1)).then_some(key[0])
    }
}

impl Drop for LiveScreen {
    fn drop(&mut self) {
        restore();
    }
}

/// Lets keys arrive one by one and without being shown, if standard input is a terminal that we may read from. Returns
/// how it was before.
fn read_keys() -> Option<Termios> {
    let input = std::io::stdin();
    let before = tcgetattr(&input).ok()?;
    // A program in the background would be stopped.
    if tcgetpgrp(&input).ok()? != getpgrp() {
        return None;
    }
    let mut raw = before.clone();
    raw.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
    raw.special_codes[SpecialCodeIndex::VMIN] = 0;
    raw.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&input, OptionalActions::Now, &raw).ok()?;
    Some(before)
}

/// Waits until standard output is no longer read, but not longer than this, and not longer than until the next signal.
/// Returns whether it is still read.
#[must_use]
pub fn is_read(at_most: Duration) -> bool {
    let out = std::io::stdout();
    // No event is asked for: a closed end is reported in any case.
    let mut fds = [PollFd::new(&out, PollFlags::empty())];
    wait(&mut fds, at_most);
    !fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

fn wait(fds: &mut [PollFd<'_>], at_most: Duration) {
    // A signal ends it early, which is as good as the end of the time.
    let _ = poll(fds, Timespec::try_from(at_most).ok().as_ref());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_restores_the_terminal_although_nothing_is_dropped() {
        let panicked = std::panic::catch_unwind(|| {
            std::mem::forget(LiveScreen::enter(LiveForm::Line));
            assert!(taken().is_none(), "it is taken over");
        });
        assert!(panicked.is_err());
        assert!(taken().is_none(), "it is as before");
    }
}
