//! Tests where a person's decisions about tasks with branches of their own are committed.

use super::status::in_pieces;

#[test]
fn a_decision_about_a_task_is_committed_on_its_branch_without_a_switch() {
    let garden = in_pieces();
    let head = garden.git(&["rev-parse", "HEAD"]);
    let ended = garden.run(&["note", "T003", "-m", "The tests come later."]);
    ended.assert(0, &[]);
    assert!(ended.stdout.trim_end().ends_with("(on arborist/trial/T003)"), "{ended:?}");
    garden.run(&["mark", "skip", "T003", "-m", "Nobody needs it."]).assert(0, &[]);
    assert_eq!(garden.git(&["rev-parse", "HEAD"]), head, "nothing was committed on the branch of the run");
    assert_eq!(garden.git(&["symbolic-ref", "--short", "HEAD"]), "main");
    let said = garden.run(&["status", "--plain"]).stdout;
    assert!(said.contains("T003 Do T003 (skipped, not merged yet)"), "{said}");
    // A task that is merged is decided about where it is.
    garden.run(&["mark", "reopen", "T001", "-m", "Once more."]).assert(0, &[]);
    assert_eq!(garden.git(&["log", "-1", "--format=%s", "main"]), "task(T001): reopened \"Do T001\"");
    garden.run(&["check", "--run"]).assert(0, &[]);
    garden.run(&["gardener", "--jobs", "2"]).assert(0, &[]);
    assert_eq!(
        garden.run(&["status", "--short", "--plain"]).stdout,
        "2/3 OK  0 ...  0 FAIL  1 SKIP  complete\n"
    );
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_is_not_moved_under_its_work_tree() {
    let garden = in_pieces();
    let other = garden.root().join("other");
    garden.git(&["worktree", "add", "-q", other.to_str().unwrap(), "arborist/trial/T003"]);
    let tip = garden.git(&["rev-parse", "arborist/trial/T003"]);
    garden.run(&["note", "T003", "-m", "x"]).assert(3, &["is checked out in", "cd "]);
    assert_eq!(garden.git(&["rev-parse", "arborist/trial/T003"]), tip);
}

#[test]
fn work_of_a_person_on_a_task_belongs_on_the_branch_of_the_task() {
    let garden = in_pieces();
    garden.write("T003.txt", "by hand\n");
    let refused = garden.run(&["done", "T003"]);
    refused.assert(
        3,
        &["the work on T003 is on the branch arborist/trial/T003", "git switch arborist/trial/T003"],
    );
    // What it says works.
    std::fs::remove_file(garden.top().join("T003.txt")).unwrap();
    garden.git(&["switch", "-q", "arborist/trial/T003"]);
    garden.forget_history();
    garden.run(&["done", "T003"]).assert(0, &[]);
    garden.git(&["switch", "-q", "main"]);
    garden.forget_history();
    let said = garden.run(&["status", "--plain"]).stdout;
    assert!(said.contains("T003 Do T003 (complete, not merged yet)"), "{said}");
}
