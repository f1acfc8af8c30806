//! Tests what git-arborist checks before it believes that a task is done.

mod audit;
mod baseline;
mod counts;
mod coverage;
mod dishonest;
mod honest;
mod matrix;
mod protected;
mod prove;
mod reviewers;
