//! Reads a review that is a document of the schema (`src/agents/review-schema.json`).

use serde::Deserialize;

use super::review::{Review, Verdict};
use super::words::{LENGTH, MOST};
use crate::record::{Remark, RemarkPlace, Weight};
use crate::text::{ellipsis, one_line};
use crate::workflow::line::is_none;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviewDocument {
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
    #[serde(alias = "APPROVED", alias = "Approved")]
    Approved,
    #[serde(alias = "REJECTED", alias = "Rejected")]
    Rejected,
    #[serde(alias = "TESTS-REJECTED", alias = "TESTS_REJECTED", alias = "TESTS REJECTED")]
    TestsRejected,
}

impl ReviewDocument {
    pub(super) fn into_review(self) -> Review {
        let remarks: Vec<Remark> =
            self.findings.into_iter().take(MOST).filter_map(DocumentFinding::into_remark).collect();
        let verdict = match self.verdict {
            VerdictWord::Approved => Verdict::Approved,
            VerdictWord::Rejected => Verdict::Rejected,
            VerdictWord::TestsRejected => Verdict::TestsRejected,
        };
        Review { verdict, remarks, words: self.summary, doubt: None }
    }
}

impl DocumentFinding {
    fn into_remark(self) -> Option<Remark> {
        let file = one_line(self.file.trim());
        let place =
            (!file.is_empty()).then(|| RemarkPlace { file, line: (self.line > 0).then_some(self.line) });
        let what = ellipsis(&one_line(&self.what), LENGTH);
        (!is_none(&what)).then_some(Remark { place, weight: Some(self.severity), what })
    }
}
