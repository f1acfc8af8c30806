//! Tests the checks of messages and ranges.

mod command;
mod fix;
mod git;
mod growth;
mod messages;
mod plan;
mod random;
mod ranges;
