//! Prepares text for messages and commits: cleans the output of other programs, and formats lists, paragraphs and
//! lengths of time.

mod clean;
mod cleaner;
mod duration;
mod information;
mod listed;
mod shell;
mod simple_commands;
mod slug;
mod without_commands;
mod wrapped;

pub use clean::{CUT_MARK, clean, defuse, ellipsis, one_line, show_path, tail};
pub use cleaner::{Cleaner, is_unprintable};
pub use duration::duration;
pub(crate) use duration::whole;
pub(crate) use information::information;
pub(crate) use listed::{counted, listed};
pub(crate) use shell::{pathspec_word, shell_word};
pub(crate) use simple_commands::simple_commands;
pub use slug::slug;
pub use without_commands::without_commands;
pub use wrapped::wrapped;
