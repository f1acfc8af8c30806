//! Makes the pages of the manual from the tables in the code: one page for each command, and pages about the settings,
//! the plan, the trailers and what concerns several commands. A page can be written for `man`, and as plain text. clap lays out the options of commands;
//! everything else is a small part of Markdown.

mod catalogue;
mod command;
mod config;
mod entry;
mod markdown;
mod options;
mod overview;
mod page;
mod plans;
mod topic_pages;
mod trailers;

pub use crate::config::VERSION;
pub use catalogue::{pages, topic, topics};
pub use entry::{Catalogue, CommandEntry};
pub use page::{MARK, Page};
