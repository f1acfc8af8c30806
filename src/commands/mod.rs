//! The commands, one file each.

mod at_work;
mod call;
pub mod check;
pub mod demo;
pub mod doctor;
mod forecast;
pub mod garden;
pub mod gardener;
pub mod hooks;
pub mod next;
mod outlook;
pub mod prune;
mod reading;
pub mod rescue;
mod run_options;
mod session;
pub mod show;
pub mod status;
mod stream;
mod watcher;

pub use call::{Call, Command, Common, Deletes, Exit, Group, Summary};
pub use run_options::{policy, runners, settings};
pub use session::Session;
