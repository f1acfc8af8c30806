//! The forms in which `git arborist status` prints tasks: filters, templates, drawings, and through the pager.

use crate::support::cli::{PLAN, Story, arborist, git_with_commands};
use crate::support::garden::{Garden, one_task};
use crate::support::repo::Repo;
use crate::support::reports::hostile_names;
use git_arborist::record::Outcome::{Fail, Pass};
use git_arborist::report::PLACEHOLDERS;
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
    let ids = |args: &[&str]| arborist(repo.path(), &[&["status", "--format", "%(id)"], args].concat());
    for (args, expected) in [
        (&["--ready"][..], "T002\n"),
        (&["--failed"], "T003\n"),
        (&["--blocked"], "T004\n"),
        (&["--active"], "T002\n"),
        (&["--failed", "--blocked"], "T003\nT004\n"),
        (&["phase1"], "T001\nT002\n"),
        (&["phase2", "--blocked", "--ready"], "T004\n"),
    ] {
        assert_eq!(ids(args).answer(), expected, "{args:?}");
    }
    let said = ids(&["phase1", "--failed", "--blocked"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert_eq!(said.err, "No task below phase1 has failed or is blocked.\n");
    let said = arborist(repo.path(), &["status", "T001", "--ready", "--json"]);
    assert_eq!(said.code, 1);
    let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&document["tasks"], &document["counts"]["total"]), (&json!([]), &json!(4)));
    let document = arborist(repo.path(), &["status", "--failed", "--json"]).json();
    assert_eq!(document["tasks"].as_array().unwrap().len(), 1);
}

#[test]
fn a_template_prints_a_line_for_each_task() {
    let repo = one_of_each();
    let said = |args: &[&str]| arborist(repo.path(), &[&["status"], args].concat());
    let line = "%(id) %(state) %(name) %(attempt) %(phase) 100%% %(next)";
    assert_eq!(
        said(&["--format", line]).answer(),
        "T001 complete Create schema  phase1 100% \n\
         T002 testing Add migrations 1 phase1 100% implement 2/5\n\
         T003 failed Build endpoints  phase2 100% \n\
         T004 pending Add tests  phase2 100% implement 1/5\n"
    );
    assert_eq!(said(&["--format", "%(id)", "-z", "phase1"]).answer(), "T001\0T002\0");
    assert_eq!(
        said(&["--format", "%(id)%x09%(attempts)%n", "T001", "T004"]).answer(),
        "T001\t1\n\nT004\t0\n\n"
    );
    let all: Vec<String> =
        PLACEHOLDERS.iter().map(|placeholder| format!("%({})", placeholder.name)).collect();
    let line = said(&["--format", &all.join("|"), "T002"]).answer();
    assert_eq!(line.matches('|').count(), PLACEHOLDERS.len() - 1, "{line}");
    for (template, words) in [
        ("%(nmae)", "there is no placeholder %(nmae) for --format.\nDid you mean %(name)?"),
        ("100%", "`%` in --format means nothing"),
        ("%(id", "`%(id` in --format means nothing"),
        ("%q", "`%q` in --format means nothing"),
    ] {
        let said = said(&["--format", template]);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{template}");
        assert!(said.err.contains(words), "{template}: {}", said.err);
    }
}

#[test]
fn forms_that_exclude_each_other_are_refused() {
    let repo = one_of_each();
    for args in [
        &["--json", "--dot"][..],
        &["--dot", "--mermaid"],
        &["--short", "--json"],
        &["--short", "T001"],
        &["--short", "--failed"],
        &["--watch", "--format", "%(id)"],
        &["--json", "--plain"],
        &["--json", "--all"],
        &["-z"],
    ] {
        let said = arborist(repo.path(), &[&["status"], args].concat());
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}: {}", said.err);
    }
}

#[test]
fn mermaid_gets_nothing_but_plain_text_from_names() {
    let repo = hostile_names();
    let said = arborist(repo.path(), &["status", "--mermaid"]).answer();
    assert!(said.starts_with("flowchart LR\n"), "{said}");
    for line in said.lines().filter(|line| line.contains('"')) {
        let label = line.split('"').collect::<Vec<_>>();
        assert_eq!(label.len(), 3, "one pair of quotation marks: {line}");
        let text = label[1].replace("<br/>", "");
        assert!(!text.contains(['<', '>', '`', '[', '{', '|', '\\']), "{line}");
    }
    assert!(
        said.contains("  n0 --> n3\n") && said.contains("    n1 --> n2\n") || said.contains("  n1 --> n2\n"),
        "{said}"
    );
    let only = arborist(repo.path(), &["status", "--mermaid", "T2"]).answer();
    assert!(only.contains("n4[") && !only.contains("n1[") && !only.contains("-->"), "{only}");
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
