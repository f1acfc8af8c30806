//! Tests `git arborist build --adopt-done`.

use super::{check_run, says, states};
use crate::support::garden::{Garden, one_task};

const TODO: &str =
    "# Plan\n\n- [x] Write the parser for the settings file\n- [ ] Write the printer for the settings file\n";

#[test]
fn ticked_boxes_become_tasks_that_the_user_vouches_for() {
    let garden = Garden::new(&one_task(&[]));
    garden.git(&["rm", "-q", "task-tree.json"]);
    garden.write("TODO.md", TODO);
    garden.commit("write a plan");
    says(
        &garden,
        &["build", "TODO.md", "--test-command", "true", "--commit", "--adopt-done"],
        0,
        &["complete \"Write the parser"],
    );
    assert_eq!(states(&garden), ["complete", "pending"]);
    let reason = garden.git(&[
        "log",
        "-1",
        "--format=%(trailers:key=Arborist-Reason,valueonly)%(trailers:key=Arborist-By,valueonly)",
    ]);
    assert_eq!(reason, "ticked in TODO.md\nuser");
    check_run(&garden);
    says(&garden, &["status"], 0, &["vouched for by a person"]);
    says(&garden, &["check", "--plan", "TODO.md"], 0, &["vouched for by a person in "]);

    let head = garden.head();
    let again = ["build", "TODO.md", "--test-command", "true", "--update", "--commit", "--adopt-done"];
    says(&garden, &again, 0, &["no pending task"]);
    assert_eq!(garden.head(), head);
}

#[test]
fn without_the_option_a_ticked_box_is_only_a_claim_and_the_option_needs_a_committed_plan() {
    let garden = Garden::new(&one_task(&[]));
    garden.git(&["rm", "-q", "task-tree.json"]);
    garden.write("TODO.md", TODO);
    garden.commit("write a plan");
    says(&garden, &["build", "TODO.md", "--adopt-done"], 2, &["--commit"]);
    assert!(!garden.exists("task-tree.json"));
    says(&garden, &["build", "TODO.md", "--commit"], 0, &[]);
    assert_eq!(states(&garden), ["pending", "pending"]);
}
