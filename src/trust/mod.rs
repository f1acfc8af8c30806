//! What makes a result believable: which files judge an attempt, and what runs of the tests show about a change.
//!
//! A check runs something and looks at the result. What it cannot run, it says it does not know.

pub mod awaited;
pub mod canary;
pub mod cannot_fail;
pub mod checkers;
pub mod counts;
pub mod files;
pub mod hollow;
pub mod inline;
pub mod literals;
pub mod mixed;
pub mod no_tests;
pub mod prove;
pub mod scan;
pub mod weakened;
