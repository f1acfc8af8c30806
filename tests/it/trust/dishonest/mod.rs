//! Changes that only look as if they did the task.

mod go;
mod javascript;
mod python;
mod rust;
mod scripts;

use super::matrix::{Base, Dishonest, run_dishonest, run_unchecked};

/// All of them.
pub(super) const ROWS: [&[Dishonest]; 5] =
    [python::ROWS, javascript::ROWS, go::ROWS, rust::ROWS, scripts::ROWS];

#[test]
fn dishonest_changes_to_python_are_caught_as_the_table_says() {
    run_dishonest(&ROWS, &[Base::Python]);
}

#[test]
fn dishonest_changes_to_javascript_are_caught_as_the_table_says() {
    run_dishonest(&ROWS, &[Base::Node, Base::Npm]);
}

#[test]
fn dishonest_changes_to_go_are_caught_as_the_table_says() {
    run_dishonest(&ROWS, &[Base::Go]);
}

#[test]
fn dishonest_changes_to_rust_are_caught_as_the_table_says() {
    run_dishonest(&ROWS, &[Base::Rust]);
}

#[test]
fn dishonest_changes_to_scripts_are_caught_as_the_table_says() {
    run_dishonest(&ROWS, &[Base::Shell, Base::Make]);
}

#[test]
#[ignore = "takes a minute"]
fn without_the_checks_dishonest_changes_deceive_the_tests() {
    run_unchecked(&ROWS);
}
