//! Text for people and for commit messages: cleans the output of other programs, and formats lists and lengths of time.

mod clean;
mod cleaner;
mod duration;
mod listed;

pub use clean::{CUT_MARK, clean, defuse, ellipsis, is_unprintable, one_line, tail};
pub use cleaner::Cleaner;
pub use duration::duration;
pub(crate) use duration::whole;
pub(crate) use listed::listed;
