//! Tells from the output of a failed command that something was missing which its tests load, so that they did not run.

use crate::suite::{Failure, TestOutcome, TestRun};
use crate::text::{ellipsis, one_line};

/// How much of an output is searched for what a script says, in bytes.
pub(super) const TAIL: usize = 64 << 10;

/// How many characters of a line a sentence quotes.
const LINE: usize = 160;

/// How programs say that something is missing which they load.
const MISSING: [&str; 7] = [
    "ModuleNotFoundError: ",
    "No module named ",
    "ImportError: cannot import",
    "Cannot find module ",
    "Cannot find package ",
    "Failed to resolve import ",
    "Failed to load url ",
];

/// What a failed command says of what it could not load, as the end of a clause; `None` if it ran its tests, as far as is known.
pub(super) fn not_loaded(run: &TestRun) -> Option<String> {
    let printed: String = [&run.result.stdout, &run.result.stderr]
        .map(|stream| crate::text::clean(stream.tail_lossy(TAIL).as_bytes()) + "\n")
        .concat();
    let missing = printed.lines().map(str::trim).rfind(|line| MISSING.iter().any(|said| line.contains(said)));
    let is_error = |line: &&str| line.to_ascii_lowercase().contains("error");
    match (missing, run.failure()) {
        (Some(line), _) => Some(format!(" (`{}`)", ellipsis(&one_line(line), LINE))),
        (None, Some(Failure::Build)) if run.names.with(TestOutcome::NotLoaded).next().is_some() => {
            let mut lines = printed.lines().map(str::trim).filter(|line| !line.is_empty());
            let last = lines.clone().rfind(is_error).or_else(|| lines.next_back());
            Some(last.map(|line| format!(" (`{}`)", ellipsis(&one_line(line), LINE))).unwrap_or_default())
        }
        _ => None,
    }
}
