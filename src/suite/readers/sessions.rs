//! Adds up the runs in one output, each a heading followed by a summary.
//!
//! If a test prints a summary itself, or runs the framework, this order is broken, and nothing is certain.

use super::Reading;
use super::reading::FrameworkRun;
use crate::suite::Counts;
use crate::suite::output::OutputLine;

/// The runs seen so far.
#[derive(Default)]
pub(super) struct Sessions {
    ended: Vec<FrameworkRun>,
    state: SessionState,
}

#[derive(Default, PartialEq, Eq)]
enum SessionState {
    #[default]
    Between,
    /// After a heading, which may contain the number of tests.
    Open {
        planned: Option<u32>,
    },
    OutOfOrder,
}

/// The number of tests according to a summary, if it contains one.
pub(super) type Total = Option<u32>;

impl Sessions {
    /// A heading.
    pub(super) fn start(&mut self, planned: Total) {
        self.state = if self.state == SessionState::Between {
            SessionState::Open { planned }
        } else {
            SessionState::OutOfOrder
        };
    }

    /// A summary over `total` tests, at this place.
    pub(super) fn end(&mut self, total: Total, counts: Counts, at: Option<OutputLine>) {
        let fits = match self.state {
            SessionState::Open { planned } => planned == total,
            // The heading may be cut off, as by `| tail`.
            SessionState::Between => self.ended.is_empty(),
            SessionState::OutOfOrder => false,
        };
        self.state = if fits { SessionState::Between } else { SessionState::OutOfOrder };
        self.ended.push(FrameworkRun { counts, at });
    }

    /// Whether a heading waits for its summary.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, SessionState::Open { .. })
    }

    /// How many summaries there were.
    pub(super) fn ended(&self) -> usize {
        self.ended.len()
    }

    /// Something similar to a summary.
    pub(super) fn spoil(&mut self) {
        self.state = SessionState::OutOfOrder;
    }

    /// All runs, if everything was in order.
    pub(super) fn reading(&self) -> Reading {
        match self.state {
            SessionState::Between => Reading::of(self.ended.clone()),
            SessionState::Open { .. } | SessionState::OutOfOrder => Reading::Unsure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `3`: a heading that plans three tests; `=3`: a summary over three.
    fn reading(order: &str) -> (bool, Option<u32>) {
        let mut sessions = Sessions::default();
        for token in order.split_whitespace() {
            match token.strip_prefix('=') {
                Some(total) => {
                    let total = total.parse().unwrap();
                    sessions.end(Some(total), Counts { passed: total, ..Counts::ZERO }, None);
                }
                None => sessions.start(token.parse().ok()),
            }
        }
        let reading = sessions.reading();
        (reading == Reading::Unsure, reading.counts().map(|counts| counts.passed))
    }

    #[test]
    fn only_alternating_headings_and_summaries_are_certain() {
        let sure = |passed| (false, Some(passed));
        let unsure = (true, None);
        for (order, expected) in [
            ("", (false, None)),
            ("3 =3", sure(3)),
            ("3 =3 4 =4", sure(7)),
            ("=3", sure(3)),
            ("=3 4 =4", sure(7)),
            ("3", unsure),
            ("3 =4", unsure),
            ("3 =3 =4", unsure),
            ("3 4 =4 =3", unsure),
            ("3 3 =3", unsure),
            ("3 =3 4", unsure),
        ] {
            assert_eq!(reading(order), expected, "{order}");
        }
    }
}
