//! Changes that are fine, about which no check may complain.

mod go;
mod javascript;
mod python;
mod rust;
mod scripts;

use super::matrix::{Base, Honest, run_honest};

/// All of them.
pub(super) const ROWS: [&[Honest]; 5] = [python::ROWS, javascript::ROWS, go::ROWS, rust::ROWS, scripts::ROWS];

#[test]
fn no_check_complains_about_honest_changes_to_python() {
    run_honest(&ROWS, &[Base::Python]);
}

#[test]
fn no_check_complains_about_honest_changes_to_javascript() {
    run_honest(&ROWS, &[Base::Node, Base::Npm]);
}

#[test]
fn no_check_complains_about_honest_changes_to_go() {
    run_honest(&ROWS, &[Base::Go]);
}

#[test]
fn no_check_complains_about_honest_changes_to_rust() {
    run_honest(&ROWS, &[Base::Rust]);
}

#[test]
fn no_check_complains_about_honest_changes_to_scripts() {
    run_honest(&ROWS, &[Base::Shell, Base::Make]);
}
