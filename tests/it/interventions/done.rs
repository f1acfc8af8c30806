//! Tests `git arborist done`.

use super::{check_run, revert_last, says, states, three_tasks};

#[test]
fn after_a_failed_test_the_users_fix_is_committed_and_tested_without_an_agent_and_goes_on_to_review() {
    let garden = three_tasks();
    garden.agent("case $work in T001.implement.0) echo wrong > other.txt; exit 0;; esac");
    says(&garden, &["garden", "--max-attempts", "1"], 1, &["T001 failed"]);
    revert_last(&garden);
    assert_eq!(states(&garden)[0], "testing");
    let prompts = garden.prompts().len();

    garden.write("T001.txt", "by hand\n");
    says(&garden, &["done", "-m", "The name was wrong."], 0, &["goes on with the review"]);
    assert_eq!(garden.prompts().len(), prompts, "no agent was asked");
    let steps = garden.steps();
    assert_eq!(
        steps[steps.len() - 2..],
        [
            "task(T001): implement \"Do T001\" | implement pass   1",
            "task(T001): tests pass for \"Do T001\" | test  pass  1",
        ]
    );
    assert_eq!(garden.files_of("HEAD~1"), ["T001.txt"]);
    let message = garden.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    assert!(message.contains("The name was wrong.") && message.contains("Arborist-By: user"), "{message}");
    assert!(!message.contains("Arborist-Runner"), "{message}");
    assert_eq!(garden.git(&["status", "--porcelain"]), "");
    assert_eq!(garden.git(&["for-each-ref", "refs/arborist"]), "", "no copy is left behind");
    check_run(&garden);

    says(&garden, &["garden", "T001"], 0, &["1/3 complete"]);
    assert_eq!(garden.prompts().len(), prompts + 1, "only the reviewer was asked");
    let review = garden.prompt("T001.review.1");
    assert!(review.contains("by hand"), "{review}");
    check_run(&garden);
}

#[test]
fn a_task_that_nobody_has_begun_can_be_done_by_hand_if_it_is_named() {
    let garden = three_tasks();
    garden.write("T003.txt", "by hand\n");
    garden.write("sub/more.txt", "more\n");
    says(&garden, &["done"], 2, &["say which task"]);
    says(&garden, &["done", "T003"], 0, &[]);
    assert_eq!(garden.files_of("HEAD~1"), ["T003.txt", "sub/more.txt"]);
    assert_eq!(states(&garden), ["pending", "pending", "testing"]);
    check_run(&garden);
}

#[test]
fn if_the_tests_fail_the_work_is_kept_as_a_commit_and_the_user_can_go_on() {
    let garden = three_tasks();
    garden.write("wrong.txt", "x\n");
    says(&garden, &["done", "T001"], 1, &["the tests of T001 failed"]);
    garden.write("T001.txt", "right\n");
    says(&garden, &["done"], 0, &[]);
    let steps = garden.steps();
    assert_eq!(
        steps,
        [
            "task(T001): implement \"Do T001\" | implement pass   0",
            "task(T001): tests fail for \"Do T001\" (attempt 1/5) | test  fail  0",
            "task(T001): implement \"Do T001\" | implement pass   1",
            "task(T001): tests pass for \"Do T001\" | test  pass  1",
        ]
    );
    says(&garden, &["gardener"], 0, &["3/3 complete"]);
    check_run(&garden);
}

#[test]
fn without_changes_or_for_a_complete_task_nothing_is_committed() {
    let garden = three_tasks();
    let head = garden.head();
    says(&garden, &["done", "T001"], 1, &["there are no changes of yours"]);
    says(&garden, &["done", "T009"], 2, &["there is no task T009"]);
    assert_eq!(garden.head(), head);
    says(&garden, &["garden", "T001"], 0, &[]);
    garden.write("T001.txt", "changed\n");
    let head = garden.head();
    says(&garden, &["done", "T001"], 1, &["T001 is already complete", "mark reopen T001"]);
    assert_eq!(garden.head(), head);
    assert_eq!(garden.read("T001.txt"), "changed\n");
}

#[test]
fn what_must_not_be_committed_is_named_and_the_files_stay_as_they_are() {
    let garden = three_tasks();
    garden.write("T001.txt", "by hand\n");
    garden.write("key.pem", &format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n", "A".repeat(64)));
    let head = garden.head();
    says(&garden, &["done", "T001"], 1, &["key.pem", "Nothing was committed"]);
    assert_eq!(garden.head(), head);
    assert!(garden.exists("T001.txt") && garden.exists("key.pem"));
}

#[test]
fn if_it_is_killed_before_the_tests_it_runs_them_the_next_time() {
    let garden = three_tasks();
    garden.write("T001.txt", "by hand\n");
    says(&garden, &["done", "T001"], 0, &[]);
    // As if it had been killed between the two commits.
    garden.git(&["reset", "-q", "--hard", "HEAD~1"]);
    garden.forget_history();
    assert_eq!(states(&garden)[0], "implementing");
    says(&garden, &["done"], 0, &["The tests of T001 pass"]);
    assert_eq!(garden.steps().len(), 2);
    check_run(&garden);
}

#[test]
fn staged_and_deleted_files_belong_to_the_work() {
    let garden = three_tasks();
    garden.write("old.txt", "old\n");
    garden.commit("add a file");
    garden.git(&["rm", "-q", "old.txt"]);
    garden.write("T001.txt", "by hand\n");
    garden.git(&["add", "T001.txt"]);
    says(&garden, &["done", "T001"], 0, &[]);
    assert_eq!(garden.files_of("HEAD~1"), ["T001.txt", "old.txt"]);
    assert_eq!(garden.git(&["status", "--porcelain"]), "");
}
