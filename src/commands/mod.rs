//! The commands, one file each.

mod at_work;
mod availability;
pub mod build;
mod call;
pub mod check;
mod conclusion;
mod consultation;
pub mod demo;
pub mod doctor;
mod dry_run;
mod ending;
pub mod garden;
pub mod gardener;
pub mod hooks;
pub mod lint;
mod moment;
pub mod next;
mod plan_fields;
mod plan_secrets;
mod plan_sources;
mod plan_state;
mod progress;
pub mod prune;
pub mod rescue;
mod run_options;
mod session;
pub mod show;
mod start;
pub mod status;
mod stream;
mod task_configs;

pub use call::{Call, Command, Common, Deletes, Exit, Group, JsonOutput, Summary};
pub use run_options::{policy, settings};
pub use session::Session;
pub use stream::end_of_events;
pub use task_configs::task_configs;
