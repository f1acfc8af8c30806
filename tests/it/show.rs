//! Tests `git arborist show`, as people and scripts call it.

use crate::support::cli::{PLAN, REFERENCES, Story, arborist, reference};
use crate::support::repo::Repo;
use git_arborist::record::CommitId;
use git_arborist::record::Outcome::Pass;
use serde_json::{Value, json};

/// T003 needed three attempts: tests failed, then the review rejected it.
fn three_attempts() -> (Repo, Vec<CommitId>) {
    Story::of(PLAN).whole("T001").rejected_twice("T003").implement("T003", 2, Pass).told(3 * 3600)
}

#[test]
fn a_task_is_named_by_any_beginning_of_its_id_that_no_other_has() {
    let plan = r#"{"nodes": {"parser": {"id": "parser", "name": "Parse"}, "printer": {"id": "printer", "name": "Print all"},
        "print": {"id": "print", "name": "Print one"}}}"#;
    let (repo, _) = Story::of(plan).told(0);
    for (word, first) in
        [("pa", "parser Parse "), ("print", "print Print one "), ("printe", "printer Print all ")]
    {
        let said = arborist(repo.path(), &["show", word]).answer();
        assert!(said.starts_with(first), "{word}: {said}");
    }
    let said = arborist(repo.path(), &["show", "pr"]);
    assert!(said.code == 2 && said.err.contains("2 ids begin with pr"), "{}", said.err);
    assert!(said.err.contains("printer") && !said.err.contains("parser"), "{}", said.err);
    // What is decided about a task is not guessed where no person sees it.
    let said = arborist(repo.path(), &["note", "pa", "-m", "Mind the gap."]);
    assert!(said.code == 2 && said.err.contains("there is no task or phase pa"), "{}", said.err);
}

#[test]
fn a_task_shows_what_it_needs_and_every_attempt_with_what_failed() {
    let (repo, ids) = three_attempts();
    let id = |place: usize| ids[place].short();
    let expected = format!(
        "\
T003 Build endpoints (stopped, next: test 3/5, last step 3 h ago)
in phase2 API Layer

  REST endpoints.
  With errors.

Depends on
  ✓ T001 Create schema (complete, untested)

Tests
  unit         pytest tests/ -x

Attempt 1
  ✓ {} implement  pass          12 s  3 h ago  claude/opus
  ✗ {} test       fail         0.8 s  3 h ago  4 passed, 1 failed, 1 skipped
      Test (unit) stderr (last 1000 chars):
      FAILED test_m.py::test_m - AssertionError

Attempt 2
  ✓ {} implement  pass          12 s  3 h ago  claude/opus
  ✓ {} test       pass         0.8 s  3 h ago  4 passed, 0 failed, 1 skipped
  ✗ {} review     rejected            3 h ago
      The change misses a newline check.
      REJECTED

Attempt 3
  ✓ {} implement  pass          12 s  3 h ago  claude/opus

Artifacts
  test-log    spec/logs/T003_test_0.log
  review-log  spec/logs/T003_review_1.log
",
        id(5),
        id(6),
        id(7),
        id(8),
        id(9),
        id(10)
    );
    assert_eq!(arborist(repo.path(), &["show", "T003"]).answer(), expected);
    let plain = arborist(repo.path(), &["show", "T003", "--plain"]).answer();
    assert!(plain.is_ascii() && plain.contains(&format!("FAIL {} review     rejected", id(9))), "{plain}");
}

#[test]
fn json_has_full_ids_times_counts_and_bodies() {
    let (repo, ids) = three_attempts();
    let document = arborist(repo.path(), &["show", "T003", "--json"]).json();
    assert_eq!(document["version"], 1);
    assert_eq!((&document["state"], &document["ready"]), (&json!("implementing"), &json!(true)));
    let attempts = document["attempts"].as_array().unwrap();
    let numbers: Vec<&Value> = attempts.iter().map(|attempt| &attempt["attempt"]).collect();
    assert_eq!(numbers, [&json!(0), &json!(1), &json!(2)]);
    let mut failed = attempts[0]["steps"][1].clone();
    assert!(failed["time"].take().as_str().unwrap().ends_with("+00:00"));
    assert_eq!(
        failed,
        json!({"step": "test", "outcome": "fail", "by": "run", "attempt": 0, "commit": ids[6].to_string(), "time": null, "reverted": false, "outdated": false,
               "runner": null, "claimant": null, "not_merged": null, "duration": 0.8, "proof": null, "tokens": null, "cost": null, "tests": {"passed": 4, "failed": 1, "skipped": 1}, "findings": [], "found": [], "remarks": [], "reason": null, "artifact": "spec/logs/T003_test_0.log",
               "body": "Test (unit) stderr (last 1000 chars):\nFAILED test_m.py::test_m - AssertionError"})
    );
    assert_eq!(attempts[1]["steps"][2]["outcome"], "rejected");
    assert_eq!(attempts[2]["steps"][0]["runner"], "claude/opus");
    assert_eq!(
        document["artifacts"][1],
        json!({"kind": "review-log", "path": "spec/logs/T003_review_1.log", "commit": ids[9].to_string()})
    );
    assert_eq!(document["dependencies"][0]["commit"], json!(ids[4].to_string()));
}

#[test]
fn a_reverted_step_is_marked() {
    let (repo, ids) = Story::of(PLAN).whole("T001").told(0);
    repo.git(&["revert", "--no-edit", "HEAD"]);
    let told = arborist(repo.path(), &["show", "T001"]).answer();
    assert!(told.starts_with("T001 Create schema (stopped, next: "), "{told}");
    let reverted: Vec<&str> = told.lines().filter(|line| line.contains("reverted")).collect();
    assert!(matches!(reverted.as_slice(), [one] if one.contains(&ids[4].short())), "{told}");
    let document = arborist(repo.path(), &["show", "T001", "--json"]).json();
    let marks: Vec<&Value> =
        document["attempts"][0]["steps"].as_array().unwrap().iter().map(|step| &step["reverted"]).collect();
    assert_eq!(marks, [&json!(false), &json!(false), &json!(false), &json!(true)]);
}

#[test]
fn a_task_that_waits_says_for_what_and_that_nothing_was_done() {
    let (repo, _) = Story::of(PLAN).told(0);
    let told = arborist(repo.path(), &["show", "T004"]).answer();
    assert!(told.starts_with("T004 Add tests (pending, after T003)\n"), "{told}");
    assert!(told.contains("Depends on\n  · T003 Build endpoints (pending, after T001)\n"), "{told}");
    assert!(told.ends_with("\nNo attempt yet\n"), "{told}");
}

#[test]
fn a_phase_shows_its_tasks_and_its_marker() {
    let (repo, ids) = Story::of(PLAN).whole("T001").whole("T002").phase("phase1").told(7200);
    let told = arborist(repo.path(), &["show", "phase1"]).answer();
    let expected = format!(
        "phase1 Database Layer (2/2 complete, marked in {} 2 h ago)\n\nTasks\n  ✓ T001 Create schema (complete, untested)\n  \
         ✓ T002 Add migrations (complete)\n",
        ids[9].short()
    );
    assert_eq!(told, expected);
    let document = arborist(repo.path(), &["show", "phase1", "--json"]).json();
    assert_eq!(document["marker"]["commit"], json!(ids[9].to_string()));
    let open = arborist(repo.path(), &["show", "phase2", "--json"]).json();
    assert_eq!((&open["marked"], &open["marker"], &open["total"]), (&json!(false), &Value::Null, &json!(2)));
    let task = &open["tasks"][0];
    assert_eq!([&task["id"], &task["name"], &task["state"]], ["T003", "Build endpoints", "pending"]);
}

#[test]
fn an_unknown_task_is_an_error_with_a_suggestion() {
    let (repo, _) = Story::of(PLAN).told(0);
    let said = arborist(repo.path(), &["show", "t1"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(
        said.err.contains("there is no task or phase t1") && said.err.contains("Did you mean T001?"),
        "{}",
        said.err
    );
    assert_eq!(arborist(repo.path(), &["show"]).code, 2);
}

#[test]
fn output_of_a_program_reaches_the_terminal_without_control_codes() {
    let message = "task(T001): tests fail for \"x\"\n\nTest (unit) stderr:\n\x1b]0;owned\x07\x1b[31mred\n\n\
                   Arborist-Step: test\nArborist-Test: fail\nArborist-Retry: 0\n";
    let (repo, _) = Story::of(PLAN).commit(message, &[]).told(0);
    let told = arborist(repo.path(), &["show", "T001"]).answer();
    assert!(told.contains("      red\n") && !told.contains(['\x1b', '\x07']), "{told:?}");
}

#[test]
fn long_output_of_a_failed_step_is_cut_and_says_where_the_rest_is() {
    let lines: String = (0..40).map(|line| format!("line {line}\n")).collect();
    let message = format!(
        "task(T001): tests fail for \"x\"\n\n{lines}\nArborist-Step: test\nArborist-Test: fail\nArborist-Retry: 0\n"
    );
    let (repo, ids) = Story::of(PLAN).commit(&message, &[]).told(0);
    let told = arborist(repo.path(), &["show", "T001"]).answer();
    let last = format!("      line 11\n      (28 more lines: git show -s {})\n", ids[1].short());
    assert!(told.ends_with(&last), "{told}");
}

#[test]
fn the_failures_of_the_older_system_are_shown_with_their_reasons() {
    for bundle in REFERENCES {
        let (repo, tree) = reference(bundle);
        let steps = |task: &str| -> Vec<Vec<(String, String)>> {
            let document = arborist(repo.path(), &["show", task, "--json", "--tree", tree]).json();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let step = |step: &Value| (text(&step["step"]), text(&step["outcome"]));
            let steps = |attempt: &Value| attempt["steps"].as_array().unwrap().iter().map(step).collect();
            document["attempts"].as_array().unwrap().iter().map(steps).collect()
        };
        let named = |names: &[(&str, &str)]| -> Vec<(String, String)> {
            names.iter().map(|(step, outcome)| ((*step).to_owned(), (*outcome).to_owned())).collect()
        };
        let good = [("implement", "pass"), ("test", "pass"), ("review", "approved"), ("complete", "pass")];
        let tested = [("implement", "pass"), ("test", "fail")];
        assert_eq!(steps("T002"), [named(&tested), named(&good)], "{bundle}");
        let reviewed = [("implement", "pass"), ("test", "pass"), ("review", "rejected")];
        assert_eq!(steps("T003"), [named(&reviewed), named(&good)], "{bundle}");

        let told = arborist(repo.path(), &["show", "T002", "--tree", tree]).answer();
        assert!(told.contains("      FAILED tests/test_m.py::test_m - AssertionError\n"), "{bundle}: {told}");
        let told = arborist(repo.path(), &["show", "T003", "--tree", tree]).answer();
        assert!(
            told.contains("      The change misses a trailing newline check. REJECTED.\n"),
            "{bundle}: {told}"
        );
    }
}
