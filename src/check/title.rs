//! Finds out what the subject claims: a step of a task, the end of a phase, something similar, or nothing.

use crate::record::{Subject, TaskId, lines};

use super::finding::quoted;
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
    Near(SubjectError),
    /// A commit that is meant to be squashed into a step.
    Autosquash,
    /// A commit that is meant to be squashed into another one, which is not a step.
    OtherAutosquash,
    /// A commit made by `git merge`.
    Merge,
    /// Anything else.
    Other,
}

/// How a subject differs from the required form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SubjectError {
    Capitals,
    LeadingSpace,
    SpaceBeforeId,
    NoId,
    BadId(String),
    NoColon,
    NoSpace,
    NoSummary,
}

impl SubjectError {
    pub(super) fn what(&self) -> String {
        match self {
            Self::Capitals => "the word before the parenthesis is not in lower case".to_owned(),
            Self::LeadingSpace => "the subject begins with white space".to_owned(),
            Self::SpaceBeforeId => "there is a space before the parenthesis".to_owned(),
            Self::NoId => "the parentheses are empty".to_owned(),
            Self::BadId(why) => format!("the id is not valid: {why}"),
            Self::NoColon => "`):` is missing after the id".to_owned(),
            Self::NoSpace => "exactly one space must follow the colon".to_owned(),
            Self::NoSummary => "nothing follows the colon".to_owned(),
        }
    }
}

impl<'m> Title<'m> {
    pub(super) fn of(text: &'m [u8]) -> Self {
        match Subject::of(text) {
            Subject::Task(id) => Self::with_id(id, Self::Task),
            Subject::Phase(id) => Self::with_id(id, Self::Phase),
            Subject::Other => Self::of_other(text),
        }
    }

    fn with_id(id: &'m str, kind: fn(&'m str) -> Self) -> Self {
        match TaskId::check(id) {
            Ok(()) => kind(id),
            Err(problem) => Self::Near(SubjectError::BadId(problem.to_string())),
        }
    }

    fn of_other(text: &'m [u8]) -> Self {
        let first = lines(text).find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        let first = String::from_utf8_lossy(first.trim_ascii_end());
        let mut rest = first.as_ref();
        while let Some(target) = AUTOSQUASH.iter().find_map(|mark| rest.strip_prefix(mark)) {
            rest = target;
        }
        if rest.len() < first.len() {
            let is_of_step = rest.starts_with("task(") || rest.starts_with("phase(");
            return if is_of_step { Self::Autosquash } else { Self::OtherAutosquash };
        }
        if first.starts_with("Merge ") {
            return Self::Merge;
        }
        match near(&first) {
            Some(SubjectError::BadId(id)) if id.ends_with("@@run-start") => Self::RunMarker,
            Some(slip) if slip != SubjectError::NoColon || may_be_ours_below(text) => Self::Near(slip),
            _ => Self::Other,
        }
    }

    /// Whether the subject is, or is meant to be, one of ours.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self, Self::Task(_) | Self::Phase(_) | Self::Near(_))
    }
}

/// Whether the lines below the first contain anything of ours: `task(s) run in parallel now` alone is ordinary English.
pub(super) fn may_be_ours_below(text: &[u8]) -> bool {
    let first = lines(text).next().map_or(0, <[u8]>::len);
    may_be_ours(&text[first..])
}

/// How a first line differs from a subject of ours, if it is similar to one.
fn near(first: &str) -> Option<SubjectError> {
    let bare = first.trim_start();
    let word = ["task", "phase"]
        .into_iter()
        .find(|word| bare.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))?;
    let behind = &bare[word.len()..];
    let inner = behind.trim_start().strip_prefix('(')?;
    let Some((id, rest)) = inner.split_once(')') else {
        return Some(SubjectError::NoColon);
    };
    let Some(summary) = rest.strip_prefix(':') else {
        return Some(SubjectError::NoColon);
    };
    Some(if id.ends_with("@@run-start") {
        SubjectError::BadId(id.to_owned())
    } else if bare.len() < first.len() {
        SubjectError::LeadingSpace
    } else if !bare.starts_with(word) {
        SubjectError::Capitals
    } else if !behind.starts_with('(') {
        SubjectError::SpaceBeforeId
    } else if id.is_empty() {
        SubjectError::NoId
    } else if summary.trim().is_empty() {
        SubjectError::NoSummary
    } else if !summary.starts_with(' ') || summary.starts_with("  ") || summary.starts_with(" \t") {
        SubjectError::NoSpace
    } else {
        SubjectError::BadId(format!("`{}` is not the id of a task", quoted(id.as_bytes())))
    })
}
