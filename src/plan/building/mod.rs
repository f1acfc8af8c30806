//! Makes the plan that runs follow from an imported one: settles ids, links, order and tests, and writes its file.

mod drafted;
mod ids;
mod kinds;
mod links;
mod order;
mod recipe;
mod settle;
mod settled;
mod short_ids;
mod tree_file;
mod update;

pub use drafted::DraftedPlan;
pub use links::NodeLink;
pub use recipe::Recipe;
pub use settle::{BuildSettings, Rejected, TestRule, settle};
pub use settled::{Settled, SettledNode};
pub use short_ids::EarlierNode;
pub use tree_file::to_json;
pub use update::{MergedPlan, NodeFields, Renamed, merge};
