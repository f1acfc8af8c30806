//! Tests with real test runners what git-arborist checks before it believes that a task is done.

mod canaries;
mod dishonest;
mod honest;
mod kept_tests;
mod kinds;
mod matrix;
mod packages;
mod review_probe;
