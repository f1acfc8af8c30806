//! What a command finds in the place where it was called: its call, the repository with its settings and its plan, and the
//! terminal.

pub(crate) mod availability;
pub(crate) mod call;
pub(crate) mod forges;
pub(crate) mod inside;
pub(crate) mod open;
pub(crate) mod output_file;
pub(crate) mod paging;
pub(crate) mod plan_state;
pub(crate) mod take_lock;

pub use call::{Call, Command, Common, Deletes, Exit, Group, JsonOutput, Listener, StopWish, Summary};
pub use open::Session;
pub use paging::PagerSettings;
