//! Reads reports of each format.

mod budget;
mod cobertura;
mod lcov;

use budget::LineBudget;

use super::report::CoverageReport;
use crate::plan::CoverageFormat;

pub use budget::ReadError;

/// The size of the largest report that should be read, in bytes.
pub const MAX_REPORT_BYTES: u64 = 64 << 20;

/// Reads a coverage report of this format.
///
/// # Errors
/// If it is not of this format, or names more lines than any real one.
pub fn read_coverage(format: CoverageFormat, report: &[u8]) -> Result<CoverageReport, ReadError> {
    let text = String::from_utf8_lossy(report);
    let text = text.trim_start_matches('\u{feff}').trim();
    let budget = &mut LineBudget::default();
    let files = match format {
        CoverageFormat::Lcov => lcov::read(text, budget),
        CoverageFormat::Cobertura => cobertura::read(text, budget),
    };
    Ok(CoverageReport { files: files? })
}
