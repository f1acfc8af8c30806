//! The result of reading one text.

use crate::suite::Counts;
use crate::suite::output::Stream;

/// The result of reading one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::suite) enum Reading {
    /// Nothing that looks like a summary.
    Absent,
    /// Something looks like a summary, but it is incomplete, contradicts itself, or may be the output of a test.
    Unsure,
    /// The counts of the runs of a framework, in the order of the output.
    Sure(Vec<Session>),
}

/// One run of a framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::suite) struct Session {
    /// Its counts.
    pub(in crate::suite) counts: Counts,
    /// Where its summary stands, if it is known where the lines of one run end and those of the next begin.
    pub(in crate::suite) at: Option<Place>,
}

/// A line of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::suite) struct Place {
    /// The stream.
    pub(in crate::suite) stream: Stream,
    /// The number of the line, from 0.
    pub(in crate::suite) line: usize,
}

impl Session {
    /// A run of which only the counts are known.
    pub(in crate::suite) fn of(counts: Counts) -> Self {
        Self { counts, at: None }
    }
}

impl Reading {
    /// The result of a reader that is sure of these runs.
    pub(in crate::suite) fn of(sessions: Vec<Session>) -> Self {
        if sessions.is_empty() { Self::Absent } else { Self::Sure(sessions) }
    }

    /// The sum of all runs; `None` if it is not sure.
    pub(in crate::suite) fn counts(&self) -> Option<Counts> {
        match self {
            Self::Sure(sessions) => Some(sessions.iter().map(|session| session.counts).sum()),
            Self::Absent | Self::Unsure => None,
        }
    }
}
