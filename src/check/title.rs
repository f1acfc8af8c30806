//! Finds out what the subject claims: a step of a task, the end of a phase, something similar, or nothing.

use crate::record::{Subject, TaskId, lines};

use super::scan::{AUTOSQUASH, may_be_ours};

/// The claim of the subject of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Title<'m> {
    /// A step of this task.
    Task(&'m str),
    /// The end of this phase.
    Phase(&'m str),
    /// The older marker at the start of a run, which is not a task.
    RunMarker,
    /// It is meant as one of ours, but no reader will recognise it.
    Near,
    /// A commit that is meant to be squashed into another one.
    Autosquash,
    /// A commit made by `git merge`.
    Merge,
    /// Anything else.
    Other,
}

impl<'m> Title<'m> {
    pub(super) fn of(text: &'m [u8]) -> Self {
        match Subject::of(text) {
            Subject::Task(id) if TaskId::check(id).is_ok() => Self::Task(id),
            Subject::Phase(id) if TaskId::check(id).is_ok() => Self::Phase(id),
            _ => Self::of_other(text),
        }
    }

    fn of_other(text: &'m [u8]) -> Self {
        let first = lines(text).find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        let first = String::from_utf8_lossy(first.trim_ascii_end());
        if AUTOSQUASH.iter().any(|mark| first.starts_with(mark)) {
            return Self::Autosquash;
        }
        if first.starts_with("Merge ") {
            return Self::Merge;
        }
        match meant_id(&first) {
            Some(id) if id.ends_with("@@run-start") => Self::RunMarker,
            Some(_) if may_be_ours_below(text) => Self::Near,
            _ => Self::Other,
        }
    }

    /// Whether the subject is, or is meant to be, one of ours.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self, Self::Task(_) | Self::Phase(_) | Self::Near)
    }
}

/// Whether the lines below the first contain anything of ours: `task(s) run in parallel now` alone is ordinary English.
pub(super) fn may_be_ours_below(text: &[u8]) -> bool {
    let first = lines(text).next().map_or(0, <[u8]>::len);
    may_be_ours(&text[first..])
}

/// The text in the parentheses of a first line that begins like a subject of ours, in any case.
fn meant_id(first: &str) -> Option<&str> {
    let bare = first.trim_start();
    let behind = ["task", "phase"].into_iter().find_map(|word| {
        let (start, behind) = bare.split_at_checked(word.len())?;
        start.eq_ignore_ascii_case(word).then_some(behind)
    })?;
    behind.trim_start().strip_prefix('(')?.split(')').next()
}
