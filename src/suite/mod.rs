//! The user's tests: what the frameworks say about them, read into numbers.
//!
//! Counts only inform: whether tests passed is decided by exit status, elsewhere. So every reader here would rather
//! say nothing than something wrong: it wants the exact shape of its framework's summary, with sums that agree.
//! A line of prose such as `400 passed validation` is never a count.
//!
//! What the numbers mean, whatever the framework:
//!
//! - Errors (a fixture, an import, a file that does not load, a process that dies) count as failed.
//!   Where a summary has failed files but fewer failed tests, every failed file counts once.
//! - Skipped, ignored, pending, disabled and to-do tests count as skipped, and so do failures that pytest and unittest
//!   were told to expect, as in pytest's own `JUnit` reports. What a filter deselected counts only if the framework
//!   itself calls it skipped (jest, vitest and nextest do).
//! - Several summaries in one output are added up.

mod framework;
mod guess;
mod junit;
mod output;
mod readers;

pub use crate::record::Counts;
pub use framework::{CountSource, Framework, ReportPath, SourceProblem};
pub use junit::read_junit;
pub use output::{Captured, Output};
pub use readers::read_counts;
