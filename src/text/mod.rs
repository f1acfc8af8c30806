//! Text for people and for commit messages: cleans what other programs print, and names lists of things.

mod clean;
mod cleaner;
mod listed;

pub use clean::{CUT_MARK, clean, defuse, ellipsis, is_unprintable, one_line, tail};
pub use cleaner::Cleaner;
pub(crate) use listed::listed;
