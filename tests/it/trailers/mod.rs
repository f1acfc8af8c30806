//! Tests trailers against a corpus, and random messages against git.

pub(crate) mod corpus;
mod corpus_cases;
pub(crate) mod git;
mod git_cases;
pub(crate) mod lines;
pub(crate) mod messages;
pub(crate) mod random;
