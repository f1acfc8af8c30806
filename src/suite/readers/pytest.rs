//! Reads pytest: `=== 1 failed, 2 passed in 0.12s ===`, or with `-q`, the same without the rules.

use super::sessions::Sessions;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::Text;

/// How the session that is being read began.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SessionStart {
    /// `=== test session starts ===`.
    Heading,
    /// With `-q` there is no heading, only the progress: `..F    [100%]`.
    Progress,
}

pub(super) fn read(text: &Text) -> Reading {
    let mut sessions = Sessions::default();
    let mut beginning = SessionStart::Progress;
    for (at, line) in text.lines().enumerate() {
        let found = match ruled(line) {
            Some("test session starts") => {
                sessions.start(None);
                beginning = SessionStart::Heading;
                None
            }
            Some(title) => summary(title),
            // After a heading, the real summary has rules. One without rules is the output of a test.
            None if sessions.is_open() && beginning == SessionStart::Heading => None,
            None if !sessions.is_open() && is_bare_progress(line) => {
                sessions.start(None);
                beginning = SessionStart::Progress;
                None
            }
            None => summary(line),
        };
        if let Some(counts) = found {
            sessions.end(None, counts, Some(text.place(at)));
        }
    }
    sessions.reading()
}

/// `..F.s     [100%]`.
fn is_bare_progress(line: &str) -> bool {
    line.strip_suffix(" [100%]").is_some_and(|progress| {
        let outcomes = progress.trim_end();
        !outcomes.is_empty() && outcomes.bytes().all(|b| b".FEsxXuR,-".contains(&b))
    })
}

/// The text between the rules of a heading, `=== title ===`.
fn ruled(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('=')?.strip_suffix('=')?;
    inner.trim_matches('=').strip_prefix(' ')?.strip_suffix(' ')
}

/// Reads `1 failed, 2 passed in 0.12s`.
fn summary(line: &str) -> Option<Counts> {
    let (outcomes, duration) = line.rsplit_once(" in ")?;
    if !is_duration(duration) {
        return None;
    }
    if outcomes == "no tests ran" {
        return Some(Counts::ZERO);
    }
    reading::items(outcomes, ", ")?.into_iter().map(|(count, outcome)| counted(count, outcome)).sum()
}

/// `0.12s`, `75.30s (0:01:15)`, and `0.12 seconds` before pytest 5.
fn is_duration(text: &str) -> bool {
    let (seconds, clock) = text.split_once(" (").unwrap_or((text, ")"));
    let seconds = seconds.strip_suffix(" seconds").or_else(|| seconds.strip_suffix('s'));
    let clock_chars = |c: char| c.is_ascii_digit() || ":days, ".contains(c);
    seconds.is_some_and(reading::is_seconds)
        && clock.strip_suffix(')').is_some_and(|clock| clock.chars().all(clock_chars))
}

/// How an outcome counts. An expected failure is skipped, as in pytest's `JUnit` report. A failed subtest also fails
/// its test, and pytest reports both. For other subtests, it counts only the test.
fn counted(count: u32, outcome: &str) -> Option<Counts> {
    match outcome {
        "passed" | "xpassed" => Some(Counts { passed: count, ..Counts::ZERO }),
        "failed" | "error" | "errors" => Some(Counts { failed: count, ..Counts::ZERO }),
        "skipped" | "xfailed" => Some(Counts { skipped: count, ..Counts::ZERO }),
        "warning" | "warnings" | "deselected" | "rerun" | "subtests passed" | "subtests skipped" => {
            Some(Counts::ZERO)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read_and_prose_is_not() {
        let counts = |passed, failed, skipped| Some(Counts { passed, failed, skipped });
        for (line, expected) in [
            (
                "3 failed, 2 passed, 1 skipped, 1 xfailed, 1 xpassed, 1 error, 2 warnings, 1 deselected in 0.12s",
                counts(3, 4, 2),
            ),
            ("1 passed in 75.30s (0:01:15)", counts(1, 0, 0)),
            ("1 passed in 90000.30s (1 day, 1:00:00)", counts(1, 0, 0)),
            ("1 passed in 0.12 seconds", counts(1, 0, 0)),
            ("no tests ran in 0.00s", counts(0, 0, 0)),
            ("400 passed validation", None),
            ("400 passed in 2s", None),
            ("400 passed in total", None),
            ("3 tests collected in 0.00s", None),
            ("I have 400 passed in 0.12s", None),
            ("400 passed, surely, in 0.12s", None),
            ("passed in 0.12s", None),
            ("5000000000 passed in 0.12s", None),
        ] {
            assert_eq!(summary(line), expected, "{line}");
        }
    }
}
