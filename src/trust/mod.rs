//! What makes a result believable: which files judge an attempt, and what a change does to them.
//!
//! Everything here is computed from paths and contents alone. A rule that is unsure says nothing: users turn off a check
//! that raises false alarms.

pub mod change;
pub mod counts;
pub mod files;
pub mod inline;
pub mod judges;
pub mod language;
mod lex;
pub mod prove;
