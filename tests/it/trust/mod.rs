//! Tests what git-arborist checks before it believes that a task is done.

mod prove;
mod reviewers;
