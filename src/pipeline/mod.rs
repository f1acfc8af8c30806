//! Takes tasks through implement → test → review → complete: the domain decides, this acts.

mod verdict;

pub use verdict::{Verdict, verdict};
