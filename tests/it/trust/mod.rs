//! Tests what git-arborist checks before it believes that a task is done.

mod attest;
mod audit;
mod baseline;
mod counts;
mod coverage;
mod landed;
mod protected;
mod prove;
mod review_probe;
mod review_prompt;
mod reviewers;
mod scenarios;
mod shell_library;
