//! Reads coverage reports, and says which changed lines the tests have run.
//!
//! Everything here is pure: bytes in, numbers out. Only what a report says is known; what it does not say stays unknown,
//! and is neither 0 nor 100 %. Reports are written by programs that an agent may have changed, so a report of any
//! content is read in bounded time and memory, or refused with a reason.

mod exclusions;
mod read;
mod report;

pub use exclusions::{Versions, may_list_exclusions, new_exclusions};
pub use report::{
    CoverageReport, DiffCoverage, FileCoverage, FileLines, MeasuredCoverage, Part, Ratio, shown_lines,
};

use crate::plan::CoverageFormat;

/// Reads a coverage report of this format.
///
/// # Errors
/// If it is not of this format; why, as the end of a sentence that begins with its name.
pub fn read_coverage(format: CoverageFormat, report: &[u8]) -> Result<CoverageReport, String> {
    let text = String::from_utf8_lossy(report);
    let text = text.trim_start_matches('\u{feff}').trim();
    match format {
        CoverageFormat::Lcov => read::lcov(text),
        CoverageFormat::Cobertura => read::cobertura(text),
    }
}
