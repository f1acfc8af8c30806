//! Prints how a run went, in numbers: attempts, what rejected them, time, tokens and costs.

mod figures;
mod groups;
mod json;
mod table;
mod text;
mod view;

pub(super) use figures::{AttemptOf, Figures, attempts_of};
pub(super) use groups::{TaskSteps, total};
pub(super) use text::{Line, cost, lines, tokens};
pub use view::{GroupBy, StatsView};
