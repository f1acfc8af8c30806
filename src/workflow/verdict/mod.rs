//! Reads the answer of a reviewer (docs/agents.md): a document of the schema that agents are given which can be bound to one, or a
//! text whose last line is the verdict. Nothing above that line is interpreted.

mod document;
mod review;
mod words;

use crate::text::clean;
pub use review::{AskAgain, Review, Verdict};

/// The answer in what a reviewer printed.
#[must_use]
pub fn read_review(said: &[u8]) -> Review {
    let words = clean(said);
    let (verdict, doubt) = words::verdict(&words);
    let document = if verdict == Verdict::Unclear { document::read(&words) } else { None };
    document.unwrap_or_else(|| Review { verdict, remarks: words::remarks(&words), words, doubt })
}

#[cfg(test)]
mod tests;
