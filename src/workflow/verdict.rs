//! Reads a reviewer's verdict strictly, because a wrong approval is the worst possible error here (docs/agents.md).
//!
//! Only the word APPROVED alone on the last line is an approval. A rejection is read more generously: mistaking an
//! approval for a rejection costs an attempt, but mistaking a rejection for an approval costs the user's trust. An
//! approval below a sentence that objects counts as neither, and the reviewer is asked again.

mod defect;
mod demand;
mod foreign;
mod keyed;
mod line;
mod objection;
mod objections;
mod paragraph;
mod passage;
mod prose;
mod refusal;
mod settled;
mod severity;
mod shortfall;
mod sign;
mod unread;
mod withheld;

use crate::text::clean;
use line::{Line, Word};
pub use objections::objections;
use paragraph::{Part, is_open_before_last, parts};
use passage::passages;

/// What a review says about the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The change is clearly approved.
    Approved,
    /// The change is clearly rejected.
    Rejected,
    /// The tests themselves are rejected, no matter what the code does.
    TestsRejected,
    /// The reviewer said neither, or both.
    Unclear,
}

/// The verdict in the text that a reviewer printed.
#[must_use]
pub fn verdict(review: &[u8]) -> Verdict {
    let text = clean(review);
    let parts = parts(&text);
    let Some((last, earlier)) = parts.split_last() else { return Verdict::Unclear };
    if !approves(last) {
        return standing_rejection(&parts).map_or(Verdict::Unclear, of);
    }
    let contradicted = earlier.iter().any(|part| part.line.rejects().is_some())
        || passages(earlier).iter().any(|passage| objection::objects(passage))
        || earlier.iter().any(|part| part.is_code() && objection::is_bad_answer(part.line.0));
    if contradicted || is_open_before_last(&parts) { Verdict::Unclear } else { Verdict::Approved }
}

/// Whether a reviewer rejects the change in a separate line, or refuses it in a sentence, no matter what else it says.
#[must_use]
pub fn has_rejection(review: &[u8]) -> bool {
    let text = clean(review);
    let parts = parts(&text);
    let parts = match parts.split_last() {
        // It belongs to no sentence above it.
        Some((last, earlier)) if approves(last) => earlier,
        _ => parts.as_slice(),
    };
    parts.iter().any(|part| rejects(part).is_some())
        || passages(parts).iter().any(|passage| objection::refuses_plainly(passage))
}

/// The lines of a text after the last one that is this phrase alone.
pub(crate) fn lines_below<'t>(text: &'t str, phrase: &str) -> Option<impl Iterator<Item = &'t str>> {
    let lines: Vec<&str> = text.lines().collect();
    let heading = lines.iter().rposition(|line| Line(line.trim()).is_alone(phrase))?;
    Some(lines.into_iter().skip(heading + 1))
}

/// Whether the last line of a text is this phrase alone, in capital or small letters: Markdown emphasis, a heading mark,
/// a full stop or exclamation mark, and signs such as ✅ aside.
pub(crate) fn last_line_is(text: &[u8], phrase: &str) -> bool {
    let text = clean(text);
    parts(&text).last().is_some_and(|last| last.is_prose() && last.line.is_alone(phrase))
}

/// The last rejection. Its reasons may be on the lines below it, unless one of them mentions an approval.
fn standing_rejection(parts: &[Part<'_>]) -> Option<Word> {
    let last = parts.iter().rev().find(|part| rejects(part).is_some() || part.line.speaks_of_approval())?;
    rejects(last)
}

fn of(word: Word) -> Verdict {
    match word {
        Word::Rejected => Verdict::Rejected,
        Word::TestsRejected => Verdict::TestsRejected,
    }
}

/// Whether a line is an approval, in its context.
fn approves(part: &Part<'_>) -> bool {
    part.is_prose() && part.line.is_approval()
}

/// The rejection that a line is, if it is the reviewer's own and not a quotation.
fn rejects(part: &Part<'_>) -> Option<Word> {
    if part.is_prose() { part.line.rejects() } else { None }
}

#[cfg(test)]
mod tests;
