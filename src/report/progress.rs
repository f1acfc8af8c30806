//! Shows progress on standard error: one line per step, and on a terminal a live line while a step runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthChar;

use super::{Screen, Style, Symbols, eprint};
use crate::text::{duration, one_line};

/// How often the live line is drawn again.
const FRAME: Duration = Duration::from_millis(120);
/// How long a step must last before its live line appears. For a shorter step, the line would only flicker.
const DELAY: Duration = Duration::from_millis(150);

/// The content of the progress line of a step that has ended.
#[derive(Clone, Debug)]
pub struct StepLine {
    /// The task.
    pub task: String,
    /// The task's name.
    pub name: String,
    /// The step's word.
    pub step: &'static str,
    /// The outcome's word.
    pub outcome: &'static str,
    /// Whether the step ended well.
    pub success: Success,
    /// `attempt 2/5`, or empty for the first attempt.
    pub attempt: String,
    /// How long it took.
    pub duration: Duration,
    /// The short id of the commit; empty if there is none.
    pub commit: String,
    /// A few words more.
    pub detail: String,
}

/// Whether a step ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// It did.
    Yes,
    /// It did not.
    No,
    /// Neither: its result is only taken note of.
    Neither,
}

/// Prints the line of a step that has ended.
pub fn step_line(screen: &Screen, line: &StepLine) {
    let (symbol, style) = match (line.success, screen.symbols) {
        (Success::Yes, Symbols::Unicode) => ("✓", Style::Green),
        (Success::Yes, Symbols::Ascii) => ("ok", Style::Green),
        (Success::No, Symbols::Unicode) => ("✗", Style::Red),
        (Success::No, Symbols::Ascii) => ("FAIL", Style::Red),
        (Success::Neither, Symbols::Unicode) => ("·", Style::Dim),
        (Success::Neither, Symbols::Ascii) => ("--", Style::Dim),
    };
    let paint = screen.err;
    let mut text = format!(
        "{} {} {:<11} {:<8} {:>8}",
        paint.paint(style, symbol),
        paint.paint(Style::Cyan, &line.task),
        line.step,
        line.outcome,
        duration(line.duration)
    );
    for part in [&line.commit, &line.attempt, &line.detail] {
        if !part.is_empty() {
            text.push_str("  ");
            text.push_str(&one_line(part));
        }
    }
    eprint(&text);
}

/// Prints a heading for a task.
pub fn task_line(screen: &Screen, task: &str, name: &str) {
    eprint(&format!(
        "{} {}",
        screen.err.paint(Style::Cyan, task),
        screen.err.paint(Style::Bold, &one_line(name))
    ));
}

/// A line that is redrawn until it is dropped, and then disappears.
#[derive(Debug)]
pub struct LiveStep {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl LiveStep {
    /// Begins to draw `what`, the elapsed time and `last_line`, if the screen supports that.
    #[must_use]
    pub fn begin(screen: &Screen, what: String, last_line: impl Fn() -> String + Send + 'static) -> Self {
        Self::since(Instant::now(), screen, what, last_line)
    }

    /// The same for something that began earlier.
    #[must_use]
    pub fn since(
        started: Instant,
        screen: &Screen,
        what: String,
        last_line: impl Fn() -> String + Send + 'static,
    ) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        if !screen.live {
            return Self { over, thread: None };
        }
        let line = Line { screen: *screen, what, started };
        let ended = over.clone();
        let thread = std::thread::spawn(move || draw(&line, &last_line, &ended));
        Self { over, thread: Some(thread) }
    }
}

impl Drop for LiveStep {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic of the drawing thread has been reported, and only affects this line.
            let _ = thread.join();
        }
    }
}

/// What a line shows besides the words that change.
struct Line {
    screen: Screen,
    what: String,
    started: Instant,
}

fn draw(line: &Line, last_line: &dyn Fn() -> String, over: &AtomicBool) {
    let Line { screen, what, started } = line;
    let frames: &[&str] = match screen.symbols {
        Symbols::Unicode => &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
        Symbols::Ascii => &["-", "\\", "|", "/"],
    };
    std::thread::park_timeout(DELAY);
    let mut drawn = false;
    for frame in frames.iter().cycle() {
        if over.load(Ordering::SeqCst) {
            break;
        }
        let said = one_line(&last_line());
        let text = format!("{what}  {}  {said}", duration(started.elapsed()));
        let text = fit(&text, super::screen::error_columns().saturating_sub(3));
        super::redraw(&format!("\r\x1b[K{} {text}", screen.err.paint(Style::Yellow, frame)));
        drawn = true;
        std::thread::park_timeout(FRAME);
    }
    if drawn {
        super::redraw("\r\x1b[K");
    }
}

/// As much of `text` as fits into so many columns.
#[must_use]
pub fn fit(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= columns
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_for_two_columns() {
        assert_eq!(fit("日本語", 4), "日本");
        assert_eq!(fit("abc", 2), "ab");
    }
}
