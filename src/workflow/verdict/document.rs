//! Reads a review that is a document of the schema (`src/agents/review-schema.json`).

use serde::Deserialize;

use super::review::{AskAgain, Review, Verdict};
use super::words::{LENGTH, MOST};
use crate::record::{Remark, RemarkPlace, Weight};
use crate::text::{ellipsis, one_line};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReviewDocument {
    findings: Vec<DocumentFinding>,
    summary: String,
    verdict: VerdictWord,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentFinding {
    severity: Weight,
    file: String,
    /// 0 for none.
    line: u32,
    what: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum VerdictWord {
    Approved,
    Rejected,
    TestsRejected,
}

/// The review in a text that is one JSON object, or looks as if it was meant to be one.
pub(super) fn read(text: &str) -> Option<Review> {
    let text = without_fence(text.trim());
    if !text.starts_with('{') {
        return None;
    }
    Some(match serde_json::from_str::<ReviewDocument>(text) {
        Ok(document) => document.into_review(),
        Err(error) => Review {
            verdict: Verdict::Unclear,
            remarks: Vec::new(),
            words: text.to_owned(),
            doubt: Some(AskAgain::Invalid(one_line(&error.to_string()))),
        },
    })
}

/// The text between two fences, if these are its first and its last line.
fn without_fence(text: &str) -> &str {
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.and_then(|inside| inside.split_once('\n')).map_or(text, |(_, inside)| inside.trim())
}

impl ReviewDocument {
    fn into_review(self) -> Review {
        let remarks: Vec<Remark> =
            self.findings.into_iter().take(MOST).filter_map(DocumentFinding::into_remark).collect();
        let must = remarks.iter().any(|remark| remark.weight == Some(Weight::Must));
        let (verdict, doubt) = match self.verdict {
            VerdictWord::Approved if must => (Verdict::Unclear, Some(AskAgain::MustApproved)),
            VerdictWord::Approved => (Verdict::Approved, None),
            VerdictWord::Rejected => (Verdict::Rejected, None),
            VerdictWord::TestsRejected => (Verdict::TestsRejected, None),
        };
        Review { verdict, remarks, words: self.summary, doubt }
    }
}

impl DocumentFinding {
    fn into_remark(self) -> Option<Remark> {
        let file = one_line(self.file.trim());
        let place =
            (!file.is_empty()).then(|| RemarkPlace { file, line: (self.line > 0).then_some(self.line) });
        let what = ellipsis(&one_line(&self.what), LENGTH);
        (!what.is_empty()).then_some(Remark { place, weight: Some(self.severity), what })
    }
}
