//! The formats of `report`. Each shows the same facts, and begins so that it is known again.

use super::document::RunDocument;
use super::html::html;
use super::json::{Printed, json_document};
use super::markdown::markdown;
use crate::record::REPORT_BEGIN;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// The body of a pull request.
    Markdown,
    /// One page.
    Html,
    /// One document.
    Json,
}

impl ReportFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Html, Self::Json];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Json => "json",
        }
    }
}

/// A report in a format.
#[must_use]
pub fn formatted(report: &RunDocument<'_>, format: ReportFormat) -> String {
    match format {
        ReportFormat::Markdown => markdown(report),
        ReportFormat::Html => html(report),
        ReportFormat::Json => json_document(&Printed::new("run-report", report)),
    }
}

/// Whether a file that begins so is a report.
#[must_use]
pub fn is_report(beginning: &str) -> bool {
    let is_json = beginning.starts_with("{\n  \"version\": ") && beginning.contains("\n  \"verdict\": ");
    is_json || [REPORT_BEGIN, super::html::MARK].iter().any(|mark| beginning.contains(mark))
}
