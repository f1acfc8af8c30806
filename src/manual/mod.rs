//! Makes the pages of the manual from the tables in the code: one page for each command, and pages about the settings,
//! the plan and the trailers. A page can be written for `man`, and as plain text.

mod catalogue;
mod command;
mod config;
mod entry;
mod overview;
mod page;
mod plain;
mod plans;
mod prose;
mod roff;
mod trailers;

pub use crate::config::VERSION;
pub use catalogue::{pages, topic, topics};
pub use entry::{Catalogue, CommandEntry};
pub use page::{MARK, Page};
