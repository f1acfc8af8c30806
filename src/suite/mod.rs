//! Runs test commands, and reads the numbers of passed, failed and skipped tests from the output of test frameworks.
//!
//! A command passes if it ends with exit status 0 and its output counts no failed tests. So every reader prefers no answer
//! to a wrong one: it requires the exact format of its framework's summary, with consistent sums. A line of prose such as
//! `400 passed validation` is never a count. All readers are tried, whatever the command was.
//!
//! The numbers have the same meaning for all frameworks:
//!
//! - Errors (a fixture, an import, a file that does not load, a process that dies) count as failed.
//!   Where a summary has failed files but fewer failed tests, every failed file counts once.
//! - Skipped, ignored, pending, disabled and to-do tests count as skipped, and so do failures that pytest and unittest
//!   were told to expect, as in pytest's own `JUnit` reports. Tests that a filter deselected count only if the
//!   framework itself calls them skipped (jest, vitest and nextest do).
//! - Several summaries in one output are added up.

mod count_source;
pub mod coverage;
mod failure;
mod frameworks;
mod junit;
mod language;
mod output;
mod recognise_framework;
mod report_file;
mod results;
mod runner;
mod test_names;

pub use crate::record::Counts;
pub use count_source::CountSource;
pub use failure::Failure;
pub(crate) use frameworks::is_silent;
pub use frameworks::{Arguments, Framework, read_counts, read_names, select_one};
pub use junit::read_junit;
pub use language::Language;
pub use recognise_framework::{Recognised, recognise, recognise_text};
pub use results::{TestResults, TestRun};
pub use runner::{TestListener, TestRunner, Unheard};
pub use test_names::{TestNames, TestOutcome};
