//! Follows a run: shows it, tells others about it, and finds words for its end.

pub(crate) mod ending;
pub(crate) mod events;
pub(crate) mod notify;
pub(crate) mod progress;
pub(crate) mod tally;
