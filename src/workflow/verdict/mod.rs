//! Reads the answer of a reviewer (docs/agents.md): a text whose last line is the verdict, or a document of the schema that
//! agents are given which can be bound to one. Nothing else in a text is interpreted.

mod document;
mod review;
mod words;

use super::object::objects;
use crate::record::Weight;
use crate::text::clean;
use document::ReviewDocument;
pub use review::{AskAgain, Review, Verdict};

/// The answer in what a reviewer printed.
#[must_use]
pub fn read_review(said: &[u8]) -> Review {
    let words = clean(said);
    let (verdict, above) =
        words::last_verdict(&words).map_or((None, &*words), |(verdict, above)| (Some(verdict), above));
    let unclear = |doubt| (Verdict::Unclear, Some(doubt));
    let (documents, invalid) = match objects::<ReviewDocument>(above, "\"verdict\"") {
        Some(Ok(found)) => (found.objects.into_iter().map(ReviewDocument::into_review).collect(), None),
        Some(Err(why)) => (Vec::new(), Some(AskAgain::Invalid(why))),
        None => (Vec::new(), None),
    };
    let verdicts: Vec<Verdict> = documents.iter().map(|document| document.verdict).chain(verdict).collect();
    let is_same = verdicts.windows(2).all(|two| two[0] == two[1]);
    let review = documents.into_iter().next_back();
    let mut review = review.unwrap_or_else(|| Review {
        verdict: Verdict::Unclear,
        remarks: words::remarks(&words),
        words: words.clone(),
        doubt: None,
    });
    let must = review.remarks.iter().any(|remark| remark.weight == Some(Weight::Must));
    (review.verdict, review.doubt) = match verdicts.last() {
        None => unclear(invalid.unwrap_or(AskAgain::NoVerdict)),
        Some(verdict) if !is_same || words::is_contradicted(above, *verdict) => unclear(AskAgain::Both),
        Some(Verdict::Approved) if invalid.is_some() => unclear(AskAgain::Both),
        Some(Verdict::Approved) if must => unclear(AskAgain::MustApproved),
        Some(verdict) => (*verdict, None),
    };
    review
}

#[cfg(test)]
mod tests;
