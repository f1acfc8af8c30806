//! Reads coverage reports, and says which changed lines the tests have run.
//!
//! Everything here is pure: bytes in, numbers out. Only what a report says is known; what it does not say stays unknown,
//! and is neither 0 nor 100 %. Reports are written by programs that an agent may have changed, so a report of any
//! content is read in bounded time and memory, or refused with a reason.

mod cobertura;
mod diff;
mod exclusions;
mod lcov;
mod placing;
mod report;

pub use diff::{ChangedLines, DiffCoverage};
pub use exclusions::{Versions, may_list_exclusions, new_exclusions};
pub use placing::{PlacedReport, ReportTree};
pub use report::{CoverageReport, FileCoverage, MeasuredCoverage, Parts, Ratio, Totals};

use crate::plan::CoverageFormat;

/// The size of the largest report that should be read, in bytes.
pub const MAX_REPORT_BYTES: u64 = 64 << 20;

/// Reads a coverage report of this format.
///
/// # Errors
/// If it is not of this format; why, as the end of a sentence that begins with its name.
pub fn read_coverage(format: CoverageFormat, report: &[u8]) -> Result<CoverageReport, String> {
    let text = String::from_utf8_lossy(report);
    let text = text.trim_start_matches('\u{feff}').trim();
    match format {
        CoverageFormat::Lcov => lcov::read(text),
        CoverageFormat::Cobertura => cobertura::read(text),
    }
}
