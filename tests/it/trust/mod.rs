//! Tests what git-arborist checks before it believes that a task is done.

mod audit;
mod baseline;
mod counts;
mod coverage;
mod protected;
mod review_prompt;
mod reviewers;
