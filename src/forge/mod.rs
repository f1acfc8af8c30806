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

pub(crate) use body::{fill, update};
pub(crate) use login::{LoggedIn, Obstacle, logged_in};
pub(crate) use place::{ForgeKind, ForgePlace};
pub(crate) use program::ForgeProgram;
pub(crate) use publication::{Publication, WantedRequest, push_branch};
pub(crate) use remotes::ChosenRemotes;
pub(crate) use requests::{NewRequest, OpenRequest, Requests};
pub(crate) use squash::{SquashMessage, squash_setting};
