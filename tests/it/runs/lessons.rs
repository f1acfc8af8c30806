//! Tests against faults of earlier systems that no other test covers (see tests/README.md).

use crate::support::garden::{Garden, one_task, plan};

fn two_tasks() -> Garden {
    Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["true"]),
        ("T002", "p1", &["T001"], &["true"]),
    ]))
}

#[test]
fn complete_tasks_stay_complete_after_a_rename_a_fast_forward_and_a_merge() {
    let garden = two_tasks();
    garden.git(&["switch", "-q", "-c", "work"]);
    garden.run(&["garden", "T001"]).assert(0, &[]);
    garden.git(&["branch", "-m", "renamed"]);
    let dry = garden.run(&["gardener", "--dry-run"]).stdout;
    assert!(dry.starts_with("1. T002"), "{dry}");
    garden.git(&["switch", "-q", "main"]);
    garden.git(&["merge", "-q", "--ff-only", "renamed"]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.asked(), ["T001.implement.0", "T001.review.0", "T002.implement.0", "T002.review.0"]);

    garden.git(&["switch", "-q", "-c", "other", "HEAD~3"]);
    garden.write("other", "");
    garden.commit("Something else");
    garden.git(&["merge", "-q", "--no-edit", "main"]);
    assert_eq!(garden.run(&["gardener"]).stdout, "2/2 complete\n");
    assert_eq!(garden.asked().len(), 4);
}

#[test]
fn branch_names_have_no_meaning_and_similar_ones_share_no_state() {
    let garden = two_tasks();
    garden.git(&["branch", "-m", "master"]);
    garden.git(&["branch", "master-2"]);
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    garden.git(&["switch", "-q", "master-2"]);
    garden.forget_history();
    garden.run(&["gardener", "--no-review"]).assert(0, &[]);
    assert_eq!(
        garden.asked(),
        ["T001.implement.0", "T002.implement.0", "T001.implement.0", "T002.implement.0"]
    );
}

#[test]
fn a_clone_continues_where_the_original_stopped() {
    let original = two_tasks();
    original.run(&["garden", "T001"]).assert(0, &[]);
    let clone = Garden::empty();
    clone.git(&["clone", "-q", original.top().to_str().unwrap(), "."]);
    clone.agent("");
    assert_eq!(clone.run(&["gardener"]).stdout, "2/2 complete\n");
    assert_eq!(clone.asked(), ["T002.implement.0", "T002.review.0"]);
}

#[test]
fn a_prompt_longer_than_any_argument_reaches_the_agent_completely() {
    let mut tree = one_task(&[]);
    tree["nodes"]["T001"]["description"] = format!("{} the end", "long ".repeat(60_000)).into();
    let garden = Garden::new(&tree);
    garden.run(&["gardener"]).assert(0, &[]);
    for step in ["T001.implement.0", "T001.review.0"] {
        let prompt = garden.prompt(step);
        assert!(prompt.len() > 300_000 && prompt.contains(" the end\n"), "{step}: {}", prompt.len());
    }
}

#[test]
fn an_agent_that_does_not_read_its_prompt_can_still_work() {
    let mut tree = one_task(&[]);
    tree["nodes"]["T001"]["description"] = "long ".repeat(60_000).into();
    let garden = Garden::new(&tree);
    garden.runner("deaf", "exec 0<&-; touch done.txt; echo APPROVED");
    garden.run(&["gardener", "--runner", "deaf", "--no-review"]).assert(0, &[]);
    assert_eq!(garden.files_of("HEAD~3"), ["done.txt"]);
}

#[test]
fn a_reviewer_sees_the_change_of_this_task_over_all_its_attempts_and_nothing_else() {
    let garden = two_tasks();
    garden.agent("case $work in T002.review.0) echo REJECTED; exit 0;; esac");
    garden.run(&["gardener"]).assert(0, &[]);
    let review = garden.prompt("T002.review.1");
    assert!(review.contains("+T002.implement.0\n") && review.contains("+T002.implement.1\n"), "{review}");
    assert!(!review.contains("T001.implement") && !review.contains("spec/logs"), "{review}");
}

#[test]
fn a_commit_of_the_user_between_two_steps_is_not_shown_as_part_of_the_task() {
    let garden = two_tasks();
    garden.agent("case $work in T001.review.0) test -f \"$ROOT/ready\" || exit 1;; esac");
    garden.run(&["gardener"]).assert(4, &[]);
    garden.write("mine.txt", "by the user\n");
    garden.commit("Something of mine");
    std::fs::write(garden.root().join("ready"), "").unwrap();
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let review = garden.prompt("T001.review.0");
    // It may also come from a program that the run has left, so it is shown, though not as part of the change.
    let (change, others) = review.split_once("These commits came onto the branch").unwrap();
    assert!(change.contains("+T001.implement.0\n") && !change.contains("by the user"), "{review}");
    assert!(others.contains("Something of mine") && others.contains("+by the user\n"), "{review}");
}

/// A command that prints what pytest does when a session ends like this.
fn pytest(end: &str) -> String {
    format!(
        "printf '%s\\n\\n%s\\n' '{:=^80}' '{:=^80}'",
        " test session starts ",
        format!(" {end} in 0.01s ")
    )
}

#[test]
fn tests_pass_if_the_exit_status_says_so_and_no_failure_is_counted() {
    let cases = [
        (pytest("999 passed") + "; exit 1", "fail"),
        (pytest("1 failed, 2 passed"), "fail"),
        ("echo '{}'".to_owned(), "pass"),
        ("echo '400 passed validation'".to_owned(), "pass"),
    ];
    for (command, outcome) in cases {
        let mut tree = one_task(&[&command]);
        tree["nodes"]["T001"]["test_commands"][0]["framework"] = "pytest".into();
        let garden = Garden::new(&tree);
        garden.run(&["gardener", "--no-review", "--max-attempts", "1"]);
        let message = garden.git(&["log", "--format=%B", "--grep=^Arborist-Step: test"]);
        assert!(message.contains(&format!("Arborist-Test: {outcome}\n")), "{command}: {message}");
        assert_eq!(
            message.contains("Arborist-Test-Passed: "),
            command.contains(" session "),
            "{command}: {message}"
        );
    }
}

#[test]
fn all_test_commands_run_their_counts_are_added_and_one_failure_fails_the_step() {
    let (passing, failing) = (pytest("3 passed"), pytest("1 failed, 2 passed") + "; exit 1");
    let mut tree = one_task(&[&passing, &failing, "echo last"]);
    for place in 0..2 {
        tree["nodes"]["T001"]["test_commands"][place]["framework"] = "pytest".into();
    }
    tree["nodes"]["T001"]["test_commands"][1]["type"] = "integration".into();
    let garden = Garden::new(&tree);
    garden.run(&["gardener", "--max-attempts", "1"]).assert(1, &[]);
    let message = garden.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    for line in
        ["Arborist-Test-Type: integration", "Arborist-Test-Passed: 5", "Arborist-Test-Failed: 1", "last"]
    {
        assert!(message.contains(&format!("{line}\n")), "{line}: {message}");
    }
    let log = garden.read(&garden.files_of("HEAD~1").concat());
    let headers = log.lines().filter(|line| line.starts_with("=== ") && line.ends_with(" s ===")).count();
    assert_eq!(headers, 3, "every command has its header: {log}");
}

#[test]
fn an_edit_of_the_plan_keeps_complete_tasks_and_a_new_plan_names_those_to_be_repeated() {
    let garden = two_tasks();
    garden.run(&["garden", "T001"]).assert(0, &[]);
    let mut tree: serde_json::Value = serde_json::from_str(&garden.read("task-tree.json")).unwrap();
    let short = |garden: &Garden| garden.run(&["status", "--short"]).stdout;
    let half = short(&garden);
    assert!(half.starts_with("1/2"), "{half}");
    tree["nodes"]["T002"]["name"] = "Another name".into();
    tree["nodes"]["T001"]["description"] = "One word is another.".into();
    garden.write("task-tree.json", &tree.to_string());
    garden.commit("Edit the plan");
    assert_eq!(short(&garden), half);
    tree["nodes"]["T001"]["name"] = "Another name".into();
    garden.write("task-tree.json", &tree.to_string());
    garden.commit("Rename a task");
    assert!(short(&garden).starts_with("0/2"));
    garden.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(short(&garden), half, "to take the edit back is enough");
    tree["spec_id"] = "another plan".into();
    garden.write("task-tree.json", &tree.to_string());
    garden.commit("Make another plan");
    let change = garden.head();
    let ended = garden.run(&["gardener"]);
    ended.assert(0, &["warning: ", "task-tree.json", &change[..7], "T001"]);
    let again = garden.run(&["gardener"]);
    assert!(!again.stderr.contains(&change[..7]), "it is said when it matters: {again:#?}");
}
