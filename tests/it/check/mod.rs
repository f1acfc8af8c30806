//! Tests the checks of messages and ranges.

mod command;
mod git;
mod growth;
mod lost;
mod messages;
mod random;
mod ranges;
