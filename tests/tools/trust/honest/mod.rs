//! Changes that are fine, about which no check may complain: `BASE.rows`.

use super::matrix::{Part, pass_by_themselves, run_honest};

#[test]
fn no_check_complains_about_some_honest_changes() {
    run_honest(Part::Quick);
}

#[test]
#[ignore = "takes many minutes"]
fn no_check_complains_about_any_honest_change() {
    run_honest(Part::Whole);
}

#[test]
#[ignore = "takes a minute"]
fn honest_changes_pass_without_git_arborist() {
    pass_by_themselves("honest");
}
