//! Tests `git arborist next`, as people, scripts and agents call it.

use crate::support::cli::{PLAN, Said, Story, arborist, git_with_commands};
use crate::support::repo::Repo;
use git_arborist::record::Outcome::{Fail, Pass};
use serde_json::json;

/// T001 is complete, the tests of T003 have failed once and its second implementation is done.
fn in_the_middle() -> (Repo, Vec<git_arborist::record::CommitId>) {
    Story::of(PLAN)
        .whole("T001")
        .implement("T002", 0, Pass)
        .implement("T003", 0, Pass)
        .test("T003", 0, Fail)
        .implement("T003", 1, Pass)
        .told(60)
}

#[test]
fn next_names_the_task_the_step_the_attempt_and_the_reason() {
    let (repo, _) = in_the_middle();
    let first = "T002 Add migrations: test, attempt 1 of 5, because its implementation passed\n";
    let second = "T003 Build endpoints: test, attempt 2 of 5, because its implementation passed\n";
    assert_eq!(arborist(repo.path(), &["next"]).answer(), first);
    assert_eq!(arborist(repo.path(), &["next", "T003"]).answer(), second);
    assert_eq!(arborist(repo.path(), &["next", "--all"]).answer(), format!("{first}{second}"));
    repo.git(&["config", "arborist.maxAttempts", "2"]);
    let told = arborist(repo.path(), &["next", "T003"]).answer();
    assert_eq!(told, second.replace("of 5", "of 2"));
}

#[test]
fn when_no_attempt_is_left_the_task_ends_as_failed() {
    let (repo, _) = Story::of(PLAN).implement("T001", 4, Pass).test("T001", 4, Fail).told(0);
    let told = arborist(repo.path(), &["next"]).answer();
    let expected = "complete as failed, attempt 5 of 5, because its tests failed and no attempt is left\n";
    assert_eq!(told, format!("T001 Create schema: {expected}"));
    assert_eq!(arborist(repo.path(), &["next", "--json"]).json()["result"], "fail");
}

#[test]
fn the_work_unit_has_tests_dependencies_feedback_and_logs() {
    let (repo, ids) = in_the_middle();
    let printed = arborist(repo.path(), &["next", "T003", "--json"]);
    assert_eq!(printed.out.matches("\"max_attempts\"").count(), 1, "{}", printed.out);
    let whole = printed.json();
    let mut unit = whole.clone();
    // The digest is that of settings and hooks, which are not always the same.
    let name = unit["unit"].as_str().unwrap().split_once('.').unwrap().0.to_owned();
    unit["unit"] = json!(name);
    assert_eq!(
        unit,
        json!({
            "version": 1, "definition": "next", "unit": format!("T003/test/1@{}", &repo.head().to_string()[..12]),
            "task": "T003", "name": "Build endpoints", "phase": "phase2", "branch": null, "step": "test",
            "tests": ["pytest tests/ -x"], "expect": "change", "may_change": [], "acceptance": [], "documents": [], "source_file": null, "source_line": null, "merge": null, "prompt": null,
            "result": null, "attempt": 1, "max_attempts": 5, "why": "its implementation passed",
            "description": "REST endpoints.\nWith errors.", "fields": {},
            "test_commands": [{"type": "unit", "command": "pytest tests/ -x", "framework": "pytest", "timeout": 60.0, "coverage": null}],
            "dependencies": [{"id": "T001", "name": "Create schema", "state": "complete", "commit": ids[4].to_string()}],
            "feedback": [{"title": "Previous test failure",
                          "text": "Test (unit) stderr (last 1000 chars):\nFAILED test_m.py::test_m - AssertionError"}],
            "logs": ["spec/logs/T003_test_0.log"],
        })
    );
    let all = arborist(repo.path(), &["next", "--all", "--json"]).json();
    let mut alone = whole;
    for name in ["version", "definition"] {
        alone.as_object_mut().unwrap().remove(name);
    }
    assert_eq!(all["tasks"][1], alone);
    assert_eq!(all["tasks"][0]["task"], "T002");
    assert_eq!(all["tasks"].as_array().unwrap().len(), 2);
}

#[test]
fn steps_that_were_reverted_give_no_feedback() {
    let (repo, _) = Story::of(PLAN).implement("T001", 0, Pass).test("T001", 0, Fail).told(0);
    repo.git(&["revert", "--no-edit", "HEAD"]);
    let unit = arborist(repo.path(), &["next", "--json"]).json();
    assert_eq!((&unit["step"], &unit["feedback"], &unit["logs"]), (&json!("test"), &json!([]), &json!([])));
}

#[test]
fn a_task_that_cannot_be_worked_on_says_why() {
    let (repo, _) = in_the_middle();
    arborist(repo.path(), &["mark", "skip", "T002", "-m", "not now"]);
    let cases = [
        (
            "T001",
            1,
            "T001 is complete.\n`git arborist show T001` shows its steps; `git arborist mark reopen T001 -m WHY` begins it again.",
        ),
        ("T002", 1, "T002 is skipped"),
        ("T004", 1, "T004 is not ready: it waits for T003"),
        ("t-3", 2, "Did you mean T003?"),
        ("phase1", 2, "phase1 has tasks below it"),
    ];
    for (task, code, words) in cases {
        let said = arborist(repo.path(), &["next", task]);
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{task}");
        assert!(said.err.contains(words), "{task}: {}", said.err);
    }
}

#[test]
fn when_everything_is_complete_the_answer_is_no_without_an_error() {
    let done = || Story::of(PLAN).whole("T001").whole("T002").whole("T003").whole("T004");
    let (repo, _) = done().told(0);
    for args in [&["next"][..], &["next", "--json"], &["next", "--all"], &["next", "--prompt"]] {
        let said = arborist(repo.path(), args);
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{args:?}");
        assert!(
            said.err.starts_with("All 4 tasks are complete, but phase1, phase2 are not marked"),
            "{}",
            said.err
        );
    }
    let (repo, _) = done().phase("phase1").phase("phase2").told(0);
    let said = arborist(repo.path(), &["next"]);
    assert_eq!(said.code, 1);
    assert!(said.err.starts_with("All 4 tasks are complete: `git arborist land`"), "{}", said.err);
}

#[test]
fn when_nothing_is_ready_the_answer_is_no_and_names_the_failure() {
    let (repo, _) = Story::of(PLAN).failed("T001").told(0);
    let said = arborist(repo.path(), &["next"]);
    assert_eq!(said.code, 1);
    let words = "no task is ready: T001 failed, which blocks T002, T003, T004.\n";
    assert!(
        said.err.contains(words) && said.err.contains("`git arborist gardener --failed`"),
        "{}",
        said.err
    );
    let again = arborist(repo.path(), &["next", "T001"]).answer();
    assert_eq!(
        again,
        "T001 Create schema: implement, attempt 1 of 5, because it failed before and is asked for again\n"
    );
}

#[test]
fn a_step_that_needs_no_prompt_says_what_to_run_instead() {
    let (repo, _) = in_the_middle();
    let said = arborist(repo.path(), &["next", "--prompt"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("the next step of T002 is test, which needs no prompt"), "{}", said.err);
    assert!(said.err.contains("`git arborist garden T002` runs its tests."), "{}", said.err);
    for options in [["--prompt", "--json"], ["--prompt", "--all"], ["T002", "--all"]] {
        assert_eq!(arborist(repo.path(), &["next", options[0], options[1]]).code, 2, "{options:?}");
    }
}

/// Lets `garden` do one step and gives the prompt that its runner was sent on standard input.
fn prompt_that_garden_sends(repo: &Repo, task: &str) -> String {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("prompt");
    let runner = format!("cat > '{}'; exit 126", file.display());
    repo.git(&["config", "arborist.runner.saver.command", &runner]);
    let output = git_with_commands(repo.path(), &["arborist", "garden", task, "--runner", "saver"]).output();
    let said = Said::of(output.unwrap());
    assert_eq!(said.code, 4, "{}", said.err);
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn no_prompt_contains_characters_that_a_terminal_obeys() {
    let evil = "\\u001b]52;c;ZXZpbA==\\u0007\\u009b31m\\u0085\\u061c\\u202e\\u2028";
    let plan = PLAN.replace("Design the schema.", &format!("Design{evil} the schema.\\nWell.{evil}"));
    let plan = plan.replace("\"Create schema\"", &format!("\"Create{evil} schema\""));
    let plan = plan.replace(
        "\"phase1\", \"desc",
        &format!(
            "\"phase1\", \"test_commands\": [{{\"type\": \"unit\", \"command\": \"true{evil}\"}}], \"desc"
        ),
    );
    let (repo, _) = Story::of(&plan).told(0);
    let prompt = arborist(repo.path(), &["next", "--prompt"]).answer();
    assert!(prompt.contains("\n\nDesign the schema.\nWell.\n"), "{prompt:?}");
    assert!(prompt.contains("    true\n"), "{prompt:?}");
    let odd = prompt.chars().find(|c| *c != '\n' && git_arborist::text::is_unprintable(*c));
    assert_eq!(odd, None, "{prompt:?}");
    for args in [
        &["next", "--json"][..],
        &["status", "--json"],
        &["show", "T001", "--json"],
        &["next"],
        &["show", "T001"],
        &["status"],
    ] {
        let answer = arborist(repo.path(), args).answer();
        let odd = answer.chars().find(|c| *c != '\n' && git_arborist::text::is_unprintable(*c));
        assert_eq!(odd, None, "{args:?}: {answer:?}");
    }
}

#[test]
fn the_prompt_is_exactly_what_garden_sends() {
    let rejected = Story::of(PLAN)
        .whole("T001")
        .implement("T003", 0, Pass)
        .test("T003", 0, Pass)
        .review("T003", 0, Fail);
    let (repo, _) = rejected.told(0);
    let prompt = arborist(repo.path(), &["next", "T003", "--prompt"]).answer();
    assert!(prompt.starts_with("## Task\n\nImplement task T003: Build endpoints\n"), "{prompt}");
    assert!(
        prompt.contains("T001: Create schema (the task builds on it)\n  files: src/T001.txt\n"),
        "{prompt}"
    );
    assert!(prompt.contains("The change misses a newline check."), "{prompt}");
    assert_eq!(prompt, prompt_that_garden_sends(&repo, "T003"));

    let (repo, _) = Story::of(PLAN).implement("T001", 0, Pass).test("T001", 0, Pass).told(0);
    let prompt = arborist(repo.path(), &["next", "--prompt"]).answer();
    assert!(prompt.starts_with("## Task\n\nReview the change for task T001: Create schema\n"), "{prompt}");
    assert!(prompt.contains("+attempt 0\n"), "{prompt}");
    assert_eq!(prompt, prompt_that_garden_sends(&repo, "T001"));
}
