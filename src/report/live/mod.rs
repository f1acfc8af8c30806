//! Shows what is going on: on a terminal by a few lines that are drawn again and again below what is printed, elsewhere
//! by a line from time to time.

mod activities;
mod drawing;
mod estimate;
mod panel;

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chrono::Local;

pub use self::activities::Activity;
use self::drawing::Drawing;
pub use self::panel::{Panel, PlanPanel};
use super::masking::masked;
use super::out::{eprint, fitted, redraw};
use super::screen::Screen;
use super::screen::{TerminalSize, columns_of};

/// How often the lines are drawn again.
const FRAME: Duration = Duration::from_millis(120);
/// How long something must last before it is shown. What ends sooner would only flicker.
const DELAY: Duration = Duration::from_millis(150);
/// How often it is checked whether a heartbeat is due.
const BEAT: Duration = Duration::from_millis(500);

/// Lines below everything else that is printed, which disappear when this is dropped.
#[derive(Debug)]
pub struct LiveView {
    shared: Arc<SharedView>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What is shown where lines cannot be drawn again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// Nothing but what is printed.
    Plain,
    /// Every line with its time and, if a period is given, a line about what is going on whenever nothing was printed for that long.
    Timed(Option<Duration>),
}

#[derive(Debug)]
struct SharedView {
    screen: Screen,
    log: Log,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    panel: Panel,
    /// What is on the terminal now.
    drawing: Drawing,
    /// When something was printed for the last time.
    printed: Instant,
    is_over: bool,
}

impl LiveView {
    /// Shows this panel.
    #[must_use]
    pub fn begin(screen: &Screen, log: Log, panel: Panel) -> Self {
        let state = State { panel, drawing: Drawing::default(), printed: Instant::now(), is_over: false };
        let shared = Arc::new(SharedView { screen: *screen, log, state: Mutex::new(state) });
        let work: Option<fn(&SharedView)> = match log {
            _ if screen.live => Some(draw),
            Log::Timed(Some(_)) => Some(beat),
            _ => None,
        };
        // What cannot be drawn, because the machine is short of threads, is written to the log all the same.
        let thread = work.and_then(|work| {
            let shared = shared.clone();
            std::thread::Builder::new().spawn(move || work(&shared)).ok()
        });
        Self { shared, thread: Mutex::new(thread) }
    }

    /// Shows one thing that begins now, and for which `words` tells the latest.
    #[must_use]
    pub fn of_one(screen: &Screen, what: String, words: impl Fn() -> String + Send + 'static) -> Self {
        Self::begin(screen, Log::Plain, Panel::of(Activity::new(what, Instant::now(), words)))
    }

    /// Changes what is shown.
    pub fn change(&self, change: impl FnOnce(&mut Panel)) {
        change(&mut self.shared.state().panel);
    }

    /// Draws nothing more.
    pub fn close(&self) {
        self.shared.state().is_over = true;
        let thread = self.thread.lock().expect("nothing panics while it holds this").take();
        if let Some(thread) = thread {
            thread.thread().unpark();
            // A panic of the thread has been reported, and only affects these lines.
            let _ = thread.join();
        }
        let erased = self.shared.state().drawing.erase(TerminalSize::of_error_output().columns);
        if !erased.is_empty() {
            redraw(&erased);
        }
    }

    /// Prints lines that stay, above those that are drawn again.
    pub fn print(&self, text: &str) {
        let SharedView { screen, log, .. } = &*self.shared;
        let mut state = self.shared.state();
        state.printed = Instant::now();
        if !screen.live && matches!(log, Log::Timed(_)) {
            return eprint(&stamped(text));
        }
        let erased = state.drawing.erase(TerminalSize::of_error_output().columns);
        let text = fitted(&masked(text), columns_of(&std::io::stderr()));
        redraw(&format!("{erased}{text}\n"));
        if !erased.is_empty() {
            self.shared.draw_panel(&mut state);
        }
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        self.close();
    }
}

impl SharedView {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it changes the panel")
    }

    fn draw_panel(&self, state: &mut State) {
        let size = TerminalSize::of_error_output();
        let lines = state.panel.lines(size, &self.screen);
        let bytes = state.drawing.becomes(lines, size);
        if !bytes.is_empty() {
            redraw(&bytes);
        }
    }
}

/// Draws the panel until it is over.
fn draw(shared: &SharedView) {
    std::thread::park_timeout(DELAY);
    loop {
        {
            let mut state = shared.state();
            if state.is_over {
                return;
            }
            if state.panel.is_worth_drawing(DELAY) {
                shared.draw_panel(&mut state);
            }
        }
        std::thread::park_timeout(FRAME);
    }
}

/// Prints a line whenever nothing was printed for a while.
fn beat(shared: &SharedView) {
    let Log::Timed(Some(period)) = shared.log else { return };
    loop {
        std::thread::park_timeout(BEAT);
        let mut state = shared.state();
        if state.is_over {
            return;
        }
        if state.printed.elapsed() < period {
            continue;
        }
        state.printed = Instant::now();
        if let Some(line) = state.panel.activities().log_line() {
            eprint(&stamped(&line));
        }
    }
}

/// The line of a log, which begins with the time.
fn stamped(text: &str) -> String {
    format!("{} {text}", Local::now().format("%Y-%m-%d %H:%M:%S"))
}
