//! Takes tasks through implement → test → review → complete: the domain decides, this acts.

mod artifact;
mod prompt;
mod verdict;

pub use verdict::{Verdict, verdict};
