//! Tests `git arborist undo`: the work on tasks is taken back by one revert.

use crate::support::garden::{Garden, plan};

fn two_tasks() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -s T001.txt"]),
        ("T002", "p1", &["T001"], &["true"]),
    ]));
    garden.run(&["gardener"]).assert(0, &[]);
    garden
}

#[test]
fn the_work_on_a_task_is_taken_back_with_one_commit_that_status_believes() {
    let garden = two_tasks();
    let before = garden.head();
    let printed = garden.run(&["undo", "T002"]);
    printed.assert(0, &["--yes"]);
    assert_eq!(garden.head(), before, "nothing is changed");
    assert!(
        printed.stdout.contains("git revert --no-commit ") && printed.stdout.contains("This reverts commit "),
        "{}",
        printed.stdout
    );
    garden.run(&["undo", "T002", "--yes"]).assert(0, &["pending again"]);
    assert!(!garden.exists("T002.txt") && garden.exists("T001.txt"));
    assert_eq!(garden.run(&["status", "--short"]).stdout, "1/2 OK  0 ...  0 FAIL  next T002\n");
    garden.run(&["check", "--run"]).assert(0, &[]);
    garden.run(&["undo", "T002"]).assert(1, &["nothing has been done"]);
    garden.run(&["gardener"]).assert(0, &[]);
    // What the printed commands do is the same.
    let printed = garden.run(&["undo", "T002"]).stdout;
    let script = garden.root().join("undo.sh");
    garden.program(&script, &printed);
    assert!(garden.command(script.to_str().unwrap()).status().unwrap().success(), "{printed}");
    assert_eq!(garden.run(&["status", "--short"]).stdout, "1/2 OK  0 ...  0 FAIL  next T002\n");
}

#[test]
fn nothing_is_changed_if_later_work_is_in_the_way_and_complete_dependents_are_named() {
    let garden = two_tasks();
    let ended = garden.run(&["undo", "T001"]);
    ended.assert(0, &["T002 stay complete"]);
    garden.write("T001.txt", "of mine\n");
    garden.commit("Change it by hand");
    let before = garden.head();
    garden.run(&["undo", "T001", "--yes"]).assert(1, &["later changes are in the way", "T001.txt"]);
    assert_eq!(garden.head(), before);
    assert_eq!(garden.git(&["status", "--short"]), "");
    garden.write("T002.txt", "not committed\n");
    garden.run(&["undo", "T002", "--yes"]).assert(3, &["T002.txt"]);
}
