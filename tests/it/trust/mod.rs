//! Tests what git-arborist checks before it believes that a task is done.

mod baseline;
mod counts;
mod coverage;
mod protected;
mod prove;
mod reviewers;
