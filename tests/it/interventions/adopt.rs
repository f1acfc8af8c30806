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
    let built = garden.run(&["build", "TODO.md", "--test-command", "true", "--commit", "--adopt-done"]);
    built.assert(0, &[]);
    assert!(built.stdout.contains("complete \"Write the parser"), "{built:#?}");
    assert!(!built.stderr.contains("--adopt-done"), "what was done is not advised: {built:#?}");
    assert_eq!(states(&garden), ["complete", "pending"]);
    let reason = garden.git(&[
        "log",
        "-1",
        "--format=%(trailers:key=Arborist-Reason,valueonly)%(trailers:key=Arborist-By,valueonly)",
    ]);
    assert_eq!(reason, "ticked in TODO.md\nuser");
    check_run(&garden);
    let status = garden.run(&["status"]).stdout;
    assert!(status.contains("vouched for by a person") && status.contains("next: "), "{status}");
    assert!(!status.contains("stopped"), "nothing has run: {status}");

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
