//! The test frameworks whose output is read: a row of a table for each.
//!
//! A reader prefers no answer to a wrong one: it requires the exact format of its framework's summary, with consistent sums.

mod commands;
mod go;
mod reading;
mod select;
mod table;
mod tap;
mod unittest;

pub(crate) use commands::is_silent;
pub use commands::{Arguments, select_one};
pub(super) use commands::{asking, of_words, program_of};
pub use reading::{read_counts, read_names};
pub use table::Framework;
pub(super) use table::canonical;

#[cfg(test)]
mod tests;
