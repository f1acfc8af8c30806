//! What happens now: a line for each thing, as many as there is room for.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use crate::report::masking::masked;
use crate::report::screen::{Screen, Style, Symbols, TerminalSize};
use crate::report::step_line::fit;
use crate::text::{duration, ellipsis, one_line};

/// How many characters of the latest words a line of a log has at most.
const WORDS: usize = 100;

/// Something that happens now.
pub struct Activity {
    /// What it is, such as a step of a task.
    pub what: String,
    /// When it began.
    pub began: Instant,
    words: Box<dyn Fn() -> String + Send>,
}

impl fmt::Debug for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Activity").field("what", &self.what).finish_non_exhaustive()
    }
}

impl Activity {
    /// Something that began at a moment, and for which `words` tells the latest.
    pub fn new(what: String, began: Instant, words: impl Fn() -> String + Send + 'static) -> Self {
        Self { what, began, words: Box::new(words) }
    }

    /// The latest, in one line, with secrets masked before anything is cut.
    fn words(&self) -> String {
        one_line(&masked(&(self.words)()))
    }

    fn line(&self) -> String {
        let text = format!("{}  {}  {}", self.what, duration(self.began.elapsed()), self.words());
        text.trim_end().to_owned()
    }
}

/// Everything that happens now, each in its place, in an order that does not change while it lasts.
#[derive(Debug, Default)]
pub(super) struct Activities(BTreeMap<usize, Activity>);

impl Activities {
    /// An activity begins, in the place of the one that was there.
    pub(super) fn set(&mut self, place: usize, activity: Activity) {
        self.0.insert(place, activity);
    }

    /// The activity in a place is over.
    pub(super) fn end(&mut self, place: usize) {
        self.0.remove(&place);
    }

    /// All of them are over.
    pub(super) fn end_all(&mut self) {
        self.0.clear();
    }

    /// The one that began first.
    pub(super) fn oldest(&self) -> Option<&Activity> {
        self.0.values().min_by_key(|activity| activity.began)
    }

    /// The line of a log about all of them; `None` if nothing happens.
    pub(super) fn log_line(&self) -> Option<String> {
        if let (Some(activity), 1) = (self.oldest(), self.0.len()) {
            let words = ellipsis(&activity.words(), WORDS);
            let said = if words.is_empty() { words } else { format!("; {words}") };
            return Some(format!("{} for {}{said}", activity.what, duration(activity.began.elapsed())));
        }
        let each = self
            .0
            .values()
            .map(|activity| format!("{} for {}", activity.what, duration(activity.began.elapsed())));
        let all = each.collect::<Vec<_>>().join(", ");
        (!all.is_empty()).then_some(all)
    }

    /// The lines for which there is room, with a spinner in its frame of this number.
    pub(super) fn lines(&self, room: TerminalSize, frame: usize, screen: &Screen) -> Vec<String> {
        let frames: &[&str] = match screen.symbols {
            Symbols::Unicode => &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
            Symbols::Ascii => &["-", "\\", "|", "/"],
        };
        let spinner = screen.err.paint(Style::Yellow, frames[frame % frames.len()]);
        let with_spinner = |text: &str| format!("{spinner} {}", fit(text, room.columns.saturating_sub(2)));
        let rows = room.rows.max(1);
        let shown = if self.0.len() <= rows { self.0.len() } else { rows - 1 };
        let mut lines: Vec<String> =
            self.0.values().take(shown).map(|activity| with_spinner(&activity.line())).collect();
        let rest: Vec<&str> = self.0.values().skip(shown).map(|activity| activity.what.as_str()).collect();
        if !rest.is_empty() {
            let more = if shown == 0 { "at work" } else { "more" };
            lines.push(with_spinner(&format!("{} {more}: {}", rest.len(), rest.join(", "))));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::screen::Paint;

    fn of(names: &[&str]) -> Activities {
        let mut all = Activities::default();
        for (place, name) in names.iter().enumerate().rev() {
            all.set(place, Activity::new((*name).to_owned(), Instant::now(), || "words".to_owned()));
        }
        all
    }

    fn lines(all: &Activities, rows: usize) -> Vec<String> {
        let plain = Screen {
            out: Paint::Plain,
            err: Paint::Plain,
            symbols: Symbols::Ascii,
            width: Some(80),
            live: true,
        };
        all.lines(TerminalSize { rows, columns: 80 }, 0, &plain)
    }

    #[test]
    fn each_activity_has_a_line_in_the_order_of_the_plan_and_those_without_room_share_the_last() {
        let all = of(&["T1 test", "T2 test", "T3 test"]);
        assert_eq!(
            lines(&all, 3),
            ["- T1 test  0.0 s  words", "- T2 test  0.0 s  words", "- T3 test  0.0 s  words"]
        );
        assert_eq!(lines(&all, 2), ["- T1 test  0.0 s  words", "- 2 more: T2 test, T3 test"]);
        assert_eq!(lines(&all, 1), ["- 3 at work: T1 test, T2 test, T3 test"]);
        assert!(lines(&of(&[]), 3).is_empty());
    }

    #[test]
    fn a_log_has_one_line_for_everything_that_happens() {
        assert_eq!(of(&["T1 test"]).log_line().as_deref(), Some("T1 test for 0.0 s; words"));
        assert_eq!(
            of(&["T1 test", "T2 test"]).log_line().as_deref(),
            Some("T1 test for 0.0 s, T2 test for 0.0 s")
        );
        assert_eq!(of(&[]).log_line(), None);
    }
}
