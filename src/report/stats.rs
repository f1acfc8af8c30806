//! Prints how a run went, in numbers: attempts, what rejected them, time, tokens and costs.

mod figures;
mod groups;
mod json;
mod table;
mod text;
mod view;

pub use view::{GroupBy, StatsView};
