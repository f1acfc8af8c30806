//! Requests on forges: where a repository is, what the request says, and the programs `gh`, `glab` and `tea`, which hold the
//! user's login. We never hold one.

mod address;
mod api;
mod body;
mod login;
mod place;
mod program;
mod publication;
mod remotes;
mod requests;
mod squash;

pub use address::RemoteAddress;
pub use body::{fill, update};
pub use login::{FindProgram, LoggedIn, Obstacle, logged_in};
pub use place::{ForgeKind, ForgePlace};
pub use program::{ForgeProgram, Login};
pub use publication::{Publication, WantedRequest, push_branch};
pub use remotes::{ChosenRemotes, Remote};
pub use requests::{NewRequest, OpenRequest, Requests};
pub use squash::{SquashMessage, squash_setting};
