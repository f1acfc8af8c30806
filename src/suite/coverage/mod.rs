//! Reads coverage reports, and says which changed lines the tests have run.
//!
//! Everything here is pure: bytes in, numbers out. Only what a report says is known; what it does not say stays unknown,
//! and is neither 0 nor 100 %. Reports are written by programs that an agent may have changed, so a report of any
//! content is read in bounded time and memory, or refused with a reason.

mod changed;
mod diff;
mod hits;
mod measured;
mod name;
mod placing;
mod readers;
mod report;

pub use changed::{ChangedLines, only_files, unquoted};
pub use diff::{DiffCoverage, FileDiff};
pub use hits::Hits;
pub use measured::{Part, Parts, Ratio};
pub use name::FileName;
pub use placing::{PlacedReport, ReportTree};
pub use readers::{MAX_REPORT_BYTES, ReadError, read_coverage};
pub use report::{CoverageReport, FileCoverage, MeasuredCoverage, Totals};
