//! Gives units of work to workers outside of the run, people and programs, and takes in what they have done.

mod hand_in;
pub mod mcp;

pub use hand_in::{DoneWork, commit_of_unit, take_in};
