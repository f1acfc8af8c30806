//! The forms in which `git arborist status` prints tasks: filters, and through the pager.

use crate::support::cli::{PLAN, Story, arborist, git_with_commands};
use crate::support::garden::{Garden, one_task};
use crate::support::repo::Repo;
use git_arborist::record::Outcome::{Fail, Pass};
use serde_json::json;

/// T001 is complete, T003 has failed and blocks T004, and T002 has begun.
fn one_of_each() -> Repo {
    let story = Story::of(PLAN).whole("T001").implement("T003", 0, Fail).failed("T003");
    story.implement("T002", 0, Pass).test("T002", 0, Fail).told(200).0
}

#[test]
fn only_the_named_nodes_are_shown_with_what_is_above_them() {
    let repo = one_of_each();
    let expected = "\
my-project  1/4 complete  ████░░░░░░░░░░░░
stopped; next: T002 implement 2/5
└── phase2 API Layer (0/2, 1 failed)
    ├── ✗ T003 Build endpoints (failed)
    └── · T004 Add tests (blocked by T003)
";
    assert_eq!(arborist(repo.path(), &["status", "phase2"]).answer(), expected);
    let said = arborist(repo.path(), &["status", "T001", "T004"]).answer();
    assert!(
        said.contains("✓ T001 Create schema (complete, untested)") && !said.contains("T002 Add"),
        "{said}"
    );
    let said = arborist(repo.path(), &["status", "phse2"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(
        said.err.contains("there is no task or phase phse2") && said.err.contains("phase2"),
        "{}",
        said.err
    );
}

#[test]
fn filters_select_the_tasks_that_any_of_them_fits() {
    let repo = one_of_each();
    let said = |args: &[&str]| arborist(repo.path(), &[&["status"], args].concat());
    for (args, expected) in [
        (&["--ready"][..], &["T002"][..]),
        (&["--failed"], &["T003"]),
        (&["--blocked"], &["T004"]),
        (&["--active"], &["T002"]),
        (&["--failed", "--blocked"], &["T003", "T004"]),
        (&["phase1"], &["T001", "T002"]),
        (&["phase2", "--blocked", "--ready"], &["T004"]),
    ] {
        let document = said(&[args, &["--json"]].concat()).json();
        let ids: Vec<&str> =
            document["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect();
        assert_eq!(ids, expected, "{args:?}");
    }
    let none = said(&["phase1", "--failed", "--blocked"]);
    assert_eq!((none.code, none.out.as_str()), (1, ""));
    assert_eq!(none.err, "No task below phase1 has failed or is blocked.\n");
    let said = arborist(repo.path(), &["status", "T001", "--ready", "--json"]);
    assert_eq!(said.code, 1);
    let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&document["tasks"], &document["counts"]["total"]), (&json!([]), &json!(4)));
    let document = arborist(repo.path(), &["status", "--failed", "--json"]).json();
    assert_eq!(document["tasks"].as_array().unwrap().len(), 1);
}

#[test]
fn forms_that_exclude_each_other_are_refused() {
    let repo = one_of_each();
    for args in [
        &["--short", "--json"][..],
        &["--short", "T001"],
        &["--short", "--failed"],
        &["--json", "--plain"],
        &["--json", "--all"],
    ] {
        let said = arborist(repo.path(), &[&["status"], args].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {}", said.err);
    }
}

#[test]
fn a_pager_that_git_has_started_gets_colours() {
    let garden = Garden::new(&one_task(&["true"]));
    let mut command = git_with_commands(&garden.top(), &["arborist", "status"]);
    let output =
        command.env("GIT_PAGER_IN_USE", "true").env("TERM", "xterm").env("COLUMNS", "40").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("\x1b["), "{said}");
    assert!(said.lines().all(|line| !line.contains("T001") || line.chars().count() < 80), "{said}");
}
