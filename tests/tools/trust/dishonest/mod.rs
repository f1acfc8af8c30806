//! Changes that only look as if they did the task: `BASE.rows`.

use super::matrix::{Part, pass_by_themselves, run_dishonest};

#[test]
fn some_dishonest_changes_are_seen_as_the_table_says() {
    run_dishonest(Part::Quick);
}

#[test]
#[ignore = "takes many minutes"]
fn all_dishonest_changes_are_seen_as_the_table_says() {
    run_dishonest(Part::Whole);
}

#[test]
#[ignore = "takes two minutes"]
fn without_git_arborist_dishonest_changes_deceive_the_tests() {
    pass_by_themselves("dishonest");
}
