//! The last lines of an output, normalised to the spelling that the tables use.

use crate::agents::{Captured, JobResult};
use crate::text::{clean, ellipsis, one_line};

/// How much of the end of an output is examined, in characters.
const TAIL: usize = 16 << 10;
/// Marks that agents put before an error.
const MARKS: &[char] = &['⎿', '■', '✕', '✖', '✗', '●', '│', ' '];

/// The last lines of an output, without blank ones.
pub(super) struct LastLines {
    lines: Vec<String>,
    whole: bool,
}

impl LastLines {
    pub(super) fn of(output: &Captured) -> Self {
        let tail = output.tail_lossy(TAIL);
        let lines = clean(tail.as_bytes()).lines().map(spelled).filter(|line| !line.is_empty()).collect();
        Self { lines, whole: output.total() <= tail.len() as u64 }
    }

    /// The last lines, the last first.
    pub(super) fn last(&self, count: usize) -> impl Iterator<Item = &str> + Clone {
        self.lines.iter().rev().take(count).map(String::as_str)
    }

    /// All lines, if there are at most this many.
    pub(super) fn all(&self, count: usize) -> Option<&[String]> {
        (self.whole && self.lines.len() <= count).then_some(&self.lines)
    }
}

/// How much of an agent's words is quoted, in characters.
pub(super) const QUOTE: usize = 200;
/// How the lines begin in which programs refuse the options with which they are started, in lower case and without `error:`.
const REFUSALS: &[&str] = &[
    "unknown option",
    "unknown argument",
    "unknown arguments",
    "unknown flag",
    "unknown command",
    "unexpected argument",
    "unrecognized option",
    "unrecognized argument",
    "invalid option",
    "invalid value",
    "invalid values",
    "invalid argument",
    "missing argument",
    "option '",
    "the argument '",
    "the following required arguments",
];
/// How the lines begin that are part of a stack trace, of a dump or of a warning, in lower case.
const NOISE: &[&str] = &["at ", "{", "}", "(node:", "node.js v", "file://", "warn", "note:", "^"];
/// How many lines at the end of the output are looked at for one that says what is wrong.
const LOOK_BACK: usize = 20;

/// The first line of the words of an error that can be quoted; empty if there is none.
pub(super) fn quoted(message: &str) -> String {
    let is_fit = |line: &String| {
        let plain = line.to_ascii_lowercase();
        !line.is_empty() && !line.ends_with('{') && !NOISE.iter().any(|noise| plain.starts_with(noise))
    };
    message.lines().map(one_line).find(is_fit).map(|line| ellipsis(&line, QUOTE)).unwrap_or_default()
}

/// The last line on which a program refuses the options with which it was started; empty if there is none. No other line of a
/// program that has ended without a word in its stream is known to be the cause.
pub(super) fn refusal_of_options(result: &JobResult) -> String {
    let is_refusal = |line: &&str| {
        let plain = line.to_ascii_lowercase();
        let plain = plain.trim_start_matches("error:").trim_start();
        REFUSALS.iter().any(|refusal| plain.starts_with(refusal))
    };
    let [err, out] = [&result.stderr, &result.stdout].map(LastLines::of);
    let mut lines = err.last(LOOK_BACK).chain(out.last(LOOK_BACK)).filter(is_refusal);
    lines.next().map(quoted).unwrap_or_default()
}

/// What precedes the error on a line of the log of opencode, after many other fields: of a request that has failed, of an
/// answer that has ended with an error, and of a run that could not begin.
const LOGGED_ERRORS: [(&str, &str); 3] =
    [("", " error.error=\""), ("", " error.error.message=\""), (" message=failed ", " error=\"")];

/// A line with single spaces, plain apostrophes and one kind of dot, without leading marks and time stamps. Of an error in
/// a log, its words, with a label.
pub(super) fn spelled(line: &str) -> String {
    let line = one_line(line).replace('’', "'").replace(['∙', '•'], "·");
    let line = line.trim_start_matches(MARKS);
    if let Some(error) = line.strip_prefix("timestamp=").and_then(logged_error) {
        return format!("Error: {error}");
    }
    match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((stamp, rest)) if stamp.starts_with("20") => rest.to_owned(),
        _ => line.to_owned(),
    }
}

/// The error on a line of the log of opencode.
fn logged_error(line: &str) -> Option<&str> {
    let (_, error) = LOGGED_ERRORS
        .iter()
        .filter(|(kind, _)| line.contains(kind))
        .find_map(|(_, mark)| line.split_once(mark))?;
    Some(error.split_once("\" ").map_or(error, |(error, _)| error).trim_end_matches('"'))
}
