//! Requests on forges: where a repository is, what the request says, and the programs `gh` and `glab`, which hold the user's
//! login. We never hold one.

mod access;
mod address;
mod api;
mod asking;
mod body;
mod check_state;
mod followed;
mod github;
mod gitlab;
mod login;
mod place;
mod program;
mod publication;
mod remotes;
mod request_file;
mod requests;

pub(crate) use asking::SquashMessage;
pub(crate) use body::{fill, update};
pub(crate) use check_state::CheckState;
pub(crate) use followed::{
    About, Due, FollowedRequest, LONGEST_ROUND, RequestState, Side, Thread, Wanted, together,
};
pub(crate) use login::{Obstacle, logged_in};
pub(crate) use place::{ForgeKind, ForgePlace};
pub(crate) use program::ForgeProgram;
pub(crate) use publication::{Publication, WantedRequest, needs_push, push_branch};
pub(crate) use remotes::ChosenRemotes;
pub(crate) use request_file::read_file;
pub(crate) use requests::{OpenRequest, Requests, squash_setting};
