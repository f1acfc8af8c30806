//! Prepares text for messages and commits: cleans the output of other programs, and formats lists, paragraphs and
//! lengths of time.

pub(crate) mod advice;
mod clean;
mod cleaner;
pub(crate) mod gone;
mod information;
mod phrases;
mod shell;
mod slug;
mod without_commands;

pub use clean::{CUT_MARK, clean, defuse, ellipsis, one_line, show_path, tail};
pub use cleaner::{Cleaner, is_unprintable};
pub(crate) use information::information;
pub(crate) use phrases::{counted, listed, listed_up_to, whole};
pub use phrases::{duration, wrapped};
pub(crate) use shell::{pathspec_word, shell_word, simple_commands, stash_command};
pub use slug::slug;
pub(crate) use without_commands::capital;
pub use without_commands::without_commands;
